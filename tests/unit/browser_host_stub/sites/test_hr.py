"""The demo personnel system: its rules by its calls and its state."""

from datetime import date
from typing import Any

import httpx
import pytest

from browser_host_stub.sites.frame.sso import Sso
from browser_host_stub.sites.hr import salary
from browser_host_stub.sites.hr.app import HrSite
from browser_host_stub.sites.hr.insurance import DECLARED, Declaration
from browser_host_stub.sites.hr.people import people
from sgclaw.redact.numbers import is_card, is_id_number
from tests.unit.browser_host_stub.sites.conftest import code

TODAY = date(2026, 4, 15)
UNIT = "上海设计院"
DECLARATIONS = "/api/insurance/declarations"
APRIL = {"unit": UNIT, "first": "2026-04-01", "last": "2026-04-30"}


@pytest.fixture
def site() -> HrSite:
    return HrSite(TODAY, Sso())


async def started(client: httpx.AsyncClient) -> dict[str, Any]:
    answer = await client.post(DECLARATIONS, json={"month": "2026-03", "unit": UNIT})
    declaration: dict[str, Any] = answer.json()["declaration"]
    return declaration


def members(declaration: dict[str, Any]) -> list[dict[str, str]]:
    """The people of a declaration whom the authority takes."""
    wrong = {problem["person"] for problem in declaration["problems"]}
    return [
        {"person": one["person"], "base": f"{one['base_cents'] / 100:.2f}"}
        for one in declaration["members"]
        if one["person"] not in wrong
    ]


async def add_proof(client: httpx.AsyncClient, key: str, name: str = "工资证明.pdf") -> httpx.Response:
    return await client.post(f"{DECLARATIONS}/{key}/proofs", files={"proof": (name, b"%PDF-1.4", "application/pdf")})


async def submit(client: httpx.AsyncClient, key: str, order: str = "submit-01") -> httpx.Response:
    return await client.post(f"{DECLARATIONS}/{key}/submit", json={"key": order})


def kept(site: HrSite, key: str) -> Declaration:
    return site.state.insurance.declaration(key)


@pytest.mark.requirement("SITE-60")
async def test_three_thousand_people_have_numbers_that_redaction_knows_and_lists_mask(
    site: HrSite, client: httpx.AsyncClient
) -> None:
    everybody = people()
    assert len({person.id for person in everybody}) == len(everybody) == 3000
    assert all(is_id_number(person.id_number) and is_card(person.card) for person in everybody)
    assert len({person.id_number for person in everybody}) == 3000
    row = (await client.get("/api/employees")).json()["rows"][0]
    whole = (await client.get(f"/api/employees/{row['id']}")).json()["employee"]
    assert row["id_number"].startswith("110****")
    assert not is_id_number(row["id_number"])
    assert whole["id_number"] == site.state.staff.people[row["id"]].id_number
    assert (await client.get("/api/employees/names")).json()["people"][2999]["value"] == "HY03000"


@pytest.mark.requirement("SITE-61")
async def test_a_declaration_starts_with_last_months_people_and_goes_on_where_it_was(
    site: HrSite, client: httpx.AsyncClient
) -> None:
    declaration = await started(client)
    insured = [person.id for person in people() if person.unit == UNIT and person.insured]
    assert [member.person for member in kept(site, declaration["id"]).members] == insured
    assert (await started(client))["id"] == declaration["id"]
    assert len(site.state.insurance.declarations) == 1


@pytest.mark.requirement("SITE-61")
@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"month": "2026-05"}, "month"),
        ({"month": "2026-01"}, "month"),
        ({"month": "三月"}, "month"),
        ({"unit": "上海"}, "unit"),
    ],
)
async def test_a_declaration_for_a_wrong_month_or_unit_is_refused(
    site: HrSite, client: httpx.AsyncClient, change: dict[str, str], field: str
) -> None:
    answer = await client.post(DECLARATIONS, json={"month": "2026-03", "unit": UNIT} | change)
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, field)
    assert site.state.insurance.declarations == {}


@pytest.mark.requirement("SITE-62")
async def test_a_draft_keeps_wrong_bases_and_names_each_person_the_authority_refuses(
    site: HrSite, client: httpx.AsyncClient
) -> None:
    declaration = await started(client)
    wrong = sorted(problem["code"] for problem in declaration["problems"])
    assert wrong == ["BASE_HIGH", "BASE_LOW", "BASE_LOW", "LEFT", "LEFT"]
    first = declaration["members"][0]["person"]
    path = f"{DECLARATIONS}/{declaration['id']}/members"
    answer = (await client.put(path, json={"members": [{"person": first, "base": "7459.99"}]})).json()
    assert [(problem["person"], problem["code"]) for problem in answer["problems"]] == [(first, "BASE_LOW")]
    assert kept(site, declaration["id"]).members[0].base_cents == 745_999
    edge = [{"person": first, "base": "7460.00"}]
    assert (await client.put(path, json={"members": edge})).json()["problems"] == []


