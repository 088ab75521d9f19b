import asyncio
from typing import Any

import httpx
import pytest

from browser_host_stub.sites.erp import data, export
from browser_host_stub.sites.erp.app import ErpSite, Knobs
from browser_host_stub.sites.erp.jobs import FAILURE
from browser_host_stub.sites.frame.sso import COOKIE
from tests.unit.browser_host_stub.sites.conftest import LOGIN, ManualClock

ORDER = {"month": "2026-03", "department": "财务部", "format": "xlsx"}


async def finished(client: httpx.AsyncClient, clock: ManualClock, order: dict[str, Any]) -> dict[str, Any]:
    started = (await client.post("/api/exports", json=order)).json()
    clock.now += 60
    answer: dict[str, Any] = (await client.get(f"/api/exports/{started['id']}")).json()
    return answer


@pytest.mark.requirement("SITES-03")
@pytest.mark.parametrize("path", ["/", "/report/finance", "/no-such-page", "/logout"])
async def test_without_a_session_every_page_leads_to_the_login(visitor: httpx.AsyncClient, path: str) -> None:
    answer = await visitor.get(path)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/login?next={path}")


@pytest.mark.requirement("SITES-03")
async def test_without_a_session_the_api_answers_401(visitor: httpx.AsyncClient) -> None:
    answer = await visitor.get("/api/report/finance?month=2026-03")
    assert answer.status_code == 401
    assert answer.json() == {"error": {"code": "NO_SESSION", "message": "登录已失效，请重新登录"}}


@pytest.mark.requirement("SITES-03")
@pytest.mark.parametrize("wrong", [{"password": "guess"}, {"username": "nobody"}, {"username": "", "password": ""}])
async def test_a_wrong_login_says_so_and_opens_no_session(visitor: httpx.AsyncClient, wrong: dict[str, str]) -> None:
    answer = await visitor.post("/login", data=LOGIN | wrong)
    assert answer.status_code == 401
    assert "用户名或密码错误" in answer.text
    assert "set-cookie" not in answer.headers


