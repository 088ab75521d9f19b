"""The session: handshake, order, liveness, and every way it can end."""

from __future__ import annotations

import asyncio
import base64
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from sgclaw.errors import BadPolicyError, HostGoneError, WireError
from sgclaw.host.carrier import FdCarrier
from sgclaw.host.handshake import LineSource, open_session
from sgclaw.host.session import Services, Session
from sgclaw.policy.model import policy_document
from sgclaw.ports import Act, Question
from sgclaw.protocol.channel import Channel, encode_init
from sgclaw.protocol.limits import MAX_LINE_FROM_HOST
from sgclaw.protocol.messages import Command, Init, LogEntry, PageEvent, Ping, Response, Shutdown
from sgclaw.protocol.parts import HostInfo
from sgclaw.protocol.results import PageInfo
from sgclaw.protocol.signing import Role
from tests.support.ports import LoopClock, RecordingLedger, RecordingLog, RecordingRecords, eventually
from tests.support.wire import Approving, wired

KEY = bytes(range(32))
TRACE = "sgclaw-20260402-0000abcd"


def big(number: int) -> LogEntry:
    return LogEntry(text="长" * 20_000, data={"number": number, "pad": "x" * 100_000})


def init(**changes: object) -> bytes:
    fields: dict[str, Any] = {
        "protocol": "sgclaw-pipe/1",
        "trace_id": TRACE,
        "session_key": base64.urlsafe_b64encode(KEY).decode().rstrip("="),
        "host": HostInfo(name="test", version="1"),
        "policy": policy_document(["https://erp.example.com"]),
    }
    return encode_init(Init(**{**fields, **changes}))


def reload_command(seq: int) -> Command:
    return Command(seq=seq, action="reload", params={}, task_id="t1", deadline_ms=5_000)


class RawHost:
    """The host's end as bare descriptors: tests write whatever bytes they like."""

    def __init__(self) -> None:
        self.to_agent, self.to_host = os.pipe(), os.pipe()
        self.carrier = FdCarrier(self.to_agent[0], self.to_host[1])
        self.lines = LineSource(self.carrier)
        self.channel = Channel(Role.HOST, KEY, TRACE)
        self.ledger, self.log, self.records = RecordingLedger(), RecordingLog(), RecordingRecords()
        self._buffer = b""

    def write(self, data: bytes) -> None:
        os.write(self.to_agent[1], data)

    def write_all(self, data: bytes) -> None:
        while data:
            data = data[os.write(self.to_agent[1], data) :]

    def hang_up(self) -> None:
        os.close(self.to_agent[1])

    async def open(self) -> tuple[Session, asyncio.Task[str]]:
        self.write(init())
        session = Session(
            self.carrier,
            self.lines,
            await open_session(self.lines),
            Services(self.ledger, self.log, LoopClock(), self.records),
        )
        await session.ready()
        assert (await self.read())["type"] == "ready"
        return session, asyncio.create_task(session.run())

    async def read(self) -> dict[str, Any]:
        async with asyncio.timeout(5):
            while b"\n" not in self._buffer:
                self._buffer += await asyncio.to_thread(os.read, self.to_host[0], 65536)
        line, _, self._buffer = self._buffer.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        return message


@pytest.fixture
async def host() -> AsyncIterator[RawHost]:
    raw = RawHost()
    yield raw
    for fd in (raw.to_agent[1], raw.to_host[0]):
        try:
            os.close(fd)
        except OSError:
            continue
    await raw.carrier.close()


@pytest.mark.requirement("HOST-20")
async def test_ready_echoes_the_digest_of_the_policy(host: RawHost) -> None:
    session, _ = await host.open()
    assert session.opened.policy.sha256 == host.ledger.data("session_started")[0]["policy_sha256"]


@pytest.mark.requirement("HOST-20")
@pytest.mark.parametrize(
    "first",
    [
        b"\n",
        b"not json\n",
        b'{"type":"ping","id":"1"}\n',
        init(protocol="sgclaw-pipe/2"),
        init().replace(b'"session_key":"', b'"session_key":"!'),
    ],
)
async def test_a_session_that_does_not_begin_with_a_usable_init_is_refused(first: bytes, host: RawHost) -> None:
    host.write(first)
    with pytest.raises(WireError) as refused:
        await open_session(host.lines)
    assert (refused.value.code, refused.value.fatal) == ("HANDSHAKE_FAILED", True)