@pytest.mark.requirement("SITE-62")
async def test_people_of_another_unit_or_twice_or_nobody_cannot_be_declared(client: httpx.AsyncClient) -> None:
    declaration = await started(client)
    path = f"{DECLARATIONS}/{declaration['id']}/members"
    one = {"person": declaration["members"][0]["person"], "base": "9000"}
    stranger = {"person": "HY00001", "base": "9000"}
    assert code(await client.put(path, json={"members": [stranger]})) == (422, "BAD_PERSON")
    assert code(await client.put(path, json={"members": [one, one]})) == (422, "TWICE")
    assert (await client.put(path, json={"members": []})).status_code == 422
    assert (await client.put(path, json={"members": [one | {"base": "-1"}]})).status_code == 422
    assert code(await client.put(f"{DECLARATIONS}/SB0/members", json={"members": [one]})) == (404, "NO_DECLARATION")


@pytest.mark.requirement("SITE-63")
async def test_a_declaration_is_submitted_once_when_people_bases_and_proof_are_right(
    site: HrSite, client: httpx.AsyncClient
) -> None:
    declaration = await started(client)
    key = declaration["id"]
    assert code(await submit(client, key)) == (422, "NOT_VALID")
    await client.put(f"{DECLARATIONS}/{key}/members", json={"members": members(declaration)})
    assert code(await submit(client, key)) == (422, "NO_PROOF")
    assert code(await add_proof(client, key, "证明.zip")) == (422, "BAD_PROOF")
    assert (await add_proof(client, key)).status_code == 200
    done = await submit(client, key)
    assert kept(site, key).status == DECLARED
    assert done.json()["declaration"]["receipt"] == kept(site, key).receipt == "RS202603000001"
    assert (await submit(client, key)).json() == done.json()
    assert code(await submit(client, key, "submit-02")) == (409, "DECLARED")
    assert code(await client.post(DECLARATIONS, json={"month": "2026-03", "unit": UNIT})) == (409, "DUPLICATE")


