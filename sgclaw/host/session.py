"""The agent's end of one session: the reading loop, outstanding commands, people's answers.

This is the pipe loop, one of the three places allowed to catch everything: whatever goes wrong, the session ends in
order (outstanding calls fail, the ledger says why, `bye` is sent while the pipe lives).
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from sgclaw import __version__
from sgclaw.errors import (
    ActionCode,
    ActionError,
    NeedsApprovalError,
    SgClawError,
    WireCode,
    WireError,
)
from sgclaw.host.carrier import FdCarrier
from sgclaw.host.handshake import LineSource, Opened
from sgclaw.host.people import Waiting, gone
from sgclaw.host.pipe_records import Direction, pipe_record, refused_record
from sgclaw.policy.decide import is_listed
from sgclaw.ports import Clock, JsonObject, Ledger, Log, Question, Record, RecordKind, Records
from sgclaw.protocol import PROTOCOL
from sgclaw.protocol.actions import told
from sgclaw.protocol.channel import Received
from sgclaw.protocol.limits import MAX_REFUSED_IN_A_ROW
from sgclaw.protocol.messages import (
    Answer,
    Approval,
    AskPerson,
    AuditHead,
    Bye,
    CancelCommand,
    Command,
    Message,
    PageEvent,
    Ping,
    Pong,
    ProtocolError,
    Ready,
    Response,
    Shutdown,
)
from sgclaw.protocol.session import Outstanding, Pending

Handler = Callable[[Message], Awaitable[None]]
HEAD_EVERY_RECORDS = 64
"""How often the host gets the ledger's head while a session runs (`security.md` L2)."""


@dataclass(frozen=True, slots=True)
class Services:
    """What a session writes to and reads time from."""

    ledger: Ledger
    log: Log
    clock: Clock
    records: Records


