"""The demo finance system: its rules by its calls and its state, and a few tasks by a person in Chromium."""

import io
from datetime import date
from typing import Any

import httpx
import pytest
from openpyxl import load_workbook

from browser_host_stub.sites.erp import data as ledger
from browser_host_stub.sites.finance.app import FinanceSite
from browser_host_stub.sites.finance.clue_data import CLUES_AT_START, DRAFTED, REPORTED, Clue
from browser_host_stub.sites.finance.export import TITLES
from browser_host_stub.sites.finance.matching import Reconciliation
from browser_host_stub.sites.frame.sso import Sso
from tests.unit.browser_host_stub.sites.conftest import code

TODAY = date(2026, 4, 15)
BOOKS = "/api/recon/ICBC/2026-03"
FORM = {
    "key": "form-0001",
    "title": "华东分公司差旅费重复报销线索",
    "category": ["费用报销", "重复报销"],
    "level": "中",
    "unit": "华东分公司",
    "owner": "王芳",
    "amount": "12800.50",
    "found": "2026-04-10",
    "description": "同一张机票在三月和四月各报销一次。",
}


@pytest.fixture
def site() -> FinanceSite:
    return FinanceSite(TODAY, Sso())


def drafts(site: FinanceSite, **wanted: object) -> list[Clue]:
    clues = site.state.clues.listed()
    return [
        clue
        for clue in clues
        if clue.status == DRAFTED and all(getattr(clue, name) == value for name, value in wanted.items())
    ]


def reportable(site: FinanceSite) -> list[Clue]:
    return [clue for clue in drafts(site) if clue.owner and (clue.attachments or clue.amount_cents < 10_000_000)]


async def upload(client: httpx.AsyncClient, name: str, content: bytes) -> httpx.Response:
    return await client.post("/api/uploads", files={"file": (name, content, "application/octet-stream")})


@pytest.mark.requirement("SITE-40")
async def test_the_same_day_shows_the_same_clues_with_exact_totals(
    site: FinanceSite, client: httpx.AsyncClient
) -> None:
    answer = (await client.get("/api/clues")).json()
    assert answer["total"] == len(answer["rows"]) == CLUES_AT_START
    assert answer["amount_cents"] == sum(row["amount_cents"] for row in answer["rows"])
    again = FinanceSite(TODAY, Sso())
    assert [clue.number for clue in again.state.clues.listed()] == [row["number"] for row in answer["rows"]]
    found = {row["found"] for row in answer["rows"]}
    assert max(found) <= TODAY.isoformat()
    await client.post("/api/clues", json=FORM)
    site.reset()
    assert site.state.clues.clues == again.state.clues.clues


@pytest.mark.requirement("SITE-41")
async def test_a_new_clue_is_kept_under_the_next_number_of_its_month(
    site: FinanceSite, client: httpx.AsyncClient
) -> None:
    of_month = [number for number in site.state.clues.clues if number.startswith("XS-202604-")]
    answer = (await client.post("/api/clues", json=FORM)).json()
    number = f"XS-202604-{len(of_month) + 1:04d}"
    assert answer["clue"]["number"] == number
    clue = site.state.clues.clues[number]
    assert (clue.amount_cents, clue.category, clue.status) == (1_280_050, ("费用报销", "重复报销"), DRAFTED)
    assert clue.log[0].person == "张敏"


@pytest.mark.requirement("SITE-41")
@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"title": "太短"}, "title"),
        ({"category": ["费用报销"]}, "category"),
        ({"category": ["费用报销", "围标串标"]}, "category"),
        ({"level": "极高"}, "level"),
        ({"unit": ""}, "unit"),
        ({"owner": None}, "owner"),
        ({"amount": "0"}, "amount"),
        ({"amount": "12,800.50"}, "amount"),
        ({"amount": "100000000.01"}, "amount"),
        ({"found": "2026-04-16"}, "found"),
        ({"found": "2023-01-01"}, "found"),
        ({"description": "太短"}, "description"),
        ({"amount": "100000.00"}, "attachments"),
        ({"attachments": ["F99999"]}, "attachments"),
    ],
)
async def test_a_clue_that_is_filled_in_wrongly_is_refused_by_field(
    site: FinanceSite, client: httpx.AsyncClient, change: dict[str, object], field: str
) -> None:
    answer = await client.post("/api/clues", json=FORM | change)
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, field)
    assert len(site.state.clues.clues) == CLUES_AT_START


