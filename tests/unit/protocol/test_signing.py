import base64
import hashlib
import hmac
import json

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hypothesis import given, settings
from hypothesis import strategies as st

from sgclaw.errors import WireCode, WireError
from sgclaw.protocol.signing import Role, derive_key, open_sealed, seal, verify
from sgclaw.protocol.strict import JsonObject, decode
from tests.unit.protocol.samples import AGENT_KEY, HOST_KEY, OTHER_TEST_KEY, TEST_ONLY_KEY, TRACE

BODY: JsonObject = {
    "type": "command",
    "seq": 1,
    "action": "click",
    "params": {"selector": "#导出"},
    "task_id": "t1",
    "deadline_ms": 10_000,
    "observe": "diff",
}
SECURITY: JsonObject = {"expected_domain": "erp.example.com"}
GOLDEN_MAC = "a11ff6a51dfccc3479cc817db8f59235e22f2dde9a61c93afe58372d5696334d"
GOLDEN_LINE = (
    '{"type":"command","seq":1,"action":"click","params":{"selector":"#导出"},"task_id":"t1","deadline_ms":10000,'
    '"observe":"diff","security":{"expected_domain":"erp.example.com","hmac":"' + GOLDEN_MAC + '"}}'
).encode()


def _code(line: bytes, key: bytes = AGENT_KEY) -> str:
    with pytest.raises(WireError) as caught:
        open_sealed(line, key)
    return caught.value.code


def _signed(signed_part: bytes, key: bytes = AGENT_KEY) -> bytes:
    """A line whose MAC is right, whatever its content."""
    return signed_part + b',"hmac":"' + hmac.new(key, signed_part, hashlib.sha256).hexdigest().encode() + b'"}}'


