"""The trace of a run: a JSON line before each step's acts and one after each step, from which it can go on.

The file is for its owner alone (0600) and holds what a model was told, redacted. Numbers of commands are a session's:
a run that goes on in another one has to look again before anything it did counts as seen.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from sgclaw.agent.dataflow import Tracker
from sgclaw.agent.desk import Desk
from sgclaw.agent.ending import Ending
from sgclaw.agent.limits import Spent
from sgclaw.agent.tools.foreign import BETWEEN
from sgclaw.agent.truth import Write
from sgclaw.context.chat import ChatMessage, Thought, ToolCall, ToolResult
from sgclaw.context.history import Step
from sgclaw.errors import ActionCode, ActionError, FileProblemError, SgClawError
from sgclaw.policy.origins import origin_of
from sgclaw.protocol.parts import EvidenceRank
from sgclaw.redact import redact_text

_MODE: Final = 0o600
_KEPT: Final = 50
"""Traces that are kept: enough to look back at a day, too few to become an archive of what stood on pages."""
_GONE: Final = ("", -1)
"""The document of a write of an earlier session: no page has it now."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """What a trace says of the part of a run it is of."""

    steps: tuple[Step, ...] = ()
    spent: Spent = field(default_factory=Spent)
    criterion: str = ""
    writes: tuple[Write, ...] = ()
    read: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    numbers: frozenset[Decimal] = frozenset()
    widened: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    denied: frozenset[str] = frozenset()
    in_doubt: str = ""
    """Why nothing more may be changed; an act that was begun and never told of is such a reason."""
    tracker: Tracker | None = None
    """Where values come from, of a part of the same task in the same process."""
    ended: str | None = None
    """The code the run ended with, empty for completed, None while it has not."""


class Trace:
    """Writes the trace of one run; with no path it keeps nothing."""

    def __init__(self, path: Path | None, desk: Desk) -> None:
        self._path, self._desk = path, desk
        self._kept: frozenset[Decimal] = frozenset()

    def began(self, number: int, message: ChatMessage) -> None:
        """These calls are about to be carried out. Raises `FILE_ERROR` when that cannot be kept: then nothing is."""
        if self._path is None:
            return
        self._write(self._path, {"kind": "began", "number": number, "message": _written(message)})

    def save(self, step: Step, ending: Ending | None) -> None:
        """The step is over; everything a run needs to go on is in the file now. Raises `FILE_ERROR`."""
        if self._path is None:
            return
        desk = self._desk
        scope, numbers = desk.task.scope, frozenset(desk.proofs.numbers)
        self._write(
            self._path,
            {
                "kind": "step",
                "number": step.number,
                "state": desk.machine.state.value,
                "messages": [_written(message) for message in step.messages],
                "note": redact_text(step.note),
                "spent": asdict(desk.meter.spent),
                "criterion": redact_text(desk.criterion),
                "writes": [[write.action, write.final, write.settled] for write in desk.proofs.writes],
                "read": desk.tracker.fresh(),
                "numbers": sorted(map(str, numbers - self._kept)),
                "widened": sorted(map(str, scope.widened)),
                "refused": sorted(map(str, scope.refused)),
                "denied": sorted(desk.denied),
                "in_doubt": redact_text(desk.in_doubt.cause) if desk.in_doubt else "",
                "ended": None if ending is None else (ending.error.code if ending.error else ""),
            },
        )
        self._kept = numbers

    def _write(self, path: Path, line: Mapping[str, object]) -> None:
        data = json.dumps(line, ensure_ascii=False, default=str).encode("utf-8", "backslashreplace") + b"\n"
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, _MODE)
            try:
                _append(descriptor, data)
            finally:
                os.close(descriptor)
        except OSError as error:
            facts = {"file": str(path), "why": error.strerror}
            raise FileProblemError("任务的过程无法写入文件，任务已停止", facts=facts) from None


def _append(descriptor: int, line: bytes) -> None:
    """The line whole behind whole lines: what an earlier write left unfinished goes, and so does half of this one."""
    size = os.fstat(descriptor).st_size
    if size and _read(descriptor, size - 1) != b"\n":
        size = _read(descriptor, 0).rfind(b"\n") + 1
        os.ftruncate(descriptor, size)
    left = line
    try:
        while left:
            left = left[os.write(descriptor, left) :]
    except OSError:
        os.ftruncate(descriptor, size)
        raise


def _read(descriptor: int, place: int) -> bytes:
    os.lseek(descriptor, place, os.SEEK_SET)
    with os.fdopen(os.dup(descriptor), "rb") as file:
        return file.read()


def trace_path(folder: Path, name: str) -> Path:
    """The file for a new trace, in a folder for its owner alone; of the older ones the newest are kept.

    Raises `FILE_ERROR` when the folder cannot be made.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        old = sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in old[_KEPT - 1 :]:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise FileProblemError("任务的过程没有地方可写", facts={"file": str(folder), "why": error.strerror}) from None
    return folder / f"{name.replace(':', '_')}.jsonl"


