"""The demo ERP as an ASGI application: who is logged in, which exports exist, and the faults a test orders."""

from __future__ import annotations

import asyncio
import math
import time
from dataclasses import dataclass
from datetime import date
from typing import ClassVar
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from browser_host_stub.sites.erp import data, export, pages
from browser_host_stub.sites.erp.jobs import Clock, ExportJob
from browser_host_stub.sites.frame.answers import SiteError, no_session, refusal, was_reset
from browser_host_stub.sites.frame.drift import Marks
from browser_host_stub.sites.frame.knobs import page_size
from browser_host_stub.sites.frame.sso import Sso, User, local, to_login

PAGE_SIZE = 20


@dataclass(slots=True)
class Knobs:
    """Faults and delays a test may set while the site runs; the defaults are a healthy, quick site."""

    latency_s: float = 0.0  # wait before every answer except style sheets and scripts
    export_steps: int = 5  # progress of an export advances in this many steps,
    export_step_s: float = 0.06  # one each so many seconds
    fail_export: bool = False  # exports started from now on stop half-way with an error
    hang_page: str = ""  # the path that never answers, e.g. "/report/finance"
    truncate_download: bool = False  # files break off half-way through
    duplicate_departments: bool = False  # the department search lists every hit twice


class ErpSite:
    """One demo ERP. `app` is the ASGI application, `knobs` its faults, `data.rows` the truth it shows.

    `today` decides which month the pages open with. `clock` drives exports, so a test may let time pass without
    waiting. `state` holds the exports by their id. `sign_on` is shared with the other sites; a site alone has its own.
    """

    host: ClassVar[str] = "erp.example.com"
    package: ClassVar[str] = __package__
    marks: ClassVar[Marks] = Marks(zones=".filter-actions, .report-card .toolbar", acts="#export-btn")
    needs_libraries: ClassVar[bool] = False

    def __init__(self, today: date, clock: Clock = time.monotonic, *, sign_on: Sso | None = None) -> None:
        self.today = today
        self.knobs = Knobs()
        self.state: dict[str, ExportJob] = {}
        self._clock = clock
        self._is_alone = sign_on is None
        self._sso = sign_on or Sso()
        self._let_go = asyncio.Event()
        self.app: ASGIApp = Starlette(
            routes=[
                Route("/", self._home),
                Route("/login", self._login_page, methods=["GET"]),
                Route("/login", self._login, methods=["POST"]),
                Route("/logout", self._logout),
                Route("/report/finance", self._finance),
                Route("/api/summary", self._summary),
                Route("/api/departments", self._departments),
                Route("/api/report/finance", self._report),
                Route("/api/exports", self._start_export, methods=["POST"]),
                Route("/api/exports/{job_id}", self._export_status),
                Route("/api/exports/{job_id}/file", self._export_file),
                Route("/static/{name}", _static),
            ],
            middleware=[Middleware(_Gate, site=self)],
            exception_handlers={SiteError: refusal, 404: _not_found},
        )

    def reset(self) -> None:
        """As at the start: no exports, default knobs, and at a site alone nobody logged in. What hangs gets a 503."""
        self.knobs = Knobs()
        if self._is_alone:
            self._sso.expire()
        self.state.clear()
        self._let_go.set()
        self._let_go = asyncio.Event()

    def expire_session(self) -> None:
        """Everybody is logged out by the server, as after a long pause; their next request leads to the login."""
        self._sso.expire()

    def user(self, request: Request) -> User | None:
        """Who sent the request, by its session cookie."""
        return self._sso.user(request)

    async def pace(self, path: str) -> bool:
        """Waits as the knobs say; False when the site was reset meanwhile and the request should be dropped."""
        wait_s = math.inf if path == self.knobs.hang_page else self.knobs.latency_s
        if wait_s <= 0:
            return True
        try:
            await asyncio.wait_for(self._let_go.wait(), None if wait_s == math.inf else wait_s)
        except TimeoutError:
            return True
        return False

    async def _home(self, request: Request) -> Response:
        return self._page(request, "home", "工作台")

    async def _finance(self, request: Request) -> Response:
        return self._page(request, "report", "财务月度报表")

    def _page(self, request: Request, name: str, title: str) -> Response:
        user = self.user(request)
        if user is None:
            raise no_session()
        return HTMLResponse(pages.inside(name, title, user.name, user.position, self.today))

    async def _login_page(self, request: Request) -> Response:
        return HTMLResponse(pages.login(local(request.query_params.get("next", "")), ""))

    async def _login(self, request: Request) -> Response:
        target, answer = await self._sso.sign_in(request)
        return answer or HTMLResponse(pages.login(target, "用户名或密码错误，请重新输入"), status_code=401)

    async def _logout(self, request: Request) -> Response:
        return self._sso.sign_out(request)

    async def _summary(self, _request: Request) -> Response:
        month = self.today.isoformat()[:7]
        departments = [
            {"name": name, "debit": str(data.totals(data.rows(month, name))[0])} for name in data.DEPARTMENTS
        ]
        lines = data.rows(month)
        booked = sorted((line for line in lines if line.day <= self.today), key=lambda line: line.day)
        debit, credit = data.totals(lines)
        return JSONResponse(
            {
                "month": month,
                "vouchers": len({line.number for line in lines}),
                "rows": len(lines),
                "debit": str(debit),
                "credit": str(credit),
                "departments": departments,
                "latest": [_json_row(line) for line in booked[-6:]],
            }
        )

    async def _departments(self, request: Request) -> Response:
        wanted = request.query_params.get("q", "").strip().upper()
        found = [name for name, code in data.DEPARTMENTS.items() if wanted in name or code.startswith(wanted)]
        copies = 2 if self.knobs.duplicate_departments else 1
        return JSONResponse({"departments": [name for name in found for _ in range(copies)]})

    async def _report(self, request: Request) -> Response:
        wanted = _filter(request.query_params.get("month"), request.query_params.get("department"))
        lines = data.rows(wanted.month, wanted.department)
        size = page_size(request.scope, PAGE_SIZE)
        pages_in_all = max(1, math.ceil(len(lines) / size))
        page = _page_number(request.query_params.get("page", "1"), pages_in_all)
        debit, credit = data.totals(lines)
        return JSONResponse(
            {
                "columns": [{"key": column.key, "title": column.title} for column in export.COLUMNS],
                "rows": [_json_row(line) for line in lines[(page - 1) * size : page * size]],
                "total": len(lines),
                "page": page,
                "pages": pages_in_all,
                "page_size": size,
                "debit": str(debit),
                "credit": str(credit),
            }
        )

    async def _start_export(self, request: Request) -> Response:
        try:
            order = await request.json()
        except (ValueError, RecursionError):
            order = None
        if not isinstance(order, dict):
            raise SiteError(400, "BAD_REQUEST", "请求格式有误，请刷新页面后重试")
        form = order.get("format")
        if form not in export.FORMATS:
            raise SiteError(400, "BAD_FORMAT", "不支持的导出格式，请选择 " + " 或 ".join(export.FORMATS))
        job = ExportJob(
            number=len(self.state) + 1,
            wanted=_filter(order.get("month"), order.get("department")),
            form=form,
            started=self._clock(),
            steps=self.knobs.export_steps,
            step_s=self.knobs.export_step_s,
            fails=self.knobs.fail_export,
        )
        self.state[job.id] = job
        return JSONResponse(job.report(self._clock()), status_code=202)

    async def _export_status(self, request: Request) -> Response:
        return JSONResponse(self._job(request).report(self._clock()))

    async def _export_file(self, request: Request) -> Response:
        job = self._job(request)
        if job.state(self._clock()) != "done":
            raise SiteError(409, "NOT_READY", "文件尚未生成，请等待导出完成")
        content = await asyncio.to_thread(export.render, job.wanted, job.form)
        headers = {
            # RFC 5987: an ASCII name for old clients, the real one percent-encoded.
            "content-disposition": f'attachment; filename="report_{job.wanted.month}.{job.form}"; '
            f"filename*=UTF-8''{quote(job.file_name, safe='')}",
            "cache-control": "no-store",
        }
        kind = _CutResponse if self.knobs.truncate_download else Response
        return kind(content, media_type=export.FORMATS[job.form].mime, headers=headers)

    def _job(self, request: Request) -> ExportJob:
        job = self.state.get(request.path_params["job_id"])
        if job is None:
            raise SiteError(404, "NO_EXPORT", "导出任务不存在或已过期，请重新导出")
        return job