@pytest.mark.requirement("PROTO-07")
@pytest.mark.parametrize("sender", list(Role))
@settings(max_examples=50, deadline=None)
@given(key=st.binary(min_size=32, max_size=32), trace=st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_keys_are_hkdf_sha256_of_the_session_key(sender: Role, key: bytes, trace: str) -> None:
    independent = HKDF(SHA256(), 32, salt=trace.encode(), info=f"sgclaw-pipe/1 {sender.value}".encode())
    assert derive_key(key, trace, sender) == independent.derive(key)


@pytest.mark.requirement("PROTO-07")
def test_keys_of_the_test_session_are_known_answers() -> None:
    assert HOST_KEY.hex() == "6129eb0f7d76db994070265a836df9345d8b975dd5896fba276a996cde8104eb"
    assert AGENT_KEY.hex() == "77092c7e5942d38ca56adab6d475e016feeaae233a465f2d660c10fcd4b90b44"


@pytest.mark.requirement("PROTO-07")
def test_direction_session_and_key_each_make_another_key() -> None:
    keys = {
        derive_key(key, trace, sender)
        for key in (TEST_ONLY_KEY, OTHER_TEST_KEY)
        for trace in (TRACE, "sgclaw-20260303-ffffffff")
        for sender in Role
    }
    assert len(keys) == 8
    assert TEST_ONLY_KEY not in keys


@pytest.mark.requirement("PROTO-07")
@pytest.mark.parametrize("length", [0, 16, 31, 33, 64])
def test_a_session_key_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(WireError) as caught:
        derive_key(bytes(length), TRACE, Role.HOST)
    assert (caught.value.code, caught.value.fatal) == (WireCode.HANDSHAKE_FAILED, True)


@pytest.mark.requirement("PROTO-10")
def test_the_golden_line_is_reproduced_byte_by_byte() -> None:
    assert seal(BODY, SECURITY, AGENT_KEY) == (GOLDEN_LINE, GOLDEN_MAC)
    signed_part = GOLDEN_LINE[: -len(',"hmac":""}}') - 64]
    assert hmac.new(AGENT_KEY, signed_part, "sha256").hexdigest() == GOLDEN_MAC


@pytest.mark.requirement("PROTO-10")
def test_a_signed_line_opens_to_what_was_sealed() -> None:
    assert verify(GOLDEN_LINE, AGENT_KEY) == GOLDEN_MAC
    assert open_sealed(GOLDEN_LINE, AGENT_KEY) == (BODY, SECURITY, GOLDEN_MAC)


@pytest.mark.requirement("PROTO-08")
def test_every_changed_byte_at_every_position_is_refused() -> None:
    for position in range(len(GOLDEN_LINE)):
        for bits in (0x01, 0x02, 0x20, 0x80, 0xFF):
            changed = bytearray(GOLDEN_LINE)
            changed[position] ^= bits
            with pytest.raises(WireError):
                open_sealed(bytes(changed), AGENT_KEY)


@pytest.mark.requirement("PROTO-08")
def test_every_removed_doubled_or_added_byte_is_refused() -> None:
    for position in range(len(GOLDEN_LINE)):
        before, here, after = GOLDEN_LINE[:position], GOLDEN_LINE[position : position + 1], GOLDEN_LINE[position + 1 :]
        for changed in (before + after, before + here + here + after, before + b" " + here + after):
            with pytest.raises(WireError):
                open_sealed(changed, AGENT_KEY)
    for changed in (GOLDEN_LINE + b" ", GOLDEN_LINE + b"\r", GOLDEN_LINE + b"}", b" " + GOLDEN_LINE):
        with pytest.raises(WireError):
            open_sealed(changed, AGENT_KEY)


@pytest.mark.requirement("PROTO-09")
@pytest.mark.parametrize(
    "written",
    [
        pytest.param(GOLDEN_MAC.upper(), id="upper case"),
        pytest.param(GOLDEN_MAC[:16], id="truncated"),
        pytest.param(GOLDEN_MAC + "00", id="padded"),
        pytest.param(GOLDEN_MAC + " ", id="with a space"),
        pytest.param(" " + GOLDEN_MAC[:-1], id="with a space inside the length"),
        pytest.param(base64.b64encode(bytes.fromhex(GOLDEN_MAC)).decode(), id="base64"),
        pytest.param("0" * 64, id="zeros"),
        pytest.param("", id="empty"),
        pytest.param("\\u0033" + GOLDEN_MAC[1:], id="escaped"),
    ],
)
def test_a_mac_in_any_other_form_is_refused(written: str) -> None:
    assert _code(GOLDEN_LINE.replace(GOLDEN_MAC.encode(), written.encode())) == WireCode.BAD_HMAC


@pytest.mark.requirement("PROTO-09")
@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b'{"type":"ping","id":"1"}', id="unsigned"),
        pytest.param(b'{"type":"ping","id":"1","security":{"n":1}}', id="security without hmac"),
        pytest.param(GOLDEN_LINE.removesuffix(b"}}") + b',"confirmed":true}}', id="member after hmac"),
        pytest.param(GOLDEN_LINE.removesuffix(b"}") + b',"extra":1}', id="member after security"),
        pytest.param(GOLDEN_LINE.replace(b'"hmac":', b'"hmac": '), id="space before the mac"),
        pytest.param(GOLDEN_LINE.replace(b'"hmac":', b'"\\u0068mac":'), id="escaped name"),
        pytest.param(b'{"security":{"hmac":"' + GOLDEN_MAC.encode() + b'"}}', id="hmac alone in security"),
    ],
)
def test_a_line_without_the_exact_suffix_is_unsigned(line: bytes) -> None:
    assert _code(line) == WireCode.BAD_HMAC


