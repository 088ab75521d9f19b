"""Every attack script of the folder, and its benign controls: run as a signed skill against a browser behind the real
pipe, judged by facts seen from outside.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from sgclaw.errors import SgClawError, SkillError
from sgclaw.ports import SkillResult
from sgclaw.sandbox.runner import ScriptRunner
from sgclaw.skills.trust import VerifiedSkill
from tests.attacks.corpus import SUITES, Case, read
from tests.attacks.sandbox.browser import Observed, observed
from tests.attacks.sandbox.words import DEMANDS, Ended, Facts, accepted, demands, outcomes_of
from tests.unit.sandbox.support import HEADER, QUICK, Bench, bench, verified
from tests.unit.sandbox.watching import watching

SUITE = "sandbox"
BENIGN: Final = HEADER + (
    "async function execute(params, browserAction) {\n"
    "  return { success: true, data: await browserAction('getText', '#a') };\n}\n"
)
ALWAYS: Final = {
    "the parent process answers a ping within 1000 ms at every moment of the run",
    "wall time <= max_ms (default 10000)",
    "no command that policy did not allow reaches the mock browser",
    "a benign skill run straight afterwards succeeds",
    "exactly one audit record says how the run ended",
}
"""The rules of the contract; each is an assertion below."""


def load(path: Path) -> VerifiedSkill | SkillError:
    """The file as a skill, or why it is none. A capital in its name, which the trust check refuses, is made small."""
    source = path.read_text(encoding="utf-8")
    try:
        return verified(re.sub(r"@skill \S+", lambda found: found.group().lower(), source, count=1))
    except SkillError as error:
        return error


def setting(case: Case, name: str) -> Any:
    """What a case says, else what its file says for all."""
    return case.data.get(name, case.file.get(name, case.file.get("contract", {}).get(name)))


async def ended_by(sandbox: Bench, site: Observed, skill: VerifiedSkill, params: Mapping[str, object]) -> Ended:
    """How a run of the skill ended. Any exception that is not ours fails the test."""
    runner = ScriptRunner(sandbox.pool, sandbox.log, QUICK)
    try:
        return await runner.run(skill, params, site.browser(skill, skill.manifest.domains[0]))
    except SgClawError as error:
        return error


@pytest.mark.requirement("ATTACK-40")
async def test_a_script_ends_as_the_corpus_demands(attack: Case, tmp_path: Path) -> None:
    allowed = accepted(attack.data["accept"])
    skill = load(attack.folder / attack.data["file"])
    if isinstance(skill, SkillError):
        assert outcomes_of(skill) & allowed, skill
        return
    hosts, mock = setting(attack, "global_allow_list"), setting(attack, "mock") or {}
    approves = setting(attack, "confirm_answer") == "allow"
    async with bench() as sandbox, observed(tmp_path, hosts, mock=mock, approves=approves) as site:
        async with watching(sandbox.started) as watch:
            began = time.perf_counter()
            ended = await ended_by(sandbox, site, skill, setting(attack, "params") or {})
            took_ms = (time.perf_counter() - began) * 1_000
            commands, done = site.commands, list(site.driver.done)
            endings = [data["end"] for data in sandbox.log.named("run_ended")]
            await stays_fine(sandbox, tmp_path / "next", hosts)
        assert outcomes_of(ended) & allowed, ended
        assert len(endings) == 1
        assert [one for one in done if one.host not in setting(attack, "skill_domains")] == []
        assert watch.longest_silence_s < 1.0
        facts = Facts(
            ended=ended,
            took_ms=took_ms,
            commands=commands,
            done=done,
            late=len(site.commands) - len(commands),
            console=[str(data["text"]) for data in sandbox.log.named("console")],
            ledger=repr(site.ledger.records),
            log=repr(sandbox.log.events),
            largest_rss=watch.largest_rss,
        )
        judge(attack.data, facts)


def judge(data: Mapping[str, Any], facts: Facts) -> None:
    """Everything a case demands beside how it ends; first of all, that nothing in it goes unread."""
    accepted(data["accept"])
    for name, value in demands(data).items():
        DEMANDS[name](facts, value)


async def stays_fine(sandbox: Bench, folder: Path, hosts: list[str]) -> None:
    """A benign skill straight afterwards succeeds, in the same pool, on a page of its own."""
    async with observed(folder, hosts, mock={}, approves=False) as site:
        ended = await ended_by(sandbox, site, verified(BENIGN), {})
        assert ended == SkillResult(success=True, data="<text>")
        assert [one.action for one in site.driver.done] == ["getText"]


def folder_of(config: pytest.Config) -> Path:
    folder = Path(config.getoption("--attacks")) / Path(SUITES[SUITE].file).parent
    if not folder.is_dir():
        pytest.skip(f"the attack cases are not there: {folder}")
    return folder


@pytest.mark.requirement("ATTACK-41")
def test_the_manifest_names_every_script_of_the_folder_and_every_file_is_there(pytestconfig: pytest.Config) -> None:
    folder = folder_of(pytestconfig)
    named = [case.data["file"] for case in read(folder.parent, SUITE)]
    assert sorted(named) == sorted(path.name for path in folder.iterdir() if path.suffix == ".js")
    assert len(set(named)) == len(named)


@pytest.mark.requirement("ATTACK-41")
def test_every_rule_and_outcome_of_the_contract_has_a_meaning_here(pytestconfig: pytest.Config) -> None:
    contract = json.loads((folder_of(pytestconfig) / "manifest.json").read_text(encoding="utf-8"))["contract"]
    assert set(contract["always"]) - ALWAYS == set()
    assert accepted(list(contract["outcomes"]))


@pytest.mark.requirement("ATTACK-41")
@pytest.mark.parametrize(
    ("field", "value"),
    [("accept", ["shrugged"]), ("max_seconds", 3), ("wire_forbids", "x"), ("wire_checks", ["the wire is nice"])],
)
def test_a_word_or_field_without_a_meaning_fails_its_case(field: str, value: object) -> None:
    with pytest.raises(AssertionError, match="no meaning"):
        judge({"accept": ["rejected"], field: value}, Facts(SkillResult(success=True), 0, [], [], 0, [], "", "", 0))


@pytest.mark.requirement("ATTACK-41")
def test_a_remark_is_no_demand() -> None:
    assert demands({"accept": [], "cve": "CVE-2026-0821", "note": "x"}) == demands({"accept": []})
