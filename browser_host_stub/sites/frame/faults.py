"""What a fault does to one request of the API. A table: the name of the fault and what happens."""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from starlette.types import ASGIApp, Receive, Scope, Send

from browser_host_stub.sites.frame.answers import SiteError, no_session, was_reset
from browser_host_stub.sites.frame.control import Control
from browser_host_stub.sites.frame.exchange import answer_of, body_of
from browser_host_stub.sites.frame.knobs import Fault, Knobs
from browser_host_stub.sites.frame.sso import Sso


class Stateful(Protocol):
    """A site as faults see it: its application, and its state, which may be swapped for a copy for one request."""

    app: ASGIApp
    state: Any


@dataclass(frozen=True, slots=True)
class Victim:
    """The request that a fault hits."""

    site: Stateful
    control: Control
    sso: Sso
    knobs: Knobs
    fault: Fault
    scope: Scope
    receive: Receive
    send: Send


async def strike(victim: Victim) -> None:
    """Carries the request out as its fault wants."""
    await _EFFECTS[victim.fault.kind](victim)


async def _slow(victim: Victim) -> None:
    if not await victim.control.pause(victim.fault.seconds):
        await was_reset().response()(victim.scope, victim.receive, victim.send)
        return
    await victim.site.app(victim.scope, victim.receive, victim.send)


async def _error_500(victim: Victim) -> None:
    error = SiteError(500, "SERVER_ERROR", "服务器内部错误，操作未完成，请稍后重试")
    await error.response()(victim.scope, victim.receive, victim.send)


async def _lying_toast(victim: Victim) -> None:
    """The site works on a copy of its state that is thrown away: the answer is the one of a success."""
    body = await body_of(victim.receive)
    truth = victim.site.state
    victim.site.state = copy.deepcopy(truth)
    try:
        answer = await answer_of(victim.site.app, victim.scope, body)
    finally:
        victim.site.state = truth
    await answer.send(victim.send)


async def _lost_response(victim: Victim) -> None:
    answer = await answer_of(victim.site.app, victim.scope, await body_of(victim.receive))
    await answer.send_cut(victim.send, 0)


async def _duplicate(victim: Victim) -> None:
    """Carried out twice, as after an impatient double click; the page hears of the first."""
    body = await body_of(victim.receive)
    first = await answer_of(victim.site.app, victim.scope, body)
    await answer_of(victim.site.app, victim.scope, body)
    await first.send(victim.send)


async def _expired(victim: Victim) -> None:
    victim.sso.expire()
    await no_session().response()(victim.scope, victim.receive, victim.send)


async def _cut_download(victim: Victim) -> None:
    answer = await answer_of(victim.site.app, victim.scope, await body_of(victim.receive))
    if answer.header(b"content-disposition"):
        await answer.send_cut(victim.send, len(answer.body) // 2)
    else:
        victim.knobs.give_back(victim.fault)
        await answer.send(victim.send)


_EFFECTS: Final[Mapping[str, Callable[[Victim], Awaitable[None]]]] = {
    "slow": _slow,
    "error_500": _error_500,
    "lying_toast": _lying_toast,
    "lost_response": _lost_response,
    "duplicate": _duplicate,
    "expired": _expired,
    "cut_download": _cut_download,
}
