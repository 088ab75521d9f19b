from datetime import date

import pytest

from sgclaw.audit.trace import is_trace_id, new_trace_id


@pytest.mark.requirement("AUDIT-12")
def test_a_trace_id_carries_the_day_and_four_random_bytes() -> None:
    made = new_trace_id(date(2026, 3, 3), bytes.fromhex("a1b2c3d4"))
    assert made == "sgclaw-20260303-a1b2c3d4"
    assert is_trace_id(made)


@pytest.mark.requirement("AUDIT-12")
@pytest.mark.parametrize("random_bytes", [b"", b"abc", b"abcde"])
def test_any_other_number_of_random_bytes_is_a_mistake(random_bytes: bytes) -> None:
    with pytest.raises(ValueError, match="4 random bytes"):
        new_trace_id(date(2026, 3, 3), random_bytes)


@pytest.mark.requirement("AUDIT-12")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "sgclaw-2026033-a1b2c3d4",
        "sgclaw-20260303-A1B2C3D4",
        "sgclaw-20260303-a1b2c3d4\n",
        "x-20260303-a1b2c3d4",
        "sgclaw-20260303-a1b2c3d4/../x",
        "sgclaw-2026030\uff13-a1b2c3d4",
    ],
)
def test_what_the_wire_refuses_is_no_trace_id(text: str) -> None:
    assert not is_trace_id(text)
