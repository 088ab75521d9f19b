"""One task from the command line: a session with a host of our own, progress, questions, Ctrl-C, the result."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

from pydantic import ValidationError

from sgclaw.app.serving import serve_with_host
from sgclaw.app.wiring import Parts
from sgclaw.cli.exits import exit_of
from sgclaw.cli.interrupts import interrupts_held
from sgclaw.cli.live import Live, live_view
from sgclaw.cli.output import say, say_json, warn
from sgclaw.cli.terminal import NobodyHere, TerminalPerson
from sgclaw.cli.world import World
from sgclaw.config import Settings
from sgclaw.errors import CancelledTaskError, HostGoneError, SgClawError, UsageProblemError, WireError
from sgclaw.gateway.report import problem_of
from sgclaw.host.session import Session
from sgclaw.ports import Panel, Person
from sgclaw.protocol.messages import Message, SubmitTask, TaskCompleted
from sgclaw.protocol.outcomes import outcome_of
from sgclaw.protocol.parts import TaskOptions
from sgclaw.protocol.strict import encode

JsonObject = dict[str, object]
LOG_NAME = "sgclaw.log"
MAX_DATA_SHOWN = 2_000
"""Characters of a skill's data that a person is shown; programs get all of it with `--json`."""


@dataclass
class _Run:
    """What is known about the one task while it goes on."""

    request: SubmitTask
    live: Live
    done: asyncio.Future[TaskCompleted]
    parts: Parts | None = None


class _TaskPanel:
    """`ports.Panel`: the live view here, and the same messages to the host, whose side panel shows them too."""

    def __init__(self, session: Session, run: _Run) -> None:
        self._session, self._run = session, run

    async def send(self, message: Message) -> None:
        self._run.live.show(message)
        with contextlib.suppress(HostGoneError):  # the person has it; that the host is gone shows at the next act
            await self._session.send(message)
        self._finish(message)

    def tell(self, message: Message) -> None:
        self._run.live.show(message)
        self._session.tell(message)
        self._finish(message)

    def _finish(self, message: Message) -> None:
        run = self._run
        if isinstance(message, TaskCompleted) and message.task_id == run.request.task_id and not run.done.done():
            run.done.set_result(message)


@dataclass(frozen=True)
class _Ends:
    """Where a task shows its progress, puts its questions and writes its log."""

    live: Live
    person: Person
    log: BinaryIO


@dataclass
class _Report:
    """How the task ended, as far as it is known."""

    completed: TaskCompleted
    trace_id: str | None = None


_NAMES: Mapping[str, str] = {"instruction": "指令", "skill": "--skill ", "deadline_s": "--timeout "}
_WRONG: Mapping[str, str] = {"string_too_short": "是空的", "string_too_long": "太长"}


def request_of(wanted: Mapping[str, object]) -> SubmitTask:
    """The task these words ask for; raises `BAD_USAGE` for what could never be submitted."""
    try:
        encode(wanted["inputs"])
        return SubmitTask.model_validate(
            {
                "task_id": f"cli-{secrets.token_hex(6)}",
                "instruction": wanted["instruction"],
                "skill": wanted["skill"],
                "inputs": wanted["inputs"],
                "options": TaskOptions.model_validate({"deadline_s": wanted["deadline_s"]}),
            }
        )
    except WireError as error:
        raise UsageProblemError(
            f"--input 的值无法传递：{error.cause}", next_step="请减少嵌套和数据量，并检查数字和文字"
        ) from None
    except ValidationError as error:
        wrong = sorted({_wrong(str(item["loc"][0]), item["type"]) for item in error.errors(include_input=False)})
        raise UsageProblemError(f"任务写得不对：{'，'.join(wrong)}", next_step="请看 sgclaw run --help") from None


def _wrong(name: str, problem: str) -> str:
    return f"{_NAMES.get(name, name)}{_WRONG.get(problem, '写得不对')}"


def run_task(world: World, request: SubmitTask, *, as_json: bool, stopped: bool = False) -> int:
    """Run the task to its end and print the result; returns the exit code. `stopped`: Ctrl-C came before this.

    Whatever ends the task, with `as_json` the last line of stdout is one object of the documented shape.
    """
    report = _Report(_ended_by(request, _stopped_by_user()))
    if not stopped:
        with contextlib.suppress(KeyboardInterrupt):  # then the report stands as it is
            _attempt(world, request, report)
    with interrupts_held():
        if as_json:
            say_json(as_document(report.completed, report.trace_id))
        else:
            _print(report.completed, report.trace_id)
    return exit_of(report.completed.error.code if report.completed.error else None)


def _attempt(world: World, request: SubmitTask, report: _Report) -> None:
    settings = world.settings()
    live = live_view()
    terminal = world.terminal()
    person = TerminalPerson(terminal, live) if terminal is not None else NobodyHere(live)
    try:
        with _log_file(settings) as log:
            asyncio.run(_run(settings, _Ends(live, person, log), request, report))
    finally:
        live.close()


