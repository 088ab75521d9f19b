"""The composition: the only file that names concrete classes and wires them together.

A session is wired in two steps: what `ready` needs, then the rooms that carry tasks, which are imported in between so
that the browser does not wait for them.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, BinaryIO, Final, TypeVar

from sgclaw.audit.ledger import FileLedger
from sgclaw.audit.log import StderrLog
from sgclaw.audit.record_files import RecordFiles
from sgclaw.audit.trace import TraceHolder
from sgclaw.config import Settings, child_environment, with_state_dir
from sgclaw.errors import HostGoneError, LedgerBrokenError, NoModelError, RegistryRefusedError, SgClawError
from sgclaw.host.carrier import FdCarrier
from sgclaw.host.child import SEE_DOCTOR, end_host, own_fd, start_host
from sgclaw.host.handshake import LineSource, Opened, open_session
from sgclaw.host.session import Services, Session
from sgclaw.ports import Binding, Browser, Clock, Model, Panel, Person, Record, Records, SkillRunner
from sgclaw.protocol.limits import SHUTDOWN_SECONDS
from sgclaw.protocol.messages import Bye, CatalogueChanged
from sgclaw.protocol.parts import KeptHead
from sgclaw.skills.ed25519 import DEV_KEY_ID
from sgclaw.skills.files import read_trust_root

if TYPE_CHECKING:
    from sgclaw.gateway.doors import Doors
    from sgclaw.gateway.think import Thinker
    from sgclaw.sandbox.pool import WorkerPool
    from sgclaw.skills.catalogue import Catalogue
    from sgclaw.toolbox.box import McpToolbox

HOST_START_SECONDS: Final = 60
"""From the start of a host command to its `init`: a browser's first start on a slow disk."""
MAX_REFUSALS_RECORDED: Final = 200
"""Refused skills that a session's start records one by one."""

T = TypeVar("T")


class SystemClock:
    """`ports.Clock` of the machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


@dataclass(frozen=True, slots=True)
class Parts:
    """One wired process, between its handshake and its end. `model` makes the model when it is asked first; each call
    gives the same one, or None when none is configured. Raises `BAD_CONFIG` or `MODEL_KEY_REFUSED`.
    """

    settings: Settings
    opened: Opened
    services: Services
    records: RecordFiles
    session: Session
    doors: Doors
    pool: WorkerPool
    catalogue: Callable[[], Catalogue]
    model: Callable[[], Model | None]


@dataclass(frozen=True, slots=True)
class _Ends:
    """Where a session that we started ourselves ends instead of at the host's person."""

    panel: Callable[[Session], Panel]
    person: Person
    log: BinaryIO


Client = Callable[[Parts], Awaitable[None]]
"""What the command line does inside a session it started; the session ends when it returns."""


def open_catalogue(settings: Settings) -> Catalogue:
    """The catalogue these settings name, for running: what was seen is remembered. Raises `REGISTRY_REFUSED` when the
    trust root cannot be used.
    """
    from sgclaw.skills.catalogue import open_set  # noqa: PLC0415 - after `ready`

    return open_set(settings, datetime.now(UTC), production=settings.production, advances=True)


def open_model(settings: Settings, clock: Clock, records: Records | None = None) -> Model | None:
    """The model these settings name, None when they name none; nothing of a provider is loaded or asked yet.

    Each of its calls is put into `records`. Raises `BAD_CONFIG` or `MODEL_KEY_REFUSED`.
    """
    from sgclaw.llm.careful import Care  # noqa: PLC0415 - the first task that thinks pays for it
    from sgclaw.llm.providers import make_model  # noqa: PLC0415

    return make_model(settings.model, Care(clock, records=records), settings.model_key)


def open_toolbox(settings: Settings) -> McpToolbox:
    """The tools of the MCP servers these settings name; nothing is started before they are asked for."""
    from sgclaw.toolbox.box import McpToolbox  # noqa: PLC0415 - after `ready`

    return McpToolbox(settings.toolbox, settings.tool_pins)


