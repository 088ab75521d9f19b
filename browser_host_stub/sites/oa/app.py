"""The demo OA as a site: its pages, and the calls behind them."""

from __future__ import annotations

import html.parser
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import ClassVar, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from browser_host_stub.sites.frame.answers import SiteError, ok
from browser_host_stub.sites.frame.forms import Form, read_upload, wrong
from browser_host_stub.sites.frame.site import Site
from browser_host_stub.sites.oa import meetings, state
from browser_host_stub.sites.oa.approvals import KINDS, PENDING, Approval
from browser_host_stub.sites.oa.meetings import ROOMS, Booking
from browser_host_stub.sites.oa.organisation import members, tree
from browser_host_stub.sites.oa.state import NOTICE_KINDS, PAPERS, SEALS, Notice, OaState, Paper, SealRequest

PAGES: Final = {
    "/": ("shell.html", "协同办公平台"),
    "/home": ("home.html", "首页"),
    "/approval/pending": ("pending.html", "待办审批"),
    "/approval/detail": ("detail.html", "审批详情"),
    "/approval/done": ("done.html", "已办审批"),
    "/meeting": ("meeting.html", "会议室预订"),
    "/notice": ("notice.html", "通知公告"),
    "/notice/new": ("notice_new.html", "发布公告"),
    "/seal": ("seal.html", "用印申请"),
}
PAGE_SIZE: Final = 10
_TAGS: Final = frozenset({"p", "b", "strong", "i", "em", "u", "ul", "ol", "li", "br", "div", "span", "h3"})


