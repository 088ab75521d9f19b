import inspect

import pytest

from sgclaw import errors
from sgclaw.errors import (
    ACTION_NEXT_STEPS,
    FATAL_WIRE_CODES,
    ActionCode,
    ActionError,
    Fault,
    PolicyDeniedError,
    SgClawError,
    WireCode,
    WireError,
)

TABLED = (ActionError, WireError)
CLASSES = [item for item in vars(errors).values() if inspect.isclass(item) and issubclass(item, SgClawError)]


def _chinese(text: str) -> bool:
    return any("\u4e00" <= char <= "\u9fff" for char in text)


def test_every_class_of_one_code_has_a_code_of_its_own() -> None:
    codes = [cls.code for cls in CLASSES if cls not in TABLED]
    assert len(codes) == len(set(codes))
    assert not {*codes} & {*WireCode.__members__, *ActionCode.__members__}


def test_codes_are_their_own_names() -> None:
    for table in (WireCode, ActionCode):
        assert all(code.name == code.value for code in table)


@pytest.mark.requirement("PROTO-25")
def test_every_error_tells_a_user_the_next_step_in_chinese() -> None:
    for cls in CLASSES:
        assert _chinese(cls.default_next_step)
        assert isinstance(cls.fault, Fault)
        assert inspect.getdoc(cls)
    assert ACTION_NEXT_STEPS.keys() == set(ActionCode)
    assert all(map(_chinese, ACTION_NEXT_STEPS.values()))


@pytest.mark.requirement("PROTO-25")
def test_an_error_is_written_out_the_same_everywhere() -> None:
    facts = {"rule": "origin.unlisted"}
    error = PolicyDeniedError("策略没有列出该来源", facts=facts)
    facts["rule"] = "changed later"
    assert error.as_dict() == {
        "code": "POLICY_DENIED",
        "message": "策略没有列出该来源",
        "next_step": PolicyDeniedError.default_next_step,
        "facts": {"rule": "origin.unlisted"},
    }
    assert str(error) == "策略没有列出该来源"
    assert SgClawError("x", next_step="").as_dict() == {
        "code": "INTERNAL",
        "message": "x",
        "next_step": "",
        "facts": {},
    }


def test_only_what_breaks_trust_in_the_pipe_ends_a_session() -> None:
    assert {
        WireCode.LINE_TOO_LONG,
        WireCode.TOO_MANY_BAD_HMAC,
        WireCode.TOO_MANY_REFUSED,
        WireCode.SEQUENCE_GAP,
        WireCode.SECOND_INIT,
        WireCode.HANDSHAKE_FAILED,
    } == FATAL_WIRE_CODES
    for code in WireCode:
        error = WireError(code, "x")
        assert (error.code, error.fatal, error.fault) == (code.value, code in FATAL_WIRE_CODES, Fault.PEER)


def test_an_action_error_may_carry_its_own_next_step() -> None:
    assert ActionError(ActionCode.TIMEOUT, "x", next_step="请等待").next_step == "请等待"
