"""Answers to commands that did not succeed, and texts in a form the wire takes: both may hold what a page made up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from sgclaw.errors import ActionCode, ActionError, SgClawError, WireError
from sgclaw.protocol.actions import changes
from sgclaw.protocol.messages import Command, Response
from sgclaw.protocol.parts import MAX_TEXT, WireFault

T = TypeVar("T")


@dataclass
class Act:
    """One command on its way through the host."""

    command: Command
    domain: str
    mac: str
    reached: bool = False
    """Whether the driver was told to act: from then on a changing act that fails may have had its effect."""

    @property
    def unknown(self) -> bool:
        """Whether nobody can say that nothing happened."""
        return self.reached and changes(self.command.action)


def well_formed(value: T) -> T:
    """The same JSON with lone surrogates replaced: pages may hold them, the wire may not."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # type: ignore[return-value]
    if isinstance(value, Mapping):
        return {well_formed(name): well_formed(item) for name, item in value.items()}  # type: ignore[return-value]
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [well_formed(item) for item in value]  # type: ignore[return-value]
    return value


def failed(act: Act, error: SgClawError) -> Response:
    """The response that carries a typed error."""
    fault = WireFault(
        code=error.code, message=well_formed(error.cause)[:MAX_TEXT], facts=well_formed(dict(error.facts))
    )
    return Response(seq=act.command.seq, success=False, error=fault)


def timed_out(act: Act) -> ActionError:
    """The act did not end within the command's deadline."""
    code = ActionCode.UNKNOWN_OUTCOME if act.unknown else ActionCode.TIMEOUT
    cause = f"{act.command.action} 在期限内没有完成"
    return ActionError(code, cause, facts={"deadline_ms": act.command.deadline_ms})


def broken(act: Act, error: BaseException) -> Response:
    """The response when no proper one could be made or sent: the error is a bug, or the result does not fit a line.

    Its texts are all ours. A bug is told by type and place, never by its message, which may quote the page.
    """
    if isinstance(error, WireError):
        cause = f"{act.command.action} 的结果无法发送：{error.cause}"
        facts: dict[str, object] = {"wire": error.code, **error.facts}
    else:
        cause = f"浏览器端执行 {act.command.action} 时出错"
        facts = {"error": type(error).__name__, "at": _place_of(error)}
    code = ActionCode.UNKNOWN_OUTCOME if act.unknown else ActionCode.ACTION_FAILED
    return failed(act, ActionError(code, cause, facts=facts))


def _place_of(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else ""
