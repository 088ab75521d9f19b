"""The root of all errors, and whose fault one is."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

Facts = Mapping[str, object]


class Fault(StrEnum):
    """Whose mistake an error reports: ours (a bug), the peer's (the other end of the pipe), or the user's side."""

    OURS = "ours"
    PEER = "peer"
    USER = "user"


class SgClawError(Exception):
    """Root of all sgClaw errors. `str(error)` is the Chinese cause; `next_step` says what to do about it."""

    code: str = "INTERNAL"
    fault: Fault = Fault.OURS
    default_next_step: str = "请把 trace_id 交给管理员，用 sgclaw audit show 查看经过"

    def __init__(self, cause: str, *, next_step: str | None = None, facts: Facts | None = None) -> None:
        super().__init__(cause)
        self.cause = cause
        self.next_step = self.default_next_step if next_step is None else next_step
        self.facts: dict[str, object] = dict(facts or {})

    def as_dict(self) -> dict[str, object]:
        """The shape used on the wire, in `--json` output and in the ledger: code, message, next_step, facts."""
        return {"code": self.code, "message": self.cause, "next_step": self.next_step, "facts": self.facts}
