"""Run one task as a browser would: sgclaw as a child, a driver, one signed session."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path

from pydantic import ValidationError

from browser_host_stub.agent_process import COMMAND, started_agent
from browser_host_stub.approvals import Approver, NobodyThere
from browser_host_stub.driver import Driver
from browser_host_stub.ends import BadUsageError
from browser_host_stub.heads import FILE_NAME, HeadKeeper
from browser_host_stub.link import Faults
from browser_host_stub.session import HostOptions, HostSession, Observer
from sgclaw.errors import HostGoneError, WireError
from sgclaw.protocol.channel import dump
from sgclaw.protocol.messages import CancelTask, Message, Shutdown, SubmitTask, TaskCompleted
from sgclaw.protocol.parts import TaskOptions
from sgclaw.protocol.signing import KEY_BYTES
from sgclaw.protocol.strict import encode

JsonObject = dict[str, object]
CANCEL_SECONDS = 2.0
"""sgclaw confirms a cancelled task within 1 s; longer than this nobody waits."""


@dataclass(frozen=True)
class RunOptions:
    """Everything around a session that is not the browser itself.

    `state_dir` None leaves the ledger where sgclaw's own settings say, and then no head of it is kept. sgclaw's log and
    the kept heads lie in `log_dir`.
    """

    policy: str
    log_dir: Path
    state_dir: Path | None = None
    approver: Approver = field(default_factory=NobodyThere)
    observer: Observer | None = None
    faults: Faults = field(default_factory=Faults)
    command: tuple[str, ...] = COMMAND
    session_key: bytes = field(default_factory=lambda: secrets.token_bytes(KEY_BYTES), repr=False)
    trace_id: str = field(default_factory=lambda: new_trace_id(local_today()))


def local_today() -> date:
    """The calendar day on this machine's wall."""
    return datetime.now().astimezone().date()


def new_trace_id(today: date) -> str:
    """A fresh trace id in the protocol's form."""
    return f"sgclaw-{today:%Y%m%d}-{secrets.token_hex(4)}"


@dataclass(frozen=True)
class Wanted:
    """What a person wants done: an instruction, and what was said beside it."""

    instruction: str
    skill: str | None = None
    inputs: Mapping[str, object] = field(default_factory=dict)
    limits: TaskOptions = field(default_factory=TaskOptions)

    def as_message(self, task_id: str) -> SubmitTask:
        """The message that submits it; raises `BAD_USAGE` for what could never be sent."""
        try:
            message = SubmitTask(
                task_id=task_id,
                instruction=self.instruction,
                skill=self.skill,
                inputs=dict(self.inputs),
                options=self.limits,
            )
            encode(dump(message))
        except ValidationError as error:
            names = "、".join(sorted({str(item["loc"][0]) for item in error.errors(include_input=False)}))
            raise BadUsageError(f"任务写得不对：{names} 是空的、太长，或不是合法的文字") from None
        except WireError as error:
            raise BadUsageError(f"任务的输入无法发送：{error.cause}") from None
        return message


class Hosted:
    """A ready session that takes tasks, one or many."""

    def __init__(self, session: HostSession, trace_id: str) -> None:
        self.session, self.trace_id = session, trace_id
        self._waiting: dict[str, asyncio.Future[TaskCompleted]] = {}
        self._count = 0
        self._over = False

    def observe(self, message: Message) -> None:
        """Take the results out of the stream of messages."""
        if isinstance(message, TaskCompleted) and message.task_id in self._waiting:
            self._waiting.pop(message.task_id).set_result(message)

    def lost(self) -> None:
        """Sgclaw is gone: whoever waits for a result, or asks for one later, gets `HOST_GONE`."""
        self._over = True
        for future in self._waiting.values():
            future.set_exception(_gone())
        self._waiting.clear()

    async def run(
        self,
        instruction: str,
        *,
        skill: str | None = None,
        inputs: Mapping[str, object] | None = None,
        limits: TaskOptions | None = None,
    ) -> TaskCompleted:
        """Submit one task and wait for its end; cancelling the caller cancels the task first.

        Raises `BAD_USAGE` for a task that cannot be sent, after which others can, and `HOST_GONE`.
        """
        wanted = Wanted(instruction, skill, inputs or {}, limits or TaskOptions())
        message = wanted.as_message(f"t{self._count + 1}")
        if self._over:
            raise _gone()
        self._count += 1
        future: asyncio.Future[TaskCompleted] = asyncio.get_running_loop().create_future()
        self._waiting[message.task_id] = future
        try:
            await self.session.send(message)
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            await self.session.send(CancelTask(task_id=message.task_id))
            await asyncio.wait({future}, timeout=CANCEL_SECONDS)
            if not future.done():
                raise
            return future.result()
        finally:
            self._waiting.pop(message.task_id, None)


def _gone() -> HostGoneError:
    return HostGoneError("sgclaw 进程已经退出", next_step="请重新启动；已执行到哪一步可用 sgclaw audit show 查看")


@contextlib.asynccontextmanager
async def hosted(driver: Driver, options: RunOptions) -> AsyncIterator[Hosted]:
    """A ready session over a fresh sgclaw process; leaving the block ends both in order."""
    options.log_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    state_dir = options.state_dir.absolute() if options.state_dir else None
    keeper = HeadKeeper(options.log_dir / FILE_NAME, state_dir) if state_dir else None
    async with started_agent(options.log_dir / "sgclaw.log", options.command) as agent:
        observers = [each for each in (options.observer, keeper.observe if keeper else None) if each]

        def observe(message: Message) -> None:
            for observer in observers:
                observer(message)

        session = HostSession(
            agent.link,
            driver,
            HostOptions(
                policy=options.policy,
                trace_id=options.trace_id,
                state_dir=str(state_dir) if state_dir else None,
                audit_head=keeper.newest() if keeper else None,
                approver=options.approver,
                faults=options.faults,
                observer=observe,
                session_key=options.session_key,
            ),
        )
        hosted_session = Hosted(session, options.trace_id)
        observers.append(hosted_session.observe)
        reading = asyncio.create_task(session.run())
        reading.add_done_callback(lambda _: hosted_session.lost())
        try:
            await session.start()
            yield hosted_session
        finally:
            ending = asyncio.create_task(session.send(Shutdown(reason="done")))
            await asyncio.wait({reading}, timeout=2)
            ending.cancel()  # a sgclaw that reads nothing would hold it for ever
            reading.cancel()
            await asyncio.gather(reading, ending, return_exceptions=True)


def result_json(completed: TaskCompleted, trace_id: str, driver: Driver) -> JsonObject:
    """The result as one JSON object; artifacts carry their path on this machine."""
    body = completed.model_dump(mode="json", exclude={"type", "task_id"})
    artifacts: list[JsonObject] = []
    for artifact in completed.artifacts:
        stored = driver.artifacts.get(artifact.id)
        path = str(stored.path) if stored else None
        artifacts.append({**artifact.model_dump(mode="json"), "path": path})
    return {**body, "artifacts": artifacts, "trace_id": trace_id}
