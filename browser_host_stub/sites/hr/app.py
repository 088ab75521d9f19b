"""The demo personnel system as a site: its pages, and the calls behind them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import date

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from browser_host_stub.sites.frame.answers import SiteError, ok
from browser_host_stub.sites.frame.forms import Form, read_upload
from browser_host_stub.sites.frame.site import Site
from browser_host_stub.sites.hr import salary
from browser_host_stub.sites.hr.insurance import LIMITS, Declaration, Insurance, Member, shares
from browser_host_stub.sites.hr.people import CITY_OF, DEPARTMENTS, UNITS, Person, masked, people
from browser_host_stub.sites.hr.salary import SalaryCheck, Slip
from browser_host_stub.sites.hr.staff import Staff
from browser_host_stub.sites.receipts import Receipts

PAGES = {
    "/": ("overview.js", "工作台"),
    "/insurance/declare": ("declare.js", "社保申报"),
    "/salary/check": ("salary.js", "薪酬核验"),
    "/employees": ("employees.js", "员工信息"),
}
MOST_FOUND = 20


@dataclass(slots=True)
class HrState:
    """All that people can change."""

    staff: Staff
    insurance: Insurance
    salary: SalaryCheck = field(default_factory=SalaryCheck)
    receipts: Receipts = field(default_factory=Receipts)


class HrSite(Site[HrState]):
    """社保申报, 薪酬核验 and 员工信息 of the demo company."""

    host = "hr.example.com"
    title = "华岳集团人力资源系统"
    package = __package__

    def new_state(self) -> HrState:
        everybody = {person.id: person for person in people()}
        return HrState(Staff(everybody), Insurance(self.today, everybody))

    def routes(self) -> list[Route]:
        return [
            *(Route(path, self._show) for path in PAGES),
            Route("/api/summary", self._summary),
            Route("/api/insurance/options", self._options),
            Route("/api/insurance/declarations", self._declarations),
            Route("/api/insurance/declarations", self._start, methods=["POST"]),
            Route("/api/insurance/declarations/{key}", self._declaration),
            Route("/api/insurance/declarations/{key}/members", self._members, methods=["PUT"]),
            Route("/api/insurance/declarations/{key}/proofs", self._proofs, methods=["POST"]),
            Route("/api/insurance/declarations/{key}/proofs/remove", self._forget_proof, methods=["POST"]),
            Route("/api/insurance/declarations/{key}/submit", self._submit, methods=["POST"]),
            Route("/api/salary", self._slips),
            Route("/api/salary/people", self._search),
            Route("/api/salary/decide", self._decide, methods=["POST"]),
            Route("/api/employees", self._employees),
            Route("/api/employees/names", self._names),
            Route("/api/employees/tree", self._tree),
            Route("/api/employees/{number}", self._employee),
            Route("/api/employees/{number}/move", self._move, methods=["POST"]),
            Route("/api/employees/{number}/mark", self._mark, methods=["POST"]),
        ]

    async def _show(self, request: Request) -> Response:
        script, title = PAGES[request.url.path]
        return self.page(request, "layout.html", title=title, script=script)

    async def _summary(self, _request: Request) -> Response:
        state = self.state
        drafts = [_declaration_json(known) for known in state.insurance.declarations.values()]
        return JSONResponse(
            {
                "people": len(state.staff.people),
                "units": len(CITY_OF),
                "declared": sum(bool(known.receipt) for known in state.insurance.declarations.values()),
                "checked": len(state.salary.decisions),
                "declarations": drafts[-5:],
                "months": state.insurance.months(),
            }
        )

    async def _options(self, _request: Request) -> Response:
        return JSONResponse(
            {
                "units": UNITS,
                "departments": DEPARTMENTS,
                "months": self.state.insurance.months(),
                "limits": {city: asdict(limits) for city, limits in LIMITS.items()},
            }
        )

    async def _declarations(self, _request: Request) -> Response:
        known = [_declaration_json(one) for one in self.state.insurance.declarations.values()]
        return JSONResponse({"rows": known[::-1], "total": len(known)})

    async def _start(self, request: Request) -> Response:
        form = await Form.read(request)
        month, unit = form.month("month", "申报月份"), form.choice("unit", "缴费单位", CITY_OF)
        return ok(declaration=self._full(self.state.insurance.start(month, unit)))

    async def _declaration(self, request: Request) -> Response:
        known = self.state.insurance.declaration(request.path_params["key"])
        return JSONResponse({"declaration": self._full(known)})

    async def _members(self, request: Request) -> Response:
        form, key = await Form.read(request), request.path_params["key"]
        members = [
            Member(row.text("person", "员工", required=True), int(row.money("base", "缴费基数") * 100))
            for row in form.rows("members", "参保人员", most=500)
        ]
        problems = self.state.insurance.set_members(key, members)
        full = self._full(self.state.insurance.declaration(key))
        return ok(problems=[asdict(problem) for problem in problems], declaration=full)

    async def _proofs(self, request: Request) -> Response:
        key = request.path_params["key"]
        files = await read_upload(request)
        taken = [self.state.insurance.add_proof(key, file.name, len(file.content)) for file in files]
        return ok(proofs=[asdict(proof) for proof in taken])

    async def _forget_proof(self, request: Request) -> Response:
        form = await Form.read(request)
        self.state.insurance.remove_proof(request.path_params["key"], form.text("name", "文件名", required=True))
        return ok()

    async def _submit(self, request: Request) -> Response:
        form, person, key = await Form.read(request), self.user(request).name, request.path_params["key"]
        answer = self.state.receipts.once(
            form.text("key", "提交编号", required=True, longest=64),
            {"declaration": key},
            lambda: _declaration_json(self.state.insurance.submit(key, person)),
        )
        return ok(declaration=answer)

    async def _slips(self, request: Request) -> Response:
        asked = request.query_params
        listed = salary.slips_between(asked.get("unit", ""), _day(asked.get("first")), _day(asked.get("last")))
        listed = tuple(slip for slip in listed if asked.get("person", "") in ("", slip.person.id))
        only = asked.get("anomalies") == "1"
        listed = tuple(slip for slip in listed if slip.anomalies or not only)
        departments = {name: sum(slip.person.department == name for slip in listed) for name in DEPARTMENTS}
        chosen = asked.get("department", "")
        listed = tuple(slip for slip in listed if chosen in ("", slip.person.department))
        page, size = self.slice(request, 20, len(listed))
        return JSONResponse(
            {
                "rows": [self._slip_json(slip) for slip in listed[(page - 1) * size : page * size]],
                "total": len(listed),
                "page": page,
                "page_size": size,
                "departments": departments,
                "net_cents": sum(slip.net_cents for slip in listed),
                "anomalies": sum(bool(slip.anomalies) for slip in listed),
                "waiting": sum(self.state.salary.status(slip) == salary.WAITING for slip in listed),
            }
        )

    def _slip_json(self, slip: Slip) -> dict[str, object]:
        decision = self.state.salary.decisions.get(slip.id)
        return {
            "id": slip.id,
            "number": slip.person.id,
            "name": slip.person.name,
            "department": slip.person.department,
            "position": slip.person.position,
            "card": masked(slip.person.card),
            "month": slip.month,
            "paid": slip.paid.isoformat(),
            "basic_cents": slip.basic_cents,
            "bonus_cents": slip.bonus_cents,
            "overtime_cents": slip.overtime_cents,
            "allowance_cents": slip.allowance_cents,
            "insurance_cents": slip.insurance_cents,
            "tax_cents": slip.tax_cents,
            "gross_cents": slip.gross_cents,
            "net_cents": slip.net_cents,
            "last_net_cents": slip.last_net_cents,
            "anomalies": [asdict(anomaly) for anomaly in slip.anomalies],
            "status": self.state.salary.status(slip),
            "reason": decision.reason if decision else "",
        }

    async def _search(self, request: Request) -> Response:
        words, unit = request.query_params.get("q", "").strip(), request.query_params.get("unit", "")
        found = [person for person in self.state.staff.found(words) if unit in ("", person.unit)] if words else []
        return JSONResponse(
            {
                "people": [
                    {"value": one.id, "label": f"{one.name} {one.id} {one.department}"} for one in found[:MOST_FOUND]
                ],
                "total": len(found),
            }
        )

    async def _decide(self, request: Request) -> Response:
        form, person = await Form.read(request), self.user(request).name
        ids = form.texts("ids", "工资单")
        decision = form.text("decision", "处理方式", required=True)
        reason = form.text("reason", "说明", longest=salary.LONGEST_REASON)
        answer = self.state.receipts.once(
            form.text("key", "提交编号", required=True, longest=64),
            form.members,
            lambda: {"results": [asdict(one) for one in self.state.salary.decide(ids, decision, reason, person)]},
        )
        return ok(**answer)

    async def _employees(self, request: Request) -> Response:
        asked = request.query_params
        places = asked.getlist("place")
        found = self.state.staff.found(asked.get("q", "").strip(), frozenset(places) if places else None)
        page, size = self.slice(request, 10, len(found))
        return JSONResponse(
            {
                "rows": [self._person_json(person) for person in found[(page - 1) * size : page * size]],
                "total": len(found),
                "page": page,
                "page_size": size,
            }
        )

    async def _names(self, _request: Request) -> Response:
        listed = self.state.staff.people.values()
        return JSONResponse({"people": [{"value": one.id, "label": f"{one.name} {one.id}"} for one in listed]})

    async def _tree(self, _request: Request) -> Response:
        return JSONResponse({"tree": self.state.staff.tree()})

    async def _employee(self, request: Request) -> Response:
        person = self.state.staff.person(request.path_params["number"])
        whole = {"id_number": person.id_number, "card": person.card, "phone": person.phone}
        return JSONResponse({"employee": self._person_json(person) | whole})

    async def _move(self, request: Request) -> Response:
        form = await Form.read(request)
        place = form.text("unit", "调入单位", required=True), form.text("department", "调入部门", required=True)
        moved = self.state.staff.move(request.path_params["number"], *place)
        return ok(employee=self._person_json(moved))

    async def _mark(self, request: Request) -> Response:
        return ok(marked=self.state.staff.mark(request.path_params["number"]))

    def _person_json(self, person: Person) -> dict[str, object]:
        return asdict(person) | {
            "entered": person.entered.isoformat(),
            "id_number": masked(person.id_number),
            "phone": masked(person.phone),
            "card": masked(person.card),
            "marked": person.id in self.state.staff.marked,
        }

    def _full(self, known: Declaration) -> dict[str, object]:
        staff = self.state.staff.people
        roster = [person for person in staff.values() if person.unit == known.unit]
        listed = {person.id: person for person in roster} | {one.person: staff[one.person] for one in known.members}
        return _declaration_json(known) | {
            "members": [asdict(member) for member in known.members],
            "roster": [
                {
                    "id": person.id,
                    "name": person.name,
                    "department": person.department,
                    "id_number": masked(person.id_number),
                    "status": person.status,
                    "wage_cents": person.wage_cents,
                    "insured": person.insured,
                }
                for person in listed.values()
            ],
            "limits": asdict(LIMITS[CITY_OF[known.unit]]),
            "problems": [asdict(problem) for problem in self.state.insurance.problems(known)],
        }


def _declaration_json(known: Declaration) -> dict[str, object]:
    return {
        "id": known.id,
        "month": known.month,
        "unit": known.unit,
        "status": known.status,
        "step": known.step,
        "people": len(known.members),
        "base_cents": sum(member.base_cents for member in known.members),
        "company_cents": known.company_cents,
        "employee_cents": known.employee_cents,
        "shares": [
            {"name": name, "company_cents": company, "employee_cents": own}
            for name, company, own in shares(known.members)
        ],
        "proofs": [asdict(proof) for proof in known.proofs],
        "receipt": known.receipt,
        "person": known.person,
    }


def _day(text: str | None) -> date:
    try:
        return date.fromisoformat(text or "")
    except ValueError:
        raise SiteError(422, "BAD_RANGE", "请选择发薪日期的起止，格式 YYYY-MM-DD", "range") from None