@pytest.mark.requirement("SITE-41")
async def test_a_large_clue_needs_an_uploaded_attachment_of_a_known_kind(
    site: FinanceSite, client: httpx.AsyncClient
) -> None:
    assert code(await upload(client, "材料.exe", b"MZ")) == (422, "BAD_ATTACHMENT")
    assert code(await upload(client, "空.pdf", b"")) == (422, "BAD_ATTACHMENT")
    kept = (await upload(client, "核查材料.pdf", b"%PDF-1.4")).json()["files"][0]
    answer = await client.post("/api/clues", json=FORM | {"amount": "250000", "attachments": [kept["id"]]})
    clue = site.state.clues.clue(answer.json()["clue"]["number"])
    assert [(file.name, file.size) for file in clue.attachments] == [("核查材料.pdf", 8)]


@pytest.mark.requirement("SITE-42")
async def test_a_clue_sent_twice_counts_once_and_a_twin_is_refused(
    site: FinanceSite, client: httpx.AsyncClient
) -> None:
    first = await client.post("/api/clues", json=FORM)
    assert (await client.post("/api/clues", json=FORM)).json() == first.json()
    assert len(site.state.clues.clues) == CLUES_AT_START + 1
    assert code(await client.post("/api/clues", json=FORM | {"key": "form-0002"})) == (409, "DUPLICATE")
    assert code(await client.post("/api/clues", json=FORM | {"amount": "1.00"})) == (409, "KEY_REUSED")
    assert code(await client.post("/api/clues", json=FORM | {"key": "short"})) == (400, "NO_KEY")


@pytest.mark.requirement("SITE-43")
async def test_a_report_moves_what_may_go_and_says_why_the_rest_may_not(
    site: FinanceSite, client: httpx.AsyncClient
) -> None:
    good = reportable(site)[0]
    ownerless = drafts(site, owner="")[0]
    bare = next(clue for clue in drafts(site, attachments=()) if clue.owner and clue.amount_cents >= 10_000_000)
    closed = next(clue for clue in site.state.clues.listed() if clue.status == REPORTED)
    numbers = [good.number, ownerless.number, bare.number, closed.number, "XS-209901-0001"]
    answer = (await client.post("/api/clues/report", json={"numbers": numbers, "key": "report-01"})).json()
    assert [(one["number"], one["ok"], one["code"]) for one in answer["results"]] == [
        (good.number, True, ""),
        (ownerless.number, False, "NO_OWNER"),
        (bare.number, False, "NO_PROOF"),
        (closed.number, False, "NOT_OPEN"),
        ("XS-209901-0001", False, "NO_CLUE"),
    ]
    assert site.state.clues.clue(good.number).status == REPORTED
    assert site.state.clues.clue(ownerless.number).status == DRAFTED
    again = await client.post("/api/clues/report", json={"numbers": numbers, "key": "report-01"})
    assert again.json() == answer


@pytest.mark.requirement("SITE-44")
async def test_only_open_clues_change_and_only_as_they_were_last_seen(
    site: FinanceSite, client: httpx.AsyncClient
) -> None:
    clue = reportable(site)[0]
    path = f"/api/clues/{clue.number}"
    answer = await client.put(f"{path}/amount", json={"amount": "99.90", "version": 1})
    assert answer.json()["clue"]["amount_cents"] == site.state.clues.clue(clue.number).amount_cents == 9990
    assert code(await client.put(f"{path}/remark", json={"remark": "补", "version": 1})) == (409, "CHANGED_MEANWHILE")
    assert code(await client.put(f"{path}/status", json={"status": "已办结", "version": 2})) == (400, "BAD_FIELD")
    assert code(await client.put(f"{path}/due", json={"due": "2020-01-01", "version": 2})) == (422, "BAD_DUE")
    assert (await client.put(f"{path}/remark", json={"remark": "字" * 101, "version": 2})).status_code == 422
    await client.post("/api/clues/report", json={"numbers": [clue.number], "key": "report-02"})
    assert code(await client.put(f"{path}/remark", json={"remark": "补", "version": 3})) == (409, "NOT_OPEN")


