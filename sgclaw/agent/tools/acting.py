"""`browser_action`: one act on a page, by the action table."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Final

from sgclaw.agent.checks import told_problem
from sgclaw.agent.dataflow import foreign_address, outgoing
from sgclaw.agent.desk import Desk
from sgclaw.agent.limits import objection
from sgclaw.agent.pages import Sight
from sgclaw.agent.recovery import act_surely
from sgclaw.agent.tools.model import Tool, ToolOutcome
from sgclaw.agent.tools.telling import capped, looked, told_error
from sgclaw.agent.truth import SUBMITTED, Write, says_only_success
from sgclaw.context.chat import ToolSpec
from sgclaw.context.untrusted import Untrusted
from sgclaw.errors import ActionCode, ActionError, NeedsApprovalError, PolicyDeniedError
from sgclaw.perception.changes import difference_text
from sgclaw.perception.marks import resolve_target
from sgclaw.perception.model import walk
from sgclaw.perception.pages import text_view
from sgclaw.policy.labels import irreversible_word
from sgclaw.policy.origins import origin_of
from sgclaw.ports import Act, Observed
from sgclaw.protocol.actions import ACTIONS, ActionSpec, Compare, Risk, describe, spec_of
from sgclaw.protocol.parts import EvidenceRank
from sgclaw.protocol.results import AomNode

NAME: Final = "browser_action"
_RESULT_CAP: Final = 1_500
"""Tokens of what an act returns; what it changed has a cap of its own."""
_READ_BACK: Final[Mapping[str, tuple[str, str]]] = {
    "type": ("text", "value"),
    "select": ("value", "value"),
    "check": ("checked", "checked"),
}
"""Parameter and field of the result that are equal when the page holds what was given."""
_LOOKING_ROLES: Final = frozenset({"tab", "treeitem"})
_LOOKING: Final = re.compile(
    r"查询|搜索|检索|筛选|查看|详情|展开|收起|[上下]一页|首页|末页|search|query|filter"
    r"|\A\s*(?:关闭|取消|返回|刷新|close|cancel|back|refresh|[x×])\s*\Z",
    re.IGNORECASE,
)
_UNTOLD: Final = frozenset({"within", "clicked", "typed", "hovered", "pressed", "cleared", "som_labels", "nodes"})


@dataclass(frozen=True, slots=True)
class _Asked:
    """A call that was understood: parameters with refs resolved, and where it acts."""

    spec: ActionSpec
    params: dict[str, object]
    page: str | None
    domain: str
    origin: str


def acting_tool(desk: Desk) -> Tool:
    """The tool over one desk."""
    return Tool(_spec(desk), _Acting(desk).call, changes=True)


class _Acting:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def call(self, arguments: Mapping[str, object]) -> ToolOutcome:
        """Check, admit, act, tell. Errors about the act itself become a failed outcome the model can answer."""
        desk = self._desk
        try:
            with desk.judged(str(arguments["action"])):
                asked = self._understood(arguments)
                refusal = self._refusal(asked, arguments)
                if refusal is not None:
                    return ToolOutcome(refusal, failed=True)
                await self._admitted(asked)
            return await self._acted(asked)
        except NeedsApprovalError as error:
            desk.denied.add(_key(arguments))
            return ToolOutcome(
                f"{error.cause}。不要再试同样的操作；任务因此做不成时用 finish 说明。", failed=True, error=error
            )
        except ActionError as error:
            return await self._failed(error, arguments)
        except PolicyDeniedError as error:
            return ToolOutcome(told_error(error), failed=True, error=error)

    # --- before -------------------------------------------------------------------------------------------------------

    def _understood(self, arguments: Mapping[str, object]) -> _Asked:
        desk = self._desk
        spec = spec_of(str(arguments["action"]))
        given = arguments.get("params")
        params: dict[str, object] = dict(given) if isinstance(given, Mapping) else {}
        page = _text(arguments.get("page")) or desk.pages.current
        if "ref" in params:
            view = desk.pages.view(page)
            if view is None:
                raise ActionError(ActionCode.STALE_REF, "还没有看过这个页面现在的样子，编号对不上")
            params["ref"] = resolve_target(str(params["ref"]), view, desk.pages.marks(page))
        spec.check(params)
        if spec.name == "getAomSnapshot" and params.keys() & {"ref", "selector"}:
            raise ActionError(ActionCode.BAD_PARAMS, "只看一个元素里面时用 read_page 的 scope")
        seen = desk.pages.origin(page)
        if spec.compares is Compare.TARGET_URL:
            origin = origin_of(params.get("url"))
        else:
            host = _text(arguments.get("expected_domain")) or desk.bound(page)
            origin = desk.task.scope.origin_for(host, seen)
        return _Asked(spec, params, page, origin.host, str(origin))

    def _refusal(self, asked: _Asked, arguments: Mapping[str, object]) -> str | None:
        """Why this act is not even tried, in words for the model."""
        desk = self._desk
        stated = _text(arguments.get("criterion"))
        desk.criterion = desk.criterion or (stated or "").strip()
        if asked.spec.changes and desk.in_doubt is not None:
            return (
                f"前面有操作结果不明（{desk.in_doubt.cause}），不再做任何改变。可以读取页面，然后用 finish 如实说明。"
            )
        if _key(arguments) in desk.denied:
            return "用户已经拒绝过这个操作，没有再问。请换一种做法，或用 finish 说明。"
        return objection(desk.task.context.instruction, desk.criterion, changes=asked.spec.changes)

    async def _admitted(self, asked: _Asked) -> None:
        desk = self._desk
        desk.task.scope.check_action(asked.spec.name)
        if asked.spec.compares is not Compare.NOTHING:
            await desk.admit(origin_of(asked.origin), describe(asked.spec.name, asked.params))
        for text in outgoing(asked.spec.name, asked.params):
            await desk.release(asked.origin, text)
        url = asked.params.get("url")
        target = foreign_address(url) if isinstance(url, str) else None
        if isinstance(url, str) and target is not None:
            await desk.relay(url, target)

    # --- the act ------------------------------------------------------------------------------------------------------

    async def _acted(self, asked: _Asked) -> ToolOutcome:
        desk, spec = self._desk, asked.spec
        target, info = self._target(asked), desk.pages.info(asked.page)
        desk.person_decided = False
        look = spec.changes or spec.compares is Compare.TARGET_URL or spec.name in ("hover", "switchPage", "scrollTo")
        domain = None if spec.compares is Compare.NOTHING else asked.domain
        act = Act(spec.name, asked.params, asked.page, domain, "diff" if look else "none")
        with desk.underway(describe(spec.name, asked.params)) if spec.changes else nullcontext():
            observed = await act_surely(desk.browser, act, desk.equipment.sleep)
        for text in outgoing(spec.name, asked.params):
            desk.tracker.typed(asked.origin, text)
        sight = desk.took(observed, asked.page, asked.origin if spec.compares is Compare.FRAME else "")
        if domain is not None:
            desk.bind(sight.page.id, domain)
        if spec.changes:
            write = self._write(asked, observed, sight, target)
            if info is not None:  # what it changed is the document it was made on, not the one it led to
                write = replace(write, document=(info.id, info.version))
            if write.final or not _only_looks(target):
                desk.proofs.wrote(write)
        unchanged = (not sight.changed) if spec.changes and sight.changed is not None else None
        if unchanged and _read_back(asked, observed):
            unchanged = False
        surprise = sight.fresh and sight.before is not None and spec.compares is not Compare.TARGET_URL
        note = f"{describe(spec.name, asked.params)}"
        return ToolOutcome(
            self._told(asked, observed, sight), observed=observed, note=note, unchanged=unchanged, surprise=surprise
        )

    def _target(self, asked: _Asked) -> AomNode | None:
        """The control an act hits, as far as the view tells."""
        view = self._desk.pages.view(asked.page)
        if view is None:
            return None
        ref, selector = asked.params.get("ref"), asked.params.get("selector")
        if isinstance(ref, str):
            return view.node(ref)
        return next((node for node, _ in walk(view.nodes) if node.selector and node.selector == selector), None)

    def _write(self, asked: _Asked, observed: Observed, sight: Sight, target: AomNode | None) -> Write:
        desk, label = self._desk, target.name if target is not None else ""
        words = desk.equipment.policy.irreversible_labels
        final = asked.spec.risk is Risk.IRREVERSIBLE or desk.person_decided
        final = final or (bool(label) and irreversible_word(label, words) is not None)
        settled = EvidenceRank.TOAST
        if asked.spec.name in ("download", "upload"):
            settled = EvidenceRank.FILE_HASH if asked.spec.name == "download" else EvidenceRank.DOM_STATE
        elif _read_back(asked, observed) or _shows_effect(sight):
            settled = EvidenceRank.DOM_STATE
        name = SUBMITTED if asked.params.get("submit") else asked.spec.name
        return Write(observed.seq, name, final, (sight.page.id, sight.page.version), settled)

    # --- after --------------------------------------------------------------------------------------------------------

    def _told(self, asked: _Asked, observed: Observed, sight: Sight) -> str:
        parts = [f"已完成：{describe(asked.spec.name, asked.params)}"]
        told = {key: value for key, value in observed.data.items() if key not in _UNTOLD}
        if told:
            written = json.dumps(told, ensure_ascii=False)
            parts.append(capped(Untrusted("page", asked.origin, written), _RESULT_CAP))
        if sight.view is not None and (sight.fresh or sight.difference is None):
            parts.append(text_view(sight.view).page(1))
        elif sight.difference is not None:
            parts.append(difference_text(sight.difference, sight.page, before=sight.before))
        return "\n".join(parts)

    async def _failed(self, error: ActionError, arguments: Mapping[str, object]) -> ToolOutcome:
        """A stale ref is answered with the page as it is now; an unknown outcome freezes the run."""
        desk = self._desk
        if error.code == ActionCode.UNKNOWN_OUTCOME:
            desk.in_doubt = error
            desk.record("outcome_unknown", {"cause": error.cause})
            words = f"{error.cause}。不要重做；可以读取页面核对，然后用 finish 如实说明。"
            return ToolOutcome(words, failed=True, error=error)
        if error.code in (ActionCode.BAD_PARAMS, ActionCode.UNKNOWN_ACTION):
            return ToolOutcome(told_problem(error), failed=True)
        if error.code == ActionCode.STALE_REF:
            where = (_text(arguments.get("page")), _text(arguments.get("expected_domain")))
            return replace(await looked(desk, *where, f"{told_error(error)}\n页面现在的样子："), failed=True)
        return ToolOutcome(told_error(error), failed=True, error=error)


def _only_looks(target: AomNode | None) -> bool:
    """Whether a control by its kind or name only shows something: it has no effect to prove."""
    return target is not None and (target.role in _LOOKING_ROLES or _LOOKING.search(target.name) is not None)


def _shows_effect(sight: Sight) -> bool:
    """Whether more changed than a message appearing."""
    if sight.fresh:
        return True
    if sight.difference is None:
        return False
    nodes = [node for node in sight.difference.changed if node.role not in ("alert", "status", "log", "tooltip")]
    telling = [node for node in nodes if not (node.name and says_only_success(node.name))]
    return bool(sight.difference.removed or [node for node in telling if node.name or node.value])


def _read_back(asked: _Asked, observed: Observed) -> bool:
    given, held = _READ_BACK.get(asked.spec.name, ("", ""))
    wanted = asked.params.get(given, True if given == "checked" else None)
    told = [observed.data.get(held), observed.data.get("label")]
    return bool(given) and not asked.params.get("submit") and wanted is not None and wanted in told


def _key(arguments: Mapping[str, object]) -> str:
    """What makes two calls the same act."""
    about = {name: arguments.get(name) for name in ("action", "params", "page")}
    return json.dumps(about, ensure_ascii=False, sort_keys=True, default=str)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _spec(desk: Desk) -> ToolSpec:
    offered = [name for name in ACTIONS if name in desk.task.scope.actions]
    lines = "；".join(_line(ACTIONS[name]) for name in offered)
    properties: dict[str, object] = {
        "action": {"type": "string", "enum": offered},
        "params": {"type": "object", "description": f"各操作的参数（* 必填；元素用 ref 或 selector 之一）：{lines}"},
        "expected_domain": {"type": "string", "description": "目标页面的域名"},
        "page": {"type": "string", "description": "页面编号，省略为当前页面"},
        "criterion": {"type": "string", "description": "任务的成功标准；第一次改变页面之前必须写一次"},
    }
    schema = {"type": "object", "properties": properties, "required": ["action"], "additionalProperties": False}
    return ToolSpec(NAME, "在浏览器中执行一个操作，返回结果和页面的变化。ref 是 read_page 给出的编号。", schema)


def _line(spec: ActionSpec) -> str:
    fields = spec.params.model_fields
    names = [f"{name}{'*' if field.is_required() else ''}" for name, field in fields.items() if name != "selector"]
    shown = ["元素" if name == "ref" else name for name in names]
    return f"{spec.name} {spec.description}" + (f"（{'、'.join(shown)}）" if shown else "")
