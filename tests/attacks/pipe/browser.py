"""The browser's end alone: a host session over an in-memory browser, sgclaw's end a bare pair of pipes and a key."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import json
import os
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from browser_host_stub.link import Link, link_over
from browser_host_stub.memory.driver import MemoryDriver
from browser_host_stub.memory.site import Element, Site
from browser_host_stub.session import HostOptions, HostSession
from sgclaw.errors import FATAL_WIRE_CODES
from sgclaw.policy.model import policy_document
from sgclaw.protocol import PROTOCOL
from sgclaw.protocol.channel import read_init
from sgclaw.protocol.messages import Init
from sgclaw.protocol.signing import Role
from tests.attacks.pipe.signs import VALID, Json, Keys, sealed
from tests.attacks.pipe.verdicts import Outcome
from tests.support.agent import TRACE
from tests.support.wire import ERP

DOMAIN, OA = "erp.example.com", "https://oa.example.com"
ANSWER_S: Final = 5.0
NEXT: Final = "$NEXT"
PROMPT_S: Final = 1.0


@dataclass
class Deciding:
    """A person whose word comes when a test gives it; silent until then."""

    word: asyncio.Future[bool] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    async def approve(self, facts: Mapping[str, object]) -> bool:
        return await asyncio.shield(self.word)

    async def answer(self, text: str, choices: tuple[str, ...]) -> str | None:
        return None


def site_of(selectors: Iterable[str]) -> Site:
    """ERP and OA, with a harmless element for every selector."""

    def page() -> dict[str, Element]:
        named = {selector: Element(text="内容", tag="button", value="") for selector in selectors}
        return {"#title": Element(text="财务系统"), **named}

    return {f"{ERP}/": page, f"{OA}/": page}


class BrowserEnd:
    """sgclaw's end of the session, in the hands of a test; `next` is the number of the next command."""

    def __init__(self, link: Link, host: HostSession, driver: MemoryDriver, init: Init, person: Deciding) -> None:
        self.link, self.host, self.driver, self.person, self.policy = link, host, driver, person, init.policy
        self.keys = Keys(base64.urlsafe_b64decode(init.session_key + "="), init.trace_id, Role.AGENT)
        self.next, self.n = 1, 1
        self.closed = False
        self.macs: dict[int, str] = {}

    @property
    def acts(self) -> list[tuple[str, str]]:
        """Everything performed, on every page."""
        return [act for page in self.driver.pages.values() for act in page.acts]

    # --- sending ----------------------------------------------------------------------------------------------------

    def line(self, body: Json, *, domain: Any = DOMAIN, sign: str = VALID, **security: Any) -> bytes:
        """The line of a command with its newline. `domain` None leaves the domain out."""
        members = {**({"n": self.n} if domain is None else {"expected_domain": domain}), **security}
        line, mac = sealed(body, members, self.keys, sign)
        if isinstance(body.get("seq"), int):
            self.macs.setdefault(body["seq"], mac)
        return line + b"\n"

    async def command(self, action: str, params: Json, domain: Any = DOMAIN, **more: Any) -> Outcome:
        """Send a right command and say what became of it."""
        body = command_body(action, params, self.next, **more)
        outcome = await self.put(self.line(body, domain=domain))
        if not outcome.closed:
            self.next += 1
        return outcome

    async def put(self, line: bytes, *, answered: bool = True) -> Outcome:
        """Send one line; `answered` False is for a message that gets no answer when it is right."""
        await self._send(line)
        return await self._outcome() if answered else Outcome(closed=self.closed)

    async def _send(self, line: bytes) -> None:
        """A host that has ended reads no more: what it left unread is no reason to wait."""
        sending = asyncio.ensure_future(self.link.send(line))
        await asyncio.wait({sending, self._running}, timeout=ANSWER_S, return_when=asyncio.FIRST_COMPLETED)
        if not sending.done():
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)

    # --- receiving --------------------------------------------------------------------------------------------------

    async def read(self) -> Json | None:
        """The next message, None at the end."""
        async with asyncio.timeout(ANSWER_S):
            line = await self.link.receive()
        if line is None:
            self.closed = True
            return None
        message: Json = json.loads(line)
        return message

    async def _outcome(self) -> Outcome:
        message = await self.read()
        if message is None:
            return Outcome(closed=True)
        if message["type"] == "protocol_error":
            if message["code"] in FATAL_WIRE_CODES:
                while await self.read() is not None:
                    continue
            return Outcome((message["code"],), closed=self.closed)
        if message["type"] == "approval":
            return await self._outcome()
        error = message.get("error")
        return Outcome((error["code"],) if error else ())

    # --- states -----------------------------------------------------------------------------------------------------

    async def get_ready(self) -> None:
        """Say that sgclaw has read `init`."""
        digest = hashlib.sha256(self.policy.encode()).hexdigest()
        ready = {"type": "ready", "protocol": PROTOCOL, "version": "0", "policy_sha256": digest}
        await self.link.send(sealed(ready, {"n": self.n}, self.keys, VALID)[0] + b"\n")
        self.n += 1

    async def become(self, state: str) -> None:
        """Bring the session into a state of the cases."""
        if state in ("task", "confirming"):
            for _ in range(6):
                assert await self.command("getText", {"selector": "#title"}) == Outcome()
            asks = state == "confirming"
            seventh = ("logout", {"site": DOMAIN}) if asks else ("click", {"selector": "#btn"})
            expected = Outcome(("NEEDS_APPROVAL",)) if asks else Outcome()
            assert await self.command(*seventh) == expected

    async def decide(self, *, yes: bool) -> None:
        """The person answers what is held, and the browser says so."""
        self.person.word.set_result(yes)
        message = await self.read()
        assert message is not None
        assert (message["type"], message["approved"]) == ("approval", yes)

    def age(self, seconds: float) -> None:
        """Let time pass for every act that is held."""
        for held in self.host._performer.held._held.values():
            held.expires -= seconds

    async def still_serves(self, at_most: int) -> int:
        """How many numbers had been used up when a right command was taken, in time."""
        for tried in range(at_most + 1):
            started = asyncio.get_running_loop().time()
            outcome = await self.command("getText", {"selector": "#title"})
            assert asyncio.get_running_loop().time() - started < PROMPT_S
            if not outcome.refused:
                return tried
            assert outcome == Outcome(("REPLAYED",)), outcome
        raise AssertionError("no right command was taken any more")

    _running: asyncio.Task[None]