def books(site: FinanceSite) -> Reconciliation:
    return site.state.reconciliation("ICBC", "2026-03")


async def explain_all(client: httpx.AsyncClient) -> int:
    lines = [line["id"] for line in (await client.get(BOOKS)).json()["differences"]]
    assert (await client.post(f"{BOOKS}/note", json={"lines": lines, "note": "下月入账"})).status_code == 200
    assert code(await client.post(f"{BOOKS}/note", json={"lines": ["B0"], "note": ""})) == (404, "NO_LINE")
    return len(lines)


@pytest.mark.requirement("SITE-45")
@pytest.mark.parametrize("account", ["ICBC", "CCB", "ABC"])
async def test_auto_matching_takes_the_certain_pairs_and_leaves_real_differences(
    site: FinanceSite, client: httpx.AsyncClient, account: str
) -> None:
    before = (await client.get(f"/api/recon/{account}/2026-03")).json()
    answer = (await client.post(f"/api/recon/{account}/2026-03/auto", json={})).json()
    work = site.state.reconciliation(account, "2026-03")
    assert answer["matched"] == len(work.matches) > 50
    lines = {line["id"]: line for line in before["bank"] + before["ledger"]}
    for match in work.matches.values():
        (bank,), (own,) = match.bank, match.ledger
        assert lines[bank]["cents"] == lines[own]["cents"]
    kinds = {difference.kind for difference in work.differences()}
    assert len(kinds) >= 3
    twins = [one for one in work.differences() if one.line.cents == 4_860_000]
    assert len(twins) == 4
    balance = work.balance()
    assert balance.bank_adjusted == balance.ledger_adjusted
    assert balance.bank_closing != balance.ledger_closing


@pytest.mark.requirement("SITE-46")
async def test_chosen_lines_match_only_when_their_sums_are_equal(site: FinanceSite, client: httpx.AsyncClient) -> None:
    await client.post(f"{BOOKS}/auto", json={})
    bank = [one.line for one in books(site).differences() if one.side == "bank"]
    own = [one.line for one in books(site).differences() if one.side == "ledger"]
    whole, parts = next(
        (line, [first, second])
        for line in bank
        for place, first in enumerate(own)
        for second in own[place + 1 :]
        if first.cents + second.cents == line.cents
    )
    wrong = await client.post(f"{BOOKS}/match", json={"bank": [whole.id], "ledger": [parts[0].id]})
    assert code(wrong) == (422, "SUMS_DIFFER")
    chosen = {"bank": [whole.id], "ledger": [line.id for line in parts]}
    match = (await client.post(f"{BOOKS}/match", json=chosen)).json()["match"]
    assert books(site).match_of(whole.id) == books(site).matches[match["id"]]
    assert code(await client.post(f"{BOOKS}/match", json=chosen)) == (409, "ALREADY_MATCHED")
    assert code(await client.post(f"{BOOKS}/match", json=chosen | {"bank": ["B209901001"]})) == (404, "NO_LINE")
    assert (await client.post(f"{BOOKS}/match", json={"bank": [], "ledger": []})).status_code == 422
    await client.post(f"{BOOKS}/unmatch", json={"match": match["id"]})
    assert books(site).match_of(whole.id) is None
    assert code(await client.post(f"{BOOKS}/unmatch", json={"match": match["id"]})) == (404, "NO_MATCH")