async def check_script(source: str, name: str) -> None:
    """Load a script in a sandbox worker without running it; raises `SandboxError` with line and message."""
    from sgclaw.sandbox.engine import engine_folder  # noqa: PLC0415
    from sgclaw.sandbox.load import load_script  # noqa: PLC0415

    await load_script(engine_folder(), source, name)


async def serve(
    carrier: FdCarrier, settings: Settings, stop: asyncio.Event, on_end: Callable[[], None] = lambda: None
) -> str:
    """Serve one host until the session ends or `stop` is set (`sgclaw pipe`); returns the reason.

    `on_end` is called as soon as the session is over: what follows takes less than `SHUTDOWN_SECONDS`.
    Raises why no session came about; a host whose `init` was usable has been told by a signed `bye`.
    """
    try:
        parts = await _begin(carrier, settings)
    except SgClawError:
        await _close(carrier)
        raise
    return await _serve(parts, None, stop, on_end)


async def _begin(carrier: FdCarrier, settings: Settings, ends: _Ends | None = None) -> Parts:
    """Handshake, `ready`, then the wiring of tasks."""
    lines = LineSource(carrier)
    opened = await (open_session(lines) if ends is None else _opened_in_time(lines))
    try:
        settings = with_state_dir(settings, opened.init.state_dir)
        clock, trace = SystemClock(), TraceHolder(opened.trace_id)
        ledger = FileLedger(settings.audit_dir, clock)
        _check_kept_head(ledger, opened.init.audit_head)
        records = RecordFiles(settings.audit_dir, ledger, clock, trace)
        log = StderrLog(ends.log if ends else sys.stderr.buffer, clock, trace, records)
        services = Services(ledger, log, clock, records)
        session = Session(carrier, lines, opened, services)
        await session.ready(_warnings(settings))
    except SgClawError as error:
        lines.reply(opened.channel.seal(Bye(reason=error.code)))
        raise
    return _wire(session, services, records, settings, ends)


def _check_kept_head(ledger: FileLedger, kept: KeptHead | None) -> None:
    """A chain alone does not show that its end was cut off or that all of it was written anew; the host's copy does."""
    if kept is not None and not ledger.holds(kept.count, kept.hash):
        raise LedgerBrokenError(
            f"审计账本里没有浏览器记下的第 {kept.count} 条记录，账本可能被删减、替换，或换了目录",
            facts={"count": kept.count, "hash": kept.hash},
        )


