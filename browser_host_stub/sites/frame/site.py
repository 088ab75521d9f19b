"""A demo site: its pages, its API, its state. The frame around it does everything else."""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import date
from typing import ClassVar, Generic, TypeVar

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from browser_host_stub.sites.frame import sso
from browser_host_stub.sites.frame.answers import SiteError, no_session, refusal
from browser_host_stub.sites.frame.drift import Marks
from browser_host_stub.sites.frame.files import Files, files_of
from browser_host_stub.sites.frame.knobs import page_size
from browser_host_stub.sites.frame.sso import Sso, User

StateT = TypeVar("StateT")
FRAME_FILES = files_of(__package__)
_OPEN = ("/login", "/logout", "/static/")


class Site(ABC, Generic[StateT]):
    """One demo site. `state` is the truth its pages show: plain objects that tests read; `reset` drops it.

    Handlers must go through `self.state` each time: a fault may swap it for one request. `today` is the only date a
    site knows.
    """

    host: ClassVar[str]
    title: ClassVar[str]
    package: ClassVar[str]
    marks: ClassVar[Marks] = Marks()
    needs_libraries: ClassVar[bool] = True

    def __init__(self, today: date, sign_on: Sso) -> None:
        self.today = today
        self._state: StateT | None = None
        self._sso = sign_on
        self.app: ASGIApp = Starlette(
            routes=[
                Route("/login", self._login_page, methods=["GET"]),
                Route("/login", self._login, methods=["POST"]),
                Route("/logout", self._logout),
                Route("/static/{name}", self._static),
                *self.routes(),
            ],
            middleware=[Middleware(_Gate, sign_on=sign_on)],
            exception_handlers={SiteError: refusal, 404: self._not_found},
        )

    @abstractmethod
    def new_state(self) -> StateT:
        """The state at the start, from `today` alone."""

    @abstractmethod
    def routes(self) -> list[Route]:
        """The site's own pages and its API under /api/, "/" among them."""

    @property
    def state(self) -> StateT:
        """The truth behind the pages; made when first asked for, so that sites nobody visits cost nothing."""
        if self._state is None:
            self._state = self.new_state()
        return self._state

    @state.setter
    def state(self, state: StateT) -> None:
        self._state = state

    def reset(self) -> None:
        """The state as at the start."""
        self._state = None

    def user(self, request: Request) -> User:
        """Who sent the request."""
        user = self._sso.user(request)
        if user is None:
            raise no_session()
        return user

    def page(self, request: Request, name: str, *, title: str, **values: str) -> Response:
        """A page of the static folder, filled with the values and with what every page knows."""
        user = self.user(request)
        common = {
            "site": self.title,
            "user": user.name,
            "initial": user.name[:1],
            "position": user.position,
            "department": user.department,
            "today": self.today.isoformat(),
            "month": self.today.isoformat()[:7],
        }
        return HTMLResponse(self._files.fill(name, title=title, **(common | values)))

    def page_size(self, request: Request, usual: int) -> int:
        """How many rows a page of a list has; the paging may drift."""
        return page_size(request.scope, usual)

    def slice(self, request: Request, usual: int, total: int) -> tuple[int, int]:
        """The page number (from `page`, 1 when it is missing or beyond the end) and the size of a list's page."""
        size = self.page_size(request, usual)
        wanted = request.query_params.get("page", "1")
        last = max(1, -(-total // size))
        return (int(wanted) if wanted.isdecimal() and 1 <= int(wanted) <= last else 1), size

    @property
    def _files(self) -> Files:
        return files_of(self.package)

    async def _login_page(self, request: Request) -> Response:
        return self._login_form(sso.local(request.query_params.get("next", "")), "")

    async def _login(self, request: Request) -> Response:
        target, answer = await self._sso.sign_in(request)
        return answer or self._login_form(target, "用户名或密码错误，请重新输入", status=401)

    def _login_form(self, target: str, error: str, status: int = 200) -> Response:
        form = FRAME_FILES.fill("login.html", site=self.title, target=target, error=error)
        return HTMLResponse(form, status_code=status)

    async def _logout(self, request: Request) -> Response:
        return self._sso.sign_out(request)

    async def _static(self, request: Request) -> Response:
        asset = self._files.assets.get(request.path_params["name"])
        if asset is None:
            raise SiteError(404, "NO_FILE", "文件不存在")
        return Response(asset.content, media_type=asset.mime, headers={"cache-control": "max-age=3600"})

    async def _not_found(self, request: Request, _error: Exception) -> Response:
        if request.url.path.startswith("/api/"):
            return SiteError(404, "NOT_FOUND", "没有这个接口").response()
        return HTMLResponse(FRAME_FILES.fill("not_found.html", site=self.title), status_code=404)


class _Gate:
    """Before every route: the login for whoever has no session."""

    def __init__(self, app: ASGIApp, sign_on: Sso) -> None:
        self._app, self._sso = app, sign_on

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        path = request.url.path
        answer: Response | None = None
        if not path.startswith(_OPEN) and self._sso.user(request) is None:
            answer = no_session().response() if path.startswith("/api/") else sso.to_login(request)
        await (answer or self._app)(scope, receive, send)
