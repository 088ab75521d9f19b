"""sgclaw's real session in front of a transcript's host: host lines go in, what comes out must be the golden bytes.

What a session says by itself (pong, refusals, a command sent again after an approval) must come by itself; what tasks
and people make it say is asked of it with the golden line's own content, at the place where that line stands.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Final

from sgclaw.errors import BadPolicyError, SgClawError, WireError
from sgclaw.host.browser import PipeBrowser
from sgclaw.host.carrier import FdCarrier
from sgclaw.host.handshake import LineSource, open_session
from sgclaw.host.session import Services, Session
from sgclaw.ports import Act, Binding, Observed, Question, Record
from sgclaw.protocol.messages import AskPerson, CancelCommand, Command, Ready
from sgclaw.protocol.signing import Role
from sgclaw.skills.trust import VerifiedSkill
from tests.support.ports import LoopClock, RecordingLedger, RecordingLog, RecordingRecords, binding
from tests.unit.skills.folder import Folder
from tests.wire.compare import must_be
from tests.wire.ends import Outgoing
from tests.wire.skill import REF, SOURCE
from tests.wire.transcript import Entry, JsonObject, Transcript

BY_ITSELF: Final = frozenset({"pong", "protocol_error", "bye"})
"""What a session says without being asked to; `bye` follows the `audit_head` before it."""
SECONDS: Final = 10


class FixedLedger(RecordingLedger):
    """A ledger whose head is the one of the golden line that tells it next."""

    def __init__(self, heads: list[JsonObject]) -> None:
        super().__init__()
        self._heads = heads

    def append(self, record: Record, *, sync: bool = False) -> None:
        super().append(record, sync=sync)

    def head(self) -> tuple[int, str]:
        head: JsonObject = self._heads[0] if self._heads else {"count": 0, "hash": "0" * 64}
        return int(head["count"]), str(head["hash"])

    def told(self) -> None:
        """The head was told; the next golden one is current now."""
        del self._heads[0]


class AgentSide:
    """One replay."""

    def __init__(self, transcript: Transcript, folder: Path) -> None:
        self._transcript = transcript
        self._folder = folder
        self._to_agent, self._to_host = os.pipe(), os.pipe()
        self._carrier = FdCarrier(self._to_agent[0], self._to_host[1])
        self._lines = LineSource(self._carrier)
        heads = [entry.body for entry in transcript.entries if entry.kind == "audit_head"]
        self._ledger = FixedLedger(heads)
        self._session: Session | None = None
        self._running: asyncio.Task[str] | None = None
        self._acts: dict[int, asyncio.Task[Observed]] = {}
        self._others: list[asyncio.Task[object]] = []
        self._buffer = b""
        self._hung_up = False

    async def replay(self) -> dict[int, Observed | BaseException]:
        """Go through the transcript; raises `AssertionError` at the first difference. Returns what became of each act,
        by the `seq` of its first command.
        """
        try:
            async with asyncio.timeout(SECONDS):
                for at, entry in enumerate(self._transcript.entries):
                    await (self._from_host(entry) if entry.sender is Role.HOST else self._from_agent(at, entry))
                return dict(
                    zip(self._acts, await asyncio.gather(*self._acts.values(), return_exceptions=True), strict=True)
                )
        finally:
            await self._clean_up()

    async def _from_host(self, entry: Entry) -> None:
        if entry.eof:
            os.close(self._to_agent[1])
            self._hung_up = True
            return
        await asyncio.to_thread(_write_all, self._to_agent[1], entry.whole)
        if self._session is None:
            await self._open(entry)

    async def _open(self, entry: Entry) -> None:
        try:
            opened = await open_session(self._lines)
        except BadPolicyError:
            return  # said by the signed bye that the transcript shows next
        except WireError as refusal:
            must_be(refusal.code.encode(), str(entry.refused).encode())
            await self._carrier.close()
            return
        self._session = Session(
            self._carrier, self._lines, opened, Services(self._ledger, RecordingLog(), LoopClock(), RecordingRecords())
        )

    async def _from_agent(self, at: int, entry: Entry) -> None:
        if entry.eof:
            if self._session is None:
                await self._carrier.close()
            must_be(await self._read(), b"")
            return
        await self._set_off(at, entry)
        must_be(await self._read(), entry.whole)
        if entry.kind == "ready":
            self._running = asyncio.create_task(self.session.run())

    @property
    def session(self) -> Session:
        """The session; there is one once `init` was taken."""
        assert self._session is not None
        return self._session

    async def _set_off(self, at: int, entry: Entry) -> None:
        if entry.kind in BY_ITSELF:
            return
        outgoing = Outgoing.of(entry.line, Role.AGENT)
        set_off = _SET_OFF.get(entry.kind)
        if set_off is not None:
            await set_off(self, outgoing)
        elif entry.kind == "audit_head" and self._transcript.entries[at + 1].kind == "bye":
            assert self._running is not None
            await self.session.bye(await self._running)
        elif entry.kind == "audit_head":
            await self.session.send_head()
            self._ledger.told()
        else:
            await self.session.send(outgoing.message)

    async def ready(self, outgoing: Outgoing) -> None:
        """The handshake's answer."""
        assert isinstance(outgoing.message, Ready)
        await self.session.ready(outgoing.message.warnings)

    async def act(self, outgoing: Outgoing) -> None:
        """A command: asked for by an act, or sent again by the act that was approved."""
        command = outgoing.message
        assert isinstance(command, Command)
        if command.approval_id is not None:
            return
        browser = PipeBrowser(self.session, self._services(), self._binding(command))
        act = Act(command.action, command.params, command.page, outgoing.expected_domain, observe=command.observe)
        self._acts[command.seq] = asyncio.create_task(browser.act(act))

    async def cancel(self, outgoing: Outgoing) -> None:
        """Whoever waited for the act gives up."""
        assert isinstance(outgoing.message, CancelCommand)
        self._acts[outgoing.message.seq].cancel()

    async def ask(self, outgoing: Outgoing) -> None:
        """A question."""
        asked = outgoing.message
        assert isinstance(asked, AskPerson)
        question = Question(asked.text, asked.choices, asked.deadline_s)
        self._others.append(asyncio.create_task(self.session.ask(asked.task_id, question)))

    def _services(self) -> Services:
        return Services(self._ledger, RecordingLog(), LoopClock(), RecordingRecords())

    def _binding(self, command: Command) -> Binding:
        plain = binding()
        return Binding(
            task_id=command.task_id,
            domain=plain.domain,
            gate=plain.gate,
            on_person=plain.on_person,
            skill=wire_skill(self._folder) if command.skill else None,
        )

    async def _read(self) -> bytes:
        """The next line with its newline, or nothing when sgclaw has closed its end."""
        while b"\n" not in self._buffer:
            chunk = await asyncio.to_thread(os.read, self._to_host[0], 65_536)
            if not chunk:
                return self._buffer
            self._buffer += chunk
        line, newline, self._buffer = self._buffer.partition(b"\n")
        return line + newline

    async def _clean_up(self) -> None:
        if not self._hung_up:
            os.close(self._to_agent[1])
        tasks = [*self._acts.values(), *self._others, *([self._running] if self._running else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._carrier.close()
        os.close(self._to_host[0])


_SET_OFF: Final[Mapping[str, Callable[[AgentSide, Outgoing], Awaitable[None]]]] = {
    "ready": AgentSide.ready,
    "command": AgentSide.act,
    "cancel_command": AgentSide.cancel,
    "question": AgentSide.ask,
}


def wire_skill(folder: Path) -> VerifiedSkill:
    """The transcripts' skill, verified like any other."""
    skills = Folder(folder / "skills")
    name = REF.partition("@")[0]
    skills.write(f"builtin/{name}.js", SOURCE)
    skills.sign()
    return skills.load().get(REF)


def code_of(error: BaseException) -> str:
    """The code of a typed error; the class of any other."""
    return error.code if isinstance(error, SgClawError) else type(error).__name__


def _write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]