@pytest.mark.requirement("HOST-20")
async def test_a_policy_that_cannot_be_read_is_refused(host: RawHost) -> None:
    host.write(init(policy='{"version":1,"origins":["https://ERP.example.com"]}'))
    with pytest.raises(BadPolicyError):
        await open_session(host.lines)


@pytest.mark.requirement("HOST-20")
async def test_a_host_that_hangs_up_before_init_is_reported(host: RawHost) -> None:
    host.hang_up()
    with pytest.raises(HostGoneError):
        await open_session(host.lines)


@pytest.mark.requirement("HOST-21")
async def test_a_ping_is_answered_while_an_act_is_pending(tmp_path: Path) -> None:
    async with wired(tmp_path) as both:
        both.driver.knobs.hang.add("click")
        clicking = asyncio.create_task(both.browser().act(Act("click", {"selector": "#go"})))
        await both.host.send(Ping(id="p1"))
        await eventually(lambda: "pong" in [message.type for message in both.seen])
        clicking.cancel()
        await asyncio.gather(clicking, return_exceptions=True)


@pytest.mark.requirement("HOST-22")
@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"junk\n", "BAD_JSON"),
        (b"\xff\n", "BAD_ENCODING"),
        (b'{"a":1,"a":2}\n', "DUPLICATE_KEY"),
        (b'{"type":"ping","id":"1"}\n', "BAD_HMAC"),
    ],
)
async def test_a_bad_line_is_refused_by_code_recorded_as_a_digest_and_the_session_goes_on(
    line: bytes, code: str, host: RawHost
) -> None:
    _, ended = await host.open()
    host.write(line)
    refusal = await host.read()
    assert (refusal["type"], refusal["code"], refusal["line_bytes"]) == ("protocol_error", code, len(line) - 1)
    host.write(host.channel.seal(Ping(id="still-there")))
    assert (await host.read())["id"] == "still-there"
    assert [item["code"] for item in host.ledger.data("line_refused")] == [code]
    host.write(host.channel.seal(Shutdown()))
    assert await ended == "shutdown"


@pytest.mark.requirement("HOST-23")
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"type":"ping","id":"1"}\n' * 3, "TOO_MANY_BAD_HMAC"),
        (init(), "SECOND_INIT"),
        (b"x" * (MAX_LINE_FROM_HOST + 1), "LINE_TOO_LONG"),
        (b"junk\n" * 10_000, "TOO_MANY_REFUSED"),
    ],
)
async def test_what_cannot_be_trusted_any_more_ends_the_session(data: bytes, reason: str, host: RawHost) -> None:
    session, ended = await host.open()
    await asyncio.to_thread(host.write_all, data)
    async with asyncio.timeout(20):
        assert await ended == reason
    await session.bye(reason)
    assert host.ledger.data("session_ended") == [{"reason": reason, "dropped": 0}]


@pytest.mark.requirement("HOST-23")
async def test_responses_to_other_bytes_than_were_sent_count_as_bad_codes(host: RawHost) -> None:
    session, ended = await host.open()
    calling = asyncio.create_task(session.call(reload_command, "erp.example.com"))
    command = await host.read()
    answer = Response(seq=command["seq"], success=True, data={})
    for expected in ("BAD_HMAC", "BAD_HMAC", "TOO_MANY_BAD_HMAC"):
        host.write(host.channel.seal_response(answer, "0" * 64))
        assert (await host.read())["code"] == expected
    with pytest.raises(HostGoneError):
        await calling
    assert await ended == "TOO_MANY_BAD_HMAC"