class Session:
    """One signed session with a host. Sealing and queueing a line never awaits, so numbers leave in order."""

    def __init__(self, carrier: FdCarrier, lines: LineSource, opened: Opened, services: Services) -> None:
        self._carrier, self._lines, self._services = carrier, lines, services
        self._channel = opened.channel
        self.opened = opened
        self._outstanding = Outstanding()
        self._responses: dict[int, asyncio.Future[Response]] = {}
        self._approvals: Waiting[bool] = Waiting()
        self._answers: Waiting[str | None] = Waiting()
        self._handlers: dict[type[Message], Handler] = {}
        self._questions = 0
        self._last_head = 0
        self._refused = self._dropped = 0
        self._over: str | None = None
        """Why the session ended, once it has."""

    def on(self, kind: type[Message], handler: Handler) -> None:
        """Give every message of this type to `handler`, in order of arrival; it must not wait for the host."""
        self._handlers[kind] = handler

    # --- sending ----------------------------------------------------------------------------------------------------

    async def send(self, message: Message) -> None:
        """Send any message but a command; waits while the host does not read. Raises `HOST_GONE`."""
        await self._carrier.room()
        self._put(message)

    def _put(self, message: Message) -> None:
        line = self._channel.seal(message)
        self._carrier.put(line)
        self._keep("out", message, line, self._channel.last_n)

    def tell(self, message: Message) -> None:
        """Send if there is room now, else drop and log: the reading loop must never wait for a host that does not
        read.
        """
        if self._carrier.has_room:
            self._put(message)
        else:
            self._dropped += 1

    async def ready(self, warnings: tuple[str, ...] = ()) -> None:
        """Answer `init`: protocol, version and the digest of the policy this process will hold itself to."""
        digest = self.opened.policy.sha256
        host = self.opened.init.host.model_dump(mode="json", exclude={"actions"})
        facts: JsonObject = {"protocol": PROTOCOL, "version": __version__, "policy_sha256": digest, "host": host}
        self._record("session_started", facts)
        await self.send(Ready(protocol=PROTOCOL, version=__version__, policy_sha256=digest, warnings=warnings))

    async def call(self, command: Callable[[int], Command], domain: str) -> Response:
        """Send the command made for the next `seq` and wait for its one response, until its deadline.

        Raises `HOST_GONE` or `TIMEOUT`; cancelling the caller cancels the command at the host.
        """
        await self._carrier.room()
        if self._over is not None:
            raise gone(self._over)
        message, future = self._register(command, domain)
        seconds = message.deadline_ms / 1000
        try:
            async with asyncio.timeout(seconds):
                return await future
        except TimeoutError:
            self._give_up(message.seq)
            cause = f"“{told(message.action, message.params)}”在 {seconds:g} 秒内没有得到浏览器的回答"
            raise ActionError(ActionCode.TIMEOUT, cause, facts={"seq": message.seq}) from None
        except asyncio.CancelledError:
            self._give_up(message.seq)
            raise
        finally:
            self._responses.pop(message.seq, None)

    def _register(self, command: Callable[[int], Command], domain: str) -> tuple[Command, asyncio.Future[Response]]:
        self._outstanding.check_room()
        message = command(self._channel.upcoming_seq)
        line, mac = self._channel.seal_command(message, domain)
        deadline = self._services.clock.monotonic() + message.deadline_ms / 1000
        self._outstanding.add(Pending(message.seq, mac, deadline))
        future: asyncio.Future[Response] = asyncio.get_running_loop().create_future()
        self._responses[message.seq] = future
        self._carrier.put(line)
        self._keep("out", message, line, None)
        return message, future

    def _give_up(self, seq: int) -> None:
        self._outstanding.expire(seq)
        if self._over is None:
            self.tell(CancelCommand(seq=seq))

    # --- people -----------------------------------------------------------------------------------------------------

    async def approval(self, approval_id: str, timeout_s: float) -> bool:
        """The person's word on an act the host holds; silence is no."""
        return await self._approvals.take(approval_id, timeout_s) is True

    async def ask(self, task_id: str, question: Question) -> str | None:
        """Ask the person; None when the deadline passes or nobody will answer."""
        self._questions += 1
        question_id = f"q{self._questions}"
        self._answers.expect(question_id)
        await self.send(
            AskPerson(
                question_id=question_id,
                task_id=task_id,
                text=question.text,
                choices=question.choices,
                deadline_s=question.deadline_s,
            )
        )
        return await self._answers.take(question_id, question.deadline_s)

    # --- receiving --------------------------------------------------------------------------------------------------

    async def run(self) -> str:
        """Read until the session ends; returns the reason. Every outstanding call has failed when this returns."""
        reason = "internal"
        try:
            reason = await self._read_all()
        except SgClawError as error:
            reason = error.code
        except Exception as error:  # the process edge: end in order whatever happened
            self._log("crashed", {"error": type(error).__name__}, level="ERROR")
        finally:
            self._end(reason)
        return reason

    async def bye(self, reason: str) -> None:
        """Record the end, say goodbye while the pipe lives, and close it. Tasks have ended by now."""
        try:
            self._record("session_ended", {"reason": reason, "dropped": self._dropped})
            await self.send_head()
        except SgClawError as error:
            self._log("end_not_recorded", {"code": error.code}, level="ERROR")
        try:
            await self.send(Bye(reason=reason))
        except SgClawError as error:
            self._log("bye_failed", {"code": error.code}, level="WARN")
        await self._carrier.close()

    async def send_head(self) -> None:
        """Give the host the ledger's head."""
        await self.send(self._head())

    def _head(self) -> AuditHead:
        count, digest = self._services.ledger.head()
        self._last_head = count
        return AuditHead(count=count, hash=digest)

    async def _read_all(self) -> str:
        while True:
            line = b""
            try:
                received_line = await self._lines.next()
                if received_line is None:
                    return "eof"
                line = received_line
                received = self._channel.receive(line)
                self._keep("in", received.message, line, received.n)
                await self._dispatch(received)
                self._refused = 0
            except WireError as error:
                fault = self._refuse(error, line)
                if fault.fatal:
                    return fault.code
                continue
            if isinstance(received.message, Shutdown):
                return "shutdown"
            self._tell_head_when_due()

    def _tell_head_when_due(self) -> None:
        """A ledger that cannot be read stops acts, not the reading of messages."""
        try:
            if self._services.ledger.head()[0] - self._last_head >= HEAD_EVERY_RECORDS:
                self.tell(self._head())
        except SgClawError as error:
            self._log("head_unknown", {"code": error.code}, level="ERROR")

    async def _dispatch(self, received: Received) -> None:
        message = received.message
        match message:
            case Response():
                self._on_response(message, received.re or "")
            case Approval():
                self._approvals.give(message.approval_id, message.approved)
            case Answer():
                self._answers.give(message.question_id, None if message.declined else message.text)
            case Ping():
                self.tell(Pong(id=message.id))
            case ProtocolError():
                self._record("peer_refused_line", {"code": message.code, "sha256": message.line_sha256})
            case PageEvent():
                self._on_page_event(message)
            case _:
                handler = self._handlers.get(type(message))
                if handler is not None:
                    await handler(message)

    def _on_response(self, message: Response, re: str) -> None:
        try:
            pending = self._outstanding.settle(message.seq, re, self._services.clock.monotonic())
        except WireError as refusal:
            raise self._channel.counted(refusal) from None
        error = message.error
        if error is not None and error.code == NeedsApprovalError.code:
            approval_id = error.facts.get("approval_id")
            if isinstance(approval_id, str):
                self._approvals.expect(approval_id)  # now, not when the caller wakes: the approval may be right behind
        future = self._responses.get(pending.seq)
        if future is not None and not future.done():
            future.set_result(message)

    def _on_page_event(self, message: PageEvent) -> None:
        """Of a page on an unlisted origin, only its id is kept: the host should not have said more."""
        page = message.page
        shown = page.url if is_listed(self.opened.policy, page.url) else None
        self._log("page_event", {"event": message.event, "page": page.id, "url": shown}, level="INFO")

    def _refuse(self, error: WireError, line: bytes) -> WireError:
        """Tell the host and the ledger, in this order: what cannot be recorded must still be answered."""
        self._refused += 1
        if self._refused > MAX_REFUSED_IN_A_ROW:
            error = WireError(WireCode.TOO_MANY_REFUSED, "连续收到太多不能使用的消息")
        digest = hashlib.sha256(line).hexdigest()
        self._services.records.write(RecordKind.PIPE, refused_record(line, error.code))
        self.tell(ProtocolError(code=error.code, message=error.cause, line_sha256=digest, line_bytes=len(line)))
        try:
            self._record("line_refused", {"code": error.code, "sha256": digest, "bytes": len(line)})
        except SgClawError as problem:
            self._log("refusal_not_recorded", {"code": problem.code}, level="ERROR")
        return error

    def _end(self, reason: str) -> None:
        self._over = reason
        self._outstanding.drop_all()
        for future in self._responses.values():
            if not future.done():
                future.set_exception(gone(reason))
                future.exception()  # marked as seen: the caller may be gone already
        self._approvals.fail_all(reason)
        self._answers.fail_all(reason)

    def _keep(self, direction: Direction, message: Message, line: bytes, n: int | None) -> None:
        self._services.records.write(RecordKind.PIPE, pipe_record(direction, message, line, n))

    def _record(self, event: str, data: JsonObject) -> None:
        self._services.ledger.append(Record(event, self.opened.trace_id, "sgclaw", data=data))

    def _log(self, event: str, data: JsonObject, *, level: str) -> None:
        self._services.log.event("host::session", event, data, level=level)
