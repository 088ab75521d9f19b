"""A session with the host under test in the hands of a row: acts, and what they are answered."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from dataclasses import dataclass, replace
from typing import TypeVar

from pydantic import ValidationError

from browser_host_stub.conformance.always import Watch
from browser_host_stub.conformance.peer import Peer
from browser_host_stub.conformance.pen import Pen
from browser_host_stub.conformance.site import Site
from browser_host_stub.conformance.verdict import UnmetError, expect
from sgclaw.errors import WireError
from sgclaw.protocol import PROTOCOL
from sgclaw.protocol.actions import spec_of
from sgclaw.protocol.channel import Channel, read_init
from sgclaw.protocol.messages import Approval, Command, Init, Message, ProtocolError, Ready, Response
from sgclaw.protocol.parts import SkillTag, WireFault
from sgclaw.protocol.results import Result
from sgclaw.protocol.signing import Role
from sgclaw.protocol.strict import JsonObject

M = TypeVar("M", bound=Message)
R = TypeVar("R", bound=Result)
SETTLE_S = 0.4
"""How long to look whether something happens that must not."""
START_S = 60.0
"""How long a browser may take to start before its first line."""
_DEADLINE_MS = 10_000


@dataclass(frozen=True, slots=True)
class How:
    """Everything of a command that is not the act: absent members take the usual value."""

    page: str | None = None
    domain: str | None = None
    deadline_ms: int = _DEADLINE_MS
    observe: str = "none"
    approval_id: str | None = None
    task: str = "t1"
    skill: str | None = None


USUAL = How()


@dataclass(frozen=True, slots=True)
class Sent:
    """A command on its way."""

    seq: int
    mac: str
    line: bytes
    action: str
    deadline_s: float


class Kit:
    """One session. Rows read `site` for what really happened and raise `UnmetError` by the methods here."""

    def __init__(self, peer: Peer, watch: Watch, site: Site, timeout: float) -> None:
        self.peer, self.watch, self.site, self.timeout = peer, watch, site, timeout

    # --- the start --------------------------------------------------------------------------------------------------

    async def read_init(self) -> None:
        """Wait for the first line and take the keys from it."""
        line = await self.peer.wait(lambda: self.peer.seen.first, START_S, "第一行 init")
        try:
            self.init: Init = read_init(line)
        except WireError as error:
            raise UnmetError(f"第一行不是可用的 init：{error.facts.get('why', error.code)}") from None
        key = base64.urlsafe_b64decode(self.init.session_key.rstrip("=") + "=")
        self.pen = Pen(key, self.init.trace_id)
        self.peer.channel = Channel(Role.AGENT, key, self.init.trace_id)

    @property
    def policy_sha256(self) -> str:
        """Digest of the policy the host sent."""
        return hashlib.sha256(self.init.policy.encode()).hexdigest()

    async def greet(self) -> None:
        """Answer `init` as sgclaw does."""
        self.say(Ready(protocol=PROTOCOL, version="0.1.0", policy_sha256=self.policy_sha256))

    # --- lines ------------------------------------------------------------------------------------------------------

    def say(self, message: Message) -> None:
        """Send any message but a command."""
        self.peer.write(self.pen.message(message))

    def send(self, action: str, how: How = USUAL, /, **params: object) -> Sent:
        """Send a command and do not wait for it."""
        sent = self.prepare(action, how, **params)
        self.peer.write(sent.line)
        return sent

    def prepare(self, action: str, how: How = USUAL, /, **params: object) -> Sent:
        """Make the line of a command; its number is taken."""
        body: JsonObject = {
            "seq": self.pen.seq + 1,
            "action": action,
            "params": params,
            "task_id": how.task,
            "page": how.page,
            "skill": SkillTag(ref=how.skill, sha256="0" * 64) if how.skill else None,
            "deadline_ms": how.deadline_ms,
            "observe": how.observe,
            "approval_id": how.approval_id,
        }
        command = Command.model_validate(body)
        line, mac = self.pen.command(command, how.domain or self.site.a.host)
        self.watch.asked(command, mac)
        return Sent(command.seq, mac, line, action, how.deadline_ms / 1000)

    async def reply(self, sent: Sent) -> Response:
        """The response to a command; its `re` is checked."""
        what = f"对 {sent.action} 的回应"
        return await self.peer.wait(lambda: self._reply(sent), self.timeout + sent.deadline_s, what)

    def _reply(self, sent: Sent) -> Response | None:
        found = self.peer.response_to(sent.seq)
        if found is not None:
            received, response = found
            expect(received.re == sent.mac, f"回应 {sent.action} 的 re 不是该操作的 MAC")
            return response
        fault = self.watch.fault_of(sent.seq, self.peer.seen.faults)
        if fault is not None:
            raise UnmetError(f"对 {sent.action} 的回应不合规：{fault}")
        return None

    async def silent(self, sent: Sent) -> None:
        """No response to this command comes within a moment."""
        await asyncio.sleep(SETTLE_S)
        expect(self.peer.response_to(sent.seq) is None, f"{sent.action} 不应有回应，却收到了回应")

    async def refuse(self, line: bytes, *codes: str) -> None:
        """Send a line that must be dropped; `protocol_error` names one of the codes and the line's digest."""
        sha256 = hashlib.sha256(line.removesuffix(b"\n")).hexdigest()
        since = len(self.peer.seen.received)
        self.peer.write(line)
        error = await self.next(ProtocolError, since, "protocol_error")
        expect(error.code in codes, f"应以 {'或 '.join(codes)} 拒绝，实际是 {error.code}")
        expect(error.line_sha256 == sha256, "protocol_error 的 line_sha256 不是这一行的摘要")
        expect(error.line_bytes == len(line) - 1, "protocol_error 的 line_bytes 不对")

    async def next(self, kind: type[M], since: int, what: str, seconds: float | None = None) -> M:
        """The next message of a kind after the line with index `since`."""
        return await self.peer.wait(
            lambda: next(iter(self.peer.all_of(kind, since)), None), seconds or self.timeout, what
        )

    @property
    def now(self) -> int:
        """How many good lines have come: for `next`."""
        return len(self.peer.seen.received)

    # --- acts -------------------------------------------------------------------------------------------------------

    async def call(self, action: str, how: How = USUAL, /, **params: object) -> Response:
        """Send a command and wait for its response, whatever it is."""
        return await self.reply(self.send(action, how, **params))

    async def ok(self, action: str, how: How = USUAL, /, **params: object) -> JsonObject:
        """The data of an act that must succeed in the shape of its row."""
        return self.success(action, await self.call(action, how, **params))

    def success(self, action: str, response: Response) -> JsonObject:
        """The checked data of a response that must be a success."""
        error = response.error
        expect(
            response.success and error is None, f"{action} 应成功，实际是 {error.code if error else '没有数据的失败'}"
        )
        self.result(spec_of(action).result, response)
        return dict(response.data or {})

    def result(self, model: type[R], response: Response) -> R:
        """The data as its model."""
        try:
            return model.model_validate(response.data)
        except ValidationError as error:
            fields = "、".join(".".join(map(str, item["loc"])) for item in error.errors(include_input=False)[:5])
            raise UnmetError(f"结果不符合操作表：{fields or 'data'}") from None

    async def refused(self, codes: str, action: str, how: How = USUAL, /, **params: object) -> WireFault:
        """The error of an act that must fail with one of the codes (separated by spaces)."""
        return self.failure(codes, action, await self.call(action, how, **params))

    def failure(self, codes: str, action: str, response: Response) -> WireFault:
        """The checked error of a response that must be a failure."""
        expect(not response.success, f"{action} 应以 {codes} 失败，实际报告成功")
        if response.error is None:
            raise UnmetError(f"{action} 失败的回应没有 error")
        code = response.error.code
        expect(code in codes.split(), f"{action} 应以 {codes.replace(' ', ' 或 ')} 失败，实际是 {code}")
        return response.error

    async def denied(self, rule: str, action: str, how: How = USUAL, /, **params: object) -> WireFault:
        """The error of an act that policy must refuse by a rule that begins with one of `rule`'s words."""
        error = await self.refused("POLICY_DENIED", action, how, **params)
        found = str((error.facts or {}).get("rule"))
        expect(found.startswith(tuple(rule.split())), f"规则应是 {rule.replace(' ', ' 或 ')}，实际是 {found}")
        return error

    async def open(self, path: str, how: How = USUAL) -> str:
        """Show a page of the kit's first origin in the default page, forget what happened, return its page id."""
        response = await self.call("navigate", replace(how, deadline_ms=20_000), url=self.site.a.url(path))
        self.success("navigate", response)
        self.site.forget()
        return response.page.id if response.page else ""

    async def text(self, selector: str, how: How = USUAL) -> str:
        """Visible text of an element."""
        return str((await self.ok("getText", how, selector=selector))["text"])

    async def did(self, name: str) -> str:
        """What the page told the site about something it does; waits for it."""
        told = await self.site.told(name, self.timeout)
        if told is None:
            raise UnmetError(f"站点没有收到“{name}”：操作报告成功，页面上却没有发生")
        return told

    def undone(self, name: str) -> None:
        """The site was told nothing of it so far."""
        expect(not self.site.times(name), f"站点收到了“{name}”：这个操作本不该发生")

    # --- approvals --------------------------------------------------------------------------------------------------

    async def asks(self, action: str, how: How = USUAL, /, **params: object) -> tuple[WireFault, Approval]:
        """An act that needs a person: what was asked, and the person's word on it."""
        since = self.now
        error = await self.refused("NEEDS_APPROVAL", action, how, **params)
        number = (error.facts or {}).get("approval_id")
        expect(isinstance(number, str), "NEEDS_APPROVAL 没有 facts.approval_id")
        approval = await self.next(Approval, since, "人的回答 approval")
        expect(approval.approval_id == number, "approval 的 approval_id 不是所问的那一个")
        return error, approval
