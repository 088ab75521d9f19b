"""The browser's end of one session: starts it, checks every command again, acts, answers.

This is the boundary: it trusts nothing sgclaw says. A command is authentic and in sequence (channel), then within what
may be under way at once, then carried out by `performing.py`, then answered, whatever became of it.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import secrets
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial

from browser_host_stub.approvals import Approver, NobodyThere
from browser_host_stub.driver import Driver, Telling
from browser_host_stub.ends import SessionRefusedError
from browser_host_stub.faults import Act, broken, failed, timed_out, well_formed
from browser_host_stub.link import Faults, Link
from browser_host_stub.observing import Observation
from browser_host_stub.people import Asking, People
from browser_host_stub.performing import Performer
from browser_host_stub.telling import PageEvents
from sgclaw.errors import NeedsApprovalError, SgClawError, TooManyOutstandingError, WireCode, WireError
from sgclaw.policy.model import Policy, parse_policy
from sgclaw.protocol import PROTOCOL
from sgclaw.protocol.channel import Channel, Received, encode_init
from sgclaw.protocol.limits import MAX_OUTSTANDING
from sgclaw.protocol.messages import (
    Answer,
    Approval,
    AskPerson,
    Bye,
    CancelCommand,
    Command,
    Init,
    Message,
    ProtocolError,
    Ready,
    Response,
    Shutdown,
    SubmitTask,
    TaskCompleted,
)
from sgclaw.protocol.parts import MAX_TEXT, HostInfo, KeptHead
from sgclaw.protocol.signing import KEY_BYTES, Role

Observer = Callable[[Message], None]
Work = Coroutine[object, object, None]
READY_SECONDS = 20.0


@dataclass(frozen=True)
class HostOptions:
    """What a host starts a session with."""

    policy: str
    trace_id: str
    state_dir: str | None = None
    audit_head: KeptHead | None = None
    session_key: bytes = field(default_factory=lambda: secrets.token_bytes(KEY_BYTES), repr=False)
    """Fresh for every session; given only where a recorded session is replayed."""
    name: str = "browser_host_stub"
    version: str = "0.1.0"
    approver: Approver = field(default_factory=NobodyThere)
    faults: Faults = field(default_factory=Faults)
    observer: Observer | None = None


class HostSession:
    """One signed session with one sgclaw process."""

    def __init__(self, link: Link, driver: Driver, options: HostOptions) -> None:
        self._link, self._options = link, options
        self._policy: Policy = parse_policy(options.policy)
        key = options.session_key
        self._key_text = base64.urlsafe_b64encode(key).decode().rstrip("=")
        self.channel = Channel(Role.HOST, key, options.trace_id)
        self._closing = asyncio.Event()
        self._people = People(options.approver)
        self._driver = driver
        self._performer = Performer(driver, self._policy, self._people, self._closing)
        self._observation = Observation(driver, self._policy)
        self._events = PageEvents(self._policy, self._performer.running_on, self.send)
        self._running: dict[int, asyncio.Task[None]] = {}
        self._page_turns: dict[str, asyncio.Lock] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._ready: asyncio.Future[Ready] = asyncio.get_running_loop().create_future()
        self.refusals: list[str] = []
        """Codes of refused lines and commands, in order: what the browser's own log would say."""

    async def start(self) -> Ready:
        """Send `init` and wait for `ready`; `run` must be running. Raises `HANDSHAKE_FAILED`."""
        init = Init(
            protocol=PROTOCOL,
            trace_id=self._options.trace_id,
            session_key=self._key_text,
            host=HostInfo(name=self._options.name, version=self._options.version),
            policy=self._options.policy,
            state_dir=self._options.state_dir,
            audit_head=self._options.audit_head,
        )
        self._key_text = ""
        await self._link.send(encode_init(init))
        try:
            async with asyncio.timeout(READY_SECONDS):
                ready = await self._ready
        except TimeoutError:
            raise WireError(WireCode.HANDSHAKE_FAILED, f"sgclaw 在 {READY_SECONDS:g} 秒内没有就绪") from None
        if ready.policy_sha256 != self._policy.sha256:
            raise WireError(WireCode.HANDSHAKE_FAILED, "sgclaw 回报的策略摘要不符")
        return ready

    async def send(self, message: Message) -> None:
        """Send any message but a response; after `shutdown` nothing acts on a page any more."""
        if isinstance(message, Shutdown):
            self._closing.set()
        if isinstance(message, SubmitTask):
            self._people.submitted(message.task_id)
        await self._link.send(self.channel.seal(message))

    async def hang_up(self) -> None:
        """Close the pipe without a word, as a browser that dies does."""
        self._closing.set()
        await self._link.close()

    async def run(self) -> None:
        """Read until sgclaw says `bye`, closes the pipe or breaks the protocol."""
        try:
            await self._read_all()
        finally:
            if not self._ready.done():
                self._ready.set_exception(WireError(WireCode.HANDSHAKE_FAILED, "sgclaw 在就绪前退出"))
                self._ready.exception()  # marked as seen: `start` may have failed by itself
            self._closing.set()
            while self._tasks:  # a task that breaks while it ends starts another one
                for task in self._tasks:
                    task.cancel()
                await asyncio.wait(self._tasks)
            await self._link.close()
            await self._performer.hidden.reap()

    async def _read_all(self) -> None:
        while True:
            line = b""
            try:
                next_line = await self._link.receive()
                if next_line is None:
                    return
                line = next_line
                received = self.channel.receive(line)
            except WireError as error:
                await self._refuse(error, line)
                if error.fatal:
                    return
                continue
            await self._dispatch(received)
            if isinstance(received.message, Bye):
                return

    async def _refuse(self, error: WireError, line: bytes) -> None:
        self.refusals.append(error.code)
        digest = hashlib.sha256(line).hexdigest()
        await self.send(ProtocolError(code=error.code, message=error.cause, line_sha256=digest, line_bytes=len(line)))

    async def _dispatch(self, received: Received) -> None:
        message = received.message
        if self._options.observer is not None:
            self._options.observer(message)
        match message:
            case Ready() if not self._ready.done():
                self._ready.set_result(message)
                self._begin_telling()
            case Bye() if not self._ready.done():
                self._ready.set_exception(SessionRefusedError(message.reason))
            case Command():
                await self._take(Act(message, received.expected_domain or "", received.mac))
            case CancelCommand():
                running = self._running.get(message.seq)
                if running is not None:
                    running.cancel()
            case AskPerson():
                await self._take_question(message)
            case TaskCompleted():
                self._supervise(self._performer.hidden.ended(message.task_id), self._unended)
            case _:
                pass

    def _supervise(self, work: Work, otherwise: Callable[[BaseException], Work]) -> asyncio.Task[None]:
        """Run beside the reading loop; `otherwise` is what to do when the work breaks.

        The one place of the host where any exception is taken: a bug in a driver, a person's terminal that went away
        or a page whose text fits no line must cost one answer, never the session.
        """
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(partial(self._ended, otherwise))
        return task

    def _ended(self, otherwise: Callable[[BaseException], Work], task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            answer = asyncio.create_task(otherwise(error))
            self._tasks.add(answer)
            answer.add_done_callback(self._tasks.discard)

    def _begin_telling(self) -> None:
        """From here on sgclaw may hear of pages, until the session closes."""
        if isinstance(self._driver, Telling):
            self._driver.on_event(lambda event: None if self._closing.is_set() else self._events.hear(event))
            self._supervise(self._events.run(), self._unended)

    async def _unended(self, error: BaseException) -> None:
        """Work that answers nobody broke: the host's own log has it."""
        self.refusals.append(type(error).__name__)

    # --- people -----------------------------------------------------------------------------------------------------

    async def _take_question(self, question: AskPerson) -> None:
        if self._closing.is_set() or not self._people.admit(Asking.ANSWER, question.task_id):
            await self._say(question, None)
        else:
            self._supervise(self._answer(question), lambda _error: self._say(question, None))

    async def _answer(self, question: AskPerson) -> None:
        await self._say(question, await self._people.answer(question.text, question.choices))

    async def _say(self, question: AskPerson, text: str | None) -> None:
        said = well_formed(text or "")[:MAX_TEXT]
        await self.send(Answer(question_id=question.question_id, text=said, declined=text is None))

    async def _hand_over(self, act: Act, facts: dict[str, object]) -> None:
        """Give a held act to the person, or refuse it for them when they have been asked too often."""
        approval_id = str(facts.pop("approval_id"))
        if self._people.admit(Asking.APPROVAL, act.command.task_id):
            self._supervise(self._ask(approval_id, facts), lambda _error: self._decide(approval_id, approved=False))
        else:
            await self._decide(approval_id, approved=False)

    async def _ask(self, approval_id: str, facts: dict[str, object]) -> None:
        await self._decide(approval_id, approved=await self._people.approve(facts))

    async def _decide(self, approval_id: str, *, approved: bool) -> None:
        counts = self._performer.held.decide(approval_id, approved)
        await self.send(Approval(approval_id=approval_id, approved=counts))

    # --- commands ---------------------------------------------------------------------------------------------------

    async def _take(self, act: Act) -> None:
        """Start a command. A refusal is sent from the reading loop itself: who floods the host has to read first."""
        if len(self._running) >= MAX_OUTSTANDING:
            await self._answer_with(act, failed(act, TooManyOutstandingError(f"未完成的操作超过 {MAX_OUTSTANDING} 个")))
            return
        until = asyncio.get_running_loop().time() + act.command.deadline_ms / 1000
        task = self._supervise(self._serve(act, until), lambda error: self._answer_with(act, broken(act, error)))
        self._running[act.command.seq] = task
        task.add_done_callback(lambda _task: self._running.pop(act.command.seq, None))

    async def _serve(self, act: Act, until: float) -> None:
        """Answer one command; commands on one page take turns in order of `seq`, and waiting costs of their time."""
        async with self._turn(act.command.page):
            response = await self._respond(act, until)
        error = response.error
        if error is not None:
            self.refusals.append(error.code)
        await asyncio.shield(self._deliver(response, act.mac))
        if error is not None and error.code == NeedsApprovalError.code:
            await self._hand_over(act, dict(error.facts))

    @contextlib.asynccontextmanager
    async def _turn(self, page: str | None) -> AsyncIterator[None]:
        """One command at a time on a page, whether it is named or is the default one."""
        async with contextlib.AsyncExitStack() as turns:
            if page is None:
                await turns.enter_async_context(self._page_turns.setdefault("", asyncio.Lock()))
            named = page or self._performer.default_page
            if named:
                await turns.enter_async_context(self._page_turns.setdefault(named, asyncio.Lock()))
            yield

    async def _respond(self, act: Act, until: float) -> Response:
        command = act.command
        try:
            async with asyncio.timeout_at(until):
                await asyncio.sleep(0)  # a turn that comes too late ends here, before anything is done
                data = await self._performer.carry_out(act)
        except TimeoutError:
            return failed(act, timed_out(act))
        except SgClawError as error:
            return failed(act, error)
        page = await self._performer.page_facts(command)
        self._observation.told(command, page, data)
        seen = await self._observation.after(command, page, until)
        return Response(
            seq=command.seq, success=True, data=data, page=page, aom_snapshot=seen.nodes, aom_facts=seen.facts
        )

    async def _deliver(self, response: Response, re: str) -> None:
        """Seal and send; never half done, or the numbers of later lines would show a gap."""
        for line in await self._options.faults.apply(partial(self.channel.seal_response, response, re)):
            await self._link.send(line)

    async def _answer_with(self, act: Act, response: Response) -> None:
        """Send a refusal that no fault of a bad pipe applies to."""
        if response.error is not None:
            self.refusals.append(response.error.code)
        await self._link.send(self.channel.seal_response(response, act.mac))
