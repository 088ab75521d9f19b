"""A session from its handshake to its goodbye."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, BinaryIO, Final

from sgclaw.app.opening import SystemClock
from sgclaw.app.wiring import Ends, Parts, wire
from sgclaw.audit.ledger import FileLedger
from sgclaw.audit.log import StderrLog
from sgclaw.audit.record_files import RecordFiles
from sgclaw.audit.trace import TraceHolder
from sgclaw.config import Settings, child_environment, with_state_dir
from sgclaw.errors import HostGoneError, LedgerBrokenError, RegistryRefusedError, SgClawError
from sgclaw.host.carrier import FdCarrier
from sgclaw.host.child import SEE_DOCTOR, end_host, own_fd, start_host
from sgclaw.host.handshake import LineSource, Opened, open_session
from sgclaw.host.session import Services, Session
from sgclaw.ports import Panel, Person, Record
from sgclaw.protocol.limits import SHUTDOWN_SECONDS
from sgclaw.protocol.messages import Bye, CatalogueChanged
from sgclaw.protocol.parts import KeptHead
from sgclaw.skills.ed25519 import DEV_KEY_ID
from sgclaw.skills.files import read_trust_root

if TYPE_CHECKING:
    from sgclaw.skills.catalogue import Catalogue

HOST_START_SECONDS: Final = 60
"""From the start of a host command to its `init`: a browser's first start on a slow disk."""
MAX_REFUSALS_RECORDED: Final = 200
"""Refused skills that a session's start records one by one."""

Client = Callable[[Parts], Awaitable[None]]
"""What the command line does inside a session it started; the session ends when it returns."""


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


async def _begin(carrier: FdCarrier, settings: Settings, ends: Ends | None = None) -> Parts:
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
    return wire(session, services, records, settings, ends)


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
        parts = await _begin(carrier, settings, Ends(panel, person, log))
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
