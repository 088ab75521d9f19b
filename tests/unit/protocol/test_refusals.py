"""What every refusal of the wire says, whole: the code decides, but a person reads the cause and the facts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from sgclaw.errors import ActionCode, SgClawError, WireCode
from sgclaw.protocol.actions import from_positional, spec_of
from sgclaw.protocol.channel import Channel, parse, read_init
from sgclaw.protocol.framing import LineFramer
from sgclaw.protocol.limits import MAX_LINE_FROM_AGENT
from sgclaw.protocol.session import Outstanding, Pending, Phase, Sequence, advance
from sgclaw.protocol.signing import Role, derive_key, open_sealed, seal, verify
from sgclaw.protocol.strict import decode, encode
from tests.fuzz.lines import sign
from tests.unit.protocol.samples import (
    AGENT_KEY,
    BODIES,
    DIGEST,
    DOMAIN,
    HOST_KEY,
    TEST_ONLY_KEY,
    TRACE,
    command,
    message,
    opened,
    response,
)

MAC, OTHER_MAC = "aa" * 32, "bb" * 32


def _numbers() -> Sequence:
    numbers = Sequence()
    numbers.accept(1)
    numbers.accept(2)
    return numbers


def _outstanding() -> Outstanding:
    """1 was answered, 2 was given up, 3 waits until second 10."""
    outstanding = Outstanding()
    for seq in (1, 2, 3):
        outstanding.add(Pending(seq, MAC, 10.0))
    outstanding.settle(1, MAC, 0.0)
    outstanding.expire(2)
    return outstanding


def _full() -> None:
    outstanding = Outstanding()
    for seq in range(1, 17):
        outstanding.add(Pending(seq, MAC, 10.0))
    outstanding.check_room()


def _bad_lines(*lines: bytes) -> None:
    """Hand these to one agent; only the last may raise out."""
    agent = Channel(Role.AGENT, TEST_ONLY_KEY, TRACE)
    for line in lines[:-1]:
        with pytest.raises(SgClawError):
            agent.receive(line)
    agent.receive(lines[-1])


def _sealed(body: dict[str, object], **security: object) -> bytes:
    return seal(body, security, HOST_KEY)[0]


def _too_long_to_send() -> None:
    _, agent = opened()
    agent.seal_command(command(1, params={"text": "x" * MAX_LINE_FROM_AGENT}), DOMAIN)


def _feed(data: bytes) -> None:
    list(LineFramer(8).feed(data))


PING = BODIES[Role.HOST]["ping"]
UNSIGNED = encode(PING)
ONE_FLIPPED = _sealed(PING, n=1).replace(b"ping", b"pinh")

LAST_OTHER = sign(b'{"security":{"n":1},"other":{"n":1', HOST_KEY)

DECODING: dict[str, tuple[bytes, WireCode, str]] = {
    "encoding": (b"\xff", WireCode.BAD_ENCODING, "消息不是合法的 UTF-8"),
    "json": (b"{", WireCode.BAD_JSON, "消息不是合法的 JSON"),
    "more than an object": (b"{} ", WireCode.BAD_JSON, "一行必须正好是一个 JSON 对象"),
    "surrogate": (rb'{"a":"\ud800"}', WireCode.BAD_ENCODING, "消息中有孤立的代理字符"),
    "duplicate": (b'{"a":1,"a":1}', WireCode.DUPLICATE_KEY, "消息中有重复的键"),
    "integer": (b'{"a":9007199254740992}', WireCode.BAD_NUMBER, "消息中的整数超出范围"),
    "decimal": (b'{"a":1e5}', WireCode.BAD_NUMBER, "消息中的数字不是普通写法"),
    "constant": (b'{"a":NaN}', WireCode.BAD_NUMBER, "消息中有 NaN 或 Infinity"),
    "depth": (b'{"a":' * 65, WireCode.TOO_DEEP, "消息嵌套超过 64 层"),
    "values": (b'{"a":[' + b"1," * 200_000, WireCode.TOO_LARGE, "消息中的值超过 200000 个"),
}

CASES: dict[str, tuple[Callable[[], object], str, str, dict[str, object]]] = {
    **{name: (partial(decode, line), code, cause, {}) for name, (line, code, cause) in DECODING.items()},
    "unsendable value": (
        lambda: encode({"a": {1}}),
        WireCode.BAD_NUMBER,
        "要发送的数据中有无法表示的值",
        {},
    ),
    "unsendable number": (
        lambda: encode({"a": [1.0, 1e300]}),
        WireCode.BAD_NUMBER,
        "要发送的数据中有无法用普通写法表示的数字",
        {},
    ),
    "line over the cap": (lambda: _feed(b"12345678\n"), WireCode.LINE_TOO_LONG, "一行超过 8 字节", {}),
    "short key": (
        lambda: derive_key(b"x" * 31, TRACE, Role.HOST),
        WireCode.HANDSHAKE_FAILED,
        "会话密钥必须是 32 字节",
        {},
    ),
    "unsigned": (lambda: verify(UNSIGNED, AGENT_KEY), WireCode.BAD_HMAC, "消息没有签名或签名格式不对", {}),
    "altered": (lambda: verify(ONE_FLIPPED, HOST_KEY), WireCode.BAD_HMAC, "消息签名不符", {}),
    "other last member": (
        lambda: open_sealed(LAST_OTHER, HOST_KEY),
        WireCode.BAD_SCHEMA,
        "security 必须是最后一个成员，hmac 必须是它的最后一个成员",
        {},
    ),
    "unsigned init": (
        lambda: verify(encode(BODIES[Role.HOST]["init"]), HOST_KEY),
        WireCode.SECOND_INIT,
        "消息没有签名或签名格式不对",
        {},
    ),
    "unknown type": (lambda: parse({"type": "x"}, Role.HOST), WireCode.UNKNOWN_TYPE, "这个方向没有这种消息", {}),
    "schema": (
        lambda: parse(
            {**BODIES[Role.HOST]["response"], "page": {"id": "p1", "url": 1, "title": "", "version": 3}}, Role.HOST
        ),
        WireCode.BAD_SCHEMA,
        "消息内容不符合规定",
        {"fields": ["page.url"]},
    ),
    "first line junk": (
        lambda: read_init(b"{"),
        WireCode.HANDSHAKE_FAILED,
        "第一行不是可用的 init",
        {"why": "BAD_JSON"},
    ),
    "first line another": (
        lambda: read_init(UNSIGNED),
        WireCode.HANDSHAKE_FAILED,
        "第一行必须是 init",
        {"why": "BAD_STATE"},
    ),
    "no number": (
        lambda: _bad_lines(_sealed(PING, n="1")),
        WireCode.BAD_SCHEMA,
        "消息没有可用的序号",
        {},
    ),
    "security of a ping": (
        lambda: _bad_lines(_sealed(PING, n=1, re=DIGEST)),
        WireCode.BAD_SCHEMA,
        "security 必须正好含有 n 和 hmac",
        {},
    ),
    "security of a response": (
        lambda: _bad_lines(_sealed(BODIES[Role.HOST]["response"], n=1)),
        WireCode.BAD_SCHEMA,
        "security 必须正好含有 n、re 和 hmac",
        {},
    ),
    "three bad macs": (
        lambda: _bad_lines(ONE_FLIPPED, ONE_FLIPPED, ONE_FLIPPED),
        WireCode.TOO_MANY_BAD_HMAC,
        "多次收到签名不符的消息",
        {},
    ),
    "second init": (lambda: advance(Phase.OPEN, "init"), WireCode.SECOND_INIT, "init 只能出现一次", {}),
    "out of phase": (
        lambda: advance(Phase.CLOSING, "ping"),
        WireCode.BAD_STATE,
        "当前阶段不能收到 ping",
        {"phase": "closing"},
    ),
    "repeated number": (
        lambda: _numbers().accept(2),
        WireCode.REPLAYED,
        "序号已经用过",
        {"number": 2, "last": 2},
    ),
    "gap": (lambda: _numbers().accept(4), WireCode.SEQUENCE_GAP, "序号不连续", {"number": 4, "last": 2}),
    "never sent": (
        lambda: _outstanding().settle(4, MAC, 0.0),
        WireCode.UNKNOWN_SEQ,
        "没有等待这个序号的操作",
        {"seq": 4},
    ),
    "answered before": (
        lambda: _outstanding().settle(1, MAC, 0.0),
        WireCode.REPLAYED,
        "没有等待这个序号的操作",
        {"seq": 1},
    ),
    "given up": (
        lambda: _outstanding().settle(2, MAC, 0.0),
        WireCode.LATE_RESPONSE,
        "回应超过了操作的期限",
        {"seq": 2},
    ),
    "late": (
        lambda: _outstanding().settle(3, MAC, 10.5),
        WireCode.LATE_RESPONSE,
        "回应超过了操作的期限",
        {"seq": 3},
    ),
    "answers another": (
        lambda: _outstanding().settle(3, OTHER_MAC, 0.0),
        WireCode.BAD_HMAC,
        "回应对应的不是已发出的操作",
        {"seq": 3},
    ),
    "in flight": (_full, "TOO_MANY_OUTSTANDING", "未完成的操作超过 16 个", {}),
    "unknown action": (
        lambda: spec_of("y" * 65),
        ActionCode.UNKNOWN_ACTION,
        f"没有名为“{'y' * 64}”的操作",
        {"action": "y" * 64},
    ),
    "too many arguments": (
        lambda: from_positional("click", ["#a", "#b"]),
        ActionCode.BAD_PARAMS,
        "click 最多接受 1 个参数",
        {"action": "click", "positional": ["selector"]},
    ),
    "bad parameters": (
        lambda: spec_of("type").check({"selector": 1, "text": 2}),
        ActionCode.BAD_PARAMS,
        "type 的参数不对：selector、text",
        {
            "action": "type",
            "problems": [
                {"field": "selector", "problem": "string_type"},
                {"field": "text", "problem": "string_type"},
            ],
        },
    ),
}


@pytest.mark.requirement("FUZZ-08")
@pytest.mark.parametrize("name", CASES)
def test_a_refusal_says_what_was_wrong_and_nothing_else(name: str) -> None:
    refused, code, cause, facts = CASES[name]
    with pytest.raises(SgClawError) as caught:
        refused()
    assert (caught.value.code, caught.value.cause, caught.value.facts) == (code, cause, facts)
    assert caught.value.next_step


@pytest.mark.requirement("FUZZ-08")
def test_a_line_that_is_too_long_to_send_is_told_with_its_length() -> None:
    with pytest.raises(SgClawError) as caught:
        _too_long_to_send()
    length = caught.value.facts.pop("bytes")
    assert (caught.value.code, caught.value.cause, caught.value.facts) == ("TOO_LARGE", "要发送的消息超过长度上限", {})
    assert isinstance(length, int)
    assert MAX_LINE_FROM_AGENT < length < MAX_LINE_FROM_AGENT + 1_000


@pytest.mark.requirement("FUZZ-08")
def test_at_most_ten_problems_are_told() -> None:
    with pytest.raises(SgClawError) as params:
        spec_of("navigate").check({f"extra{number}": 1 for number in range(12)})
    problems = params.value.facts["problems"]
    assert isinstance(problems, list)
    assert len(problems) == 10
    assert "extra8" in params.value.cause
    assert "extra9" not in params.value.cause


@pytest.mark.requirement("PROTO-15")
def test_a_received_message_carries_what_its_security_said_and_nothing_more() -> None:
    host, agent = opened()
    got = agent.receive(host.seal(message(Role.HOST, "ping"))[:-1])
    assert (got.n, got.expected_domain, got.re) == (1, None, None)
    got = agent.receive(host.seal_response(response(1), MAC)[:-1])
    assert (got.n, got.expected_domain, got.re) == (2, None, MAC)
    got = host.receive(agent.seal_command(command(1), DOMAIN)[0][:-1])
    assert (got.n, got.expected_domain, got.re) == (None, DOMAIN, None)


@pytest.mark.requirement("FUZZ-08")
def test_the_name_of_an_unknown_field_is_cut_where_it_is_told() -> None:
    with pytest.raises(SgClawError) as refused:
        parse({**PING, "x" * 10_000: 1}, Role.HOST)
    assert refused.value.facts == {"fields": ["x" * 200]}
    with pytest.raises(SgClawError) as params:
        spec_of("goBack").check({"y" * 10_000: 1})
    assert params.value.facts["problems"] == [{"field": "y" * 200, "problem": "extra_forbidden"}]
    assert len(params.value.cause) < 300