@pytest.mark.requirement("SITE-47")
async def test_a_month_closes_only_when_matched_and_explained_as_the_person_saw_it(
    site: FinanceSite, client: httpx.AsyncClient
) -> None:
    async def confirm(seen: int, key: str) -> httpx.Response:
        return await client.post(f"{BOOKS}/confirm", json={"differences": seen, "key": key})

    assert code(await confirm(0, "close-01")) == (409, "NOT_MATCHED")
    await client.post(f"{BOOKS}/auto", json={})
    count = len(books(site).differences())
    assert code(await confirm(count + 1, "close-02")) == (409, "CHANGED_MEANWHILE")
    assert code(await confirm(count, "close-03")) == (422, "NOT_EXPLAINED")
    await explain_all(client)
    closed = await confirm(count, "close-04")
    assert closed.json()["balance"]["bank_adjusted"] == closed.json()["balance"]["ledger_adjusted"]
    assert books(site).confirmed_by == "张敏"
    assert (await confirm(count, "close-04")).json() == closed.json()
    assert code(await confirm(count, "close-05")) == (409, "CONFIRMED")
    assert code(await client.post(f"{BOOKS}/auto", json={})) == (409, "CONFIRMED")


@pytest.mark.requirement("SITE-48")
async def test_the_exported_differences_are_the_listed_ones_with_their_sum(
    site: FinanceSite, client: httpx.AsyncClient
) -> None:
    await client.post(f"{BOOKS}/auto", json={})
    await explain_all(client)
    answer = await client.get(f"{BOOKS}/differences.xlsx")
    head, titles, *lines = load_workbook(io.BytesIO(answer.content)).worksheets[0].iter_rows(values_only=True)
    assert head[0] == "工商银行基本户 2026-03 银行对账差异明细"
    assert titles == TITLES
    truth = books(site).differences()
    listed = [(line[1], line[2], round(float(str(line[7])) * 100), line[8]) for line in lines[:-1]]
    assert listed == [(one.kind, one.line.id, one.line.cents, "下月入账") for one in truth]
    assert round(float(str(lines[-1][7])) * 100) == sum(one.line.cents for one in truth)


@pytest.mark.requirement("SITE-45")
async def test_an_unknown_account_or_month_is_refused(client: httpx.AsyncClient) -> None:
    assert code(await client.get("/api/recon/BOC/2026-03")) == (404, "NO_ACCOUNT")
    assert code(await client.get("/api/recon/ICBC/2026-13")) == (400, "BAD_MONTH")
    assert code(await client.get("/api/recon/ICBC/2024-12")) == (400, "BAD_MONTH")


@pytest.mark.requirement("SITE-49")
async def test_the_pages_of_vouchers_together_are_the_ledger_and_the_totals_are_stated(
    client: httpx.AsyncClient,
) -> None:
    truth = [*ledger.rows("2026-02", "财务部"), *ledger.rows("2026-03", "财务部")]
    asked: dict[str, Any] = {"first": "2026-02", "last": "2026-03", "department": "财务部"}
    seen: list[dict[str, Any]] = []
    for page in range(1, -(-len(truth) // 20) + 1):
        answer = (await client.get("/api/vouchers", params=asked | {"page": page})).json()
        assert (answer["total"], answer["page"], answer["page_size"]) == (len(truth), page, 20)
        assert answer["page_debit_cents"] == sum(row["debit"] for row in answer["rows"])
        assert (answer["debit_cents"], answer["credit_cents"]) == tuple(int(n * 100) for n in ledger.totals(truth))
        seen += answer["rows"]
    assert [(row["number"], row["debit"], row["credit"]) for row in seen] == [
        (line.number, int(line.debit * 100), int(line.credit * 100)) for line in truth
    ]


@pytest.mark.requirement("SITE-49")
async def test_a_voucher_query_finds_words_and_refuses_bad_months(client: httpx.AsyncClient) -> None:
    asked = {"first": "2026-03", "last": "2026-03"}
    found = (await client.get("/api/vouchers", params=asked | {"q": "通讯费"})).json()
    assert found["total"] == sum("通讯费" in f"{line.subject_name}{line.summary}" for line in ledger.rows("2026-03"))
    assert (await client.get("/api/vouchers", params=asked | {"q": "没有"})).json()["rows"] == []
    for months in ({"first": "2026-04"}, {"first": "2025-01"}, {"first": "三月"}):
        assert code(await client.get("/api/vouchers", params=asked | months)) == (400, "BAD_MONTHS")
    assert code(await client.get("/api/vouchers", params=asked | {"department": "保密部"})) == (400, "BAD_DEPARTMENT")
