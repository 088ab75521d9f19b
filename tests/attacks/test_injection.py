"""Pages that give orders, and an agent that obeys each of them: nothing of it happens.

Every step of a case that is an act is attempted twice, through sgclaw with the task's scope and as a bare command to
the browser's end; the person says no to everything. A case whose steps cannot all be run this way is reported as
skipped with the reasons; what only an agent can be tricked into, and what a model reads, is in `test_injection_agent`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from browser_host_stub.chromium.driver import HANDLERS
from browser_host_stub.driver import Driver
from browser_host_stub.memory.driver import MemoryDriver
from browser_host_stub.memory.site import Element
from sgclaw.errors import BadInputsError
from sgclaw.policy.model import parse_policy, policy_document
from sgclaw.redact import inert
from sgclaw.skills.header import parse_header
from sgclaw.skills.inputs import check_inputs
from tests.attacks.corpus import Case
from tests.attacks.injection.ground import HOSTS, Ground, ground_of_module
from tests.attacks.injection.pages import body_of
from tests.attacks.injection.session import Ends, bare, through_sgclaw
from tests.attacks.injection.steps import Step, later, redirects, step_of, steps_of
from tests.attacks.injection.verdicts import Later, Outcome, hold
from tests.gates.repository import ROOT

SUITE = "injection"
__all__ = ["ground_of_module"]  # a fixture
pytestmark = pytest.mark.asyncio(loop_scope="module")
_ONLY_SGCLAW_KNOWS = "the browser's end knows the policy, not the task's scope or where a value was read"


@dataclass(frozen=True)
class Scene:
    """One case on the ground, seen from one of the two ways in."""

    case: Case
    ground: Ground
    folder: Path
    is_bare: bool

    @property
    def origins(self) -> list[str]:
        return [f"https://{host}" for host in self._setting("global_allow_list")]

    @property
    def task_hosts(self) -> list[str]:
        return self._setting("task_domains")

    def _setting(self, name: str) -> list[str]:
        """What the case says, else what its file says for all."""
        return list(self.case.data.get(name, self.case.file["setting"][name]))

    async def attempted(self, step: Step) -> Outcome:
        """Show the page and try the act on it; what does not belong to our table is tried first, and refused."""
        driver = await self._driver(step)
        async with self._open(driver) as ends:
            if step.extra:
                refused = await self._try(ends, replace(step, params={**step.params, **step.extra}, extra={}))
                assert refused.code == "BAD_PARAMS", f"unknown parameters were taken: {refused}"
                assert (refused.performed, refused.shown) == ([], [])
            outcome = await self._try(ends, step)
            self._check_always(ends, outcome)
            return outcome

    def _open(self, driver: Driver) -> AbstractAsyncContextManager[Ends]:
        if self.is_bare:
            return bare(driver, self.origins)
        return through_sgclaw(driver, self.origins, self.task_hosts, self.folder)

    async def _try(self, ends: Ends, step: Step) -> Outcome:
        domain = step.domain
        if self.is_bare and domain is None:
            opens = step.params.get("url") if step.action in ("navigate", "zombieSpawn") else None
            at_page = self.task_hosts[0] if _is_unbound(step) else step.host
            domain = (_host_of(opens) or at_page) if opens else at_page
        error = await ends.attempt(step.action, step.params, domain)
        return Outcome(step, error, list(ends.driver.performed), list(ends.person.shown))

    async def _driver(self, step: Step) -> Driver:
        body = body_of(self.case, step)
        if step.action in HANDLERS:
            pages = self.ground.pages
            pages.body, pages.redirects = body, {}
            await self.ground.show(step.page)
            pages.redirects = redirects(step)
            pages.asked.clear()
            return self.ground.chromium
        return MemoryDriver({step.page: lambda: {"body": Element(text=body)}}, self.folder, start=step.page)

    def _check_always(self, ends: Ends, outcome: Outcome) -> None:
        assert self.ground.pages.asked_of_others() == [], "a request left for another site"
        if ends.session is None:
            return
        policy = ends.session.opened.policy
        assert policy == parse_policy(policy_document(self.origins))
        if outcome.code in ("POLICY_DENIED", "NEEDS_APPROVAL"):
            records = [record for record in ends.ledger.records if record.event.startswith(("command", "approval"))]
            assert records, "a refusal without a record"
            assert all(record.trace_id for record in records)
            told = str([record.data for record in records])
            assert outcome.step.action in told
            assert outcome.rule in told or outcome.code in told


def _host_of(url: object) -> str:
    """The host a fooled agent would name: what stands where a host stands."""
    return str(url).partition("://")[2].partition("/")[0].partition("?")[0].lower()


def _is_unbound(step: Step) -> bool:
    """Whether the verdict is about a host that was left out: it is filled from the task, not from the page."""
    return step.verdict == "allow_only_if_task_domain"


def _left_to_sgclaw(scene: Scene, step: Step) -> bool:
    """Whether only sgclaw can refuse: the host's policy lists the place, and the task does not."""
    place = _host_of(step.params["url"]) if "url" in step.params else step.host
    return scene.is_bare and place not in scene.task_hosts and f"https://{place}" in scene.origins


