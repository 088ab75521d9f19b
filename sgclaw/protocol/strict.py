"""Strict decoding of one line, and encoding of one message.

Decoding is the standard library's with hooks because orjson cannot refuse duplicate keys. Refused, each with its own
code: bytes that are not UTF-8, lone surrogates, a BOM, anything but one object, duplicate keys, NaN and Infinity,
exponents, integers outside ±(2⁵³−1), nesting and value counts over the caps. Error causes never quote the line.
"""

from __future__ import annotations

import json
import re
from typing import Never, cast

import orjson

from sgclaw.errors import WireCode, WireError
from sgclaw.protocol.limits import MAX_DEPTH, MAX_INT, MAX_VALUES

JsonObject = dict[str, object]

_STRUCTURE = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[\]{},]', re.DOTALL)
"""Strings and brackets. Possessive, and an unclosed string runs to the end: otherwise one long or unclosed string costs
100 bytes of memory a byte, or quadratic time, before any signature is checked."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_PLAIN_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)\.[0-9]+")
_MAX_DIGITS = 17
_MAY_HOLD_FLOAT = re.compile(rb"null|[0-9][.eE]")
"""What a float leaves in the encoded text, NaN and Infinity included; texts may look alike and only cost the walk."""
_ENCODER_FAULTS = {"surrogates": WireCode.BAD_ENCODING, "Recursion": WireCode.TOO_DEEP}
"""A word of orjson's error → our code; everything else it refuses is a number, a key or a value that JSON has not."""


def _pairs(pairs: list[tuple[str, object]]) -> JsonObject:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise WireError(WireCode.DUPLICATE_KEY, "消息中有重复的键")
    return result


def _integer(text: str) -> int:
    if len(text) > _MAX_DIGITS or abs(value := int(text)) > MAX_INT:
        raise WireError(WireCode.BAD_NUMBER, "消息中的整数超出范围")
    return value


def _decimal(text: str) -> float:
    """Only what `encode` can write again: under 0.0001 or from 1e16 on, the shortest form has an exponent."""
    plain = len(text) <= 2 * _MAX_DIGITS and _PLAIN_DECIMAL.fullmatch(text)
    if not plain or not _PLAIN_DECIMAL.fullmatch(repr(value := float(text))):
        raise WireError(WireCode.BAD_NUMBER, "消息中的数字不是普通写法")
    return value


def _constant(_name: str) -> Never:
    raise WireError(WireCode.BAD_NUMBER, "消息中有 NaN 或 Infinity")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_int=_integer, parse_float=_decimal, parse_constant=_constant
)


def _check_shape(line: bytes) -> None:
    """Bound depth and value count before parsing, so that hostile nesting never reaches the recursive parser."""
    opens = line.count(b"{") + line.count(b"[")
    if opens <= MAX_DEPTH and opens + line.count(b",") <= MAX_VALUES:
        return
    depth = values = 0
    for match in _STRUCTURE.finditer(line):
        token = match.group()
        if token in (b"{", b"["):
            depth += 1
            values += 1
            if depth > MAX_DEPTH:
                raise WireError(WireCode.TOO_DEEP, f"消息嵌套超过 {MAX_DEPTH} 层")
        elif token in (b"}", b"]"):
            depth -= 1
        elif token == b",":
            values += 1
        if values > MAX_VALUES:
            raise WireError(WireCode.TOO_LARGE, f"消息中的值超过 {MAX_VALUES} 个")


def decode(line: bytes) -> JsonObject:
    """Return the object one line stands for, or raise `WireError`; the line comes without its newline."""
    try:
        text = line.decode("utf-8", "strict")
    except UnicodeDecodeError:
        raise WireError(WireCode.BAD_ENCODING, "消息不是合法的 UTF-8") from None
    _check_shape(line)
    try:
        value, end = cast("tuple[object, int]", _DECODER.raw_decode(text))
    except (json.JSONDecodeError, RecursionError):
        raise WireError(WireCode.BAD_JSON, "消息不是合法的 JSON") from None
    if end != len(text) or not isinstance(value, dict):
        raise WireError(WireCode.BAD_JSON, "一行必须正好是一个 JSON 对象")
    if "\\u" in text and _SURROGATE.search(json.dumps(value, ensure_ascii=False)):
        raise WireError(WireCode.BAD_ENCODING, "消息中有孤立的代理字符")
    return cast("JsonObject", value)


def encode(value: object) -> bytes:
    """Encode plain JSON data compactly, keys in insertion order, no newline.

    Raises `WireError` (`BAD_NUMBER`, `BAD_ENCODING`, `TOO_DEEP` or `TOO_LARGE`) for what the other side would
    refuse, so a bad value fails where it was made. NaN needs the walk: orjson would silently write it as null.
    """
    try:
        line = orjson.dumps(value, option=orjson.OPT_STRICT_INTEGER)
    except orjson.JSONEncodeError as error:
        code = next((code for word, code in _ENCODER_FAULTS.items() if word in str(error)), WireCode.BAD_NUMBER)
        raise WireError(code, "要发送的数据中有无法表示的值") from None
    if _MAY_HOLD_FLOAT.search(line):
        _check_floats(value)
    _check_shape(line)
    return line


def _check_floats(value: object) -> None:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list | tuple):
            waiting.extend(item)
        elif isinstance(item, float) and not _PLAIN_DECIMAL.fullmatch(repr(item)):
            raise WireError(WireCode.BAD_NUMBER, "要发送的数据中有无法用普通写法表示的数字")
