"""The demo finance system as a site: its pages, and the calls behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from browser_host_stub.sites.erp import data as ledger
from browser_host_stub.sites.finance import bank_data, clue_data, export, vouchers
from browser_host_stub.sites.finance.bank_data import Line
from browser_host_stub.sites.finance.clue_data import Clue
from browser_host_stub.sites.finance.clues import ClueBook
from browser_host_stub.sites.finance.matching import Reconciliation
from browser_host_stub.sites.frame.answers import SiteError, download, ok
from browser_host_stub.sites.frame.forms import Form, read_upload
from browser_host_stub.sites.frame.site import Site
from browser_host_stub.sites.receipts import Receipts

PAGES = {
    "/": ("overview.js", "工作台"),
    "/compliance": ("compliance.js", "合规线索"),
    "/reconciliation": ("reconciliation.js", "银行对账"),
    "/vouchers": ("vouchers.js", "凭证查询"),
}


@dataclass(slots=True)
class FinanceState:
    """All that people can change. `work` holds the reconciliations looked at so far, by account code and month."""

    clues: ClueBook
    work: dict[tuple[str, str], Reconciliation] = field(default_factory=dict)
    receipts: Receipts = field(default_factory=Receipts)

    def reconciliation(self, account: str, month: str) -> Reconciliation:
        """The work on an account and month. Refusals: NO_ACCOUNT, BAD_MONTH."""
        if account not in bank_data.ACCOUNTS:
            raise SiteError(404, "NO_ACCOUNT", "没有这个银行账户，请从列表中选择", "account")
        if not ledger.is_month(month) or not bank_data.FIRST_MONTH <= month <= bank_data.LAST_MONTH:
            raise SiteError(400, "BAD_MONTH", "月份格式应为 YYYY-MM，且不早于 2025-01", "month")
        if (account, month) not in self.work:
            self.work[account, month] = Reconciliation(bank_data.books(account, month))
        return self.work[account, month]


class FinanceSite(Site[FinanceState]):
    """合规线索, 银行对账 and 凭证查询 of the demo company."""

    host = "finance.example.com"
    title = "华岳集团财务共享平台"
    package = __package__

    def new_state(self) -> FinanceState:
        return FinanceState(ClueBook(self.today))

    def routes(self) -> list[Route]:
        return [
            *(Route(path, self._show) for path in PAGES),
            Route("/api/summary", self._summary),
            Route("/api/clues", self._clues),
            Route("/api/clues", self._new_clue, methods=["POST"]),
            Route("/api/clues/options", self._options),
            Route("/api/clues/report", self._report, methods=["POST"]),
            Route("/api/clues/{number}/{field}", self._change, methods=["PUT"]),
            Route("/api/uploads", self._upload, methods=["POST"]),
            Route("/api/accounts", self._accounts),
            Route("/api/recon/{account}/{month}", self._books),
            Route("/api/recon/{account}/{month}/auto", self._auto, methods=["POST"]),
            Route("/api/recon/{account}/{month}/match", self._match, methods=["POST"]),
            Route("/api/recon/{account}/{month}/unmatch", self._unmatch, methods=["POST"]),
            Route("/api/recon/{account}/{month}/note", self._note, methods=["POST"]),
            Route("/api/recon/{account}/{month}/confirm", self._close, methods=["POST"]),
            Route("/api/recon/{account}/{month}/differences.xlsx", self._differences),
            Route("/api/vouchers", self._vouchers),
        ]

    async def _show(self, request: Request) -> Response:
        script, title = PAGES[request.url.path]
        return self.page(request, "layout.html", title=title, script=script)

    async def _summary(self, _request: Request) -> Response:
        clues = self.state.clues.listed()
        statuses = {name: sum(clue.status == name for clue in clues) for name in clue_data.STATUSES}
        waiting = [clue for clue in clues if clue.status == clue_data.DRAFTED]
        return JSONResponse(
            {
                "statuses": statuses,
                "waiting_cents": sum(clue.amount_cents for clue in waiting),
                "latest": [_clue_json(clue) for clue in waiting[:6]],
                "confirmed": sum(bool(work.confirmed_by) for work in self.state.work.values()),
            }
        )

    async def _clues(self, _request: Request) -> Response:
        clues = self.state.clues.listed()
        return JSONResponse(
            {
                "rows": [_clue_json(clue) for clue in clues],
                "total": len(clues),
                "amount_cents": sum(clue.amount_cents for clue in clues),
            }
        )

    async def _options(self, _request: Request) -> Response:
        return JSONResponse(
            {
                "categories": clue_data.CATEGORIES,
                "units": clue_data.UNITS,
                "levels": clue_data.LEVELS,
                "owners": clue_data.OWNERS,
                "statuses": clue_data.STATUSES,
            }
        )

    async def _new_clue(self, request: Request) -> Response:
        form, person = await Form.read(request), self.user(request).name
        answer = self.state.receipts.once(
            form.text("key", "提交编号", required=True, longest=64),
            form.members,
            lambda: _clue_json(self.state.clues.create(form, person)),
        )
        return ok(clue=answer)

    async def _change(self, request: Request) -> Response:
        form = await Form.read(request)
        number, name = request.path_params["number"], request.path_params["field"]
        return ok(clue=_clue_json(self.state.clues.change(number, name, form, self.user(request).name)))

    async def _report(self, request: Request) -> Response:
        form, person = await Form.read(request), self.user(request).name
        numbers = form.texts("numbers", "线索")
        answer = self.state.receipts.once(
            form.text("key", "提交编号", required=True, longest=64),
            form.members,
            lambda: {"results": [asdict(result) for result in self.state.clues.report(numbers, person)]},
        )
        return ok(**answer)

    async def _upload(self, request: Request) -> Response:
        files = await read_upload(request)
        taken = [(self.state.clues.upload(file.name, len(file.content)), file.name) for file in files]
        return ok(files=[{"id": key, "name": name} for key, name in taken])

    async def _accounts(self, _request: Request) -> Response:
        return JSONResponse({"accounts": [asdict(account) for account in bank_data.ACCOUNTS.values()]})

    def _work(self, request: Request) -> Reconciliation:
        return self.state.reconciliation(request.path_params["account"], request.path_params["month"])

    async def _books(self, request: Request) -> Response:
        return JSONResponse(_work_json(self._work(request)))

    async def _auto(self, request: Request) -> Response:
        matches = self._work(request).auto()
        return ok(matched=len(matches))

    async def _match(self, request: Request) -> Response:
        form = await Form.read(request)
        match = self._work(request).manual(form.texts("bank", "银行流水"), form.texts("ledger", "企业账"))
        return ok(match=asdict(match))

    async def _unmatch(self, request: Request) -> Response:
        form = await Form.read(request)
        self._work(request).undo(form.text("match", "勾对记录", required=True, longest=20))
        return ok()

    async def _note(self, request: Request) -> Response:
        form = await Form.read(request)
        lines, text = form.texts("lines", "差异"), form.text("note", "差异说明", longest=100)
        self._work(request).explain(lines, text)
        return ok()

    async def _close(self, request: Request) -> Response:
        form, person = await Form.read(request), self.user(request).name
        seen = form.integer("differences", "差异笔数", 0, 100_000)
        answer = self.state.receipts.once(
            form.text("key", "提交编号", required=True, longest=64),
            form.members | request.path_params,
            lambda: asdict(self._work(request).confirm(seen, person)),
        )
        return ok(balance=answer)

    async def _differences(self, request: Request) -> Response:
        work = self._work(request)
        name = f"银行对账差异_{work.books.account.name}_{work.books.month}.xlsx"
        return download(export.differences(work.books, work.differences()), name, export.MIME)

    async def _vouchers(self, request: Request) -> Response:
        asked = request.query_params
        lines = vouchers.found(
            vouchers.Query(
                asked.get("first", ""), asked.get("last", ""), asked.get("department", ""), asked.get("q", "").strip()
            )
        )
        page, size = self.slice(request, 20, len(lines))
        shown = lines[(page - 1) * size : page * size]
        debit, credit = vouchers.totals_cents(lines)
        page_debit, page_credit = vouchers.totals_cents(shown)
        return JSONResponse(
            {
                "rows": [_voucher_json(line) for line in shown],
                "total": len(lines),
                "page": page,
                "page_size": size,
                "debit_cents": debit,
                "credit_cents": credit,
                "page_debit_cents": page_debit,
                "page_credit_cents": page_credit,
                "departments": list(ledger.DEPARTMENTS),
            }
        )


def _clue_json(clue: Clue) -> dict[str, object]:
    return asdict(clue) | {
        "found": clue.found.isoformat(),
        "due": clue.due.isoformat(),
        "log": [{"day": step.day.isoformat(), "person": step.person, "text": step.text} for step in clue.log],
    }


def _line_json(line: Line, work: Reconciliation) -> dict[str, object]:
    match = work.match_of(line.id)
    return asdict(line) | {
        "day": line.day.isoformat(),
        "match": match.id if match else "",
        "how": match.how if match else "",
    }


def _work_json(work: Reconciliation) -> Mapping[str, object]:
    return {
        "account": asdict(work.books.account),
        "month": work.books.month,
        "opening_cents": work.books.opening_cents,
        "bank": [_line_json(line, work) for line in work.books.bank],
        "ledger": [_line_json(line, work) for line in work.books.ledger],
        "differences": [
            {"side": item.side, "kind": item.kind, "note": item.note} | _line_json(item.line, work)
            for item in work.differences()
        ],
        "balance": asdict(work.balance()),
        "confirmed_by": work.confirmed_by,
    }


def _voucher_json(line: ledger.Row) -> dict[str, object]:
    texts = asdict(line) | {"day": line.day.isoformat()}
    return texts | {"debit": vouchers.cents(line.debit), "credit": vouchers.cents(line.credit)}
