"""Patches: what they may change, what they cannot reach, and whose signature counts."""

import copy
import hashlib
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from sgclaw.errors import RegistryRefusedError, SkillRefusedError
from sgclaw.skills.ed25519 import PublicKey, SecretKey
from sgclaw.skills.patches import Patch, PatchBase, PatchOp, sign_patch, verify_patch
from sgclaw.skills.patching import Base, apply_patch, check_frozen, frozen_part
from sgclaw.skills.registry import registry_statement, render, signature_text
from sgclaw.skills.signing import sign_registry, sign_skill
from sgclaw.skills.trust import TrustCheck
from tests.unit.skills.folder import ATTACKER, GOOD, NOW, RELEASE, script

STATION = SecretKey(b"test key: workstation".ljust(32, b"."))
OPS: TypeAdapter[PatchOp] = TypeAdapter(PatchOp)

FLOW: dict[str, Any] = {
    "name": "erp-report",
    "domains": ["erp.example.com"],
    "params": {"type": "object"},
    "steps": [
        {
            "action": "click",
            "locators": [{"by": "css", "value": "#a"}, {"by": "text", "value": "导出"}],
            "wait_ms": 100,
            "assert": {"exists": "#done"},
        },
        {"guarded": True, "action": "click", "locators": [], "when": {"by": "css", "value": ".notice"}},
        {"loop": "rows", "steps": [{"action": "getText", "locators": [{"by": "css", "value": "td"}]}]},
        "note",
    ],
    "output": {"ratio": 0.5},
}
BODY = json.dumps(FLOW, ensure_ascii=False, indent=1).encode()
BASE = Base("erp-report", "1.0.0", ("click", "getText"), BODY)
NAMED = PatchBase(name="erp-report", version="1.0.0", sha256=hashlib.sha256(BODY).hexdigest())
CSS = {"by": "css", "value": "#new", "name": None}
STEP = {"guarded": True, "when": CSS, "action": "click", "locators": [CSS], "wait_ms": 0}


def op(name: str, step: str = "steps[0]", **fields: object) -> PatchOp:
    return OPS.validate_python({"op": name, "step": step, **fields})


def patch(*ops: PatchOp, key: SecretKey = STATION, base: PatchBase = NAMED) -> bytes:
    return sign_patch(key, base, ops, NOW)


def patched(*ops: PatchOp) -> dict[str, Any]:
    return apply_patch(verify_patch(patch(*ops), [STATION.public]), BASE)


def problem_of(*ops: PatchOp) -> tuple[object, object]:
    with pytest.raises(SkillRefusedError) as caught:
        patched(*ops)
    assert caught.value.facts["reason"] == "BAD_PATCH"
    return caught.value.facts["problem"], caught.value.facts.get("op")


def changed(change: Mapping[int, Mapping[str, object]]) -> dict[str, Any]:
    flow = copy.deepcopy(FLOW)
    for index, fields in change.items():
        flow["steps"][index].update(fields)
    return flow


WAIT = op("set_wait", wait_ms=250)


@pytest.mark.requirement("SKILL-73")
def test_every_op_does_what_it_says_and_nothing_else() -> None:
    first, second = FLOW["steps"][0]["locators"]
    new = {"by": "css", "value": "#new"}
    assert patched(op("replace_locator", index=1, locator=CSS)) == changed({0: {"locators": [first, new]}})
    assert patched(op("add_locator", index=0, locator=CSS)) == changed({0: {"locators": [new, first, second]}})
    assert patched(op("add_locator", index=2, locator=CSS)) == changed({0: {"locators": [first, second, new]}})
    assert patched(op("reorder_locators", order=[1, 0])) == changed({0: {"locators": [second, first]}})
    assert patched(WAIT) == changed({0: {"wait_ms": 250}})
    assert patched(op("set_wait", "steps[2].steps[0]", wait_ms=1))["steps"][2]["steps"][0]["wait_ms"] == 1
    added = patched(op("add_guarded_step", "steps[4]", content=STEP))["steps"]
    assert added == [
        *FLOW["steps"],
        {"guarded": True, "when": new, "action": "click", "locators": [new], "wait_ms": 0, "patched": True},
    ]
    assert patched(op("add_guarded_step", content=STEP), op("remove_guarded_step")) == FLOW


@pytest.mark.requirement("SKILL-73")
def test_the_base_stays_as_it_is() -> None:
    before = copy.deepcopy(FLOW)
    patched(WAIT)
    assert (before, BASE.body) == (FLOW, BODY)


