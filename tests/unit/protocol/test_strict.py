import json
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgclaw.errors import WireCode, WireError
from sgclaw.protocol.limits import MAX_DEPTH, MAX_INT, MAX_VALUES, MIB
from sgclaw.protocol.strict import decode, encode

_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
_NUMBERS = st.integers(-MAX_INT, MAX_INT) | st.floats(0.0001, 1e15) | st.floats(-1e15, -0.0001)
_VALUES = st.recursive(
    st.none() | st.booleans() | _NUMBERS | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=20,
)
_OBJECTS = st.dictionaries(_TEXT, _VALUES, max_size=6)


def _code(line: bytes) -> str:
    with pytest.raises(WireError) as caught:
        decode(line)
    return caught.value.code


def _encode_code(value: object) -> str:
    with pytest.raises(WireError) as caught:
        encode(value)
    return caught.value.code


@pytest.mark.requirement("PROTO-02")
@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b'{"t":"\x80"}', WireCode.BAD_ENCODING),
        (b'{"t":"\xc0\xaf"}', WireCode.BAD_ENCODING),
        (b'{"t":"\xed\xa0\x80"}', WireCode.BAD_ENCODING),
        (b'{"t":"\xff\xfe"}', WireCode.BAD_ENCODING),
        ('{"a":1}'.encode("utf-16"), WireCode.BAD_ENCODING),
        (rb'{"t":"\ud800"}', WireCode.BAD_ENCODING),
        (rb'{"t":"\uDFFF"}', WireCode.BAD_ENCODING),
        (rb'{"t":"\udc00\ud800"}', WireCode.BAD_ENCODING),
        (rb'{"\ud83d":1}', WireCode.BAD_ENCODING),
        (rb'{"a":[{"b":"x\ud83dy"}]}', WireCode.BAD_ENCODING),
        (b'\xef\xbb\xbf{"a":1}', WireCode.BAD_JSON),
        (b"", WireCode.BAD_JSON),
        (b"not json", WireCode.BAD_JSON),
        (b"\x00", WireCode.BAD_JSON),
        (b"[]", WireCode.BAD_JSON),
        (b'"text"', WireCode.BAD_JSON),
        (b"1", WireCode.BAD_JSON),
        (b"null", WireCode.BAD_JSON),
        (b'{"a":1}{"b":2}', WireCode.BAD_JSON),
        (b'{"a":1} {"b":2}', WireCode.BAD_JSON),
        (b'{"a":1}//c', WireCode.BAD_JSON),
        (b'{"a":1} ', WireCode.BAD_JSON),
        (b'{"a":1}\r', WireCode.BAD_JSON),
        (b' {"a":1}', WireCode.BAD_JSON),
        (b'{"a":1,}', WireCode.BAD_JSON),
        (b"{'a':1}", WireCode.BAD_JSON),
        (b"{a:1}", WireCode.BAD_JSON),
        (b'{"a":01}', WireCode.BAD_JSON),
        (b'{"a":+1}', WireCode.BAD_JSON),
        (b'{"a":.5}', WireCode.BAD_JSON),
        (b'{"a":1.}', WireCode.BAD_JSON),
        (b'{"a":0x10}', WireCode.BAD_JSON),
        ('{"a":\uff11}'.encode(), WireCode.BAD_JSON),
        (b'{"a":"x\ty"}', WireCode.BAD_JSON),
        (b'{"a":"x\ny"}', WireCode.BAD_JSON),
        (b'{"a":"x\x00y"}', WireCode.BAD_JSON),
        (rb'{"a":"\x41"}', WireCode.BAD_JSON),
        (b'{"a":"x', WireCode.BAD_JSON),
        (b'{"a":', WireCode.BAD_JSON),
        (b'{"seq":7,"seq":8}', WireCode.DUPLICATE_KEY),
        (b'{"seq":7,"seq":7}', WireCode.DUPLICATE_KEY),
        (rb'{"action":"getText","\u0061ction":"logout"}', WireCode.DUPLICATE_KEY),
        (b'{"a":[{"b":{"c":1,"c":2}}]}', WireCode.DUPLICATE_KEY),
        (b'{"n":NaN}', WireCode.BAD_NUMBER),
        (b'{"n":Infinity}', WireCode.BAD_NUMBER),
        (b'{"n":[-Infinity]}', WireCode.BAD_NUMBER),
        (b'{"n":1e2}', WireCode.BAD_NUMBER),
        (b'{"n":1E2}', WireCode.BAD_NUMBER),
        (b'{"n":1.5e-3}', WireCode.BAD_NUMBER),
        (b'{"n":1e999}', WireCode.BAD_NUMBER),
        (b'{"n":9007199254740992}', WireCode.BAD_NUMBER),
        (b'{"n":-9007199254740992}', WireCode.BAD_NUMBER),
        (b'{"n":%s}' % (b"9" * 100_000), WireCode.BAD_NUMBER),
        (b'{"n":-%s}' % (b"9" * 17), WireCode.BAD_NUMBER),
        (b'{"n":0.%s}' % (b"1" * 40), WireCode.BAD_NUMBER),
        (b'{"n":0.00001}', WireCode.BAD_NUMBER),
        (b'{"n":10000000000000000.0}', WireCode.BAD_NUMBER),
    ],
)
def test_a_malformed_line_is_refused_with_its_own_code(line: bytes, code: WireCode) -> None:
    assert _code(line) == code


