"""Raw bytes of a case: texts with placeholders, generated lines grown to our caps."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sgclaw.protocol.limits import MAX_DEPTH, MAX_VALUES
from tests.attacks.pipe.signs import Keys, compact, right_line, with_mac, wrong_mac

Data = Mapping[str, Any]
CHUNK: Final = 1 << 20
_HOLE = re.compile(r',\s*"hmac"\s*:\s*"\$HMAC([A-Z_]*)"\}\}$')


@dataclass(frozen=True, slots=True)
class Limits:
    """What a case wants to exceed: the cap of its direction, and the code it expects for that."""

    line_bytes: int
    error: str
    must_pass: bool

    def grown(self, count: int, unit: int, around: int) -> int:
        """The repetitions that are over our cap where the case means to be over its own."""
        least = {
            "E_TOO_LONG": (self.line_bytes - around) // max(1, unit) + 1,
            "E_DEPTH": MAX_DEPTH + 1,
            "E_TOO_LARGE": MAX_VALUES + 1,
        }.get(self.error, 0)
        return count if self.must_pass else max(count, least)


def text_lines(text: str, keys: Keys) -> list[bytes]:
    """A text as bytes, its `$HMAC…` filled in.

    A code "of" another reading of the text is sent as it stands, and then once more as an authentic line: our code
    covers the bytes, so only the sender's own key makes the attack what it is meant to be.
    """
    hole = _HOLE.search(text)
    if hole is None:
        return [text.replace("$HMAC", "0" * 64).encode(errors="surrogatepass")]
    signed = text[: hole.start()].encode(errors="surrogatepass")
    authentic, right = right_line(signed, keys)
    if not hole[1]:
        return [authentic]
    _, other = right_line(_reading(text, hole[1]), keys)
    wrong = other if other != right else wrong_mac(signed, keys, hole[1])
    return [with_mac(signed, wrong), authentic]


def _reading(text: str, name: str) -> bytes:
    """What a lenient parser makes of the text: the first of two equal keys, whole numbers as integers."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        return dict(reversed(items)) if "FIRST" in name else dict(items)

    value = json.loads(text, object_pairs_hook=pairs, parse_float=lambda number: int(float(number)))
    value.get("security", {}).pop("hmac", None)
    return compact(value)[:-2]


def generated(line: Data, limits: Limits) -> Iterator[bytes]:
    """The bytes of `gen` and `genkeys`, in pieces: some are larger than memory should hold."""
    if "genkeys" in line:
        spec = line["genkeys"]
        head, tail = spec["wrap"]
        count = limits.grown(spec["count"], 12, 0)
        yield from _pieces((f'"k{number}":0' for number in range(count)), head, tail)
        return
    spec = line["gen"]
    prefix, unit, suffix = (str(spec.get(name, "")) for name in ("prefix", "repeat", "suffix"))
    around = len(prefix.encode()) + len(suffix.encode()) + 1
    count = limits.grown(spec["count"], len(unit.encode()), around)
    block = max(1, CHUNK // max(1, len(unit)))
    yield prefix.encode()
    for start in range(0, count, block):
        yield (unit * min(block, count - start)).encode()
    yield suffix.encode()


def _pieces(items: Iterator[str], head: str, tail: str) -> Iterator[bytes]:
    yield head.encode()
    held: list[str] = []
    first = True
    for item in items:
        held.append(item)
        if len(held) == 50_000:
            yield ((b"" if first else b",") + ",".join(held).encode())
            held, first = [], False
    yield ((b"" if first or not held else b",") + ",".join(held).encode()) + tail.encode()


def as_is(line: Data, keys: Keys) -> Sequence[bytes]:
    """The byte strings of a line that is given as it stands, each to be sent by itself."""
    if "b64" in line:
        return [base64.b64decode(line["b64"])]
    if "hex" in line:
        return [bytes.fromhex(line["hex"])]
    return text_lines(str(line["text"]), keys)
