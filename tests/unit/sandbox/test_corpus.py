"""Every attack script of the shared corpus, and its benign controls, with the facts seen from outside."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import psutil
import pytest

from sgclaw.errors import PolicyDeniedError, SandboxError, SgClawError
from sgclaw.ports import Act, SkillResult
from sgclaw.skills.trust import VerifiedSkill
from tests.gates.repository import ROOT
from tests.unit.sandbox.support import QUICK, Bench, verified

CORPUS: Final = ROOT.parent / "shared" / "attacks" / "js"
MANIFEST: Final[dict[str, Any]] = (
    json.loads((CORPUS / "manifest.json").read_text(encoding="utf-8")) if CORPUS.is_dir() else {"cases": []}
)
PARAMS: Final[dict[str, Any]] = MANIFEST.get("contract", {}).get("params", {})
BENIGN: Final = "return { success: true, data: await browserAction('getText', '#a') };"

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the attack corpus is not beside the checkout: {CORPUS}")


def load(path: Path) -> VerifiedSkill:
    """The file as a skill. Some have capitals in their names, which the trust check would refuse before any of this."""
    source = path.read_text(encoding="utf-8")
    return verified(re.sub(r"@skill \S+", lambda found: found.group().lower(), source, count=1))


def outcome(ended: SkillResult | SgClawError) -> str:
    """The word of the manifest for how a run ended."""
    if isinstance(ended, SandboxError):
        return {"load": "load_rejected", "bad_result": "rejected"}.get(str(ended.facts["reason"]), "terminated")
    if isinstance(ended, SgClawError) or not ended.success:
        return "rejected"
    assert isinstance(ended.data, dict)
    return "ESCAPED" if ended.data["escaped"] is not False else "returned_safe"


def member(data: object, path: str) -> object:
    for key in path.split(".")[1:]:
        assert isinstance(data, dict)
        data = data[key]
    return data


class Watch:
    """What a bystander in the parent process notices: the longest silence, and the worker's largest size."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self.longest_silence_s = 0.0
        self.largest_rss = 0

    async def keep(self) -> None:
        last = time.perf_counter()
        while True:
            await asyncio.sleep(0.01)
            now = time.perf_counter()
            self.longest_silence_s = max(self.longest_silence_s, now - last)
            last = now
            for worker in self._bench.started:
                if worker.alive:
                    self._weigh(worker.pid)

    def _weigh(self, pid: int) -> None:
        try:
            self.largest_rss = max(self.largest_rss, psutil.Process(pid).memory_info().rss)
        except psutil.NoSuchProcess:
            return


@asynccontextmanager
async def watching(bench: Bench) -> AsyncIterator[Watch]:
    watch = Watch(bench)
    task = asyncio.create_task(watch.keep())
    try:
        yield watch
    finally:
        task.cancel()
        await asyncio.wait({task})


def moving_page(bench: Bench) -> None:
    """A page that one address moves to another site, where the host refuses everything."""
    away = False

    async def before(act: Act) -> None:
        nonlocal away
        away = away or "redirect-to-evil" in str(act.params.get("url"))
        if away:
            raise PolicyDeniedError("页面已离开允许的来源", facts={"rule": "origin"})

    bench.browser.before = before


@pytest.mark.requirement("SBX-01")
@pytest.mark.parametrize("case", MANIFEST["cases"], ids=lambda case: str(case["id"]))
async def test_an_attack_script_ends_as_the_corpus_demands(case: Mapping[str, Any], sandbox: Bench) -> None:
    moving_page(sandbox)
    chosen = load(CORPUS / case["file"])
    async with watching(sandbox) as watch:
        began = time.perf_counter()
        try:
            ended: SkillResult | SgClawError = await sandbox.run(chosen, PARAMS)
        except SgClawError as error:
            ended = error
        took_ms = (time.perf_counter() - began) * 1_000
        acts_at_return = len(sandbox.browser.acts)

        controls = case["accept"] == ["must_succeed"]
        assert outcome(ended) in (["returned_safe"] if controls else case["accept"])
        for path, wanted in case.get("result_must_equal", {}).items():
            assert isinstance(ended, SkillResult)
            assert member(ended.data, path) == wanted
        assert took_ms <= case.get("max_ms", 10_000)

        assert "evil" not in repr(sandbox.browser.acts)
        if "calls" in case:
            assert sandbox.browser.names == case["calls"]
        assert len(sandbox.log.named("run_ended")) == 1

        moving_page(sandbox)
        assert await sandbox.run(BENIGN) == SkillResult(success=True, data="<getText>")
        assert len(sandbox.browser.acts) == acts_at_return + 1
    assert watch.longest_silence_s < 1.0
    assert watch.largest_rss <= case.get("max_rss_mb", 256) * 1024 * 1024


async def test_a_legal_wait_of_thirty_seconds_is_accepted_and_a_longer_one_is_not(sandbox: Bench) -> None:
    body = """
      const failures = [];
      for (const make of [setTimeout, setInterval]) {
        clearTimeout(make(() => {}, 30000));
        try { make(() => {}, 30001); } catch (error) { failures.push(error.name); }
      }
      return { success: true, data: failures };
    """
    result = await sandbox.run(body, budgets=QUICK)
    assert result == SkillResult(success=True, data=["RangeError", "RangeError"])