@pytest.mark.requirement("SITES-03")
async def test_a_login_sets_a_guarded_cookie_and_goes_on_to_the_wanted_page(visitor: httpx.AsyncClient) -> None:
    answer = await visitor.post("/login", data=LOGIN | {"next": "/report/finance"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/report/finance")
    attributes = {part.strip() for part in answer.headers["set-cookie"].split(";")[1:]}
    assert attributes == {"HttpOnly", "Secure", "SameSite=lax", "Path=/", "Domain=.example.com"}
    assert "张敏" in (await visitor.get("/report/finance")).text


@pytest.mark.requirement("SITES-03")
@pytest.mark.parametrize("target", ["https://evil.com/", "//evil.com", "/\\evil.com", "/\t/evil.com", "javascript:1"])
async def test_a_login_never_leads_to_another_site(visitor: httpx.AsyncClient, target: str) -> None:
    answer = await visitor.post("/login", data=LOGIN | {"next": target})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")


@pytest.mark.requirement("SITES-03")
async def test_after_logout_or_expiry_the_session_is_gone_on_the_server(
    site: ErpSite, client: httpx.AsyncClient
) -> None:
    kept = {"cookie": f"{COOKIE}={client.cookies[COOKIE]}"}
    await client.get("/logout")
    assert (await client.get("/", headers=kept)).status_code == 303
    await client.post("/login", data=LOGIN)
    assert (await client.get("/")).status_code == 200
    site.expire_session()
    assert (await client.get("/")).status_code == 303


@pytest.mark.requirement("SITES-04")
async def test_the_report_pages_together_are_the_ledger(client: httpx.AsyncClient) -> None:
    truth = data.rows("2026-03", "财务部")
    seen: list[dict[str, str]] = []
    for page in (1, 2):
        answer = await client.get(
            "/api/report/finance", params={"month": "2026-03", "department": "财务部", "page": page}
        )
        body = answer.json()
        assert (body["total"], body["pages"], body["page"], body["page_size"]) == (len(truth), 2, page, 20)
        assert (body["debit"], body["credit"]) == tuple(str(amount) for amount in data.totals(truth))
        seen += body["rows"]
    assert seen == [{column.key: str(getattr(row, column.key)) for column in export.COLUMNS} for row in truth]


@pytest.mark.requirement("SITES-04")
async def test_no_department_means_all_and_a_month_outside_the_ledger_is_empty(client: httpx.AsyncClient) -> None:
    everything = (await client.get("/api/report/finance?month=2026-03&department=")).json()
    nothing = (await client.get("/api/report/finance?month=2036-01")).json()
    assert everything["total"] == len(data.rows("2026-03"))
    assert (nothing["total"], nothing["rows"], nothing["pages"]) == (0, [], 1)


@pytest.mark.requirement("SITES-04")
@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("", "BAD_MONTH"),
        ("month=2026-3", "BAD_MONTH"),
        ("month=2026-03&department=保密部", "BAD_DEPARTMENT"),
        ("month=2026-03&page=0", "BAD_PAGE"),
        ("month=2026-03&department=财务部&page=3", "BAD_PAGE"),
    ],
)
async def test_a_bad_report_query_is_refused_with_its_code(client: httpx.AsyncClient, query: str, code: str) -> None:
    answer = await client.get(f"/api/report/finance?{query}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


@pytest.mark.requirement("SITES-04")
@pytest.mark.parametrize(
    ("text", "found"),
    [("", list(data.DEPARTMENTS)), ("务", ["财务部", "法务部"]), ("cw", ["财务部"]), ("没有", [])],
)
async def test_departments_are_found_by_name_or_code(client: httpx.AsyncClient, text: str, found: list[str]) -> None:
    assert (await client.get("/api/departments", params={"q": text})).json() == {"departments": found}


@pytest.mark.requirement("SITES-05")
async def test_an_export_advances_with_the_clock_and_ends_with_a_named_file(
    client: httpx.AsyncClient, clock: ManualClock
) -> None:
    started = await client.post("/api/exports", json=ORDER)
    assert (started.status_code, started.json()) == (202, {"id": "EXP000001", "state": "running", "progress": 0})
    assert (await client.get("/api/exports/EXP000001/file")).status_code == 409
    clock.now += 0.125
    assert (await client.get("/api/exports/EXP000001")).json()["progress"] == 40
    clock.now += 60
    assert (await client.get("/api/exports/EXP000001")).json() == {
        "id": "EXP000001",
        "state": "done",
        "progress": 100,
        "message": "已导出 2026-03 财务部 月度报表，共 36 条",
        "rows": 36,
        "file_name": "月度报表_2026-03_财务部.xlsx",
        "url": "/api/exports/EXP000001/file",
    }
    file = await client.get("/api/exports/EXP000001/file")
    assert file.content == export.render(export.ReportFilter("2026-03", "财务部"), "xlsx")
    assert file.headers["content-disposition"] == (
        "attachment; filename=\"report_2026-03.xlsx\"; filename*=UTF-8''"
        "%E6%9C%88%E5%BA%A6%E6%8A%A5%E8%A1%A8_2026-03_%E8%B4%A2%E5%8A%A1%E9%83%A8.xlsx"
    )


@pytest.mark.requirement("SITES-05")
async def test_an_export_of_all_departments_says_so(client: httpx.AsyncClient, clock: ManualClock) -> None:
    job = await finished(client, clock, {"month": "2026-03", "department": None, "format": "csv"})
    assert job["message"] == f"已导出 2026-03 全部部门 月度报表，共 {len(data.rows('2026-03'))} 条"
    assert job["file_name"] == "月度报表_2026-03_全部部门.csv"


@pytest.mark.requirement("SITES-05")
@pytest.mark.parametrize(
    ("order", "code"),
    [
        ("not json", "BAD_REQUEST"),
        ('["2026-03"]', "BAD_REQUEST"),
        ('{"month": "2026-03", "format": "pdf"}', "BAD_FORMAT"),
        ('{"month": 202603, "format": "csv"}', "BAD_MONTH"),
        ('{"month": "2026-03", "department": ["财务部"], "format": "csv"}', "BAD_DEPARTMENT"),
    ],
)
async def test_a_bad_export_order_is_refused_with_its_code(client: httpx.AsyncClient, order: str, code: str) -> None:
    answer = await client.post("/api/exports", content=order)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


@pytest.mark.requirement("SITES-05")
async def test_an_unknown_export_is_not_found(client: httpx.AsyncClient) -> None:
    answer = await client.get("/api/exports/EXP999999")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "NO_EXPORT")


