"""Signing, numbers and strict decoding: what a host does with lines that are not right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from browser_host_stub.conformance.kit import SETTLE_S, Kit, Sent
from browser_host_stub.conformance.pen import Pen
from browser_host_stub.conformance.table import Check, Rows
from browser_host_stub.conformance.verdict import expect
from sgclaw.protocol.limits import MAX_DEPTH, MAX_LINE_FROM_AGENT, MAX_VALUES
from sgclaw.protocol.messages import LogEntry, ProtocolError

SIGN: Final = Rows("sign")
ORDER: Final = Rows("order")
STRICT: Final = Rows("strict")
_HMAC_TAIL: Final = 77
"""Bytes of the suffix, newline included."""


def _click(kit: Kit) -> Sent:
    return kit.prepare("click", selector="#plain")


async def _still_works(kit: Kit) -> None:
    await kit.ok("listPages")


async def _ends(kit: Kit, why: str) -> None:
    expect(await kit.peer.closed(kit.timeout), f"{why}，会话没有结束")


# --- signing --------------------------------------------------------------------------------------------------------


@SIGN.add("response", "回应签名正确，以规定的后缀结尾，re 是所回应操作的 MAC", "4")
async def _response(kit: Kit) -> None:
    await kit.ok("listPages")
    expect(kit.peer.seen.raw[-1].endswith(b'"}}'), "行尾不是规定的后缀")


@SIGN.add("changed", "改动一个字节的操作：BAD_HMAC，不执行；序号未用掉，原样重发有效", "4, 5")
async def _changed(kit: Kit) -> None:
    await kit.open("/acts")
    sent = _click(kit)
    await kit.refuse(sent.line.replace(b"#plain", b"#plaim", 1), "BAD_HMAC")
    kit.undone("plain")
    kit.peer.write(sent.line)
    kit.success("click", await kit.reply(sent))


@SIGN.add("own", "浏览器端自己的行被送回：BAD_HMAC", "4")
async def _own(kit: Kit) -> None:
    await kit.ok("listPages")
    await kit.refuse(kit.peer.seen.raw[-1] + b"\n", "BAD_HMAC")


@SIGN.add("unsigned", "没有签名的操作：BAD_HMAC，不执行", "4", fresh=True)
async def _unsigned(kit: Kit) -> None:
    await kit.greet()
    await kit.open("/acts")
    sent = _click(kit)
    await kit.refuse(sent.line[:-_HMAC_TAIL] + b"}}\n", "BAD_HMAC")
    kit.undone("plain")


@SIGN.add("last", "security 不在最后的签名行：BAD_SCHEMA", "4")
async def _last(kit: Kit) -> None:
    part = b'{"type":"log_entry","security":{"n":%d},"text":"a","data":{"x":{"y":1' % (kit.pen.n + 1)
    await kit.refuse(kit.pen.raw(part), "BAD_SCHEMA", "BAD_JSON")
    await _still_works(kit)


@SIGN.add("members", "security 多了成员：BAD_SCHEMA，序号用掉", "4, 5")
async def _members(kit: Kit) -> None:
    kit.pen.n += 1
    line = kit.pen.sealed({"type": "log_entry", "text": "a"}, {"n": kit.pen.n, "re": "0" * 64})
    await kit.refuse(line, "BAD_SCHEMA")
    await _still_works(kit)


@SIGN.add("three", "第三个错误签名结束会话（不必连续）", "4, 14", fresh=True)
async def _three(kit: Kit) -> None:
    await kit.greet()
    for expected in ("BAD_HMAC", "BAD_HMAC", "TOO_MANY_BAD_HMAC"):
        await _still_works(kit)
        await kit.refuse(b'{"type":"log_entry","text":"a","security":{"n":9}}\n', expected)
    await _ends(kit, "三个错误签名")


# --- numbers --------------------------------------------------------------------------------------------------------


@ORDER.add("repeat", "同一个操作发送两次：REPLAYED，只执行一次", "5")
async def _repeat(kit: Kit) -> None:
    await kit.open("/acts")
    sent = _click(kit)
    kit.peer.write(sent.line)
    kit.success("click", await kit.reply(sent))
    await kit.refuse(sent.line, "REPLAYED")
    await kit.text("#title")
    expect(kit.site.times("plain") == 1, "重复的操作又执行了一次")


@ORDER.add("gap", "跳过的操作序号：SEQUENCE_GAP，不执行，会话结束", "5, 14", fresh=True)
async def _gap(kit: Kit) -> None:
    await kit.greet()
    await kit.open("/acts")
    kit.pen.seq += 1
    sent = _click(kit)
    await kit.refuse(sent.line, "SEQUENCE_GAP")
    await _ends(kit, "序号有缺口")
    kit.undone("plain")


@ORDER.add("gap_n", "跳过的 n：SEQUENCE_GAP，会话结束", "5, 14", fresh=True)
async def _gap_n(kit: Kit) -> None:
    await kit.greet()
    await _still_works(kit)
    kit.pen.n += 1
    await kit.refuse(kit.pen.message(LogEntry(text="有缺口")), "SEQUENCE_GAP")
    await _ends(kit, "序号有缺口")


@ORDER.add("used", "内容被拒绝的签名行用掉它的序号", "5")
async def _used(kit: Kit) -> None:
    for body, code in (({"type": "no_such"}, "UNKNOWN_TYPE"), ({"type": "log_entry", "wrong": 1}, "BAD_SCHEMA")):
        kit.pen.n += 1
        await kit.refuse(kit.pen.sealed(dict(body), {"n": kit.pen.n}), code)
    kit.say(LogEntry(text="下一个序号"))
    await _still_works(kit)


@ORDER.add("fields", "操作少了字段：BAD_SCHEMA，序号用掉", "5")
async def _fields(kit: Kit) -> None:
    kit.pen.seq += 1
    body = {"type": "command", "seq": kit.pen.seq, "action": "listPages", "params": {}, "task_id": "t1"}
    await kit.refuse(kit.pen.sealed(dict(body), {"expected_domain": kit.site.a.host}), "BAD_SCHEMA")
    await _still_works(kit)


@ORDER.add("answerless", "protocol_error 得不到回答", "5")
async def _answerless(kit: Kit) -> None:
    since = kit.now
    digest = "0" * 64
    kit.say(ProtocolError(code="BAD_SCHEMA", message="核对用", line_sha256=digest, line_bytes=0))
    await _still_works(kit)
    expect(not kit.peer.all_of(ProtocolError, since), "protocol_error 得到了回答")


# --- strict decoding ------------------------------------------------------------------------------------------------


def _text(text: bytes) -> Callable[[Pen], bytes]:
    """A log entry whose `data` member holds these bytes; authentic, without a usable number."""
    part = b'{"type":"log_entry","text":"a","data":{"x":%b},"security":{"n":1' % text
    return lambda pen: pen.raw(part)


_BAD: Final[Mapping[str, tuple[str, str, Callable[[Pen], bytes]]]] = MappingProxyType(
    {
        "duplicate": ("重复的键（转义后比较）", "DUPLICATE_KEY", _text(b'{"a":1,"\\u0061":2}')),
        "nan": ("NaN", "BAD_NUMBER", _text(b"NaN")),
        "exponent": ("带指数的数", "BAD_NUMBER", _text(b"1e3")),
        "integer": ("超出 ±(2^53 − 1) 的整数", "BAD_NUMBER", _text(b"9007199254740992")),
        "depth": ("嵌套过深", "TOO_DEEP", _text(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)),
        "values": ("一行里的值过多", "TOO_LARGE", _text(b"[" + b"0," * MAX_VALUES + b"0]")),
        "surrogate": ("单独的代理字符", "BAD_ENCODING", _text(b'"\\ud800"')),
        "utf8": ("不是 UTF-8 的字节", "BAD_ENCODING", _text(b'"\xff"')),
        "bom": (
            "行首的 BOM",
            "BAD_ENCODING BAD_JSON",
            lambda pen: pen.raw(b'\xef\xbb\xbf{"type":"x","security":{"n":1'),
        ),
        "comma": ("多余的逗号", "BAD_JSON", _text(b"[1,]")),
        "control": ("字符串里的控制字符", "BAD_JSON", _text(b'"\x01"')),
        "return": (
            "行尾的回车",
            "BAD_HMAC BAD_JSON",
            lambda pen: pen.raw(b'{"type":"x","security":{"n":1')[:-1] + b" \r\n",
        ),
    }
)
"""What is wrong → its name, the codes that name it, and the line."""


def _refusal(codes: str, make: Callable[[Pen], bytes]) -> Check:
    async def check(kit: Kit) -> None:
        await kit.refuse(make(kit.pen), *codes.split())
        await _still_works(kit)

    return check


for _name, (_title, _codes, _make) in _BAD.items():
    STRICT.add(_name, f"{_title}：以 {_codes.replace(' ', ' 或 ')} 拒绝，会话继续", "3")(_refusal(_codes, _make))


@STRICT.add("coerce", "类型不转换：1.0 不是 seq，“true”不是 true", "3")
async def _coerce(kit: Kit) -> None:
    kit.pen.seq += 1
    line = kit.pen.sealed(
        {
            "type": "command",
            "seq": kit.pen.seq,
            "action": "listPages",
            "params": {},
            "task_id": "t1",
            "deadline_ms": "9",
        },
        {"expected_domain": kit.site.a.host},
    )
    await kit.refuse(line, "BAD_SCHEMA")
    part = b'{"type":"command","seq":%d.0,"action":"listPages","params":{},"task_id":"t1","deadline_ms":900,' % (
        kit.pen.seq + 1
    )
    await kit.refuse(kit.pen.raw(part + b'"security":{"expected_domain":"127.0.0.1"'), "BAD_SCHEMA")
    await _still_works(kit)


@STRICT.add("long", "超长的行：LINE_TOO_LONG，会话结束", "1, 14", fresh=True)
async def _long(kit: Kit) -> None:
    await kit.greet()
    await _still_works(kit)
    since = kit.now
    kit.peer.write(b'{"x":"' + b"a" * MAX_LINE_FROM_AGENT)
    error = await kit.next(ProtocolError, since, "protocol_error")
    expect(error.code == "LINE_TOO_LONG", f"应以 LINE_TOO_LONG 拒绝，实际是 {error.code}")
    await _ends(kit, "一行超长")


@STRICT.add("init", "收到 init：SECOND_INIT，会话结束", "4, 14", fresh=True)
async def _second_init(kit: Kit) -> None:
    await kit.greet()
    await _still_works(kit)
    await kit.refuse((kit.peer.seen.first or b"") + b"\n", "SECOND_INIT")
    await _ends(kit, "收到 init")


@STRICT.add("rest", "没有换行的残行不是一行", "1", fresh=True)
async def _rest(kit: Kit) -> None:
    await kit.greet()
    await kit.open("/acts")
    kit.peer.write(_click(kit).line[:-1])
    await kit.peer.closed(SETTLE_S)
    kit.peer.hang_up()
    expect(await kit.peer.closed(kit.timeout), "管道关闭后没有结束")
    kit.undone("plain")