@pytest.mark.requirement("PROTO-02")
@pytest.mark.parametrize(
    ("line", "value"),
    [
        (b"{}", {}),
        ('{"名":"导出本月合规报表"}'.encode(), {"名": "导出本月合规报表"}),
        ('{"t":"a\u2028b\u0085c\ufeff"}'.encode(), {"t": "a\u2028b\u0085c\ufeff"}),
        (rb'{"t":"\"\\\/\b\f\n\r\t\u4e2d"}', {"t": '"\\/\b\f\n\r\t中'}),
        (rb'{"t":"\ud83d\ude00"}', {"t": "\U0001f600"}),
        (rb'{"t":"\\ud800"}', {"t": "\\ud800"}),
        ('{"t":"\U0001f600</script>"}'.encode(), {"t": "\U0001f600</script>"}),
        (b'{ "a" : [ 1 , 2 ] }', {"a": [1, 2]}),
        (b'{"n":9007199254740991,"m":-9007199254740991}', {"n": MAX_INT, "m": -MAX_INT}),
        (b'{"n":0.5,"m":-12.25,"z":-0}', {"n": 0.5, "m": -12.25, "z": 0}),
        (b'{"a":null,"b":true,"c":false}', {"a": None, "b": True, "c": False}),
        (b'{"a":{"x":1},"b":{"x":2}}', {"a": {"x": 1}, "b": {"x": 2}}),
    ],
)
def test_an_ordinary_line_is_read_as_it_is(line: bytes, value: object) -> None:
    assert decode(line) == value


def _nested(depth: int) -> bytes:
    return b'{"a":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


@pytest.mark.requirement("PROTO-02")
def test_nesting_up_to_the_cap_is_read_and_one_more_is_refused() -> None:
    assert decode(_nested(MAX_DEPTH))
    assert _code(_nested(MAX_DEPTH + 1)) == WireCode.TOO_DEEP
    assert _code(b'{"a":' + b"[" * 100_000) == WireCode.TOO_DEEP
    assert _code(b'{"a":' * 100_000) == WireCode.TOO_DEEP


def test_brackets_inside_strings_and_beside_each_other_are_not_depth() -> None:
    assert decode(b'{"a":"' + b"[{" * 1_000 + rb'\"["}') == {"a": "[{" * 1_000 + '"['}
    assert decode(b'{"a":[' + b"[]," * 1_000 + b"{}]}") == {"a": [*[[]] * 1_000, {}]}


@pytest.mark.requirement("PROTO-02")
def test_values_up_to_the_cap_are_read_and_one_more_is_refused() -> None:
    full = b'{"a":[' + b",".join([b"1"] * (MAX_VALUES - 1)) + b"]}"
    assert len(list(decode(full).values())) == 1
    assert _code(full[:-2] + b",1,1]}") == WireCode.TOO_LARGE
    keys = b",".join(b'"k%d":1' % number for number in range(MAX_VALUES + 1))
    assert _code(b"{" + keys + b"}") == WireCode.TOO_LARGE
    assert _code(b'{"a":[' + b"[]," * MAX_VALUES + b"[]]}") == WireCode.TOO_LARGE


def test_commas_inside_strings_are_not_values() -> None:
    text = "," * (MAX_VALUES + 1)
    assert decode(json.dumps({"a": text}).encode()) == {"a": text}


