"""What is asked of a widget and what one shows, as values that can be compared. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final

from sgclaw.errors import ActionCode, ActionError

SEVERAL: Final = "、"
STEP: Final = "/"
_RANGE: Final = re.compile(r"\s*(?:~|～|至)\s*")
_DAY: Final = r"(?P<y>\d{4})(?:-(?P<m>\d{1,2})(?:-(?P<d>\d{1,2}))?)?"
_TIME: Final = r"(?P<H>\d{1,2}):(?P<M>\d{2})(?::(?P<S>\d{2}))?"
_ISO: Final = re.compile(f"(?:{_DAY})?(?:(?:^|(?<=\\d)[ T]){_TIME})?")
_INVISIBLE: Final = re.compile("[\u200b\u200c\u200d\u2060\ufeff]")


def plain(text: str) -> str:
    """A text as it is compared: white space counts once, what cannot be seen does not count."""
    return " ".join(_INVISIBLE.sub("", text).split())


def lines(text: str) -> list[str]:
    """The lines of a text that say something."""
    return [line for line in map(plain, text.splitlines()) if line]


def several(value: str) -> list[str]:
    """`甲、乙` as its parts, each once; an empty text is none."""
    return list(dict.fromkeys(part for part in map(plain, value.split(SEVERAL)) if part))


def rest_of(path: str, name: str) -> str | None:
    """What is left of a path behind a step of this name: empty at its end, None when it does not begin with it."""
    if not name:
        return None
    if path == name:
        return ""
    head, tail = path[: len(name)], path[len(name) :].lstrip()
    return tail[1:].lstrip() or None if head == name and tail.startswith(STEP) else None


def same_path(shown: str, path: str) -> bool:
    """Whether a field shows this path, whole or by its last step."""
    seen, wanted = (["".join(step.split()) for step in text.split(STEP)] for text in (shown, path))
    return seen in (wanted, wanted[-1:])


@dataclass(frozen=True, slots=True)
class Moment:
    """A date, a month, a year, a time or a date with a time: what was not said is absent."""

    text: str
    day: tuple[int, ...]
    """Year, month, day: as many as were said."""
    time: tuple[int, ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        return (*self.day, *self.time)

    def typed(self, *, with_seconds: bool) -> str:
        """What to type; with seconds for fields that take nothing less."""
        return f"{self.text}:00" if with_seconds and len(self.time) == 2 else self.text

    def to_the_second(self) -> Moment:
        """With the seconds that were not said."""
        return Moment(f"{self.text}:00", self.day, (*self.time, 0)) if len(self.time) == 2 else self

    def shown_as(self, text: str, *, in_any_order: bool = False) -> bool:
        """Whether a field shows this moment in some writing; seconds that were not said may be shown as zero."""
        seen = tuple(int(number) for number in re.findall(r"\d+", text))
        head, tail = seen[: len(self.numbers)], seen[len(self.numbers) :]
        if any(tail) or len(head) != len(self.numbers):
            return False
        return head == self.numbers or (in_any_order and sorted(head) == sorted(self.numbers))


def moments(text: str) -> list[Moment]:
    """One moment, or the two of a range (`2026-03-01 ~ 2026-03-31`); raises `BAD_PARAMS` for any other writing."""
    found = [_moment(part) for part in _RANGE.split(plain(text))]
    if len(found) > 2 or None in found:
        raise ActionError(
            ActionCode.BAD_PARAMS,
            f"“{text[:40]}”不是这种控件能认的日期或时间",
            next_step="请写成 2026-03-05、2026-03、09:30:00，范围写成 2026-03-01 ~ 2026-03-31",
        )
    return [moment for moment in found if moment is not None]


def is_range(text: str) -> bool:
    """Whether a text can only be meant for two fields at once."""
    parts = _RANGE.split(plain(text))
    return len(parts) == 2 and all(map(_moment, parts))


def _moment(text: str) -> Moment | None:
    match = _ISO.fullmatch(text)
    if match is None or not text:
        return None
    day, time = (
        tuple(int(part) for part in match.group(*names) if part) for names in (("y", "m", "d"), ("H", "M", "S"))
    )
    return Moment(text, day, time)


def number(text: str) -> Decimal | None:
    """A number in whatever writing a field shows it: grouped, with a currency or a unit; None for anything else."""
    found = re.fullmatch(r"[^\d+\-.]*([+-]?[\d,]*\.?\d+)[^\d]*", plain(text))
    try:
        return Decimal(found[1].replace(",", "")) if found else None
    except InvalidOperation:
        return None


def cut(names: Sequence[str], most: int = 20) -> list[str]:
    """So many of the options as an error may name."""
    return list(names[:most])
