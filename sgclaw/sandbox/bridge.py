"""From a worker's line to an act, and back: one run of one script.

Lines are handled one after the other, and the next is read when the last is done with: acts happen in the order of
the calls, and a worker that writes faster than we act blocks on its pipe. A worker asks for one act at a time; one
that does not, or writes anything unexpected, has been taken over and is ended as `worker_died`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Final

import orjson

from sgclaw.errors import (
    ActionCode,
    ActionError,
    NeedsApprovalError,
    NeedsHumanError,
    PolicyDeniedError,
    SandboxError,
    SgClawError,
    TooManyOutstandingError,
    UnverifiedError,
    WireError,
)
from sgclaw.ports import Act, Browser, Log, SkillResult
from sgclaw.protocol.actions import from_positional
from sgclaw.protocol.framing import LineFramer
from sgclaw.protocol.strict import encode
from sgclaw.sandbox.budget import KIB, LOG_ENTRY_BYTES, Budgets, WallClock
from sgclaw.sandbox.ends import End, no_worker, sandbox_error
from sgclaw.sandbox.messages import CallLine, EndLine, Line, LogLine, ResultLine, ThrewLine, parse_line, parse_value
from sgclaw.sandbox.process import Worker

_FOR_THE_SCRIPT: Final = (
    ActionError,
    PolicyDeniedError,
    NeedsApprovalError,
    NeedsHumanError,
    TooManyOutstandingError,
    UnverifiedError,
    WireError,
    SandboxError,
)
"""Errors about one act: the script gets code, message and facts, and may go on. Every other one (host gone, ledger
unavailable, task cancelled, ...) ends the task: nothing further can be done, and a script has no use for its facts.
"""

_LOG_LEVELS: Final[Mapping[str, str]] = {"info": "INFO", "warn": "WARN", "error": "ERROR"}
_MAX_ERROR_CHARS: Final = 2_000


class ScriptRun:
    """One run. `calls` counts the acts that were asked for."""

    def __init__(self, worker: Worker, skill: str, browser: Browser, log: Log, budgets: Budgets) -> None:
        self._worker = worker
        self._skill = skill
        self._browser = browser
        self._log = log
        self._budgets = budgets
        self._clock = WallClock(budgets.wall_s, worker.kill)
        self._log_left = budgets.log_bytes
        self._refused: dict[int, SgClawError] = {}
        self.calls = 0

    @property
    def timed_out(self) -> bool:
        """Whether the wall clock killed the worker."""
        return self._clock.expired

    async def to_end(self, job: bytes) -> SkillResult | None:
        """The script's result, or None when the worker went silent. Raises the typed error that ended the run."""
        self._clock.resume()
        try:
            self._start(job)
            async for line in self._lines():
                result = await self._handle(line)
                if result is not None:
                    return result
            return None
        finally:
            self._clock.stop()

    def _start(self, job: bytes) -> None:
        try:
            self._worker.start_job(job, self._budgets)
        except OSError as error:
            raise no_worker(self._skill, error) from None

    async def _lines(self) -> AsyncIterator[Line]:
        # A value is JSON text inside JSON text: its quotes and backslashes double. The prelude counts the characters of
        # parameters, of which one can be three bytes: those get through to be refused as what they are.
        framer = LineFramer(2 * max(self._budgets.result_bytes, 3 * self._budgets.params_bytes) + 64 * KIB)
        while chunk := await self._worker.read():
            try:
                lines = list(framer.feed(chunk))
            except WireError:
                raise self._ended(End.RESULT) from None
            for line in lines:
                message = parse_line(line)
                if message is None:
                    raise self._ended(End.WORKER_DIED, "unexpected line")
                yield message

    async def _handle(self, line: Line) -> SkillResult | None:
        match line:
            case LogLine():
                self._console(line)
            case CallLine():
                await self._call(line)
            case ResultLine():
                return self._returned(line)
            case ThrewLine():
                return self._threw(line)
            case EndLine():
                raise self._ended(line.end, line.detail)
        return None

    def _console(self, line: LogLine) -> None:
        self._log_left -= len(line.text.encode("utf-8")) + LOG_ENTRY_BYTES
        if self._log_left < 0:
            raise self._ended(End.LOG)
        self._say("console", _LOG_LEVELS[line.level], text=line.text)

    async def _call(self, call: CallLine) -> None:
        self.calls += 1
        if call.id != self.calls or self._worker.has_unread:
            raise self._ended(End.WORKER_DIED, "call out of turn")
        if self.calls > self._budgets.calls:
            raise self._ended(End.CALLS)
        self._clock.pause()
        try:
            answer = await self._answer(call)
        finally:
            self._clock.resume()
        # Not for the wire: the engine reads any number, so this is plain JSON.
        self._worker.send(orjson.dumps(answer))

    async def _answer(self, call: CallLine) -> dict[str, object]:
        try:
            if len(call.args.encode("utf-8")) > self._budgets.params_bytes:
                raise self._ended(End.PARAMS)
            params = from_positional(call.action, _arguments(call))
            observed = await self._browser.act(Act(call.action, params))
        except _FOR_THE_SCRIPT as error:
            self._refused[call.id] = error
            code = ActionCode.BAD_PARAMS if isinstance(error, SandboxError) else error.code
            return {"id": call.id, "ok": False, "code": code, "message": error.cause, "facts": error.facts}
        return {"id": call.id, "ok": True, "value": observed.value}

    def _returned(self, line: ResultLine) -> SkillResult:
        if line.dropped:
            self._say("calls_dropped", "WARN", count=line.dropped)
        if len(line.value.encode("utf-8")) > self._budgets.result_bytes:
            raise self._ended(End.RESULT)
        try:
            value = parse_value(line.value)
            encode(value)  # what could not travel on is refused here, where the script can be named
        except WireError as error:
            raise self._ended(End.BAD_RESULT, error.cause) from None
        if not isinstance(value, dict) or not isinstance(value.get("success"), bool):
            raise self._ended(End.BAD_RESULT)
        if ignored := sorted(str(key)[:64] for key in value.keys() - {"success", "data", "error"}):
            self._say("result_fields_ignored", "WARN", fields=ignored[:20])
        if value["success"]:
            return SkillResult(success=True, data=value.get("data"))
        return SkillResult(success=False, data=value.get("data"), error=_reported(value.get("error")))

    def _threw(self, line: ThrewLine) -> SkillResult:
        self._say("threw", "ERROR", text=line.text, stack=line.stack[:_MAX_ERROR_CHARS])
        refusal = self._refused.get(line.call)
        if refusal is not None:
            raise refusal
        return SkillResult(success=False, error=_reported(line.text))

    def _ended(self, end: End, detail: str = "") -> SandboxError:
        return sandbox_error(end, self._skill, detail)

    def _say(self, event: str, level: str, **data: object) -> None:
        self._log.event("sandbox", event, {"skill": self._skill, **data}, level=level)


def _arguments(call: CallLine) -> list[object]:
    try:
        value = parse_value(call.args)
    except WireError as error:
        raise _bad_arguments(call.action, error.cause) from None
    if not isinstance(value, list):
        raise _bad_arguments(call.action, "不是列表")
    return value


def _bad_arguments(action: str, problem: str) -> ActionError:
    return ActionError(
        ActionCode.BAD_PARAMS, f"操作的参数无法传递：{problem}", facts={"action": action[:64], "problem": problem}
    )


def _reported(error: object) -> str:
    """The error text of a failed run: the script's own, or one that says there is none."""
    text = error if isinstance(error, str) else "" if error is None else encode(error).decode("utf-8")
    return text[:_MAX_ERROR_CHARS] or "脚本报告失败，但没有说明原因"