@pytest.mark.requirement("PROTO-09")
@pytest.mark.parametrize(
    "key",
    [
        pytest.param(HOST_KEY, id="the other direction"),
        pytest.param(derive_key(TEST_ONLY_KEY, "sgclaw-20260303-ffffffff", Role.AGENT), id="another session"),
        pytest.param(derive_key(OTHER_TEST_KEY, TRACE, Role.AGENT), id="another key"),
        pytest.param(TEST_ONLY_KEY, id="the session key itself"),
    ],
)
def test_a_line_signed_with_another_key_is_refused(key: bytes) -> None:
    assert _code(seal(BODY, SECURITY, key)[0]) == WireCode.BAD_HMAC


@pytest.mark.requirement("PROTO-09")
@pytest.mark.parametrize(
    "signed_part",
    [
        pytest.param(b'{"security":{"expected_domain":"a"},"params":{"x":1', id="nested object at the end"),
        pytest.param(b'{"type":"ping","security2":{"n":1', id="another name"),
        pytest.param(b'{"security":{"n":1},"":{"n":1', id="empty name"),
    ],
)
def test_a_nested_object_cannot_take_the_place_of_security(signed_part: bytes) -> None:
    assert _code(_signed(signed_part)) == WireCode.BAD_SCHEMA


@pytest.mark.requirement("PROTO-09")
@pytest.mark.parametrize(
    ("signed_part", "code"),
    [
        (b'{"security":{"n":1},"security":{"n":2', WireCode.DUPLICATE_KEY),
        (b'{"security":{"n":1,"hmac":"x"', WireCode.DUPLICATE_KEY),
        (b'{"a":"x', WireCode.BAD_JSON),
        (b'{"a":{"x":"\\', WireCode.BAD_JSON),
        (b'{"security":{', WireCode.BAD_JSON),
        (b'{"security":[{"n":1', WireCode.BAD_JSON),
        (b'{"security":{"x":{"n":1', WireCode.BAD_JSON),
        (b'{"a":NaN,"security":{"n":1', WireCode.BAD_NUMBER),
        (b'{"a":"\x80","security":{"n":1', WireCode.BAD_ENCODING),
        (b"", WireCode.BAD_JSON),
    ],
)
def test_a_right_mac_does_not_make_a_malformed_line_usable(signed_part: bytes, code: WireCode) -> None:
    assert _code(_signed(signed_part)) == code


@pytest.mark.requirement("PROTO-13")
def test_a_second_unsigned_init_is_told_apart_from_other_unsigned_lines() -> None:
    assert _code(b'{"type":"init"}') == WireCode.SECOND_INIT
    assert _code(b'{"type":["init"]}') == WireCode.BAD_HMAC
    assert _code(b"junk") == WireCode.BAD_JSON


@pytest.mark.requirement("PROTO-08")
@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=120))
def test_random_bytes_are_never_an_authentic_line(line: bytes) -> None:
    with pytest.raises(WireError):
        open_sealed(line, AGENT_KEY)


@pytest.mark.requirement("PROTO-09")
@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60) | st.text(alphabet='{}[]",:\\secn1', max_size=60).map(str.encode))
def test_whatever_a_peer_signs_ends_in_security_or_is_refused(signed_part: bytes) -> None:
    try:
        body, security, _ = open_sealed(_signed(signed_part), AGENT_KEY)
    except WireError:
        return
    assert "security" not in body
    assert "hmac" not in security
    assert security


@pytest.mark.requirement("PROTO-08")
@pytest.mark.parametrize("form", [{"sort_keys": True}, {"indent": 1}, {"separators": (", ", ": ")}])
def test_a_mac_over_another_spelling_of_the_same_message_is_refused(form: dict[str, object]) -> None:
    unsigned = {**BODY, "security": SECURITY}
    other = json.dumps(unsigned, ensure_ascii=False, **form).encode()  # type: ignore[arg-type]
    mac = hmac.new(AGENT_KEY, other, hashlib.sha256).hexdigest()
    assert decode(other) == unsigned
    assert _code(GOLDEN_LINE.replace(GOLDEN_MAC.encode(), mac.encode())) == WireCode.BAD_HMAC