@pytest.mark.requirement("SITE-63")
async def test_the_payments_of_a_declaration_add_up_to_the_cent(site: HrSite, client: httpx.AsyncClient) -> None:
    declaration = await started(client)
    shares = declaration["shares"]
    assert [share["name"] for share in shares] == ["养老保险", "医疗保险", "失业保险", "工伤保险"]
    known = kept(site, declaration["id"])
    assert known.company_cents == sum(share["company_cents"] for share in shares)
    assert known.employee_cents == sum(share["employee_cents"] for share in shares)
    # 16 % and 8 % of each base.
    assert shares[0]["company_cents"] == sum((member.base_cents * 16 + 50) // 100 for member in known.members)
    assert shares[0]["employee_cents"] == sum((member.base_cents * 8 + 50) // 100 for member in known.members)


@pytest.mark.requirement("SITE-64")
async def test_the_slips_of_a_unit_are_filtered_paged_and_summed(client: httpx.AsyncClient) -> None:
    truth = salary.slips(UNIT, "2026-04")
    seen: list[dict[str, Any]] = []
    answer: dict[str, Any] = {}
    for page in range(1, -(-len(truth) // 20) + 1):
        answer = (await client.get("/api/salary", params=APRIL | {"page": str(page)})).json()
        assert (answer["total"], answer["net_cents"]) == (len(truth), sum(slip.net_cents for slip in truth))
        seen += answer["rows"]
    assert [row["id"] for row in seen] == [slip.id for slip in truth]
    assert all(row["gross_cents"] - row["insurance_cents"] - row["tax_cents"] == row["net_cents"] for row in seen)
    odd = (await client.get("/api/salary", params=APRIL | {"anomalies": "1"})).json()
    assert odd["total"] == sum(bool(slip.anomalies) for slip in truth) > 0
    one = (
        await client.get("/api/salary", params=APRIL | {"department": "财务部", "person": truth[0].person.id})
    ).json()
    assert one["total"] == int(truth[0].person.department == "财务部")
    assert sum(answer["departments"].values()) == len(truth)


@pytest.mark.requirement("SITE-64")
@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({"unit": "无此单位"}, "BAD_UNIT"),
        ({"first": "2026-05-01"}, "BAD_RANGE"),
        ({"first": "2025-09-01"}, "BAD_RANGE"),
        ({"last": "月底"}, "BAD_RANGE"),
    ],
)
async def test_a_bad_query_of_slips_is_refused(client: httpx.AsyncClient, change: dict[str, str], wanted: str) -> None:
    assert code(await client.get("/api/salary", params=APRIL | change)) == (422, wanted)


@pytest.mark.requirement("SITE-64")
async def test_people_are_found_by_name_or_number_and_at_most_twenty_are_offered(client: httpx.AsyncClient) -> None:
    found = (await client.get("/api/salary/people", params={"q": "王"})).json()
    assert len(found["people"]) == 20 < found["total"]
    exact = (await client.get("/api/salary/people", params={"q": "HY01201", "unit": UNIT})).json()
    assert [one["value"] for one in exact["people"]] == ["HY01201"]
    assert (await client.get("/api/salary/people", params={"q": " "})).json() == {"people": [], "total": 0}


@pytest.mark.requirement("SITE-65")
async def test_slips_are_decided_one_by_one_and_anomalies_need_a_reason(
    site: HrSite, client: httpx.AsyncClient
) -> None:
    async def decide(ids: list[str], decision: str, reason: str, key: str) -> httpx.Response:
        order = {"ids": ids, "decision": decision, "reason": reason, "key": key}
        return await client.post("/api/salary/decide", json=order)

    truth = salary.slips(UNIT, "2026-04")
    plain = next(slip for slip in truth if not slip.anomalies)
    odd = next(slip for slip in truth if slip.anomalies)
    mixed = await decide([plain.id, odd.id, "GZ202604-HY99999"], "pass", "", "decide-01")
    assert [(one["ok"], one["code"]) for one in mixed.json()["results"]] == [
        (True, ""),
        (False, "NEEDS_REASON"),
        (False, "NO_SLIP"),
    ]
    assert site.state.salary.status(plain) == salary.PASSED
    assert (await decide([plain.id, odd.id, "GZ202604-HY99999"], "pass", "", "decide-01")).json() == mixed.json()
    assert code(await decide([odd.id], "return", "不对", "decide-02")) == (422, "BAD_REASON")
    await decide([odd.id], "return", "请核对加班工时", "decide-03")
    decision = site.state.salary.decisions[odd.id]
    assert (decision.status, decision.reason, decision.person) == (salary.RETURNED, "请核对加班工时", "张敏")
    again = (await decide([odd.id], "pass", "情况属实，予以通过", "decide-04")).json()
    assert again["results"][0]["code"] == "DECIDED"
    assert code(await decide([odd.id], "delete", "", "decide-05")) == (422, "BAD_DECISION")


@pytest.mark.requirement("SITE-66")
async def test_people_move_between_departments_and_the_tree_counts_them(
    site: HrSite, client: httpx.AsyncClient
) -> None:
    person = site.state.staff.people["HY00001"]
    place = {"unit": "成都能源公司", "department": "市场部"}
    leaf = {"place": "成都能源公司/市场部"}
    before = (await client.get("/api/employees", params=leaf)).json()["total"]
    assert (await client.post(f"/api/employees/{person.id}/move", json=place)).status_code == 200
    assert (await client.get("/api/employees", params=leaf)).json()["total"] == before + 1
    tree = (await client.get("/api/employees/tree")).json()["tree"]
    assert tree["count"] == 3000
    assert sum(city["count"] for city in tree["children"]) == 3000
    assert code(await client.post(f"/api/employees/{person.id}/move", json=place)) == (422, "SAME_PLACE")
    bad = {"unit": "成都能源公司", "department": "保密部"}
    assert code(await client.post(f"/api/employees/{person.id}/move", json=bad)) == (422, "BAD_PLACE")
    left = next(one for one in people() if one.status != "在职")
    assert code(await client.post(f"/api/employees/{left.id}/move", json=place)) == (409, "LEFT")
    assert code(await client.get("/api/employees/HY99999")) == (404, "NO_PERSON")


@pytest.mark.requirement("SITE-66")
async def test_a_mark_goes_on_and_off_and_a_reset_forgets_everything(site: HrSite, client: httpx.AsyncClient) -> None:
    assert (await client.post("/api/employees/HY00002/mark", json={})).json()["marked"] is True
    assert site.state.staff.marked == {"HY00002"}
    assert (await client.post("/api/employees/HY00002/mark", json={})).json()["marked"] is False
    await client.post("/api/employees/HY00003/mark", json={})
    await started(client)
    site.reset()
    assert (site.state.staff.marked, site.state.insurance.declarations) == (set(), {})
