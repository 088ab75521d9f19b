"""A browser that has every element on every page, behind the real pipe: what an attack script acts on."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from browser_host_stub.driver import JsonObject, Located
from browser_host_stub.link import link_over
from browser_host_stub.memory.driver import MemoryDriver
from browser_host_stub.memory.site import Element, Site
from browser_host_stub.session import HostOptions, HostSession
from sgclaw.host.browser import PipeBrowser
from sgclaw.host.carrier import FdCarrier
from sgclaw.host.handshake import LineSource, open_session
from sgclaw.host.session import Services, Session
from sgclaw.policy.model import policy_document
from sgclaw.ports import Binding
from sgclaw.protocol.channel import dump
from sgclaw.protocol.messages import Command, Message
from sgclaw.skills.trust import VerifiedSkill
from tests.support.ports import LoopClock, RecordingLedger, RecordingLog, RecordingRecords
from tests.support.wire import Approving


class Elements(dict[str, Element]):
    """An element for every selector, made when it is first asked for."""

    def __init__(self, text: str) -> None:
        super().__init__({"body": Element(text=text, tag="body")})
        self._text = text

    def get(self, key: str, default: object = None) -> Element:
        return self.setdefault(key, Element(text=self._text, tag="select", checked=False, files=[]))


class Everywhere(Site):
    """A page at every address; those of hosts that are not allowed hold their own text."""

    def __init__(self, hosts: list[str], foreign_text: str) -> None:
        self._hosts, self._foreign = hosts, foreign_text

    def __getitem__(self, url: str) -> Callable[[], dict[str, Element]]:
        text = "<text>" if urlsplit(url).hostname in self._hosts else self._foreign
        return lambda: Elements(text)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


@dataclass(frozen=True)
class Done:
    """An act that was carried out: on which address, and where it was to lead."""

    action: str
    page_url: str
    params: JsonObject

    @property
    def host(self) -> str | None:
        """The host the act reached."""
        return urlsplit(str(self.params.get("url", self.page_url))).hostname


class RecordingDriver(MemoryDriver):
    """Remembers what was carried out: after every check of the host."""

    def __init__(self, site: Site, folder: Path, start: str) -> None:
        super().__init__(site, folder, start=start)
        self.done: list[Done] = []

    def confine(self, check: Callable[[str], str | None]) -> None:
        """Follow every redirect all the same, as a browser does that cannot stop one: what comes later must hold."""

    async def perform(self, located: Located, deadline_s: float) -> JsonObject:
        params = located.params.model_dump(exclude_none=True)
        self.done.append(Done(located.action, located.page.url, params))
        return await super().perform(located, deadline_s)


@dataclass
class Observed:
    """Both ends of a session in this process, and everything that went over it."""

    driver: RecordingDriver
    session: Session
    services: Services
    ledger: RecordingLedger
    seen: list[Message] = field(default_factory=list)

    def browser(self, skill: VerifiedSkill, domain: str) -> PipeBrowser:
        gate = asyncio.Event()
        gate.set()
        binding = Binding("t1", domain, gate, on_person=lambda _begins: None, skill=skill)
        return PipeBrowser(self.session, self.services, binding)

    @property
    def commands(self) -> list[JsonObject]:
        """Every command that reached the host, with the domain it was signed for."""
        sent = [record for record in self.ledger.data("command") if record["seq"]]  # 0: refused before it was one
        domains = {record["seq"]: record["domain"] for record in sent}
        return [
            {**dump(message), "security": {"expected_domain": domains[message.seq]}}
            for message in self.seen
            if isinstance(message, Command)
        ]


@asynccontextmanager
async def observed(
    folder: Path, hosts: list[str], *, mock: Mapping[str, str], approves: bool
) -> AsyncIterator[Observed]:
    """A ready session whose policy lists `hosts`; the page is on the first. `mock` moves addresses and fills pages."""
    start = f"https://{hosts[0]}/"
    driver = RecordingDriver(Everywhere(hosts, mock.get("evil_body", "EVIL-PAGE")), folder, start)
    for path, answer in mock.items():
        status, _, target = str(answer).partition(" ")
        if path.startswith("/") and status.startswith("3"):
            driver.redirects[start.rstrip("/") + path] = target
    to_agent, to_host = os.pipe(), os.pipe()
    seen: list[Message] = []
    options = HostOptions(
        policy=policy_document([f"https://{host}" for host in hosts]),
        trace_id="sgclaw-20260402-0000abcd",
        approver=Approving(yes=approves),
        observer=seen.append,
    )
    host = HostSession(await link_over(to_host[0], to_agent[1]), driver, options)
    hosting, starting = asyncio.create_task(host.run()), asyncio.create_task(host.start())
    carrier = FdCarrier(to_agent[0], to_host[1])
    lines = LineSource(carrier)
    ledger = RecordingLedger()
    services = Services(ledger, RecordingLog(), LoopClock(), RecordingRecords())
    session = Session(carrier, lines, await open_session(lines), services)
    await session.ready()
    ended = asyncio.create_task(session.run())
    await starting
    try:
        yield Observed(driver, session, services, ledger, seen)
    finally:
        hosting.cancel()
        await asyncio.gather(hosting, return_exceptions=True)
        async with asyncio.timeout(5):
            await ended
        await carrier.close()