@pytest.mark.requirement("SKILL-73")
@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (op("set_wait", "steps[9]", wait_ms=1), "NO_STEP"),
        (op("set_wait", "steps[3]", wait_ms=1), "NO_STEP"),
        (op("set_wait", "steps[0].steps[0]", wait_ms=1), "NO_STEP"),
        (op("add_guarded_step", "steps[5]", content=STEP), "NO_STEP"),
        (op("replace_locator", index=2, locator=CSS), "NO_LOCATOR"),
        (op("replace_locator", "steps[2]", index=0, locator=CSS), "NO_LOCATOR"),
        (op("add_locator", index=3, locator=CSS), "NO_LOCATOR"),
        (op("reorder_locators", order=[0]), "BAD_ORDER"),
        (op("reorder_locators", order=[0, 0]), "BAD_ORDER"),
        (op("reorder_locators", order=[1, 2]), "BAD_ORDER"),
        (op("replace_locator", "steps[2].steps[0]", index=0, locator=CSS), "FROZEN_LOCATORS"),
        (op("add_locator", "steps[2].steps[0]", index=0, locator=CSS), "FROZEN_LOCATORS"),
        (op("reorder_locators", "steps[2].steps[0]", order=[0]), "FROZEN_LOCATORS"),
        (op("remove_guarded_step"), "NOT_ADDED"),
        (op("remove_guarded_step", "steps[1]"), "NOT_ADDED"),
        (op("add_guarded_step", content={**STEP, "action": "hover"}), "ACTION"),
    ],
)
def test_an_op_that_does_not_fit_the_base_refuses_the_patch(bad: PatchOp, problem: str) -> None:
    assert problem_of(WAIT, bad) == (problem, 1)


@pytest.mark.requirement("SKILL-73")
@pytest.mark.parametrize(
    "bad",
    [
        {"op": "set_assert", "step": "steps[0]", "value": True},
        {"op": "set_wait", "step": "steps[0]", "wait_ms": 60_001},
        {"op": "set_wait", "step": "steps[0]", "wait_ms": -1},
        {"op": "set_wait", "step": "steps[0]", "wait_ms": True},
        {"op": "set_wait", "step": "steps[0]", "wait_ms": 1, "domains": ["*"]},
        {"op": "set_wait", "step": "steps[0].assert", "wait_ms": 1},
        {"op": "set_wait", "step": "domains[0]", "wait_ms": 1},
        {"op": "set_wait", "step": "params", "wait_ms": 1},
        {"op": "set_wait", "step": "steps[-1]", "wait_ms": 1},
        {"op": "set_wait", "step": "steps[01]", "wait_ms": 1},
        {"op": "set_wait", "step": "steps[0]\n", "wait_ms": 1},
        {"op": "set_wait", "step": "steps[0].steps", "wait_ms": 1},
        {"op": "set_wait", "step": "", "wait_ms": 1},
        {"op": "replace_locator", "step": "steps[0]", "index": 0, "locator": {**CSS, "by": "js"}},
        {"op": "replace_locator", "step": "steps[0]", "index": 0, "locator": {**CSS, "value": ""}},
        {"op": "add_guarded_step", "step": "steps[0]", "content": {**STEP, "guarded": False}},
        {"op": "add_guarded_step", "step": "steps[0]", "content": {**STEP, "action": "type"}},
        {"op": "add_guarded_step", "step": "steps[0]", "content": {**STEP, "action": "navigate"}},
        {"op": "add_guarded_step", "step": "steps[0]", "content": {**STEP, "assert": {}}},
        {"op": "add_guarded_step", "step": "steps[0]", "content": {**STEP, "locators": []}},
    ],
)
def test_what_is_not_in_the_table_of_ops_is_no_patch_though_signed(bad: Mapping[str, object]) -> None:
    with pytest.raises(ValidationError):
        OPS.validate_python(bad)
    document = json.loads(patch(WAIT))
    document["ops"] = [bad]
    signed = {**document, "signature": signature_text(STATION.sign(registry_statement(document)))}
    with pytest.raises(SkillRefusedError) as caught:
        verify_patch(render(signed), [STATION.public])
    assert caught.value.facts["problem"] == "BAD_FIELDS"


def on(step: Mapping[str, object], *ops: PatchOp) -> object:
    """The step after these ops, or the machine word of the refusal."""
    body = json.dumps({"steps": [step]}).encode()
    named = PatchBase(name="erp-report", version="1.0.0", sha256=hashlib.sha256(body).hexdigest())
    signed = verify_patch(patch(*ops, base=named), [STATION.public])
    try:
        return apply_patch(signed, Base("erp-report", "1.0.0", ("click",), body))["steps"]
    except SkillRefusedError as error:
        return error.facts["problem"]


@pytest.mark.requirement("SKILL-73")
@pytest.mark.parametrize("action", ["assertText", "extract", "getText", "query", "waitForSelector", "navigate", None])
def test_locators_of_what_reads_asserts_or_waits_are_frozen(action: str | None) -> None:
    step = {"action": action, "locators": [{"by": "css", "value": "#total"}]}
    replaced = op("replace_locator", index=0, locator=CSS)
    assert on(step, replaced) == "FROZEN_LOCATORS"
    assert on({**step, "action": "click"}, replaced) == [
        {"action": "click", "locators": [{"by": "css", "value": "#new"}]}
    ]