class _Gate:
    """Before every route: delays, and the login for whoever has no session."""

    def __init__(self, app: ASGIApp, site: ErpSite) -> None:
        self._app, self._site = app, site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = await self._stop(Request(scope)) if scope["type"] == "http" else None
        await (answer or self._app)(scope, receive, send)

    async def _stop(self, request: Request) -> Response | None:
        path = request.url.path
        if path.startswith("/static/"):
            return None
        if not await self._site.pace(path):
            return was_reset().response()
        if path == "/login" or self._site.user(request) is not None:
            return None
        if path.startswith("/api/"):
            return no_session().response()
        return to_login(request)


class _CutResponse(Response):
    """Promises the whole body, sends half and ends: the server then drops the connection, as a failing network does."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        half = bytes(self.body[: len(self.body) // 2])
        await send({"type": "http.response.body", "body": half, "more_body": True})


async def _static(request: Request) -> Response:
    asset = pages.ASSETS.get(request.path_params["name"])
    if asset is None:
        raise SiteError(404, "NO_FILE", "文件不存在")
    return Response(asset.content, media_type=asset.mime, headers={"cache-control": "max-age=3600"})


async def _not_found(_request: Request, _error: Exception) -> Response:
    return HTMLResponse(pages.plain("not_found"), status_code=404)


def _filter(month: object, department: object) -> export.ReportFilter:
    if not isinstance(month, str) or not data.is_month(month):
        raise SiteError(400, "BAD_MONTH", "月份格式应为 YYYY-MM，例如 2026-03")
    if not department:
        return export.ReportFilter(month, None)
    if not isinstance(department, str) or department not in data.DEPARTMENTS:
        raise SiteError(400, "BAD_DEPARTMENT", "没有这个部门，请从列表中选择")
    return export.ReportFilter(month, department)


def _page_number(text: str, last: int) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= last:
        raise SiteError(400, "BAD_PAGE", f"页码应在 1 到 {last} 之间")
    return int(text)


def _json_row(row: data.Row) -> dict[str, str]:
    return {column.key: str(getattr(row, column.key)) for column in export.COLUMNS}
