"""A real sgclaw session and a real host session in one process, over two operating system pipes."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from browser_host_stub.approvals import Approver, NobodyThere
from browser_host_stub.link import Faults, link_over
from browser_host_stub.memory.driver import MemoryDriver
from browser_host_stub.memory.site import Element, Page, Site
from browser_host_stub.session import HostOptions, HostSession
from sgclaw.host.browser import PipeBrowser
from sgclaw.host.carrier import FdCarrier
from sgclaw.host.handshake import LineSource, open_session
from sgclaw.host.session import Services, Session
from sgclaw.policy.model import policy_document
from sgclaw.ports import Binding
from sgclaw.protocol.messages import Message
from tests.support.ports import LoopClock, RecordingLedger, RecordingLog, RecordingRecords, binding

ERP = "https://erp.example.com"
EVIL = "https://evil.example.net"


def _reveal(page: Page) -> None:
    page.elements[".done"] = Element(text="已完成")


def home() -> dict[str, Element]:
    """The start page of the test site."""
    return {
        "#title": Element(text="财务系统", tag="h1"),
        "#name": Element(tag="input", value=""),
        "#go": Element(text="查询", tag="button", label="查询", on_click=_reveal),
        "#submit": Element(text="提 交", tag="button", label="提 交", on_click=_reveal),
        "#twins": Element(text="行", count=2),
        "#hidden": Element(text="隐藏", visible=False),
        "#off": Element(text="停用", tag="button", enabled=False),
        "#file": Element(text="下载", tag="a", label="下载", file=("报表.csv", "科目,金额\n".encode())),
    }


SITE: Site = {f"{ERP}/": home, f"{ERP}/list": home, f"{EVIL}/": home}


@dataclass
class Approving:
    """A person who answers every approval the same way and remembers what was shown."""

    yes: bool = True
    said: str | None = None
    shown: list[Mapping[str, object]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    async def approve(self, facts: Mapping[str, object]) -> bool:
        self.shown.append(facts)
        return self.yes

    async def answer(self, text: str, choices: tuple[str, ...]) -> str | None:
        self.asked.append(text)
        return self.said


@dataclass
class Wired:
    """Both ends, running."""

    host: HostSession
    driver: MemoryDriver
    session: Session
    services: Services
    ledger: RecordingLedger
    seen: list[Message]
    ended: asyncio.Task[str]
    faults: Faults
    records: RecordingRecords

    def browser(self, bound: Binding | None = None) -> PipeBrowser:
        return PipeBrowser(self.session, self.services, bound or binding())


@contextlib.asynccontextmanager
async def wired(
    folder: Path,
    *,
    approver: Approver | None = None,
    faults: Faults | None = None,
    origins: tuple[str, ...] = (ERP,),
    grants: list[dict[str, str]] | None = None,
) -> AsyncIterator[Wired]:
    """A ready session; the browser shows the start page of the test site."""
    to_agent, to_host = os.pipe(), os.pipe()
    link = await link_over(to_host[0], to_agent[1])
    carrier = FdCarrier(to_agent[0], to_host[1])
    driver = MemoryDriver(SITE, folder, start=f"{ERP}/")
    seen: list[Message] = []
    faults = faults or Faults()
    host = HostSession(
        link,
        driver,
        HostOptions(
            policy=policy_document(list(origins), grants=grants),
            trace_id="sgclaw-20260402-0000abcd",
            approver=approver or NobodyThere(),
            faults=faults,
            observer=seen.append,
        ),
    )
    hosting = asyncio.create_task(host.run())
    starting = asyncio.create_task(host.start())
    lines = LineSource(carrier)
    ledger, records = RecordingLedger(), RecordingRecords()
    services = Services(ledger, RecordingLog(), LoopClock(), records)
    session = Session(carrier, lines, await open_session(lines), services)
    await session.ready()
    ended = asyncio.create_task(session.run())
    await starting
    try:
        yield Wired(host, driver, session, services, ledger, seen, ended, faults, records)
    finally:
        hosting.cancel()
        await asyncio.gather(hosting, return_exceptions=True)
        async with asyncio.timeout(5):
            await ended
        await carrier.close()
