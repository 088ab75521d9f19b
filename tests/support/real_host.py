"""A real host session over a real Chromium, driven line by line: every answer is valid, typed and in time."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import orjson

from browser_host_stub.approvals import NobodyThere
from browser_host_stub.chromium.driver import ChromiumDriver
from browser_host_stub.chromium.options import ChromiumOptions
from sgclaw.policy.model import policy_document
from sgclaw.protocol.actions import spec_of
from sgclaw.protocol.messages import Command
from tests.support.raw_agent import AgentEnd
from tests.unit.browser_host_stub.chromium.site import Site

Observe = Literal["none", "diff", "full"]
LATE_S = 1.5
"""What an answer may be late: sealing, the pipe, and an event loop on a machine that does other things."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One response: `code` is `ok` or that of its error."""

    code: str
    data: dict[str, Any]
    facts: dict[str, Any]
    page: dict[str, Any] | None
    seen: dict[str, Any]
    """`aom_snapshot` and `aom_facts`, where the response has them."""


@dataclass
class RealHost:
    """Both ends of the session, the browser and its site."""

    agent: AgentEnd[ChromiumDriver]
    site: Site
    told: list[dict[str, Any]] = field(default_factory=list)
    """Messages that were no responses, in order."""

    async def call(
        self,
        action: str,
        *,
        within_ms: int | None = None,
        observe: Observe = "none",
        page: str | None = None,
        **params: object,
    ) -> Answer:
        """Send a command and take its answer, which must fit its table and come within its deadline.

        That is the table's own one, unless `within_ms` gives another.
        """
        agent, loop = self.agent, asyncio.get_running_loop()
        spec = spec_of(action)
        limit = within_ms if within_ms is not None else spec.deadline_for(spec.check(params))
        seq, sent = agent.channel.upcoming_seq, loop.time()
        command = Command(
            seq=seq, action=action, params=params, task_id="t1", deadline_ms=limit, observe=observe, page=page
        )
        agent.write(agent.channel.seal_command(command, "127.0.0.1")[0])
        while True:
            message = await agent.read(limit / 1000 + LATE_S)
            if message["type"] == "response" and message["seq"] == seq:
                break
            self.told.append(message)
        taken = loop.time() - sent
        assert taken <= limit / 1000 + LATE_S, f"{action} took {taken:.1f} s"
        return _answer(action, message)

    async def open(self, body: str, path: str = "/page") -> Answer:
        """Show a page with this body."""
        answer = await self.call("navigate", url=self.site.show(body, path))
        assert answer.code == "ok", answer
        return answer

    async def says(self, expression: str) -> Any:
        """What the page's own script says: the truth that answers are compared with."""
        async with asyncio.timeout(10):
            return await self.agent.driver._pages.get(None).page.evaluate(expression)


def _answer(action: str, message: dict[str, Any]) -> Answer:
    page, seen = message.get("page"), {name: message.get(name) for name in ("aom_snapshot", "aom_facts")}
    if message["success"]:
        spec_of(action).result.model_validate_json(orjson.dumps(message["data"]), strict=True)
        return Answer("ok", message["data"], {}, page, seen)
    error = message["error"]
    return Answer(error["code"], {}, error["facts"], page, seen)


@contextlib.asynccontextmanager
async def real_host(folder: Path) -> AsyncIterator[RealHost]:
    """A ready session; the site is the one listed origin."""
    site = Site()
    await site.start()
    driver = await ChromiumDriver.start(ChromiumOptions(downloads_dir=folder))
    agent = AgentEnd(driver, policy_document([site.base]), NobodyThere())
    running = await agent.open()
    try:
        yield RealHost(agent, site)
    finally:
        await agent.close(running)
        await driver.close()
        await site.close()