@pytest.mark.requirement("PROTO-04")
@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b'{"a":[' + b"[]," * 70 + b'"' + b'\\"' * (4 * MIB), id="a string that never closes"),
        pytest.param(b'{"a":[' + b"[]," * 70 + b'"' + b"x" * (8 * MIB), id="one long open string"),
        pytest.param(b'{"a":[' + b"[]," * 70 + b'"",' * MAX_VALUES, id="many short strings"),
        pytest.param(b'{"a":' + b"9" * (8 * MIB) + b"}", id="one long number"),
        pytest.param(b'{"a":[' + b"[]," * 70 + b"\\" * (8 * MIB), id="backslashes outside strings"),
    ],
)
def test_reading_a_hostile_line_takes_time_in_proportion_to_its_length(line: bytes) -> None:
    started = time.process_time()
    with pytest.raises(WireError):
        decode(line)
    assert time.process_time() - started < 5


@pytest.mark.requirement("PROTO-04")
def test_reading_a_long_string_takes_memory_in_proportion_to_its_length() -> None:
    resource = pytest.importorskip("resource")
    unit = 1 if sys.platform == "darwin" else 1024
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    assert decode(b'{"a":["' + b"x" * (8 * MIB) + b'",' + b"[]," * 70 + b"1]}")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit - before < 100 * MIB


def test_a_cause_never_quotes_the_line() -> None:
    for line in (
        b'{"secret-word":1,"secret-word":2}',
        b"secret-word",
        b'{"a":secret-word}',
        b'{"n":1e5,"secret-word":1}',
    ):
        with pytest.raises(WireError) as caught:
            decode(line)
        assert "secret-word" not in str(caught.value.as_dict())


@pytest.mark.requirement("PROTO-01")
@settings(max_examples=400, deadline=None)
@given(st.binary(max_size=200) | st.text(alphabet='{}[]",:\\u0123456789eE.-dDntrfalsx', max_size=80).map(str.encode))
def test_any_bytes_give_an_object_or_a_wire_error_and_nothing_else(line: bytes) -> None:
    try:
        value = decode(line)
    except WireError:
        return
    assert type(value) is dict
    assert decode(encode(value)) == value


@pytest.mark.requirement("PROTO-03")
@settings(max_examples=200, deadline=None)
@given(_OBJECTS)
def test_what_is_encoded_is_decoded_to_the_same_value(value: dict[str, object]) -> None:
    line = encode(value)
    assert b"\n" not in line
    assert decode(line) == value
    assert list(decode(line)) == list(value)


@pytest.mark.requirement("PROTO-03")
@settings(max_examples=200, deadline=None)
@given(_OBJECTS, st.booleans())
def test_what_another_encoder_writes_is_decoded_to_the_same_value(value: dict[str, object], ascii_only: bool) -> None:
    assert decode(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


def _deep(levels: int) -> dict[str, object]:
    value: dict[str, object] = {}
    for _ in range(levels - 1):
        value = {"a": value}
    return value


@pytest.mark.requirement("PROTO-03")
@pytest.mark.parametrize(
    ("value", "code"),
    [
        ({"a": float("nan")}, WireCode.BAD_NUMBER),
        ({"a": [{"b": float("inf")}]}, WireCode.BAD_NUMBER),
        ({"a": (1, float("-inf"))}, WireCode.BAD_NUMBER),
        ({"a": 1e16}, WireCode.BAD_NUMBER),
        ({"a": 0.00001}, WireCode.BAD_NUMBER),
        ({"a": MAX_INT + 1}, WireCode.BAD_NUMBER),
        ({"a": -MAX_INT - 1}, WireCode.BAD_NUMBER),
        ({1: "a"}, WireCode.BAD_NUMBER),
        ({"a": {1, 2}}, WireCode.BAD_NUMBER),
        ({"a": "\ud800"}, WireCode.BAD_ENCODING),
        ({"\udfff": 1}, WireCode.BAD_ENCODING),
        (_deep(MAX_DEPTH + 1), WireCode.TOO_DEEP),
        (_deep(400), WireCode.TOO_DEEP),
        ({"a": [1] * (MAX_VALUES + 1)}, WireCode.TOO_LARGE),
    ],
)
def test_what_the_peer_would_refuse_is_refused_before_it_is_sent(value: object, code: WireCode) -> None:
    assert _encode_code(value) == code


def test_the_deepest_legal_value_can_be_sent() -> None:
    value = _deep(MAX_DEPTH)
    assert decode(encode(value)) == value
