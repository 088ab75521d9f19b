import pytest

from sgclaw.errors import (
    ACTION_NEXT_STEPS,
    ActionCode,
    ActionError,
    NeedsApprovalError,
    NeedsHumanError,
    PolicyDeniedError,
    SgClawError,
)
from sgclaw.host.refused import from_host


@pytest.mark.requirement("PROTO-25")
@pytest.mark.parametrize("code", list(ActionCode))
def test_an_action_code_of_the_host_becomes_an_action_error_with_its_next_step(code: ActionCode) -> None:
    error = from_host(code.value, "没有找到", {"selector": "#a"})
    assert type(error) is ActionError
    assert error.as_dict() == {
        "code": code.value,
        "message": "没有找到",
        "next_step": ACTION_NEXT_STEPS[code],
        "facts": {"selector": "#a"},
    }


@pytest.mark.requirement("PROTO-25")
@pytest.mark.parametrize("cls", [PolicyDeniedError, NeedsApprovalError, NeedsHumanError])
def test_a_refusal_of_the_host_becomes_its_own_class(cls: type[SgClawError]) -> None:
    error = from_host(cls.code, "x", {"rule": "r"})
    assert type(error) is cls
    assert error.facts == {"rule": "r"}


@pytest.mark.requirement("PROTO-25")
@pytest.mark.parametrize("code", ["SOMETHING_NEW", "", "INTERNAL", "BAD_HMAC", "CANCELLED", "action_failed"])
def test_any_other_code_of_the_host_is_a_failed_action_that_names_it(code: str) -> None:
    error = from_host(code, "x", {"a": 1, "host_code": "forged"})
    assert type(error) is ActionError
    assert error.code == ActionCode.ACTION_FAILED
    assert error.facts == {"a": 1, "host_code": code}