@pytest.mark.requirement("SKILL-73")
@pytest.mark.parametrize("locator", ["#a", {"by": "css", "value": "#a", "must": {"text": "1"}}])
def test_locators_that_are_more_than_locators_are_frozen(locator: object) -> None:
    step = {"action": "click", "locators": [{"by": "css", "value": "#b"}, locator]}
    for one in (
        op("replace_locator", index=0, locator=CSS),
        op("add_locator", index=0, locator=CSS),
        op("reorder_locators", order=[1, 0]),
    ):
        assert on(step, one) == "FROZEN_LOCATORS"


@pytest.mark.requirement("SKILL-73")
@pytest.mark.parametrize("wait", [{"until": {"assert": "x"}}, None, "5", True])
def test_a_wait_that_is_more_than_a_number_is_frozen(wait: object) -> None:
    assert on({"action": "click", "wait_ms": wait}, WAIT) == "FROZEN_WAIT"
    assert on({"action": "click", "wait_ms": 5}, WAIT) == [{"action": "click", "wait_ms": 250}]


@pytest.mark.requirement("SKILL-73")
@pytest.mark.parametrize(
    ("by", "value", "name", "specific"),
    [
        ("css", "body", None, False),
        ("css", "*", None, False),
        ("css", "html", None, False),
        ("css", "body.ready", None, False),
        ("css", "html[lang=zh]", None, False),
        ("css", "div", None, False),
        ("css", ":root", None, False),
        ("css", "*:not(.x)", None, False),
        ("css", ".x, body", None, False),
        ("css", ".x body", None, False),
        ("css", "[class]", None, False),
        ("css", "#notice", None, True),
        ("css", "body > div.notice", None, True),
        ("css", "dialog[aria-label='提示'] .close", None, True),
        ("css", "body-banner.top", None, True),
        ("xpath", "//*", None, False),
        ("xpath", "/html/body", None, False),
        ("xpath", "//div[@id='x'] | //body", None, False),
        ("xpath", "//div[@id='x' or true()]", None, False),
        ("xpath", "//div[@id='x']", None, True),
        ("xpath", '//button[normalize-space()="知道了"]', None, True),
        ("role", "dialog", None, False),
        ("role", "dialog", " ", False),
        ("role", "dialog", "提示", True),
        ("text", "的", None, False),
        ("text", " 的 ", None, False),
        ("text", "知道了", None, True),
        ("visual", "x", None, False),
        ("visual", "关闭按钮", None, True),
    ],
)
def test_a_guarded_step_needs_a_condition_that_singles_something_out(
    by: str, value: str, name: str | None, *, specific: bool
) -> None:
    content = {**STEP, "when": {"by": by, "value": value, "name": name}}
    if specific:
        op("add_guarded_step", content=content)
        return
    with pytest.raises(ValidationError):
        op("add_guarded_step", content=content)


@pytest.mark.requirement("SKILL-73")
@pytest.mark.parametrize(
    "base",
    [
        Base("other", "1.0.0", (), BODY),
        Base("erp-report", "1.0.1", (), BODY),
        Base("erp-report", "1.0.0", (), BODY + b" "),
    ],
)
def test_a_patch_fits_one_content_of_one_version_of_one_skill(base: Base) -> None:
    with pytest.raises(SkillRefusedError) as caught:
        apply_patch(verify_patch(patch(WAIT), [STATION.public]), base)
    assert caught.value.facts["problem"] == "OTHER_BASE"


@pytest.mark.requirement("SKILL-73")
@pytest.mark.parametrize(("body", "problem"), [(b"x", "BAD_JSON"), (b"{}", "NO_STEP"), (b'{"steps": {}}', "NO_STEP")])
def test_a_base_that_is_no_flow_is_refused(body: bytes, problem: str) -> None:
    named = PatchBase(name="erp-report", version="1.0.0", sha256=hashlib.sha256(body).hexdigest())
    with pytest.raises(SkillRefusedError) as caught:
        apply_patch(
            verify_patch(patch(WAIT, base=named), [STATION.public]), Base("erp-report", "1.0.0", ("click",), body)
        )
    assert caught.value.facts["problem"] == problem


