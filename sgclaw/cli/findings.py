"""What one check of `sgclaw doctor` says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class Verdict(StrEnum):
    """How a check ended; only `FAIL` makes the command fail."""

    OK = "ok"
    INFO = "info"
    WARN = "warn"
    FAIL = "fail"


WORDS: Mapping[Verdict, str] = MappingProxyType(
    {Verdict.OK: "正常", Verdict.INFO: "说明", Verdict.WARN: "警告", Verdict.FAIL: "不通过"}
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One row: what was looked at, how it is, what was found, and the command or step that mends it."""

    name: str
    verdict: Verdict
    found: str
    mend: str = ""


def required(needed: bool) -> Verdict:
    """The verdict on something missing: a failure only where it is needed."""
    return Verdict.FAIL if needed else Verdict.WARN
