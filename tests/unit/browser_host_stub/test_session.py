"""The browser's end alone against a hostile sgclaw: nothing but authentic, allowed, approved acts reach the page."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from browser_host_stub.link import link_over
from browser_host_stub.memory.driver import MemoryDriver
from browser_host_stub.session import HostOptions, HostSession
from sgclaw.policy.model import policy_document
from sgclaw.protocol.channel import Channel, read_init
from sgclaw.protocol.messages import Command, Ready
from sgclaw.protocol.parts import SkillTag
from sgclaw.protocol.signing import Role
from tests.support.wire import ERP, EVIL, SITE, Approving

ERP_HOST, OA = "erp.example.com", "https://oa.example.com"


class RawAgent:
    """sgclaw's end as bare descriptors: whatever it likes to send."""

    def __init__(self, folder: Path, approver: Approving, *, grants: list[dict[str, str]] | None = None) -> None:
        self.to_agent, self.to_host = os.pipe(), os.pipe()
        self.driver = MemoryDriver(SITE, folder, start=f"{ERP}/")
        self.policy = policy_document([ERP, OA], grants=grants)
        self.approver = approver
        self._buffer = b""

    async def open(self) -> asyncio.Task[None]:
        link = await link_over(self.to_host[0], self.to_agent[1])
        options = HostOptions(policy=self.policy, trace_id="sgclaw-20260402-0000abcd", approver=self.approver)
        self.host = HostSession(link, self.driver, options)
        running = asyncio.create_task(self.host.run())
        starting = asyncio.create_task(self.host.start())
        init = read_init((await self.line()).encode())
        key = base64.urlsafe_b64decode(init.session_key + "=")
        self.channel = Channel(Role.AGENT, key, init.trace_id)
        digest = hashlib.sha256(init.policy.encode()).hexdigest()
        self.write(self.channel.seal(Ready(protocol=init.protocol, version="0", policy_sha256=digest)))
        await starting
        return running

    def write(self, line: bytes) -> None:
        os.write(self.to_host[1], line)

    async def line(self) -> str:
        async with asyncio.timeout(5):
            while b"\n" not in self._buffer:
                self._buffer += await asyncio.to_thread(os.read, self.to_agent[0], 65536)
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode()

    async def read(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(await self.line())
        return message

    def command(
        self, action: str, domain: str = ERP_HOST, *, approval_id: str | None = None, **params: object
    ) -> bytes:
        command = Command(
            seq=self.channel.upcoming_seq,
            action=action,
            params=params,
            task_id="t1",
            deadline_ms=5_000,
            approval_id=approval_id,
        )
        return self.channel.seal_command(command, domain)[0]

    async def call(self, line: bytes) -> str:
        """Send a command and return `ok` or the code it was refused with."""
        self.write(line)
        answer = await self.read()
        return "ok" if answer.get("success") else str(answer.get("code") or answer["error"]["code"])

    @property
    def acts(self) -> list[tuple[str, str]]:
        return self.driver.pages["p1"].acts


@pytest.fixture
async def agent(tmp_path: Path) -> AsyncIterator[RawAgent]:
    raw = RawAgent(tmp_path, Approving(yes=True))
    running = await raw.open()
    yield raw
    os.close(raw.to_host[1])
    async with asyncio.timeout(5):
        await running
    os.close(raw.to_agent[0])


@pytest.mark.requirement("STUB-01")
async def test_an_authentic_allowed_command_is_carried_out(agent: RawAgent) -> None:
    assert await agent.call(agent.command("getText", selector="#title")) == "ok"


@pytest.mark.requirement("STUB-02")
async def test_a_command_line_with_any_flipped_byte_is_refused_and_nothing_happens(tmp_path: Path) -> None:
    for position in range(0, 300, 17):
        raw = RawAgent(tmp_path, Approving())
        running = await raw.open()
        line = raw.command("click", selector="#go")
        place = min(position, len(line) - 2)
        flipped = line[:place] + bytes([line[place] ^ 1]) + line[place + 1 :]
        assert await raw.call(flipped) in {"BAD_HMAC", "BAD_JSON", "BAD_ENCODING"}
        assert raw.acts == []
        os.close(raw.to_host[1])
        await running
        os.close(raw.to_agent[0])


Send = Callable[[RawAgent], bytes]


@pytest.mark.requirement("STUB-03")
@pytest.mark.parametrize(
    ("send", "code"),
    [
        (lambda raw: raw.command("eval", code="1"), "UNKNOWN_ACTION"),
        (lambda raw: raw.command("click", selector="#go", extra=1), "BAD_PARAMS"),
        (lambda raw: raw.command("click", "oa.example.com", selector="#go"), "POLICY_DENIED"),
        (lambda raw: raw.command("click", "evil.example.net", selector="#go"), "POLICY_DENIED"),
        (lambda raw: raw.command("click", "ERP.example.com", selector="#go"), "POLICY_DENIED"),
        (lambda raw: raw.command("navigate", url=f"{EVIL}/"), "POLICY_DENIED"),
        (lambda raw: raw.command("navigate", url="https://erp.example.com@evil.example.net/"), "POLICY_DENIED"),
        (lambda raw: raw.command("login", site=ERP_HOST, credential="%vault:erp.login%"), "NEEDS_APPROVAL"),
        (lambda raw: raw.command("clearStorage"), "NEEDS_APPROVAL"),
        (lambda raw: raw.command("click", selector="#submit"), "NEEDS_APPROVAL"),
        (lambda raw: raw.command("click", selector="#submit", approval_id="ap-1"), "POLICY_DENIED"),
    ],
)
async def test_the_host_alone_refuses_what_the_policy_does_not_allow(send: Send, code: str, agent: RawAgent) -> None:
    agent.approver.yes = False
    assert await agent.call(send(agent)) == code
    assert agent.acts == []


@pytest.mark.requirement("STUB-04")
async def test_an_approval_is_used_once_and_only_for_the_act_it_was_given_for(agent: RawAgent) -> None:
    assert await agent.call(agent.command("click", selector="#submit")) == "NEEDS_APPROVAL"
    approval = await agent.read()
    assert (approval["type"], approval["approved"]) == ("approval", True)
    other = agent.command("clearStorage", approval_id=approval["approval_id"])
    assert await agent.call(other) == "POLICY_DENIED"
    again = agent.command("click", selector="#submit", approval_id=approval["approval_id"])
    assert await agent.call(again) == "POLICY_DENIED"
    assert agent.acts == []
    assert await agent.call(agent.command("click", selector="#submit")) == "NEEDS_APPROVAL"
    second = await agent.read()
    assert await agent.call(agent.command("click", selector="#submit", approval_id=second["approval_id"])) == "ok"
    third = agent.command("click", selector="#submit", approval_id=second["approval_id"])
    assert await agent.call(third) == "POLICY_DENIED"
    assert agent.acts == [("click", "#submit")]


@pytest.mark.requirement("STUB-04")
async def test_an_approval_does_not_cover_an_element_that_changed_meanwhile(agent: RawAgent) -> None:
    await agent.call(agent.command("click", selector="#submit"))
    approval = await agent.read()
    agent.driver.pages["p1"].elements["#submit"].label = "删 除"
    line = agent.command("click", selector="#submit", approval_id=approval["approval_id"])
    assert await agent.call(line) == "POLICY_DENIED"
    assert agent.acts == []


@pytest.mark.requirement("STUB-05")
async def test_a_repeated_command_is_refused_and_a_gap_ends_the_session(agent: RawAgent) -> None:
    line = agent.command("getText", selector="#title")
    assert await agent.call(line) == "ok"
    assert await agent.call(line) == "REPLAYED"
    agent.command("getText", selector="#title")
    assert await agent.call(agent.command("getText", selector="#title")) == "SEQUENCE_GAP"


@pytest.mark.requirement("STUB-06")
async def test_a_standing_grant_covers_exactly_its_skill_action_and_origin(tmp_path: Path) -> None:
    raw = RawAgent(tmp_path, Approving(yes=False), grants=[{"skill": "oa", "action": "click", "origin": ERP}])
    running = await raw.open()
    assert await raw.call(raw.command("click", selector="#submit")) == "NEEDS_APPROVAL"
    assert (await raw.read())["approved"] is False
    command = Command(
        seq=raw.channel.upcoming_seq,
        action="click",
        params={"selector": "#submit"},
        task_id="t1",
        deadline_ms=5_000,
        skill=SkillTag(ref="oa@1.0.0", sha256="0" * 64),
    )
    assert await raw.call(raw.channel.seal_command(command, ERP_HOST)[0]) == "ok"
    os.close(raw.to_host[1])
    await running
    os.close(raw.to_agent[0])