async def _close(carrier: FdCarrier) -> None:
    """Write what is queued and close; a peer that does not read is left behind."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(SHUTDOWN_SECONDS / 2):
            await carrier.close()


async def serve_with_host(
    settings: Settings, client: Client, *, panel: Callable[[Session], Panel], person: Person, log: BinaryIO
) -> str:
    """Start the configured host command, speak the same protocol over its stdio, and let `client` use the session.

    `log` takes the operation log. Raises `HOST_GONE` when the host cannot be started, is not ready in time or leaves
    before `client` is done; the host has ended when this returns or raises.
    """
    host = start_host(settings.host_command, child_environment(settings))
    carrier = FdCarrier(own_fd(host.stdout), own_fd(host.stdin))
    try:
        parts = await _begin(carrier, settings, _Ends(panel, person, log))
        return await _serve(parts, client, asyncio.Event(), lambda: None)
    finally:
        await _close(carrier)
        await asyncio.to_thread(end_host, host)


async def _opened_in_time(lines: LineSource) -> Opened:
    try:
        async with asyncio.timeout(HOST_START_SECONDS):
            return await open_session(lines)
    except TimeoutError:
        raise HostGoneError(f"浏览器在 {HOST_START_SECONDS} 秒内没有就绪", next_step=SEE_DOCTOR) from None


def _wire(session: Session, services: Services, records: RecordFiles, settings: Settings, ends: _Ends | None) -> Parts:
    """Everything that carries tasks, on a session that is ready."""
    from sgclaw.gateway.choose import Chooser  # noqa: PLC0415
    from sgclaw.gateway.doors import Doors  # noqa: PLC0415
    from sgclaw.gateway.execute import Executor  # noqa: PLC0415
    from sgclaw.gateway.execute import Services as TaskServices  # noqa: PLC0415
    from sgclaw.host.browser import PipeBrowser  # noqa: PLC0415
    from sgclaw.sandbox.engine import engine_folder  # noqa: PLC0415
    from sgclaw.sandbox.pool import WorkerPool  # noqa: PLC0415
    from sgclaw.sandbox.process import start_worker  # noqa: PLC0415
    from sgclaw.sandbox.runner import ScriptRunner  # noqa: PLC0415
    from sgclaw.widgets.browser import WidgetBrowser  # noqa: PLC0415

    opened, log = session.opened, services.log
    engine = cache(engine_folder)
    pool = WorkerPool(lambda: start_worker(engine()))
    catalogue = _once(lambda: _judged(open_catalogue(settings)))
    person = ends.person if ends else session

    def open_browser(binding: Binding) -> Browser:
        return WidgetBrowser(PipeBrowser(session, services, binding))

    runners = {"script": ScriptRunner(pool, log)}
    model = _once(lambda: open_model(settings, services.clock, records))
    thinker = _once(lambda: _thinker(settings, session, model(), person, (catalogue, runners)))
    tasks = TaskServices(
        trace_id=opened.trace_id,
        policy=opened.policy,
        chooser=Chooser(opened.trace_id, catalogue, person, services.ledger, services.clock),
        open_browser=open_browser,
        runners=runners,
        panel=ends.panel(session) if ends else session,
        ledger=services.ledger,
        log=log,
        thinker=thinker if settings.model.provider else None,
    )
    doors = Doors(Executor(tasks), tasks.panel)
    for kind, handler in doors.handlers().items():
        session.on(kind, handler)
    return Parts(settings, opened, services, records, session, doors, pool, catalogue, model)


def _thinker(
    settings: Settings,
    session: Session,
    model: Model | None,
    person: Person,
    skills: tuple[Callable[[], Catalogue], Mapping[str, SkillRunner]],
) -> Thinker:
    """What thinks for this session. In a thread: the packages are large."""
    from sgclaw.gateway.think import Thinker, Thoughtful  # noqa: PLC0415

    if model is None:
        raise NoModelError("没有配置大模型")
    opened, services = session.opened, session.services
    return Thinker(
        Thoughtful(
            trace_id=opened.trace_id,
            policy=opened.policy,
            model=model,
            catalogue=skills[0],
            runners=skills[1],
            person=person,
            ledger=services.ledger,
            clock=services.clock,
            records=services.records,
            traces=settings.state_dir / "traces",
        )
    )


def _once(make: Callable[[], T]) -> Callable[[], T]:
    """What is made, once whichever thread asks first; an error is met anew by each who asks."""
    lock = Lock()
    made: list[T] = []

    def get() -> T:
        with lock:
            if not made:
                made.append(make())
            return made[0]

    return get


def _judged(catalogue: Catalogue) -> Catalogue:
    len(catalogue.skills)  # reads and verifies everything
    return catalogue


async def _serve(parts: Parts, client: Client | None, stop: asyncio.Event, on_end: Callable[[], None]) -> str:
    """Run the session, the queue and the background work; on the way out children die before `bye`.

    A host that does not read must not keep the process: the shares of `_within` add up to less than the whole time.
    """
    reading = asyncio.create_task(parts.session.run())
    stopping = asyncio.create_task(stop.wait())
    queue = asyncio.create_task(parts.doors.run())
    background = asyncio.create_task(_warm_up(parts))
    using = asyncio.ensure_future(client(parts)) if client else None
    try:
        ends = {reading, stopping, *([using] if using else [])}
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        on_end()
        if using is not None:
            # A host that left has failed every call: the task is about to say so itself, and knows more than a stop.
            await asyncio.wait({using}, timeout=SHUTDOWN_SECONDS / 2)
    finally:
        for work in (stopping, background, queue):
            work.cancel()
        async with _within(0.4):
            await asyncio.gather(stopping, background, queue, return_exceptions=True)
        await parts.pool.close()
    reason = reading.result() if reading.done() else "stopped" if stop.is_set() else "client_done"
    async with _within(0.2):
        await asyncio.to_thread(_commit_records, parts)  # before the goodbye, whose head covers it
    await _say_goodbye(parts, reading, reason)
    async with _within(0.1):
        await asyncio.to_thread(parts.records.close)
    if using is not None:
        await _result_of(using)
    return reason


@contextlib.asynccontextmanager
async def _within(share: float) -> AsyncIterator[None]:
    """Give the block this share of the time to shut down in, then go on without it."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(SHUTDOWN_SECONDS * share):
            yield


