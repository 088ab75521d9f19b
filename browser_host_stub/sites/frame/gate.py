"""The frame around one site: what happens to a request before and after the site itself."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Protocol

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from browser_host_stub.sites.frame.answers import was_reset
from browser_host_stub.sites.frame.control import PATH as CONTROL_PATH
from browser_host_stub.sites.frame.control import Control
from browser_host_stub.sites.frame.drift import CLIENT, DRIFTED, RENAMES, Marks, drifted_page, framed, renamed, title_of
from browser_host_stub.sites.frame.exchange import Answer, answer_of
from browser_host_stub.sites.frame.faults import Victim, strike
from browser_host_stub.sites.frame.files import Asset
from browser_host_stub.sites.frame.knobs import Knobs
from browser_host_stub.sites.frame.libraries import PREFIX, Libraries
from browser_host_stub.sites.frame.site import FRAME_FILES
from browser_host_stub.sites.frame.sso import Sso

INDEX_PATH: Final = "/__sites"


class Framed(Protocol):
    """What the frame needs of a site."""

    host: ClassVar[str]
    package: ClassVar[str]
    marks: ClassVar[Marks]
    needs_libraries: ClassVar[bool]
    app: ASGIApp
    state: Any

    def reset(self) -> None:
        """The state as at the start."""


class Frame:
    """One site with libraries, control, latency, faults and drift around it."""

    def __init__(self, site: Framed, control: Control, sso: Sso, libraries: Libraries) -> None:
        self._site, self._control, self._sso, self._libraries = site, control, sso, libraries

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        answer = await self._own(request)
        if answer is not None:
            await answer(scope, receive, send)
            return
        knobs = self._control.of(request)
        scope.setdefault("state", {})["knobs"] = knobs
        path = request.url.path
        if path.startswith("/static/"):
            await self._static(scope, receive, send)
        elif not await self._control.pause(knobs.latency_s):
            await was_reset().response()(scope, receive, send)
        elif path.startswith("/api/"):
            await self._api(knobs, scope, receive, send)
        elif request.method == "GET" and path != "/login" and knobs.drift:
            await (await self._drifted(request, knobs)).send(send)
        else:
            await self._site.app(scope, receive, send)

    async def _own(self, request: Request) -> Response | None:
        """The answer to what is not the site's business; None for the rest."""
        path = request.url.path
        if path.startswith(PREFIX):
            return self._libraries.file(path.removeprefix(PREFIX))
        if path.startswith("/frame/"):
            return _asset(FRAME_FILES.assets.get(path.removeprefix("/frame/")))
        if path == INDEX_PATH:
            return HTMLResponse(FRAME_FILES.pages["sites.html"])
        if path == CONTROL_PATH:
            return await self._control.endpoint(request)
        if self._site.needs_libraries and not path.startswith(("/api/", "/static/")) and not self._libraries.installed:
            return self._libraries.missing()
        return self._control.from_address(request)

    async def _api(self, knobs: Knobs, scope: Scope, receive: Receive, send: Send) -> None:
        fault = knobs.take(scope["method"], scope["path"])
        if fault is None:
            await self._site.app(scope, receive, send)
        else:
            await strike(Victim(self._site, self._control, self._sso, knobs, fault, scope, receive, send))

    async def _static(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A file of the site, with the renames that its address names."""
        drifted = DRIFTED.fullmatch(scope["path"])
        if drifted is None:
            await self._site.app(scope, receive, send)
            return
        plain = f"/static/{drifted['name']}"
        answer = await answer_of(self._site.app, {**scope, "path": plain, "raw_path": plain.encode()}, b"")
        if answer.status == 200 and answer.header(b"content-type").startswith("text/"):
            ops, seed = drifted["ops"].split("."), int(drifted["seed"])
            text = answer.body.decode().replace("/static/", f"/static/@{drifted['ops']}-{seed}/")
            answer.replace_body(renamed(text, self._site.package, ops, seed).encode())
        await answer.send(send)

    async def _drifted(self, request: Request, knobs: Knobs) -> Answer:
        answer = await answer_of(self._site.app, request.scope, b"")
        if answer.status != 200 or not answer.header(b"content-type").startswith("text/html"):
            return answer
        page = answer.body.decode()
        if "frame" in knobs.drift and request.headers.get("sec-fetch-dest") == "document":
            page = framed(str(request.url.replace(scheme="", netloc="")), title_of(page))
        elif {*knobs.drift} & (CLIENT | RENAMES | {"paging"}):
            page = drifted_page(page, self._site.package, self._site.marks, knobs)
        answer.replace_body(page.encode())
        answer.headers.append((b"cache-control", b"no-store"))
        return answer


def _asset(asset: Asset | None) -> Response:
    if asset is None:
        return PlainTextResponse("文件不存在", status_code=404)
    return Response(asset.content, media_type=asset.mime, headers={"cache-control": "max-age=3600"})