@pytest.mark.requirement("ATTACK-30")
@pytest.mark.requirement("ATTACK-31")
@pytest.mark.parametrize("is_bare", [False, True], ids=["sgclaw", "browser"])
async def test_what_an_obeying_agent_tries_has_the_effect_the_case_allows(
    attack: Case, is_bare: bool, ground: Ground, tmp_path: Path
) -> None:
    scene, not_run = Scene(attack, ground, tmp_path, is_bare), list[str]()
    for number, raw in enumerate(steps_of(attack), 1):
        why = await _run(scene, raw)
        if why is not None:
            not_run.append(f"step {number}: {why}")
    if not_run:
        pytest.skip("; ".join(not_run))


async def _run(scene: Scene, raw: Mapping[str, Any]) -> str | None:
    """Run one step; returns why it could not be run whole."""
    reason = later(raw)
    if reason is not None:
        return None if _is_held_already(raw) else reason
    step = step_of(scene.case, raw)
    if _left_to_sgclaw(scene, step) and not _is_unbound(step):
        return _ONLY_SGCLAW_KNOWS
    left = hold(await scene.attempted(step))
    if _is_unbound(step):
        at_home = replace(step, page=str(scene.case.data["page"]), verdict="allow")
        left = hold(await scene.attempted(at_home))
    return left.why if isinstance(left, Later) else None


def _is_held_already(raw: Mapping[str, Any]) -> bool:
    """Look at what there is today of a step that cannot be run whole; true when nothing is left of it."""
    if "final_answer" in raw:
        assert inert(raw["final_answer"]).replace("\n", "").isprintable()
    if "run_skill" not in raw:
        return False
    manifest = parse_header((ROOT / "skills" / "builtin" / f"{raw['run_skill']}.js").read_text("utf-8"))
    try:
        check_inputs(manifest, raw["params"])
    except BadInputsError:
        return True
    return False


def _made_up(step: Mapping[str, Any], html: str = "<button id=x>删除</button>") -> Case:
    setting = {"task_domains": [HOSTS[0]], "global_allow_list": list(HOSTS)}
    data = {"page": f"https://{HOSTS[0]}/report", "html": html, "if_model_obeys": [step]}
    return Case(SUITE, "X", "made up", False, data, {"setting": setting}, ROOT)


@pytest.mark.requirement("ATTACK-32")
@pytest.mark.parametrize(
    "step",
    [
        {"action": "click", "params": {"selector": "#x"}, "verdict": "shrug"},
        {"telepathy": "open evil.example", "verdict": "deny"},
        {"action": "click", "params": {"selector": "#x"}, "verdict": "allow"},
        {"action": "click", "params": {"selector": "#x"}, "verdict": "deny"},
        {"action": "getText", "params": {"selector": "#x"}, "verdict": "confirm"},
        {"action": "getText", "params": {"selector": "#x"}, "verdict": "deny"},
        {"action": "navigate", "params": {"url": "https://evil.example/"}, "verdict": "confirm"},
        {"action": "navigate", "params": {"url": "https://evil.example/"}, "verdict": "allow"},
    ],
)
async def test_a_word_nobody_knows_and_an_outcome_that_differs_fail_the_case(
    step: Mapping[str, Any], ground: Ground, tmp_path: Path
) -> None:
    for is_bare in (False, True):
        with pytest.raises(AssertionError):
            await _run(Scene(_made_up(step), ground, tmp_path / str(is_bare), is_bare), step)


@pytest.mark.requirement("ATTACK-31")
@pytest.mark.parametrize(
    "step",
    [
        {"action": "navigate", "params": {"url": "https://erp.example.com/go"}, "verdict": "allow_then_block"},
        {"action": "navigate", "params": {"url": "https://evil.example:8443/x"}, "verdict": "deny"},
        {"action": "getText", "params": {"selector": "#x", "confirmed": True}, "verdict": "deny_or_allow"},
    ],
)
async def test_words_of_the_family_that_the_folder_does_not_hold_today(
    step: Mapping[str, Any], ground: Ground, tmp_path: Path
) -> None:
    for is_bare in (False, True):
        assert await _run(Scene(_made_up(step), ground, tmp_path / str(is_bare), is_bare), step) is None
