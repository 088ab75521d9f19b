import pytest

from sgclaw.errors import WireCode, WireError
from sgclaw.protocol.channel import encode_init, read_init
from sgclaw.protocol.messages import Init
from sgclaw.protocol.signing import Role, seal
from sgclaw.protocol.strict import decode, encode
from tests.unit.protocol.samples import FROM_HOST_BODIES, HOST_KEY, message, opened

PING = FROM_HOST_BODIES["ping"]


@pytest.mark.requirement("PROTO-13")
def test_the_first_line_is_read_as_written() -> None:
    init = message(Role.HOST, "init")
    assert isinstance(init, Init)
    line = encode_init(init)
    assert decode(line[:-1]) == FROM_HOST_BODIES["init"]
    assert read_init(line[:-1]) == init
    assert init.session_key not in repr(init)


@pytest.mark.requirement("PROTO-13")
@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"junk", "BAD_JSON"),
        (b'{"type":"nothing"}', "UNKNOWN_TYPE"),
        (encode(PING), "BAD_STATE"),
        (encode({**FROM_HOST_BODIES["init"], "session_key": "c2hvcnQ"}), "BAD_SCHEMA"),
        (encode({**FROM_HOST_BODIES["init"], "session_key": None}), "BAD_SCHEMA"),
        (encode({**FROM_HOST_BODIES["init"], "trace_id": "sgclaw-1"}), "BAD_SCHEMA"),
        (encode({**FROM_HOST_BODIES["init"], "unsigned": True}), "BAD_SCHEMA"),
        (seal(FROM_HOST_BODIES["init"], {"n": 1}, HOST_KEY)[0], "BAD_SCHEMA"),
    ],
)
def test_any_fault_of_the_first_line_ends_the_session(line: bytes, why: str) -> None:
    with pytest.raises(WireError) as caught:
        read_init(line)
    assert (caught.value.code, caught.value.fatal) == (WireCode.HANDSHAKE_FAILED, True)
    assert caught.value.facts == {"why": why}


@pytest.mark.requirement("PROTO-13")
def test_a_second_init_ends_the_session_signed_or_not() -> None:
    init = {**FROM_HOST_BODIES["init"], "trace_id": "sgclaw-20260303-ffffffff"}
    for line in (encode(init), seal(init, {"n": 1}, HOST_KEY)[0]):
        _, agent = opened()
        with pytest.raises(WireError) as caught:
            agent.receive(line)
        assert (caught.value.code, caught.value.fatal) == (WireCode.SECOND_INIT, True)
