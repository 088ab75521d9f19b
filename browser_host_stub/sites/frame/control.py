"""Who may turn the knobs, and whose knobs hold for a request.

A browser session has knobs of its own from the moment it sets some, by a page's address or by `POST /__control`;
every other request lives under the shared ones, which only Python reaches. Scripts of other origins can do neither:
a control request must be JSON (which another origin cannot send without asking first, and nobody answers that) and
must not name another origin; an address counts only when a person or the same origin opened it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from typing import Final
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from browser_host_stub.sites.frame.answers import SiteError
from browser_host_stub.sites.frame.forms import Form
from browser_host_stub.sites.frame.knobs import QUERY_WORDS, Knobs
from browser_host_stub.sites.frame.sso import DOMAIN, Sso

COOKIE: Final = "DEMOKNOBS"
PATH: Final = "/__control"
_OWN: Final = frozenset({"", "none", "same-origin"})


class Control:
    """The knobs: `shared` for Python, one set for each browser session that asked for its own."""

    def __init__(self, sso: Sso, reset_states: Callable[[], None]) -> None:
        self.shared = Knobs()
        self._sso, self._reset_states = sso, reset_states
        self._own: dict[str, Knobs] = {}
        self._let_go = asyncio.Event()

    def reset(self) -> None:
        """Default knobs for everybody; requests that wait are let go."""
        self.shared = Knobs()
        self._own.clear()
        self._let_go.set()
        self._let_go = asyncio.Event()

    def of(self, request: Request) -> Knobs:
        """The knobs that hold for a request."""
        return self._own.get(request.cookies.get(COOKIE, ""), self.shared)

    async def pause(self, seconds: float) -> bool:
        """Waits; False when the sites were reset meanwhile and the request should be dropped."""
        if seconds <= 0:
            return True
        try:
            await asyncio.wait_for(self._let_go.wait(), seconds)
        except TimeoutError:
            return True
        return False

    def from_address(self, request: Request) -> Response | None:
        """Takes the knobs out of a page's address and goes on to the address without them; None when it has none."""
        words = QUERY_WORDS & set(request.query_params)
        if request.method != "GET" or not words or request.url.path.startswith(("/api/", "/static/")):
            return None
        if not _is_own(request):
            return _foreign().response()
        rest = [(name, value) for name, value in request.query_params.multi_items() if name not in QUERY_WORDS]
        # More than one slash at its start would make the path an address on another host.
        path = "/" + request.url.path.lstrip("/\\")
        answer = RedirectResponse(path + ("?" + urlencode(rest) if rest else ""), status_code=303)
        try:
            self._knobs_for(request, answer).update_from_query({word: request.query_params[word] for word in words})
        except SiteError as error:
            return error.response()
        return answer

    async def endpoint(self, request: Request) -> Response:
        """`GET /__control` tells the knobs of this session, `POST` sets them (see `Knobs.update`).

        Beside the knobs it knows `reset: true` (the state of every site and all knobs as at the start; people stay
        signed in) and `expire: true` (everybody is signed out).
        """
        try:
            return await self._checked(request)
        except SiteError as error:
            return error.response()

    async def _checked(self, request: Request) -> Response:
        if not _is_own(request):
            raise _foreign()
        if request.method == "GET":
            return JSONResponse(self.of(request).report())
        if request.method != "POST" or request.headers.get("content-type", "").partition(";")[0] != "application/json":
            raise SiteError(415, "NOT_JSON", "控制接口只接受 POST，内容类型为 application/json")
        form = await Form.read(request)
        form.refuse_others({"drift", "seed", "faults", "latency_ms", "reset", "expire"})
        if form.flag("reset"):
            self._reset_states()
            self.reset()
        if form.flag("expire"):
            self._sso.expire()
        answer = Response(media_type="application/json")
        knobs = self._knobs_for(request, answer)
        knobs.update(form.members)
        told = JSONResponse(knobs.report())
        if "set-cookie" in answer.headers:
            told.headers["set-cookie"] = answer.headers["set-cookie"]
        return told

    def _knobs_for(self, request: Request, answer: Response) -> Knobs:
        """The session's own knobs; a session that has none gets some, and the cookie that names them."""
        name = request.cookies.get(COOKIE, "")
        if name not in self._own:
            name = secrets.token_urlsafe(12)
            self._own[name] = Knobs()
            answer.set_cookie(COOKIE, name, domain=DOMAIN, secure=True, httponly=True, samesite="lax")
        return self._own[name]


def _foreign() -> SiteError:
    return SiteError(403, "FOREIGN_CONTROL", "控制接口只接受本站点自己的请求")


def _is_own(request: Request) -> bool:
    """Not sent by a page of another origin. Browsers set both headers themselves; scripts cannot."""
    origin = request.headers.get("origin", "")
    return request.headers.get("sec-fetch-site", "") in _OWN and origin in ("", f"https://{request.headers['host']}")