def command_body(action: str, params: Json, seq: object, **more: Any) -> Json:
    body = {"type": "command", "seq": seq, "action": action, "params": params, "task_id": "t1", "deadline_ms": 5_000}
    return {**body, **more}


@contextlib.asynccontextmanager
async def browser_end(
    folder: Path,
    state: str,
    *,
    site: Site | None = None,
    start: str = f"{ERP}/",
    origins: tuple[str, ...] = (ERP, OA),
) -> AsyncIterator[BrowserEnd]:
    """A session that is ready, in a state of the cases."""
    to_agent, to_host = os.pipe(), os.pipe()
    policy = policy_document(list(origins))
    driver = MemoryDriver(site or site_of(["#btn"]), folder, start=start)
    person = Deciding()
    host = HostSession(
        await link_over(to_host[0], to_agent[1]), driver, HostOptions(policy=policy, trace_id=TRACE, approver=person)
    )
    link = await link_over(to_agent[0], to_host[1])
    running = asyncio.create_task(host.run())
    starting = asyncio.create_task(host.start())
    init = read_init(await link.receive() or b"")
    end = BrowserEnd(link, host, driver, init, person)
    end._running = running
    try:
        if state != "fresh":
            await end.get_ready()
            await starting
        await end.become(state)
        yield end
    finally:
        starting.cancel()
        if not person.word.done():
            person.word.cancel()
        await link.close()
        async with asyncio.timeout(ANSWER_S):
            await running
        await asyncio.gather(starting, return_exceptions=True)
