"""The browser's end of one session: starts it, checks every command again, acts, answers.

This is the boundary: it trusts nothing sgclaw says. Order for a command: authentic and in sequence (channel) →
action and parameters → page origin → real element → policy on what the browser committed → approval of exactly this
act → perform → where it landed → response.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial

from pydantic import ValidationError

from browser_host_stub.approvals import Approver, HeldActs, NobodyThere, digest_of, facts_of
from browser_host_stub.driver import Driver, Located
from browser_host_stub.link import Faults, Link
from sgclaw.errors import (
    ActionCode,
    ActionError,
    NeedsApprovalError,
    PolicyDeniedError,
    SgClawError,
    WireCode,
    WireError,
)
from sgclaw.policy.decide import Attempt, Kind, Verdict, check_address, decide, is_listed
from sgclaw.policy.model import Policy, parse_policy
from sgclaw.protocol import PROTOCOL
from sgclaw.protocol.actions import ActionSpec, Compare, spec_of
from sgclaw.protocol.channel import Channel, Received, encode_init
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
)
from sgclaw.protocol.parts import HostInfo, WireFault
from sgclaw.protocol.results import Navigated, PageInfo
from sgclaw.protocol.signing import KEY_BYTES, Role

JsonObject = dict[str, object]
Observer = Callable[[Message], None]
READY_SECONDS = 20.0


@dataclass(frozen=True)
class HostOptions:
    """What a host starts a session with."""

    policy: str
    trace_id: str
    state_dir: str | None = None
    name: str = "browser_host_stub"
    version: str = "0.1.0"
    approver: Approver = field(default_factory=NobodyThere)
    faults: Faults = field(default_factory=Faults)
    observer: Observer | None = None


class HostSession:
    """One signed session with one sgclaw process."""

    def __init__(self, link: Link, driver: Driver, options: HostOptions) -> None:
        self._link, self._driver, self._options = link, driver, options
        self._policy: Policy = parse_policy(options.policy)
        key = secrets.token_bytes(KEY_BYTES)
        self._key_text = base64.urlsafe_b64encode(key).decode().rstrip("=")
        self.channel = Channel(Role.HOST, key, options.trace_id)
        self._held = HeldActs()
        self._running: dict[int, asyncio.Task[None]] = {}
        self._page_turns: dict[str, asyncio.Lock] = {}
        self._background: set[asyncio.Task[None]] = set()
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
        )
        self._key_text = ""
        await self._link.send(encode_init(init))
        async with asyncio.timeout(READY_SECONDS):
            ready = await self._ready
        if ready.policy_sha256 != self._policy.sha256:
            raise WireError(WireCode.HANDSHAKE_FAILED, "sgclaw 回报的策略摘要不符")
        return ready

    async def send(self, message: Message) -> None:
        """Send any message but a response."""
        await self._link.send(self.channel.seal(message))

    async def hang_up(self) -> None:
        """Close the pipe without a word, as a browser that dies does."""
        await self._link.close()

    async def run(self) -> None:
        """Read until sgclaw says `bye`, closes the pipe or breaks the protocol."""
        try:
            await self._read_all()
        finally:
            if not self._ready.done():
                self._ready.set_exception(WireError(WireCode.HANDSHAKE_FAILED, "sgclaw 在就绪前退出"))
            for task in (*self._running.values(), *self._background):
                task.cancel()
            await asyncio.gather(*self._running.values(), *self._background, return_exceptions=True)
            await self._link.close()

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
            case Ready():
                self._ready.set_result(message)
            case Command():
                task = asyncio.create_task(self._serve(message, received))
                self._running[message.seq] = task
                task.add_done_callback(partial(self._forget, message.seq))
            case CancelCommand():
                running = self._running.get(message.seq)
                if running is not None:
                    running.cancel()
            case AskPerson():
                self._in_background(self._answer(message))
            case _:
                pass

    def _forget(self, seq: int, _task: asyncio.Task[None]) -> None:
        self._running.pop(seq, None)

    def _in_background(self, work: Awaitable[None]) -> None:
        async def wait() -> None:
            await work

        task = asyncio.create_task(wait())
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    # --- people -----------------------------------------------------------------------------------------------------

    async def _answer(self, question: AskPerson) -> None:
        text = await self._options.approver.answer(question.text, question.choices)
        await self.send(Answer(question_id=question.question_id, text=text or "", declined=text is None))

    async def _ask_approval(self, approval_id: str, facts: JsonObject) -> None:
        approved = await self._options.approver.approve(facts)
        counts = self._held.decide(approval_id, approved)
        await self.send(Approval(approval_id=approval_id, approved=counts))

    # --- commands ---------------------------------------------------------------------------------------------------

    async def _serve(self, command: Command, received: Received) -> None:
        """Answer one command; commands on one page take turns in order of `seq`."""
        turn = self._page_turns.setdefault(command.page or "", asyncio.Lock())
        async with turn:
            response = await self._respond(command, received.expected_domain or "")
        await asyncio.shield(self._deliver(response, received.mac))
        error = response.error
        if error is not None and error.code == NeedsApprovalError.code:
            facts = dict(error.facts)
            self._in_background(self._ask_approval(str(facts.pop("approval_id")), facts))

    async def _deliver(self, response: Response, re: str) -> None:
        """Seal and send; never half done, or the numbers of later lines would show a gap."""
        for line in await self._options.faults.apply(partial(self.channel.seal_response, response, re)):
            await self._link.send(line)

    async def _respond(self, command: Command, domain: str) -> Response:
        try:
            async with asyncio.timeout(command.deadline_ms / 1000):
                data = await self._carry_out(command, domain)
        except TimeoutError:
            return self._failed(command, _timed_out(command))
        except SgClawError as error:
            return self._failed(command, error)
        return Response(seq=command.seq, success=True, data=data, page=await self._page_facts(command))

    def _failed(self, command: Command, error: SgClawError) -> Response:
        self.refusals.append(error.code)
        fault = WireFault(code=error.code, message=error.cause, facts=error.facts)
        return Response(seq=command.seq, success=False, error=fault)

    async def _carry_out(self, command: Command, domain: str) -> JsonObject:
        spec = spec_of(command.action)
        params = spec.check(command.params)
        await self._check_page(spec, command, domain)
        located = await self._driver.locate(command.action, params, command.page, deadline_s=command.deadline_ms / 2000)
        self._judge(command, domain, located)
        data = await self._driver.perform(located, command.deadline_ms / 1000)
        await self._check_landing(spec, command, domain)
        return _checked(spec, self._withheld(data))

    async def _check_page(self, spec: ActionSpec, command: Command, domain: str) -> None:
        """Before anything of the page is looked at: not even whether an element exists leaks from an unlisted page."""
        if spec.compares not in (Compare.PAGE, Compare.FRAME):
            return
        page = await self._driver.page_info(command.page)
        if spec.compares is Compare.PAGE:
            _raise_if(check_address(self._policy, page.url, domain))
        elif not is_listed(self._policy, page.url):
            raise PolicyDeniedError("当前页面不在策略列出的来源内", facts={"rule": "origin.unlisted"})

    def _judge(self, command: Command, domain: str, located: Located) -> None:
        spec = spec_of(command.action)
        attempt = Attempt(
            spec=spec,
            params=command.params,
            expected_domain=domain,
            committed=located.origin if spec.compares is not Compare.NOTHING else None,
            label=located.target.label if located.target else None,
            skill=command.skill.ref.partition("@")[0] if command.skill else None,
        )
        verdict = decide(self._policy, attempt)
        if verdict.kind is Kind.DENY:
            raise PolicyDeniedError(verdict.cause, facts={"rule": verdict.rule})
        if verdict.kind is Kind.ASK:
            digest = digest_of(command, domain, located)
            if command.approval_id is not None:
                self._held.use(command.approval_id, digest)
                return
            facts = facts_of(command, domain, located, verdict.rule)
            raise NeedsApprovalError(verdict.cause, facts={"approval_id": self._held.hold(digest), **facts})

    async def _check_landing(self, spec: ActionSpec, command: Command, domain: str) -> None:
        """Where an act that opens or changes a page left it: an address outside the policy is not told."""
        if not issubclass(spec.result, Navigated):
            return
        url = (await self._driver.page_info(command.page)).url
        if spec.compares is Compare.TARGET_URL:
            verdict = check_address(self._policy, url, domain)
        else:
            verdict = None if is_listed(self._policy, url) else Verdict(Kind.DENY, "origin.unlisted")
        if verdict is not None:
            cause = "页面跳转到了策略以外的地址，内容没有读取"
            raise PolicyDeniedError(cause, facts={"rule": f"landed.{verdict.rule}"})

    def _withheld(self, data: JsonObject) -> JsonObject:
        """A list of pages without the entries of unlisted origins."""
        pages = data.get("pages")
        if not isinstance(pages, list | tuple):
            return data
        listed = [page for page in pages if isinstance(page, dict) and is_listed(self._policy, page.get("url"))]
        return {**data, "pages": listed, "withheld": len(pages) - len(listed)}

    async def _page_facts(self, command: Command) -> PageInfo | None:
        """Where the page is now; withheld when that is not a listed origin."""
        try:
            page = await self._driver.page_info(command.page)
        except ActionError:
            return None
        return page if is_listed(self._policy, page.url) else None


def _raise_if(verdict: Verdict | None) -> None:
    if verdict is not None:
        raise PolicyDeniedError(verdict.cause, facts={"rule": verdict.rule})


def _timed_out(command: Command) -> ActionError:
    spec = spec_of(command.action)
    code = ActionCode.UNKNOWN_OUTCOME if spec.changes else ActionCode.TIMEOUT
    return ActionError(code, f"{command.action} 在期限内没有完成", facts={"deadline_ms": command.deadline_ms})


def _checked(spec: ActionSpec, data: JsonObject) -> JsonObject:
    """A driver's data must fit the table: what does not is the host's bug and never reaches the wire."""
    try:
        result = spec.result.model_validate(data)
    except ValidationError:
        raise ActionError(ActionCode.ACTION_FAILED, f"浏览器端对 {spec.name} 给出了不合规的结果") from None
    return result.model_dump(mode="json", exclude_none=True)