def _stopped_by_user() -> CancelledTaskError:
    return CancelledTaskError("任务已停止", facts={"by": "user"})


def as_document(completed: TaskCompleted, trace_id: str | None) -> JsonObject:
    """The shape of `--json`."""
    told = completed.model_dump(mode="json", exclude={"type", "task_id", "heal_events"})
    return {**told, "trace_id": trace_id}


async def _run(settings: Settings, ends: _Ends, request: SubmitTask, report: _Report) -> None:
    """Fill the report as soon as there is something to put in."""
    run = _Run(request, ends.live, asyncio.get_running_loop().create_future())

    async def client(parts: Parts) -> None:
        run.parts, report.trace_id = parts, parts.opened.trace_id
        ends.live.say(f"任务：{request.instruction}    trace_id：{report.trace_id}")
        parts.doors.submit(request, "cli")
        await asyncio.wait({run.done})  # not the future itself: cancelling this wait must not cancel the report

    def panel(session: Session) -> Panel:
        return _TaskPanel(session, run)

    try:
        with _interrupts(_stopper(run)):
            await serve_with_host(settings, client, panel=panel, person=ends.person, log=ends.log)
    except SgClawError as error:
        if not run.done.done():
            run.done.set_result(_ended_by(request, error))
    except asyncio.CancelledError:
        if not run.done.done():
            run.done.set_result(_ended_by(request, _stopped_by_user()))
    report.completed = _blame(run.done.result())


def _stopper(run: _Run) -> Callable[[], None]:
    """What Ctrl-C does: first stop the task in order, then, or when there is no task yet, leave."""
    work = asyncio.current_task()
    asked = False

    def stop() -> None:
        nonlocal asked
        if run.parts is not None and not asked and not run.done.done():
            asked = True
            run.live.say("正在停止任务；再按一次 Ctrl-C 立即退出")
            run.parts.doors.cancel(run.request.task_id, "user")
        elif work is not None:
            work.cancel()

    return stop


@contextlib.contextmanager
def _interrupts(stop: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C calls `stop` on the loop. `signal.signal` and not the loop's own handler, which Windows lacks."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    before = signal.signal(signal.SIGINT, lambda _number, _frame: loop.call_soon_threadsafe(stop))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _ended_by(request: SubmitTask, error: SgClawError) -> TaskCompleted:
    """The report of a task that ended before or beside the gateway."""
    return TaskCompleted(
        task_id=request.task_id,
        outcome=outcome_of(error),
        summary=f"{error.cause}。{error.next_step}",
        error=problem_of(error),
    )


def _blame(completed: TaskCompleted) -> TaskCompleted:
    """A task stopped by the end of its session lost its browser; nobody asked for the stop."""
    error = completed.error
    if completed.outcome != "aborted" or error is None or error.facts.get("by") == "user":
        return completed
    gone = HostGoneError("浏览器在任务完成前断开了连接")
    changes = {"outcome": "failed", "error": problem_of(gone), "summary": f"{gone.cause}。{gone.next_step}"}
    return completed.model_copy(update=changes)


@contextlib.contextmanager
def _log_file(settings: Settings) -> Iterator[BinaryIO]:
    """The operation log of the run: beside the ledger, so that the terminal shows the task and nothing else."""
    settings.state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(settings.state_dir / LOG_NAME, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(handle, "ab", buffering=0) as log:
        yield log


# --- the result for people ------------------------------------------------------------------------------------------

_RANKS: Mapping[str, str] = {
    "toast": "页面提示",
    "dom_state": "页面内容",
    "response_status": "服务器应答",
    "file_hash": "文件哈希",
    "re_query": "重新查询",
}


def _print(completed: TaskCompleted, trace_id: str | None) -> None:
    if completed.error is None:
        say(f"结果：{completed.summary}")
    else:
        warn(f"错误：{completed.error.message}")
        warn(f"下一步：{completed.error.next_step}")
    _print_data(completed)
    for artifact in completed.artifacts:
        say(f"文件：{artifact.name}（{artifact.size} 字节，sha256 {artifact.sha256}）")
    for item in completed.evidence:
        say(f"依据：{_RANKS[item.rank.value]}，{item.fact}")
    if trace_id is None:
        return
    usage = completed.usage
    say(
        f"用时 {completed.duration_ms / 1000:.1f} 秒，{completed.steps} 步，"
        f"模型调用 {usage.llm_calls} 次，词元 {usage.tokens}"
    )
    say(f"经过：sgclaw audit show {trace_id}")


def _print_data(completed: TaskCompleted) -> None:
    """What a skill brought back, unless it put it into words itself and the summary is those words."""
    data = completed.data
    message = data.get("message") if isinstance(data, dict) else None
    if not data or (completed.error is None and isinstance(message, str) and message.strip()):
        return
    text = json.dumps(data, ensure_ascii=False)
    rest = "…（全部数据请加 --json 查看）" if len(text) > MAX_DATA_SHOWN else ""
    say(f"数据：{text[:MAX_DATA_SHOWN]}{rest}")