@pytest.mark.requirement("SITES-06")
async def test_an_ordered_failure_ends_the_export_with_an_error_and_no_file(
    site: ErpSite, client: httpx.AsyncClient, clock: ManualClock
) -> None:
    site.knobs.fail_export = True
    job = await finished(client, clock, ORDER)
    assert job == {"id": "EXP000001", "state": "failed", "progress": 40, "error": FAILURE}
    assert (await client.get("/api/exports/EXP000001/file")).status_code == 409


@pytest.mark.requirement("SITES-06")
async def test_duplicate_departments_list_every_hit_twice(site: ErpSite, client: httpx.AsyncClient) -> None:
    site.knobs.duplicate_departments = True
    assert (await client.get("/api/departments?q=cw")).json() == {"departments": ["财务部", "财务部"]}


@pytest.mark.requirement("SITES-06")
async def test_latency_delays_an_answer_but_does_not_change_it(site: ErpSite, client: httpx.AsyncClient) -> None:
    site.knobs.latency_s = 0.05
    loop = asyncio.get_running_loop()
    before = loop.time()
    assert (await client.get("/")).status_code == 200
    assert loop.time() - before >= 0.04


@pytest.mark.requirement("SITES-06")
async def test_a_hanging_page_answers_only_when_the_site_is_reset(site: ErpSite, client: httpx.AsyncClient) -> None:
    site.knobs.hang_page = "/report/finance"
    hanging = asyncio.create_task(client.get("/report/finance"))
    answered, _ = await asyncio.wait({hanging}, timeout=0.1)
    assert not answered
    assert (await client.get("/")).status_code == 200
    site.reset()
    async with asyncio.timeout(5):
        assert (await hanging).status_code == 503


@pytest.mark.requirement("SITES-06")
async def test_a_reset_forgets_sessions_exports_and_faults(
    site: ErpSite, client: httpx.AsyncClient, clock: ManualClock
) -> None:
    site.knobs.fail_export = True
    await finished(client, clock, ORDER)
    site.reset()
    assert site.knobs == Knobs()
    assert (await client.get("/")).status_code == 303
    await client.post("/login", data=LOGIN)
    assert (await client.get("/api/exports/EXP000001")).status_code == 404
    assert (await finished(client, clock, ORDER))["id"] == "EXP000001"


@pytest.mark.requirement("SITES-03")
async def test_values_put_into_a_page_are_escaped(visitor: httpx.AsyncClient) -> None:
    hostile = '/x"><script>alert(1)</script>'
    assert "<script>alert" not in (await visitor.get("/login", params={"next": hostile})).text


@pytest.mark.requirement("SITES-04")
async def test_every_file_a_page_refers_to_exists_on_the_site(client: httpx.AsyncClient) -> None:
    for page in ("/", "/report/finance", "/login"):
        text = (await client.get(page)).text
        linked = {part.split('"')[0] for part in text.split('="/static/')[1:]}
        assert linked
        for name in linked:
            assert (await client.get(f"/static/{name}")).status_code == 200
