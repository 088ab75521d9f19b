"""The demo legal system as a site: its pages, and the calls behind them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from browser_host_stub.sites.frame.answers import SiteError, ok
from browser_host_stub.sites.frame.forms import Form, read_upload
from browser_host_stub.sites.frame.site import Site
from browser_host_stub.sites.legal.register import (
    DEPARTMENTS,
    KINDS,
    MEASURES,
    STATUSES,
    Contract,
    Draft,
    Duty,
    Measure,
    Register,
)
from browser_host_stub.sites.receipts import Receipts

PAGES = {
    "/": ("overview.js", "工作台"),
    "/contracts": ("contracts.js", "合同台账"),
    "/contracts/new": ("create.js", "新建合同"),
    "/monitor": ("monitor.js", "履约监测"),
}
MOST_FOUND = 20


@dataclass(slots=True)
class LegalState:
    """All that people can change. `files` are the uploads by name, with their size."""

    register: Register
    files: dict[str, int] = field(default_factory=dict)
    receipts: Receipts = field(default_factory=Receipts)


class LegalSite(Site[LegalState]):
    """合同台账, 新建合同 and 履约监测 of the demo company."""

    host = "legal.example.com"
    title = "华岳集团法务合同系统"
    package = __package__

    def new_state(self) -> LegalState:
        return LegalState(Register(self.today))

    def routes(self) -> list[Route]:
        return [
            *(Route(path, self._show) for path in PAGES),
            Route("/api/summary", self._summary),
            Route("/api/options", self._options),
            Route("/api/partners", self._partners),
            Route("/api/contracts", self._contracts),
            Route("/api/contracts", self._create, methods=["POST"]),
            Route("/api/contracts/{number}", self._contract),
            Route("/api/contracts/{number}/terminate", self._terminate, methods=["POST"]),
            Route("/api/contracts/{number}/duties/{index:int}/done", self._done, methods=["POST"]),
            Route("/api/contracts/{number}/duties/{index:int}/measures", self._measure, methods=["POST"]),
            Route("/api/late", self._late),
            Route("/api/uploads", self._upload, methods=["POST"]),
        ]

    async def _show(self, request: Request) -> Response:
        script, title = PAGES[request.url.path]
        return self.page(request, "layout.html", title=title, script=script)

    async def _summary(self, _request: Request) -> Response:
        contracts = self.state.register.contracts.values()
        late = list(self.state.register.late())
        return JSONResponse(
            {
                "contracts": len(contracts),
                "statuses": {name: sum(one.status == name for one in contracts) for name in STATUSES},
                "late": len(late),
                "untreated": sum(not duty.measures for _, duty in late),
                "amount": str(sum(one.amount for one in contracts if one.status == "履约中")),
            }
        )

    async def _options(self, _request: Request) -> Response:
        kinds = {group: list(names) for group, names in KINDS.items()}
        departments = {unit: list(names) for unit, names in DEPARTMENTS.items()}
        return JSONResponse({"kinds": kinds, "departments": departments, "measures": MEASURES, "statuses": STATUSES})

    async def _partners(self, request: Request) -> Response:
        said = request.query_params.get("q", "").strip()
        found = [name for name in self.state.register.partners if said and said in name]
        return JSONResponse({"rows": found[:MOST_FOUND], "total": len(found)})

    async def _contracts(self, request: Request) -> Response:
        asked = request.query_params
        words, first, last = asked.get("q", "").strip(), asked.get("first", ""), asked.get("last", "")
        found = [
            one
            for one in self.state.register.contracts.values()
            if words in f"{one.id}{one.name}{one.partner}"
            and asked.get("status", one.status) == one.status
            and asked.get("kind", one.kind[0]) == one.kind[0]
            and (not first or first <= one.signed.isoformat())
            and (not last or one.signed.isoformat() <= last)
        ]
        page, size = self.slice(request, 10, len(found))
        rows = [self._json(one) for one in found[(page - 1) * size : page * size]]
        return JSONResponse({"rows": rows, "total": len(found), "page": page, "page_size": size})

    async def _contract(self, request: Request) -> Response:
        return JSONResponse({"contract": self._json(self.state.register.contract(request.path_params["number"]))})

    async def _create(self, request: Request) -> Response:
        form = await Form.read(request)
        draft = Draft(
            name=form.text("name", "合同名称", required=True, longest=60),
            kind=tuple(form.texts("kind", "合同类别")),
            partner=form.text("partner", "合同相对方", required=True),
            department=tuple(form.texts("department", "承办部门")),
            amount=form.money("amount", "合同金额"),
            signed=form.day("signed", "签订日期"),
            ends=form.day("ends", "终止日期"),
            clause=form.text("clause", "特别条款", longest=2_000),
            duties=[
                (
                    row.text("name", "节点名称", required=True, longest=30),
                    row.day("due", "节点日期"),
                    row.money("amount", "节点金额"),
                )
                for row in form.rows("duties", "履约节点", most=20)
            ],
        )
        answer = self.state.receipts.once(
            form.text("key", "提交编号", required=True, longest=64),
            form.members,
            lambda: self._json(self.state.register.add(draft)),
        )
        return ok(contract=answer)

    async def _terminate(self, request: Request) -> Response:
        form = await Form.read(request)
        number = request.path_params["number"]
        self.state.register.terminate(number, form.text("reason", "终止原因", required=True, longest=200))
        return ok(contract=self._json(self.state.register.contract(number)))

    async def _done(self, request: Request) -> Response:
        form, number = await Form.read(request), request.path_params["number"]
        day, note = form.day("day", "完成日期"), form.text("note", "说明", longest=100)
        self.state.register.fulfil(number, request.path_params["index"], day, note)
        return ok(contract=self._json(self.state.register.contract(number)))

    async def _measure(self, request: Request) -> Response:
        form, number = await Form.read(request), request.path_params["number"]
        files = tuple(form.texts("files", "附件")) if form.members.get("files") else ()
        if any(name not in self.state.files for name in files):
            raise SiteError(422, "INVALID", "附件没有上传成功，请重新上传", "files")
        measure = Measure(
            kind=form.choice("kind", "处置方式", MEASURES),
            department=tuple(form.texts("department", "责任部门")),
            deadline=form.day("deadline", "整改期限"),
            penalty=form.money("penalty", "违约金"),
            notify=form.flag("notify"),
            opinion=form.text("opinion", "处置意见", required=True, longest=500),
            files=files,
            person=self.user(request).name,
        )
        self.state.register.register(number, request.path_params["index"], measure)
        return ok(contract=self._json(self.state.register.contract(number)))

    async def _late(self, request: Request) -> Response:
        unit = request.query_params.get("unit", "")
        found = [pair for pair in self.state.register.late() if unit in ("", pair[0].department[0])]
        page, size = self.slice(request, 10, len(found))
        rows = [
            self._json(contract) | {"duty": self._duty_json(duty)}
            for contract, duty in found[(page - 1) * size :][:size]
        ]
        return JSONResponse({"rows": rows, "total": len(found), "page": page, "page_size": size})

    async def _upload(self, request: Request) -> Response:
        files = await read_upload(request)
        for file in files:
            self.state.files[file.name] = len(file.content)
        return ok(files=[file.name for file in files])

    def _json(self, contract: Contract) -> dict[str, object]:
        return asdict(contract) | {
            "amount": str(contract.amount),
            "signed": contract.signed.isoformat(),
            "ends": contract.ends.isoformat(),
            "duties": [self._duty_json(duty) for duty in contract.duties],
        }

    def _duty_json(self, duty: Duty) -> dict[str, object]:
        return {
            "number": duty.number,
            "name": duty.name,
            "due": duty.due.isoformat(),
            "amount": str(duty.amount),
            "done": duty.done.isoformat() if duty.done else "",
            "note": duty.note,
            "late": duty.late_days(self.today),
            "measures": [
                asdict(one) | {"deadline": one.deadline.isoformat(), "penalty": str(one.penalty)}
                for one in duty.measures
            ],
        }
