"""Carries a verified patch out on the signed flow it was made for, and proves that nothing else changed.

Of a flow only this is presumed: `steps` is a list of objects; a step may have `action`, `locators` (a list), `wait_ms`
(a number) and `steps` of its own. All else in it, whatever it is called, is frozen. So are the locators of what reads
or waits: they decide what is believed, and an assertion that looks elsewhere is another assertion.
"""

from __future__ import annotations

import copy
import hashlib
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, cast

from sgclaw.errors import WireError
from sgclaw.protocol import strict
from sgclaw.skills.patches import (
    AddGuardedStep,
    AddLocator,
    Locator,
    Patch,
    RemoveGuardedStep,
    ReorderLocators,
    ReplaceLocator,
    SetWait,
    bad_patch,
)
from sgclaw.skills.registry import JsonObject, as_document, canonical

ACTS = frozenset({"click", "type", "select", "hover", "press", "check", "clear", "upload", "download"})
"""The actions whose locators may change."""
_LOCATOR_MEMBERS = frozenset(Locator.model_fields)
_MARK = "patched"
"""Member of a step that a patch added."""
_INDEX = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Base:
    """The signed skill to be patched: what its verified entry says, and its verified bytes."""

    name: str
    version: str
    actions: Collection[str]
    body: bytes


class _RefusedOpError(Exception):
    """The machine word for why an op cannot be carried out."""


def apply_patch(patch: Patch, base: Base) -> JsonObject:
    """The patched flow. Raises `SkillRefusedError` (`BAD_PATCH`): another base, an op that does not fit it."""
    actual = hashlib.sha256(base.body).hexdigest()
    if (patch.base.name, patch.base.version, patch.base.sha256) != (base.name, base.version, actual):
        raise bad_patch("OTHER_BASE", patch, expected=patch.base.sha256, actual=actual)
    try:
        document = strict.decode(base.body)
    except WireError as error:
        raise bad_patch(error.code, patch) from None
    patched = copy.deepcopy(document)
    for number, op in enumerate(patch.ops):
        if isinstance(op, AddGuardedStep) and op.content.action not in base.actions:
            raise bad_patch("ACTION", patch, op=number)
        try:
            _CARRY_OUT[type(op)](*_place(patched, op.step), op)
        except _RefusedOpError as error:
            raise bad_patch(str(error), patch, op=number) from None
    check_frozen(document, patched)
    return patched


def check_frozen(before: JsonObject, after: JsonObject) -> None:
    """That two flows are equal, byte for byte in canonical form, in all that healing may not touch."""
    if frozen_part(before) != frozen_part(after):
        raise bad_patch("FROZEN")


def frozen_part(document: JsonObject) -> bytes:
    """All of a flow but the locators of acts, waits and the steps that patches added, in canonical form."""
    return canonical({**document, **_frozen_steps(document)})


def _frozen_steps(node: JsonObject) -> JsonObject:
    steps = node.get("steps")
    return {"steps": [_frozen(step) for step in steps if not _is_added(step)]} if isinstance(steps, list) else {}


def _frozen(step: object) -> object:
    if not isinstance(step, dict):
        return step
    open_members = {name for name, is_open in (("locators", _may_move), ("wait_ms", _may_wait)) if is_open(step)}
    kept = {key: value for key, value in step.items() if key not in open_members}
    return {**kept, **_frozen_steps(step)}


def _is_added(step: object) -> bool:
    return isinstance(step, dict) and step.get("guarded") is True and step.get(_MARK) is True


def _may_move(step: JsonObject) -> bool:
    """Whether the step is an act whose locators are locators and nothing else: no other member of one may be lost."""
    locators = step.get("locators")
    return step.get("action") in ACTS and isinstance(locators, list) and all(map(_is_plain, locators))


def _is_plain(locator: object) -> bool:
    return isinstance(locator, dict) and locator.keys() <= _LOCATOR_MEMBERS


def _may_wait(step: JsonObject) -> bool:
    wait = step.get("wait_ms", 0)
    return isinstance(wait, int) and not isinstance(wait, bool)


# --- the ops ----------------------------------------------------------------------------------------------------------


def _place(document: JsonObject, path: str) -> tuple[list[object], int]:
    """The list of steps that a path leads into, and the place in it."""
    node: object = document
    *outer, last = (int(text) for text in _INDEX.findall(path))
    for index in outer:
        node = _at(_steps(node), index)
    return _steps(node), last


def _steps(node: object) -> list[object]:
    steps = node.get("steps") if isinstance(node, dict) else None
    if not isinstance(steps, list):
        raise _RefusedOpError("NO_STEP")
    return steps


def _at(steps: list[object], index: int) -> JsonObject:
    step = steps[index] if index < len(steps) else None
    if not isinstance(step, dict):
        raise _RefusedOpError("NO_STEP")
    return cast("JsonObject", step)


def _locators(steps: list[object], index: int) -> list[object]:
    step = _at(steps, index)
    if not isinstance(step.get("locators"), list):
        raise _RefusedOpError("NO_LOCATOR")
    if not _may_move(step):
        raise _RefusedOpError("FROZEN_LOCATORS")
    return cast("list[object]", step["locators"])


def _json(locator: Locator) -> JsonObject:
    return {key: value for key, value in as_document(locator).items() if value is not None}


def _replace_locator(steps: list[object], index: int, op: ReplaceLocator) -> None:
    locators = _locators(steps, index)
    if op.index >= len(locators):
        raise _RefusedOpError("NO_LOCATOR")
    locators[op.index] = _json(op.locator)


def _add_locator(steps: list[object], index: int, op: AddLocator) -> None:
    locators = _locators(steps, index)
    if op.index > len(locators):
        raise _RefusedOpError("NO_LOCATOR")
    locators.insert(op.index, _json(op.locator))


def _reorder_locators(steps: list[object], index: int, op: ReorderLocators) -> None:
    locators = _locators(steps, index)
    if sorted(op.order) != list(range(len(locators))):
        raise _RefusedOpError("BAD_ORDER")
    locators[:] = [locators[place] for place in op.order]


def _set_wait(steps: list[object], index: int, op: SetWait) -> None:
    step = _at(steps, index)
    if not _may_wait(step):
        raise _RefusedOpError("FROZEN_WAIT")
    step["wait_ms"] = op.wait_ms


def _add_guarded_step(steps: list[object], index: int, op: AddGuardedStep) -> None:
    if index > len(steps):
        raise _RefusedOpError("NO_STEP")
    content = as_document(op.content)
    locators = [_json(locator) for locator in op.content.locators]
    steps.insert(index, {**content, "when": _json(op.content.when), "locators": locators, _MARK: True})


def _remove_guarded_step(steps: list[object], index: int, _op: RemoveGuardedStep) -> None:
    if not _is_added(_at(steps, index)):
        raise _RefusedOpError("NOT_ADDED")
    del steps[index]


_CARRY_OUT: Mapping[type, Callable[[list[object], int, Any], None]] = {
    ReplaceLocator: _replace_locator,
    AddLocator: _add_locator,
    ReorderLocators: _reorder_locators,
    SetWait: _set_wait,
    AddGuardedStep: _add_guarded_step,
    RemoveGuardedStep: _remove_guarded_step,
}
