"""What a person reads of an act that failed: the act in Chinese with its target, then why."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from sgclaw.errors import ActionCode, ActionError
from sgclaw.policy.decide import Verdict
from sgclaw.protocol.actions import describe

_TYPED: Final = frozenset({"text", "value"})
"""Parameters whose content may be a secret or somebody's data: an error names the field, not what went into it."""

_SIGN_AGAIN: Final = "再用 sgclaw skill sign 重新签名"
DENIED_NEXT_STEPS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "skill.action": f"如确需该操作，请由技能作者把它加入文件头的 @actions，{_SIGN_AGAIN}",
        "skill.domain": f"如确需访问，请由技能作者把该域名加入文件头的 @domains，{_SIGN_AGAIN}",
        "action.denied": "如确需该操作，请由管理员在浏览器策略中放行",
        "url.scheme": "请使用 https:// 开头的完整网址",
        "url.form": "请使用 https:// 开头的完整网址",
        "url.characters": "请去掉网址中的空格、反斜杠等特殊字符",
    }
)
"""By the rule that refused; for any other the class's own next step is the right one."""


def told(action: str, params: Mapping[str, object]) -> str:
    """The act in one Chinese line, without what was typed or chosen."""
    return describe(action, {name: value for name, value in params.items() if name not in _TYPED})


def explained(action: str, params: Mapping[str, object], error: ActionError) -> ActionError:
    """A host's refusal with the act it is about. An unknown outcome stays as the host put it."""
    code = ActionCode(error.code)
    what = f"“{told(action, params)}”"
    if code is ActionCode.UNKNOWN_OUTCOME:
        return error
    if code is ActionCode.TIMEOUT:
        seconds = error.facts.get("deadline_s")
        cause = f"{what}在 {seconds:g} 秒内没有完成" if isinstance(seconds, int | float) else f"{what}没有及时完成"
    else:
        cause = f"{what}没有成功：{error.cause}"
    return ActionError(code, cause, next_step=error.next_step, facts=error.facts)


def next_step_of(verdict: Verdict) -> str | None:
    """What to do about a refusal of the policy check, where the rule says more than the class."""
    return DENIED_NEXT_STEPS.get(verdict.rule)
