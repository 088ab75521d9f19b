import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgclaw.errors import TooManyOutstandingError, WireCode, WireError
from sgclaw.protocol.messages import FROM_AGENT, FROM_HOST
from sgclaw.protocol.session import MAX_REMEMBERED_EXPIRED, TRANSITIONS, Outstanding, Pending, Phase, Sequence, advance

MAC, OTHER_MAC = "aa" * 32, "bb" * 32
KINDS = sorted({*FROM_HOST, *FROM_AGENT})

EXPECTED = {
    Phase.NEW: {"init": Phase.OPEN, "ready": Phase.OPEN, "bye": Phase.CLOSING},
    Phase.OPEN: {
        **dict.fromkeys(set(KINDS) - {"init", "ready"}, Phase.OPEN),
        "shutdown": Phase.CLOSING,
        "bye": Phase.CLOSING,
    },
    Phase.CLOSING: dict.fromkeys(
        (
            "response",
            "approval",
            "task_completed",
            "task_state",
            "log_entry",
            "audit_head",
            "protocol_error",
            "shutdown",
            "bye",
        ),
        Phase.CLOSING,
    ),
}


def _code(outstanding: Outstanding, seq: int, mac: str = MAC, now: float = 0.0) -> str:
    with pytest.raises(WireError) as caught:
        outstanding.settle(seq, mac, now)
    return caught.value.code


def _waiting(*seqs: int) -> Outstanding:
    outstanding = Outstanding()
    for seq in seqs:
        outstanding.add(Pending(seq, MAC, 10.0))
    return outstanding


@pytest.mark.requirement("PROTO-18")
def test_the_transition_table_is_what_the_design_says() -> None:
    assert dict(TRANSITIONS) == {(phase, kind): after for phase, row in EXPECTED.items() for kind, after in row.items()}


@pytest.mark.requirement("PROTO-18")
@pytest.mark.parametrize("phase", list(Phase))
@pytest.mark.parametrize("kind", [*KINDS, "unheard_of"])
def test_a_message_out_of_its_phase_is_refused(phase: Phase, kind: str) -> None:
    if kind in EXPECTED[phase]:
        assert advance(phase, kind) is EXPECTED[phase][kind]
        return
    with pytest.raises(WireError) as caught:
        advance(phase, kind)
    assert caught.value.code == (WireCode.SECOND_INIT if kind == "init" else WireCode.BAD_STATE)
    assert caught.value.fatal == (kind == "init")


@pytest.mark.requirement("PROTO-11")
def test_numbers_count_from_one_without_repeats_or_gaps() -> None:
    numbers = Sequence()
    for number in (1, 2, 3):
        numbers.accept(number)
    for number, code, fatal in (
        (3, WireCode.REPLAYED, False),
        (1, WireCode.REPLAYED, False),
        (0, WireCode.REPLAYED, False),
        (-1, WireCode.REPLAYED, False),
        (5, WireCode.SEQUENCE_GAP, True),
    ):
        with pytest.raises(WireError) as caught:
            numbers.accept(number)
        assert (caught.value.code, caught.value.fatal) == (code, fatal)
        assert caught.value.facts == {"number": number, "last": 3}
    numbers.accept(4)


@pytest.mark.requirement("PROTO-11")
@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(-1, 6), max_size=30))
def test_accepted_numbers_are_always_the_natural_numbers_in_order(received: list[int]) -> None:
    numbers = Sequence()
    accepted = []
    for number in received:
        try:
            numbers.accept(number)
        except WireError:
            continue
        accepted.append(number)
    assert accepted == list(range(1, len(accepted) + 1))


@pytest.mark.requirement("PROTO-16")
def test_a_number_to_send_is_used_up_only_when_taken() -> None:
    numbers = Sequence()
    assert (numbers.upcoming, numbers.upcoming) == (1, 1)
    numbers.take()
    assert numbers.upcoming == 2


@pytest.mark.requirement("PROTO-17")
def test_a_command_takes_exactly_one_response() -> None:
    outstanding = _waiting(1, 2)
    assert outstanding.settle(2, MAC, 0.0) == Pending(2, MAC, 10.0)
    assert len(outstanding) == 1
    assert _code(outstanding, 2) == WireCode.REPLAYED
    assert outstanding.settle(1, MAC, 10.0) == Pending(1, MAC, 10.0)
    assert _code(outstanding, 1) == WireCode.REPLAYED
    assert len(outstanding) == 0


@pytest.mark.requirement("PROTO-17")
def test_a_response_to_a_command_never_sent_is_refused() -> None:
    assert _code(_waiting(), 1) == WireCode.UNKNOWN_SEQ
    outstanding = _waiting(1)
    assert _code(outstanding, 2) == WireCode.UNKNOWN_SEQ
    assert len(outstanding) == 1


@pytest.mark.requirement("PROTO-17")
def test_a_response_that_names_another_command_is_refused_and_the_command_still_waits() -> None:
    outstanding = _waiting(1)
    assert _code(outstanding, 1, OTHER_MAC) == WireCode.BAD_HMAC
    assert outstanding.settle(1, MAC, 0.0).seq == 1


@pytest.mark.requirement("PROTO-17")
def test_a_response_after_the_deadline_is_late_and_its_copy_a_repeat() -> None:
    outstanding = _waiting(1)
    assert _code(outstanding, 1, now=10.001) == WireCode.LATE_RESPONSE
    assert _code(outstanding, 1, now=10.002) == WireCode.REPLAYED
    assert len(outstanding) == 0


@pytest.mark.requirement("PROTO-17")
def test_a_response_to_a_command_given_up_is_late_once() -> None:
    outstanding = _waiting(1, 2)
    outstanding.expire(1)
    outstanding.expire(1)
    outstanding.expire(7)
    assert len(outstanding) == 1
    assert _code(outstanding, 1) == WireCode.LATE_RESPONSE
    assert _code(outstanding, 1) == WireCode.REPLAYED
    assert _code(outstanding, 7) == WireCode.UNKNOWN_SEQ


def test_what_is_remembered_of_commands_given_up_is_bounded() -> None:
    outstanding = Outstanding()
    for seq in range(1, MAX_REMEMBERED_EXPIRED + 2):
        outstanding.add(Pending(seq, MAC, 10.0))
        outstanding.expire(seq)
    assert _code(outstanding, 1) == WireCode.REPLAYED
    assert _code(outstanding, 2) == WireCode.LATE_RESPONSE


@pytest.mark.requirement("PROTO-23")
def test_a_seventeenth_command_in_flight_is_refused() -> None:
    outstanding = _waiting(*range(1, 17))
    with pytest.raises(TooManyOutstandingError):
        outstanding.check_room()
    outstanding.settle(5, MAC, 0.0)
    outstanding.check_room()


@pytest.mark.requirement("PROTO-17")
def test_at_the_end_of_a_session_every_command_is_given_up() -> None:
    outstanding = _waiting(1, 2, 3)
    outstanding.settle(2, MAC, 0.0)
    assert outstanding.drop_all() == (1, 3)
    assert len(outstanding) == 0
    assert outstanding.drop_all() == ()