class OaSite(Site[OaState]):
    """The OA. `state` holds approvals, bookings, notices, seal requests and uploads."""

    host: ClassVar[str] = "oa.example.com"
    title: ClassVar[str] = "华岳集团 协同办公平台"
    package: ClassVar[str] = __package__

    def new_state(self) -> OaState:
        return state.at_start(self.today)

    def routes(self) -> list[Route]:
        return [
            *(Route(path, self._shown(*page)) for path, page in PAGES.items()),
            Route("/api/todo", self._todo),
            Route("/api/approvals", self._approvals),
            Route("/api/approvals/decide", self._decide_many, methods=["POST"]),
            Route("/api/approvals/{id}", self._approval),
            Route("/api/approvals/{id}/decide", self._decide, methods=["POST"]),
            Route("/api/people", self._people),
            Route("/api/rooms", self._rooms),
            Route("/api/bookings", self._book, methods=["POST"]),
            Route("/api/bookings/{id}", self._cancel, methods=["DELETE"]),
            Route("/api/notices", self._notices, methods=["GET"]),
            Route("/api/notices", self._publish, methods=["POST"]),
            Route("/api/notices/{id}/read", self._read, methods=["POST"]),
            Route("/api/uploads", self._upload, methods=["POST"]),
            Route("/api/seals", self._seals, methods=["GET"]),
            Route("/api/seals", self._request_seal, methods=["POST"]),
        ]

    def _shown(self, name: str, title: str) -> Callable[[Request], Awaitable[Response]]:
        async def show(request: Request) -> Response:
            return self.page(request, name, title=title)

        return show

    async def _todo(self, request: Request) -> Response:
        waiting = [one for one in self.state.approvals if one.status == PENDING]
        today = [one for one in self.state.bookings if one.day == self.today]
        return JSONResponse(
            {
                "pending": len(waiting),
                "urgent": sum(one.urgent for one in waiting),
                "meetings": len(today),
                "unread": sum(not one.read for one in self.state.notices),
                "kinds": {kind: sum(one.kind == kind for one in waiting) for kind in KINDS},
                "latest": [one.row() for one in waiting[:6]],
                "notices": [one.row() for one in self.state.notices[:6]],
            }
        )

    async def _approvals(self, request: Request) -> Response:
        """Filters: `status` (pending or done), `kind`, `from`, `to`, `q` (number, title or person), `page`."""
        query = request.query_params
        found = [one for one in self.state.approvals if _fits(one, dict(query))]
        page, size = self.slice(request, PAGE_SIZE, len(found))
        rows = [one.row() for one in found[(page - 1) * size : page * size]]
        return JSONResponse({"rows": rows, "total": len(found), "page": page, "page_size": size, "kinds": KINDS})

    async def _approval(self, request: Request) -> Response:
        return JSONResponse(self.state.approval(request.path_params["id"]).details())

    async def _decide(self, request: Request) -> Response:
        form = await Form.read(request)
        approve = form.choice("decision", "审批结果", ("通过", "驳回")) == "通过"
        opinion = form.text("opinion", "审批意见", longest=200)
        approval = self.state.approval(request.path_params["id"])
        approval.decide(approve, opinion, self.state.moment())
        return ok(message=f"{approval.id} {approval.status}", status=approval.status)

    async def _decide_many(self, request: Request) -> Response:
        """Decides one after the other: each has its own result, and one that is refused stops none of the others."""
        form = await Form.read(request)
        numbers = form.texts("ids", "待审批单据")
        approve = form.choice("decision", "审批结果", ("通过", "驳回")) == "通过"
        opinion = form.text("opinion", "审批意见", longest=200)
        results = [self._one_of_many(number, approve, opinion) for number in numbers]
        done = sum(result["ok"] is True for result in results)
        return ok(message=f"成功 {done} 条，失败 {len(results) - done} 条", results=results, done=done)

    def _one_of_many(self, number: str, approve: bool, opinion: str) -> dict[str, object]:
        try:
            self.state.approval(number).decide(approve, opinion, self.state.moment())
        except SiteError as error:
            return {"id": number, "ok": False, "code": error.code, "message": error.message}
        return {"id": number, "ok": True, "message": "处理成功"}

    async def _people(self, _request: Request) -> Response:
        return JSONResponse({"tree": tree()})

    async def _rooms(self, request: Request) -> Response:
        day = Form(dict(request.query_params)).day("day", "日期")
        taken = [one.report() for one in self.state.bookings if one.day == day]
        return JSONResponse({"rooms": [asdict(room) for room in ROOMS], "bookings": taken, "day": day.isoformat()})

    async def _book(self, request: Request) -> Response:
        form = await Form.read(request)
        known = {one.id for one in members()}
        wanted = Booking(
            id=f"MB{1 + max((int(one.id[2:]) for one in self.state.bookings), default=0):05d}",
            room=form.choice("room", "会议室", [room.id for room in ROOMS]),
            day=form.day("day", "会议日期"),
            start=form.time("start", "开始时间"),
            end=form.time("end", "结束时间"),
            subject=form.text("subject", "会议主题", required=True, longest=50),
            organiser=self.user(request).name,
            participants=form.texts("participants", "参会人"),
        )
        if not known.issuperset(wanted.participants):
            raise wrong("participants", "参会人不在通讯录中，请重新选择")
        meetings.check(wanted, self.state.bookings, self.today)
        self.state.bookings.append(wanted)
        return ok(message="会议室预订成功", id=wanted.id)

    async def _cancel(self, request: Request) -> Response:
        found = next((one for one in self.state.bookings if one.id == request.path_params["id"]), None)
        if found is None:
            raise SiteError(404, "NO_BOOKING", "预订不存在或已取消，请刷新页面")
        if found.organiser != self.user(request).name:
            raise SiteError(403, "NOT_YOURS", f"只有预订人{found.organiser}可以取消该会议")
        self.state.bookings.remove(found)
        return ok(message="预订已取消")

    async def _notices(self, request: Request) -> Response:
        page, size = self.slice(request, PAGE_SIZE, len(self.state.notices))
        rows = [one.details() for one in self.state.notices[(page - 1) * size : page * size]]
        return JSONResponse({"rows": rows, "total": len(self.state.notices), "page": page, "page_size": size})

    async def _publish(self, request: Request) -> Response:
        form = await Form.read(request)
        notice = Notice(
            id=f"NT{200 + len(self.state.notices)}",
            title=form.text("title", "标题", required=True, longest=60),
            kind=form.choice("kind", "公告类型", NOTICE_KINDS),
            department=self.user(request).department,
            published=self.today,
            html=_plain_markup(form.text("html", "正文", required=True, longest=20_000)),
            read=True,
        )
        self.state.notices.insert(0, notice)
        return ok(message="公告已发布", id=notice.id)

    async def _read(self, request: Request) -> Response:
        for notice in self.state.notices:
            if notice.id == request.path_params["id"]:
                notice.read = True
                return ok(message="已标记为已读")
        raise SiteError(404, "NO_NOTICE", "公告不存在，请刷新列表")

    async def _upload(self, request: Request) -> Response:
        upload = (await read_upload(request))[0]
        if not upload.name.lower().endswith((".pdf", ".doc", ".docx", ".jpg", ".png")):
            raise SiteError(415, "BAD_KIND", "只支持 PDF、Word 和图片文件")
        number = f"UP{len(self.state.uploads) + 1:04d}"
        self.state.uploads[number] = upload
        return ok(message="上传成功", id=number, name=upload.name, size=len(upload.content))

    async def _seals(self, request: Request) -> Response:
        rows = [one.report() for one in reversed(self.state.seals)]
        return JSONResponse({"rows": rows, "total": len(rows), "seals": SEALS, "papers": PAPERS})

    async def _request_seal(self, request: Request) -> Response:
        form = await Form.read(request)
        files = form.texts("files", "附件")
        if not self.state.uploads.keys() >= set(files):
            raise wrong("files", "附件已失效，请重新上传")
        wanted = SealRequest(
            id=f"YY{len(self.state.seals) + 1:05d}",
            seal=form.choice("seal", "印章", SEALS),
            day=form.day("day", "用印日期"),
            reason=form.text("reason", "用印事由", required=True),
            papers=[_paper(row, number) for number, row in enumerate(form.rows("papers", "用印文件"), 1)],
            files=[self.state.uploads[number].name for number in files],
        )
        if wanted.day < self.today:
            raise wrong("day", "用印日期不能早于今天")
        self.state.seals.append(wanted)
        return ok(message=f"用印申请 {wanted.id} 已提交", id=wanted.id)


def _fits(one: Approval, query: dict[str, str]) -> bool:
    day = one.submitted[:10]
    words = (one.id, one.title, one.department)
    return (
        (one.status == PENDING) == (query.get("status", "pending") == "pending")
        and query.get("kind", one.kind) == one.kind
        and query.get("from", day) <= day <= query.get("to", day)
        and any(query.get("q", "") in word for word in words)
    )


def _paper(row: Form, number: int) -> Paper:
    return Paper(
        name=row.text("name", f"第 {number} 行文件名称", required=True, longest=60),
        kind=row.choice("kind", f"第 {number} 行文件类型", PAPERS),
        copies=row.integer("copies", f"第 {number} 行份数", 1, 99),
    )


def _plain_markup(text: str) -> str:
    """Rich text with the plain tags of an editor only; anything else, attributes too, is refused."""
    reader = _Tags()
    reader.feed(text)
    if reader.others:
        raise wrong("html", "正文含有不允许的格式：" + "、".join(sorted(reader.others)))
    return text


class _Tags(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.others: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _TAGS or attrs:
            self.others.add(f"{tag} {attrs[0][0]}" if attrs else tag)