@pytest.mark.requirement("HOST-27")
async def test_a_page_event_is_logged_and_tells_no_address_of_an_unlisted_origin(host: RawHost) -> None:
    _, ended = await host.open()
    for id_, url in (("p1", "https://erp.example.com/list"), ("p2", "https://evil.example.net/?d=1")):
        page = PageInfo(id=id_, url=url, title="标题", version=2)
        host.write(host.channel.seal(PageEvent(event="opened", page=page, facts={"by": "script"})))
    host.write(host.channel.seal(Shutdown()))
    assert await ended == "shutdown"
    assert [data for event, data in host.log.data if event == "page_event"] == [
        {"event": "opened", "page": "p1", "url": "https://erp.example.com/list"},
        {"event": "opened", "page": "p2", "url": None},
    ]


@pytest.mark.requirement("HOST-23")
async def test_a_lost_line_ends_the_session(host: RawHost) -> None:
    _, ended = await host.open()
    host.channel.seal(Ping(id="lost"))
    host.write(host.channel.seal(Ping(id="next")))
    assert await ended == "SEQUENCE_GAP"


@pytest.mark.requirement("HOST-24")
async def test_end_of_file_fails_what_is_outstanding_and_ends_the_session(host: RawHost) -> None:
    session, ended = await host.open()
    asking = asyncio.create_task(session.ask("t1", Question("哪个月？")))
    assert (await host.read())["type"] == "question"
    host.hang_up()
    with pytest.raises(HostGoneError):
        await asking
    assert await ended == "eof"


@pytest.mark.requirement("HOST-24")
async def test_a_host_that_closes_only_its_reading_end_has_left(host: RawHost) -> None:
    session, ended = await host.open()
    os.close(host.to_host[0])
    session.tell(LogEntry(text="谁在听？"))
    async with asyncio.timeout(5):
        assert await ended == "eof"
    with pytest.raises(HostGoneError):
        await session.send(LogEntry(text="没有人"))


@pytest.mark.requirement("HOST-25")
@pytest.mark.parametrize("said", ["2026-03", None])
async def test_a_question_gets_the_persons_answer_or_none(said: str | None, tmp_path: Path) -> None:
    person = Approving(said=said)
    async with wired(tmp_path, approver=person) as both:
        async with asyncio.timeout(5):
            assert await both.session.ask("t1", Question("哪个月？")) == said
        assert person.asked == ["哪个月？"]


@pytest.mark.requirement("HOST-25")
async def test_a_question_nobody_answers_ends_at_its_deadline(host: RawHost) -> None:
    session, _ = await host.open()
    assert await session.ask("t1", Question("哪个月？", deadline_s=1)) is None


@pytest.mark.requirement("HOST-26")
async def test_a_host_that_does_not_read_cannot_stop_the_reading_loop(host: RawHost) -> None:
    session, ended = await host.open()
    for number in range(60):
        session.tell(big(number))
    host.write(host.channel.seal(Shutdown()))
    async with asyncio.timeout(5):
        assert await ended == "shutdown"


@pytest.mark.requirement("HOST-26")
async def test_a_host_that_does_not_read_is_still_heard_when_the_ledger_grows(host: RawHost) -> None:
    session, ended = await host.open()
    for number in range(60):
        session.tell(big(number))
    host.ledger.records.extend(host.ledger.records * 100)
    host.write(host.channel.seal(Ping(id="p")))
    host.write(host.channel.seal(Shutdown()))
    async with asyncio.timeout(5):
        assert await ended == "shutdown"


@pytest.mark.requirement("HOST-22")
async def test_a_bad_line_is_answered_even_when_it_cannot_be_recorded(host: RawHost) -> None:
    _, ended = await host.open()
    host.ledger.full = True
    host.write(b"junk\n")
    assert (await host.read())["code"] == "BAD_JSON"
    host.write(host.channel.seal(Shutdown()))
    assert await ended == "shutdown"


@pytest.mark.requirement("HOST-20")
async def test_a_host_whose_policy_is_refused_is_told_so_by_a_signed_bye(host: RawHost) -> None:
    host.write(init(policy="{}"))
    with pytest.raises(BadPolicyError):
        await open_session(host.lines)
    message = await host.read()
    assert (message["type"], message["reason"]) == ("bye", "BAD_POLICY")
