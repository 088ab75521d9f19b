"""What a person reads of an act that failed: the act in Chinese with its target, then why."""

from __future__ import annotations

from collections.abc import Mapping

from sgclaw.errors import ActionCode, ActionError, PolicyDeniedError
from sgclaw.policy.decide import Verdict
from sgclaw.protocol.actions import told


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
    return _step(verdict.rule)


def refused(error: PolicyDeniedError) -> PolicyDeniedError:
    """A host's refusal with the next step of its rule, as if the policy check here had refused."""
    step = _step(error.facts.get("rule"))
    return PolicyDeniedError(error.cause, next_step=step or error.next_step, facts=error.facts)


def _step(rule: object) -> str | None:
    from sgclaw.policy import explain  # noqa: PLC0415 - only refusals need it; `ready` does not wait for it

    return explain.next_step_of(rule)
