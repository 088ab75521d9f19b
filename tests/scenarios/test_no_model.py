"""A real process with no model configured and every connection refused and told: what needs no model works."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.agent import Home, running, skill

READ = "return { success: true, data: await browserAction('getText', '#title') };"
PROVIDERS = frozenset({"anthropic", "openai", "httpx", "httpx2", "httpcore", "requests", "aiohttp"})
OURS = frozenset({"sgclaw.llm.providers", "sgclaw.llm.careful", "sgclaw.llm.transport", "sgclaw.agent.loop"})
_LAUNCHER = """
import atexit, json, os, sys
settings, listing, mode = json.loads(sys.argv.pop(1)), sys.argv.pop(1), sys.argv[1]
os.environ.update(settings)
seen = []
def watch(event, arguments):
    if event in ("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg") or event.startswith("socket.get"):
        seen.append(event)
        raise PermissionError(event)
sys.addaudithook(watch)
def write():
    with open(listing, "w") as file:
        json.dump({"mode": mode, "seen": seen, "modules": list(sys.modules)}, file)
atexit.register(write)
from sgclaw.cli.main import main
main()
"""


@dataclass
class Alone(Home):
    """A home whose process may not connect, and tells at its end what it tried and what it had loaded."""

    launcher: str = _LAUNCHER

    @property
    def listing(self) -> Path:
        return self.path / "listing.json"

    def command(self) -> tuple[str, ...]:
        settings = json.dumps({"SGCLAW_HOME": str(self.path / "home"), **self.settings})
        return (sys.executable, "-c", self.launcher, settings, str(self.listing), "pipe")


def told(home: Alone) -> tuple[list[str], frozenset[str]]:
    """What was tried on the network, and the modules that were loaded."""
    listing = json.loads(home.listing.read_text("utf-8"))
    assert listing["mode"] == "pipe"
    return listing["seen"], frozenset(listing["modules"])


@pytest.mark.requirement("AGT-44")
async def test_without_model_and_network_a_sentence_is_routed_and_its_skill_run_and_the_rest_is_no_model(
    tmp_path: Path,
) -> None:
    home = Alone(tmp_path)
    home.add("read-title", skill("read-title", READ, header="读取首页标题"))
    async with running(home) as run:
        routed = await run.hosted.run("读取首页标题")
        needs_thinking = await run.hosted.run("比较两份合同的付款条件，写一段意见")
        named = await run.hosted.run("随便", skill="read-title")
    assert (routed.outcome, routed.skill, routed.data) == ("completed", "read-title@1.0.0", "财务系统")
    assert (needs_thinking.outcome, needs_thinking.error and needs_thinking.error.code) == ("failed", "NO_MODEL")
    assert needs_thinking.summary
    assert (named.outcome, named.data) == ("completed", "财务系统")
    assert [each.usage.llm_calls + each.usage.tokens for each in (routed, needs_thinking, named)] == [0, 0, 0]
    seen, modules = told(home)
    assert seen == []
    assert not (PROVIDERS | OURS) & modules
    assert "sgclaw.sandbox.runner" in modules  # the list is that of a process that worked


@pytest.mark.requirement("AGT-44")
async def test_the_watch_on_the_network_sees_and_refuses_a_connection(tmp_path: Path) -> None:
    connecting = (
        "import socket\ntry:\n    socket.create_connection(('127.0.0.1', 9), 1)\nexcept PermissionError:\n    pass\n"
    )
    home = Alone(tmp_path, launcher=_LAUNCHER.replace("from sgclaw.cli", f"{connecting}from sgclaw.cli", 1))
    home.add("read-title", skill("read-title", READ))
    async with running(home):
        pass
    seen, _ = told(home)
    assert seen[:1] in (["socket.getaddrinfo"], ["socket.connect"])