def _commit_records(parts: Parts) -> None:
    try:
        parts.records.commit()
    except SgClawError as error:
        parts.services.log.event("app", "records_not_committed", error.as_dict(), level="ERROR")


async def _say_goodbye(parts: Parts, reading: asyncio.Task[str], reason: str) -> None:
    async with _within(0.2):
        await parts.session.bye(reason)
    if not reading.done():
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


async def _result_of(using: asyncio.Future[None]) -> None:
    """Give the client's own error to the caller; one that still waits lost its host."""
    if not using.done():
        using.cancel()
        await asyncio.gather(using, return_exceptions=True)
        raise HostGoneError("浏览器在任务完成前断开了连接")
    using.result()


async def _warm_up(parts: Parts) -> None:
    """What may be late: a waiting sandbox worker, verified skills. Never on the way to `ready`."""
    parts.pool.warm()
    try:
        catalogue = await asyncio.to_thread(parts.catalogue)
        _record_refusals(parts, catalogue)
    except SgClawError as error:
        parts.services.log.event("app", "catalogue_refused", error.as_dict(), level="ERROR")
        return
    refused = len(catalogue.refused)
    parts.session.tell(CatalogueChanged(skills=len(catalogue.skills), refused=refused))
    await _maintain(parts)


def _record_refusals(parts: Parts, catalogue: Catalogue) -> None:
    """Into the ledger, each with what was expected and what was there; a registry of nothing but bad entries is cut."""
    told = (*catalogue.refused, *catalogue.notices)
    for item in told[:MAX_REFUSALS_RECORDED]:
        data = {**item.facts, "name": item.name, "file": item.file, "reason": item.reason}
        parts.services.ledger.append(Record("skill_refused", parts.opened.trace_id, "sgclaw", data=data))
    if len(told) > MAX_REFUSALS_RECORDED:
        data = {"refused": len(catalogue.refused), "notices": len(catalogue.notices), "told": MAX_REFUSALS_RECORDED}
        parts.services.ledger.append(Record("skills_refused", parts.opened.trace_id, "sgclaw", data=data))


async def _maintain(parts: Parts) -> None:
    try:
        done = await asyncio.to_thread(parts.records.maintain)
    except SgClawError as error:
        parts.services.log.event("app", "records_not_maintained", error.as_dict(), level="ERROR")
        return
    if any(done):
        parts.services.log.event("app", "records_maintained", done._asdict())


def _warnings(settings: Settings) -> tuple[str, ...]:
    try:
        keys = {key.key_id for key in read_trust_root(settings.trust_root).signing}
    except RegistryRefusedError as error:
        return (error.cause,)
    return ("正在使用仅供开发的签名密钥，不能用于生产",) if DEV_KEY_ID in keys else ()
