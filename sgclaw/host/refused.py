"""The typed error that a host's `response.error` stands for."""

from __future__ import annotations

from collections.abc import Mapping

from sgclaw.errors import ActionCode, ActionError, Facts, NeedsApprovalError, NeedsHumanError, PolicyDeniedError

HostAnswer = ActionError | PolicyDeniedError | NeedsApprovalError | NeedsHumanError

_HOST_CLASSES: Mapping[str, type[PolicyDeniedError | NeedsApprovalError | NeedsHumanError]] = {
    cls.code: cls for cls in (PolicyDeniedError, NeedsApprovalError, NeedsHumanError)
}


def from_host(code: str, message: str, facts: Facts) -> HostAnswer:
    """Make the typed error that a host's `response.error` stands for; an unknown code becomes `ACTION_FAILED`."""
    if code in _HOST_CLASSES:
        return _HOST_CLASSES[code](message, facts=facts)
    if code in ActionCode.__members__:
        return ActionError(ActionCode(code), message, facts=facts)
    return ActionError(ActionCode.ACTION_FAILED, message, facts={**facts, "host_code": code})