@pytest.mark.requirement("SKILL-73")
@pytest.mark.parametrize(
    "after",
    [
        {**FLOW, "domains": ["*"]},
        {**FLOW, "locators": []},
        {**FLOW, "output": {"ratio": 0.25}},
        changed({0: {"assert": {}}}),
        changed({0: {"guarded": True}}),
        changed({1: {"when": {"by": "css", "value": "body"}}}),
        {**FLOW, "steps": [FLOW["steps"][0], *FLOW["steps"][2:]]},
        changed({0: {"locators": ["#a"]}}),
        changed({0: {"wait_ms": {"until": "x"}}}),
        changed({2: {"steps": [{"action": "getText", "locators": [{"by": "css", "value": "th"}]}]}}),
        changed({0: {"action": "type"}}),
        changed({2: {"loop": "all"}}),
        {**FLOW, "steps": FLOW["steps"][::-1]},
        {**FLOW, "steps": [*FLOW["steps"], {"action": "click"}]},
        {**FLOW, "steps": {}},
    ],
)
def test_the_proof_finds_every_change_outside_locators_waits_and_guarded_steps(after: dict[str, Any]) -> None:
    with pytest.raises(SkillRefusedError) as caught:
        check_frozen(FLOW, after)
    assert caught.value.facts["problem"] == "FROZEN"


_LOCATOR = st.fixed_dictionaries({"by": st.sampled_from(["css", "role"]), "value": st.just("x"), "name": st.none()})
_PATHS = st.sampled_from(["steps[0]", "steps[1]", "steps[2]", "steps[2].steps[0]", "steps[4]"])
_ANY_OP = st.one_of(
    st.builds(lambda p, i, v: op("replace_locator", p, index=i, locator=v), _PATHS, st.integers(0, 2), _LOCATOR),
    st.builds(lambda p, i, v: op("add_locator", p, index=i, locator=v), _PATHS, st.integers(0, 2), _LOCATOR),
    st.builds(lambda p, o: op("reorder_locators", p, order=o), _PATHS, st.permutations([0, 1])),
    st.builds(lambda p, w: op("set_wait", p, wait_ms=w), _PATHS, st.integers(0, 60_000)),
    st.builds(lambda p: op("add_guarded_step", p, content=STEP), _PATHS),
    st.builds(lambda p: op("remove_guarded_step", p), _PATHS),
)


@pytest.mark.requirement("SKILL-73")
@given(st.lists(_ANY_OP, min_size=1, max_size=6))
def test_no_sequence_of_ops_reaches_what_is_frozen(ops: list[PatchOp]) -> None:
    problems = []
    result = FLOW
    try:
        result = patched(*ops)
    except SkillRefusedError as error:
        problems.append(error.facts["problem"])
    assert "FROZEN" not in problems
    assert frozen_part(result) == frozen_part(FLOW)


# --- signatures -------------------------------------------------------------------------------------------------------


def refused(raw: bytes, *keys: PublicKey) -> object:
    with pytest.raises(SkillRefusedError) as caught:
        verify_patch(raw, keys or [STATION.public])
    return caught.value.facts["problem"]


@pytest.mark.requirement("SKILL-74")
def test_the_exported_file_is_the_signed_file() -> None:
    raw = patch(WAIT)
    assert render(json.loads(raw)) == raw
    assert verify_patch(raw, [ATTACKER.public, STATION.public]) == Patch.model_validate_json(raw)


@pytest.mark.requirement("SKILL-74")
def test_only_a_workstation_key_signs_patches() -> None:
    raw = patch(WAIT)
    assert refused(patch(WAIT, key=ATTACKER)) == "UNKNOWN_KEY"
    assert refused(raw, GOOD.public) == "UNKNOWN_KEY"
    assert refused(raw.replace(b'"wait_ms": 250', b'"wait_ms": 251')) == "BAD_SIGNATURE"
    assert refused(raw[:-1]) == "NOT_CANONICAL"
    assert refused(b"") == "BAD_JSON"
    weak = PublicKey(bytes(32))
    document = {**json.loads(raw), "key_id": weak.key_id}
    assert refused(render(document), weak) == "UNKNOWN_KEY"


@pytest.mark.requirement("SKILL-74")
def test_a_workstation_key_signs_no_skill_and_no_registry() -> None:
    entry = sign_skill(STATION, "builtin/erp-report.js", script("erp-report").encode())
    with pytest.raises(RegistryRefusedError) as whole:
        TrustCheck([GOOD.public], NOW).open_registry(sign_registry(STATION, [entry], RELEASE))
    check = TrustCheck([GOOD.public], NOW)
    (candidate,) = check.open_registry(sign_registry(GOOD, [entry], RELEASE))
    with pytest.raises(SkillRefusedError) as one:
        check.verify_entry(candidate)
    assert (whole.value.facts["reason"], one.value.facts["reason"]) == ("UNKNOWN_KEY", "BAD_SIGNATURE")


@pytest.mark.requirement("SKILL-74")
def test_a_signature_of_another_purpose_is_none_under_a_patch() -> None:
    document = json.loads(patch(WAIT))
    document["signature"] = signature_text(STATION.sign(registry_statement(document)))
    assert refused(render(document)) == "BAD_SIGNATURE"
