"""Both ends of a session over one browser: through sgclaw, and with sgclaw's own checks out of the way."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from browser_host_stub.driver import IMPLICIT_WAIT_S, ArtifactStore, Driver, JsonObject, Located
from browser_host_stub.link import Link, link_over
from browser_host_stub.performing import Confinable
from browser_host_stub.session import HostOptions, HostSession
from sgclaw.errors import SgClawError
from sgclaw.host.browser import PipeBrowser
from sgclaw.host.carrier import FdCarrier
from sgclaw.host.handshake import LineSource, open_session
from sgclaw.host.session import Services, Session
from sgclaw.policy.model import policy_document
from sgclaw.ports import Act
from sgclaw.protocol.actions import ACTIONS
from sgclaw.protocol.channel import Channel, read_init
from sgclaw.protocol.messages import Approval, Command, ProtocolError, Ready, Response
from sgclaw.protocol.params import Params
from sgclaw.protocol.results import PageInfo
from sgclaw.protocol.signing import Role
from tests.support.ports import LoopClock, RecordingLedger, RecordingLog, RecordingRecords, binding
from tests.support.wire import Approving
from tests.unit.skills.folder import Folder, script

TRACE = "sgclaw-20260402-0000abcd"
WAIT_S = 20.0


class Watched:
    """A driver that remembers what was really performed."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self.performed: list[str] = []

    @property
    def artifacts(self) -> ArtifactStore:
        return self._driver.artifacts

    @property
    def on_gone(self) -> asyncio.Event:
        return self._driver.on_gone

    def confine(self, check: Any) -> None:
        assert isinstance(self._driver, Confinable)
        self._driver.confine(check)

    async def locate(
        self, action: str, params: Params, page: str | None, *, deadline_s: float = IMPLICIT_WAIT_S
    ) -> Located:
        return await self._driver.locate(action, params, page, deadline_s=min(deadline_s, 1.0))

    async def perform(self, located: Located, deadline_s: float) -> JsonObject:
        self.performed.append(located.action)
        return await self._driver.perform(located, deadline_s)

    async def page_info(self, page: str | None) -> PageInfo:
        return await self._driver.page_info(page)

    async def default_page(self) -> PageInfo:
        return await self._driver.default_page()

    async def close(self) -> None:
        await self._driver.close()


@dataclass
class Ends:
    """An open session. Exactly one of `browser` (through sgclaw) and `channel` (bare) is there."""

    host: HostSession
    driver: Watched
    person: Approving
    ledger: RecordingLedger
    session: Session | None = None
    services: Services | None = None
    browser: PipeBrowser | None = None
    channel: Channel | None = None
    link: Link | None = None
    approvals: list[Approval] = field(default_factory=list)

    async def attempt(self, action: str, params: Mapping[str, Any], domain: str | None) -> Mapping[str, Any] | None:
        """Act as the agent would: None when it was done, else the error as {code, facts}."""
        if self.browser is not None:
            try:
                await self.browser.act(Act(action, params, expected_domain=domain))
            except SgClawError as error:
                return {"code": error.code, "facts": error.facts}
            return None
        return await self._command(action, params, domain or "")

    async def _command(self, action: str, params: Mapping[str, Any], domain: str) -> Mapping[str, Any] | None:
        assert self.channel is not None
        assert self.link is not None
        command = Command.model_construct(  # an agent that checks nothing
            seq=self.channel.upcoming_seq, action=action, params=dict(params), task_id="t1", deadline_ms=15_000
        )
        await self.link.send(self.channel.seal_command(command, domain)[0])
        response = await self._next((Response, ProtocolError))
        if isinstance(response, ProtocolError):
            return {"code": response.code, "facts": {}}
        if response.error is None:
            return None
        if response.error.code == "NEEDS_APPROVAL":
            self.approvals.append(await self._next(Approval))
        return {"code": response.error.code, "facts": response.error.facts}

    async def _next(self, kind: Any) -> Any:
        assert self.channel is not None
        assert self.link is not None
        async with asyncio.timeout(WAIT_S):
            while True:
                line = await self.link.receive()
                assert line is not None, "the browser's end closed the session"
                message = self.channel.receive(line).message
                if isinstance(message, kind):
                    return message


@contextlib.asynccontextmanager
async def through_sgclaw(
    driver: Driver, origins: Sequence[str], task_hosts: Sequence[str], folder: Path, person: Approving | None = None
) -> AsyncIterator[Ends]:
    """sgclaw's own session, bound to a task whose skill may act on the task's hosts only."""
    to_agent, to_host = os.pipe(), os.pipe()
    watched, person, ledger = Watched(driver), person or Approving(yes=False), RecordingLedger()
    host = HostSession(await link_over(to_host[0], to_agent[1]), watched, _options(origins, person))
    hosting, starting = asyncio.create_task(host.run()), asyncio.create_task(host.start())
    carrier = FdCarrier(to_agent[0], to_host[1])
    lines = LineSource(carrier)
    services = Services(ledger, RecordingLog(), LoopClock(), RecordingRecords())
    session = Session(carrier, lines, await open_session(lines), services)
    await session.ready()
    ended = asyncio.create_task(session.run())
    await starting
    bound = replace(binding(task_hosts[0]), skill=_skill(folder, task_hosts))
    try:
        yield Ends(host, watched, person, ledger, session, services, PipeBrowser(session, services, bound))
    finally:
        hosting.cancel()
        await asyncio.gather(hosting, return_exceptions=True)
        async with asyncio.timeout(WAIT_S):
            await ended
        await carrier.close()


@contextlib.asynccontextmanager
async def bare(driver: Driver, origins: Sequence[str]) -> AsyncIterator[Ends]:
    """The browser's end alone, facing an agent that holds the key and checks nothing."""
    to_agent, to_host = os.pipe(), os.pipe()
    watched, person = Watched(driver), Approving(yes=False)
    host = HostSession(await link_over(to_host[0], to_agent[1]), watched, _options(origins, person))
    hosting, starting = asyncio.create_task(host.run()), asyncio.create_task(host.start())
    link = await link_over(to_agent[0], to_host[1])
    init = read_init(await link.receive() or b"")
    channel = Channel(Role.AGENT, base64.urlsafe_b64decode(init.session_key + "="), init.trace_id)
    digest = hashlib.sha256(init.policy.encode()).hexdigest()
    await link.send(channel.seal(Ready(protocol=init.protocol, version="0", policy_sha256=digest)))
    await starting
    try:
        yield Ends(host, watched, person, RecordingLedger(), channel=channel, link=link)
    finally:
        hosting.cancel()
        await asyncio.gather(hosting, return_exceptions=True)
        await link.close()


def _options(origins: Sequence[str], person: Approving) -> HostOptions:
    return HostOptions(policy=policy_document(list(origins)), trace_id=TRACE, approver=person)


def _skill(folder: Path, hosts: Sequence[str]) -> Any:
    """A signed skill that declares the task's hosts: the way in which a task's scope is narrower than the policy."""
    made, extra = Folder(folder / "skills"), f" * @actions {', '.join(ACTIONS)}\n"
    made.write("builtin/task.js", script("task", domains=", ".join(hosts), extra=extra))
    made.sign()
    return made.load().get("task")