def resume(desk: Desk, was: Resumed) -> None:
    """Put a desk where an earlier part of its run was."""
    desk.criterion = desk.criterion or was.criterion
    desk.tracker = was.tracker or desk.tracker
    desk.proofs.writes.extend(was.writes)
    desk.proofs.numbers |= was.numbers
    for origin, texts in was.read.items():
        desk.tracker.read(origin, texts)
    desk.tracker.fresh()
    scope = desk.task.scope
    scope.widened |= {origin_of(each) for each in was.widened} & scope.listed
    scope.refused |= {origin_of(each) for each in was.refused}
    desk.denied |= was.denied
    if was.in_doubt:
        desk.in_doubt = ActionError(ActionCode.UNKNOWN_OUTCOME, was.in_doubt)


def read_trace(path: Path) -> Resumed:
    """What a trace says; a last line that was cut off is none. Raises `FILE_ERROR` for a file that is no trace."""
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise FileProblemError("读不到任务的过程文件", facts={"file": str(path), "why": error.strerror}) from None
    was, open_step = Resumed(), ""
    try:
        for line in lines[:-1]:
            told: dict[str, Any] = json.loads(line)
            began = told["kind"] == "began"
            open_step = _open_step(told) if began else ""
            was = was if began else _after(was, told)
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError, SgClawError):
        raise FileProblemError("任务的过程文件不是这个程序写的", facts={"file": str(path)}) from None
    return replace(was, in_doubt=was.in_doubt or open_step)


_CHANGING: Final = ("browser_action", "run_skill")


def _may_change(tool: str) -> bool:
    return tool in _CHANGING or BETWEEN in tool


def _open_step(told: Mapping[str, Any]) -> str:
    """Why nothing more may be changed after a step that was begun and never told of; empty when it only looked."""
    if any(_may_change(call["name"]) for call in told["message"]["calls"]):
        return f"第 {told['number']} 步开始之后没有记下结果，不知道是否已经生效"
    return ""


def _after(was: Resumed, told: Mapping[str, Any]) -> Resumed:
    step = Step(told["number"], tuple(map(_message, told["messages"])), told["note"])
    read = {origin: (*was.read.get(origin, ()), *texts) for origin, texts in told["read"].items()}
    return Resumed(
        steps=(*was.steps, step) if step.messages else was.steps,
        spent=_spent(told["spent"]),
        criterion=told["criterion"],
        writes=tuple(Write(0, action, final, _GONE, EvidenceRank(rank)) for action, final, rank in told["writes"]),
        read={**was.read, **read},
        numbers=was.numbers | frozenset(map(Decimal, told["numbers"])),
        widened=tuple(told["widened"]),
        refused=tuple(told["refused"]),
        denied=frozenset(told["denied"]),
        in_doubt=told["in_doubt"],
        ended=told["ended"],
    )


def _spent(told: Mapping[str, Any]) -> Spent:
    return Spent(**{**told, "cost": None if told["cost"] is None else Decimal(told["cost"])})


def _written(message: ChatMessage) -> dict[str, object]:
    """A message without its pictures, redacted; sealed thoughts are kept as they are, or a provider refuses them."""
    return {
        "role": message.role,
        "text": redact_text(message.text),
        "calls": [{"id": c.id, "name": c.name, "arguments": redact_text(c.arguments)} for c in message.calls],
        "results": [_result(each) for each in message.results],
        "thoughts": [asdict(thought) for thought in message.thoughts],
        "pictures": len(message.pictures),
    }


def _result(result: ToolResult) -> dict[str, object]:
    return {"call_id": result.call_id, "content": redact_text(result.content), "failed": result.failed}


def _message(told: Mapping[str, Any]) -> ChatMessage:
    return ChatMessage(
        told["role"],
        told["text"],
        tuple(ToolCall(**each) for each in told["calls"]),
        tuple(ToolResult(**each) for each in told["results"]),
        tuple(Thought(**each) for each in told["thoughts"]),
    )
