"""Raw bytes of a case: texts with placeholders, generated lines grown to our caps."""

from __future__ import annotations

import base64
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sgclaw.protocol.limits import MAX_DEPTH, MAX_VALUES
from tests.attacks.pipe.signs import Keys, compact, right_line, with_mac, wrong_mac

Data = Mapping[str, Any]
CHUNK: Final = 1 << 20
_THEIRS: Final = 8 << 20
_NEAR: Final = 1 << 12
"""A line this close to a cap is about the cap itself."""
_HOLE = re.compile(r',\s*"hmac"\s*:\s*"\$HMAC([A-Z_]*)"\}\}$')


@dataclass(frozen=True, slots=True)
class Limits:
    """What a case wants to exceed: the cap of its direction, and the code it expects for that."""

    line_bytes: int
    error: str
    must_pass: bool

    @property
    def their_bytes(self) -> int:
        """The cap that the cases were written for."""
        return min(self.line_bytes, _THEIRS)

    def grown(self, count: int, unit: int, around: int) -> int:
        """The repetitions that are over our cap where the case means to be over its own; at a cap they stay at it."""
        over = count * unit + around - self.their_bytes
        if self.error == "E_TOO_LONG" and -_NEAR <= over <= _NEAR:
            return count + (self.line_bytes - self.their_bytes) // max(1, unit)
        if self.error == "E_TOO_LONG" and over < 0:
            return count
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


def flat(lines: Iterable[Data]) -> Iterator[Data]:
    """The lines and, in their place, the members of those that are several at once."""
    for line in lines:
        yield line
        for members in line.values():
            for item in members if isinstance(members, list) else ():
                if isinstance(item, dict):
                    yield item if {"msg", "text", "b64"} & set(item) else {"msg": item}


def may_pass(must: Data) -> bool:
    """Whether a case would have some line taken."""
    return "accept" in str(must["verdict"]).split("_or_")


def unsigned(data: bytes) -> dict[str, Any] | None:
    """The message in a raw line that only lacks `security`; None when it is something else."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    is_message = isinstance(value, dict) and "type" in value and "security" not in value
    return value if is_message else None


def as_is(line: Data, keys: Keys, limits: Limits | None = None) -> Sequence[bytes]:
    """The byte strings of a line that is given as it stands, each to be sent by itself."""
    if "b64" in line:
        return [base64.b64decode(line["b64"])]
    if "hex" in line:
        return [bytes.fromhex(line["hex"])]
    text = str(line["text"])
    if limits is not None and limits.error == "E_DEPTH":
        text = _deepened(text, limits)
    key = base64.urlsafe_b64encode(keys.session).decode().rstrip("=")
    return text_lines(text.replace("$KEY", key), keys)


def _deepened(text: str, limits: Limits) -> str:
    """A text that nests deeper than some cap, nested deeper than ours."""
    for opening, closing in ((r"\[", r"\]"), (r'\{"\w+":', r"\}")):
        runs = [re.search(f"(?:{form}){{8,}}", text) for form in (opening, closing)]
        unit = re.search(opening, runs[0][0]) if runs[0] else None
        if runs[0] is None or unit is None:
            continue
        more = limits.grown(0, len(unit[0]), 0)
        if runs[1] is not None:
            text = text[: runs[1].end()] + closing[-1] * more + text[runs[1].end() :]
        return text[: runs[0].start()] + unit[0] * more + text[runs[0].start() :]
    return text


CUTS: Final = frozenset({"dribble_ms", "chunks", "chunk", "split", "split_at", "pieces", "delay_ms", "pause_ms"})


def cut(data: bytes, line: Data) -> tuple[Iterable[bytes], float]:
    """The line's bytes in the pieces it asks for, and the pause after each in seconds; at most a second in all."""
    if not CUTS & set(line):
        return [data], 0
    at = next((line[name] for name in ("split_at", "split", "chunks", "chunk", "pieces") if name in line), None)
    numbers = [number for number in (at if isinstance(at, list) else [at]) if type(number) is int and number > 0]
    if "chunks" in line or "chunk" in line:
        numbers = list(itertools.accumulate(itertools.islice(itertools.cycle(numbers or [1]), len(data))))
    places = sorted({number for number in numbers if number < len(data)}) or list(range(1, len(data)))
    pieces = [data[start:end] for start, end in itertools.pairwise([0, *places, len(data)])]
    asked = next((float(line[name]) for name in ("dribble_ms", "delay_ms", "pause_ms") if name in line), 5)
    return pieces, min(asked, 1_000 / len(pieces)) / 1_000
