"""Both ends of live sessions under random lines: the end is typed, and nothing of the lines comes out anywhere."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from browser_host_stub.approvals import NobodyThere
from sgclaw.errors import WireCode
from sgclaw.host.carrier import FdCarrier
from sgclaw.host.handshake import LineSource, open_session
from sgclaw.host.session import Services, Session
from sgclaw.policy.model import policy_document
from sgclaw.protocol.channel import Channel
from sgclaw.protocol.messages import Ping
from sgclaw.protocol.signing import Role
from sgclaw.protocol.strict import JsonObject, encode
from tests.fuzz.echo import echoed
from tests.fuzz.lines import KEYS, sign
from tests.support.ports import LoopClock, RecordingLedger, RecordingRecords
from tests.support.raw_agent import RawAgent
from tests.unit.protocol.samples import BODIES, TEST_ONLY_KEY, TRACE

CANARY = b"Q7canary-0f3b9a"
_ENDS = {"eof", *(code.value for code in WireCode)}
_BOUNDED = settings(
    max_examples=25, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


def _bodies(sender: Role) -> list[bytes]:
    """Every message of this direction with the canary as a field, as a value and as its type."""
    text = CANARY.decode()
    bodies: list[JsonObject] = [{"type": text}]
    for body in BODIES[sender].values():
        bodies += [{**body, text: text}, {**body, "task_id": text, "id": text, "text": text}]
    return [encode({**body, "security": {"n": 1}}) for body in bodies]


def _lines(sender: Role) -> st.SearchStrategy[list[bytes]]:
    """Random bytes and unsigned, wrongly signed and rightly signed bodies, each with the canary inside."""
    junk = st.binary(max_size=60).map(lambda data: data.replace(b"\n", b"") + CANARY)
    body = st.sampled_from(_bodies(sender))
    wrong = body.map(lambda line: sign(line.removesuffix(b"}}"), TEST_ONLY_KEY))
    right = body.map(lambda line: sign(line.removesuffix(b"}}"), KEYS[sender]))
    return st.lists(junk | body | wrong | right, max_size=12)


class KeepingLog:
    """A `Log` that keeps everything it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def event(self, module: str, event: str, data: Mapping[str, object] | None = None, *, level: str = "INFO") -> None:
        self.told.append(json.dumps([module, event, data, level], ensure_ascii=False, default=str))


async def _read_to_end(fd: int) -> bytes:
    found = b""
    async with asyncio.timeout(5):
        while chunk := await asyncio.to_thread(os.read, fd, 1 << 16):
            found += chunk
    os.close(fd)
    return found


async def _agent_under(lines: list[bytes]) -> tuple[str, list[str]]:
    """Why the agent's session ended, and everything it wrote: pipe, ledger, log."""
    to_agent, to_host = os.pipe(), os.pipe()
    carrier = FdCarrier(to_agent[0], to_host[1])
    source, ledger, log = LineSource(carrier), RecordingLedger(), KeepingLog()
    policy = policy_document(["https://erp.example.com"])
    os.write(to_agent[1], encode({**BODIES[Role.HOST]["init"], "policy": policy}) + b"\n")
    session = Session(
        carrier, source, await open_session(source), Services(ledger, log, LoopClock(), RecordingRecords())
    )
    await session.ready()
    os.write(to_agent[1], b"".join(line + b"\n" for line in lines))
    os.close(to_agent[1])
    async with asyncio.timeout(5):
        ended = await session.run()
        await session.bye(ended)
    written = await _read_to_end(to_host[0])
    records = [json.dumps(record.data, ensure_ascii=False, default=str) for record in ledger.records]
    return ended, [written.decode("utf-8"), *records, *log.told]


@pytest.mark.requirement("FUZZ-06")
@_BOUNDED
@given(_lines(Role.HOST))
def test_the_agent_ends_typed_and_repeats_nothing_of_what_it_refused(lines: list[bytes]) -> None:
    ended, said = asyncio.run(_agent_under(lines))
    assert ended in _ENDS
    assert echoed(said, CANARY + TEST_ONLY_KEY) == b""


async def _host_under(lines: list[bytes], folder: Path) -> tuple[list[str], list[str]]:
    """The codes of what the host refused, and everything it wrote. `RawAgent` has its own key."""
    agent = RawAgent(folder, NobodyThere())
    running = await agent.open()
    agent.write(b"".join(line + b"\n" for line in lines))
    os.close(agent.to_host[1])
    async with asyncio.timeout(5):
        await running
    written = await _read_to_end(agent.to_agent[0])
    return agent.host.refusals, [written.decode("utf-8"), *agent.host.refusals]


@pytest.mark.requirement("FUZZ-06")
@_BOUNDED
@given(_lines(Role.AGENT))
def test_the_host_refuses_typed_and_repeats_nothing_of_what_it_refused(lines: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        refusals, said = asyncio.run(_host_under(lines, Path(folder)))
    assert set(refusals) <= set(WireCode)
    assert echoed(said, CANARY) == b""


@pytest.mark.requirement("FUZZ-06")
def test_the_canary_would_be_found() -> None:
    line = Channel(Role.HOST, TEST_ONLY_KEY, TRACE).seal(Ping(id=CANARY.decode()))
    assert echoed([line.decode()], CANARY) == CANARY[:8]
