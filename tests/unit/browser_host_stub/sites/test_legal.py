"""The rules of the demo legal system, by its calls and by its state."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import httpx
import pytest

from browser_host_stub.sites.frame.sso import Sso
from browser_host_stub.sites.legal.app import LegalSite
from browser_host_stub.sites.legal.register import Register

TODAY = date(2026, 11, 30)


@pytest.fixture
def site() -> LegalSite:
    return LegalSite(TODAY, Sso())


def a_contract(**changes: object) -> dict[str, object]:
    return {
        "name": "信息系统运维服务合同",
        "kind": ["采购合同", "服务采购"],
        "partner": "中泰信息技术有限公司",
        "department": ["集团本部", "信息中心"],
        "amount": "120000.00",
        "signed": "2026-11-30",
        "ends": "2027-11-29",
        "clause": "按季度考核",
        "duties": [{"name": "支付预付款", "due": "2026-12-15", "amount": "36000.00"}],
        "key": "k-12345678",
        **changes,
    }


def refusal(answer: httpx.Response) -> tuple[int, Any, Any]:
    error = answer.json()["error"]
    return answer.status_code, error["code"], error.get("field")


@pytest.mark.requirement("SITE-80")
async def test_a_new_contract_is_kept_once_whatever_is_sent_twice(site: LegalSite, client: httpx.AsyncClient) -> None:
    before = len(site.state.register.contracts)
    first = await client.post("/api/contracts", json=a_contract())
    again = await client.post("/api/contracts", json=a_contract())
    assert first.json() == again.json()
    made = site.state.register.contract(first.json()["contract"]["id"])
    assert len(site.state.register.contracts) == before + 1
    assert (made.status, made.amount, made.duties[0].due) == ("审批中", Decimal("120000.00"), date(2026, 12, 15))
    other = await client.post("/api/contracts", json=a_contract(key="k-87654321"))
    assert refusal(other) == (409, "SAME_NAME", "name")


@pytest.mark.requirement("SITE-81")
@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"kind": ["采购合同", "监理咨询"]}, "kind"),
        ({"department": ["集团本部"]}, "department"),
        ({"partner": "没有登记的公司"}, "partner"),
        ({"ends": "2026-11-30"}, "ends"),
        ({"amount": "0.00"}, "amount"),
        ({"amount": "100.00"}, "duties"),
        ({"duties": [{"name": "到货验收", "due": "2028-01-01", "amount": "1.00"}]}, "duties"),
        ({"duties": []}, "duties"),
    ],
)
async def test_a_contract_that_breaks_a_rule_is_refused_by_field(
    client: httpx.AsyncClient, site: LegalSite, changes: dict[str, object], field: str
) -> None:
    before = len(site.state.register.contracts)
    assert refusal(await client.post("/api/contracts", json=a_contract(**changes))) == (422, "INVALID", field)
    assert len(site.state.register.contracts) == before


@pytest.mark.requirement("SITE-82")
async def test_a_late_duty_takes_measures_and_one_in_time_does_not(site: LegalSite, client: httpx.AsyncClient) -> None:
    contract, duty = next(site.state.register.late())
    body = {
        "kind": "书面催告",
        "department": ["集团本部", "法务部"],
        "deadline": (TODAY + timedelta(days=10)).isoformat(),
        "penalty": "100.00",
        "notify": True,
        "opinion": "请对方十日内履行",
        "files": [],
    }
    path = f"/api/contracts/{contract.id}/duties/{duty.number}/measures"
    assert (await client.post(path, json=body)).status_code == 200
    assert (duty.measures[0].kind, duty.measures[0].person, duty.measures[0].penalty) == (
        "书面催告",
        "张敏",
        Decimal("100.00"),
    )
    assert refusal(await client.post(path, json={**body, "penalty": "99999999.00"})) == (422, "INVALID", "penalty")
    assert refusal(await client.post(path, json={**body, "deadline": "2026-11-29"})) == (422, "INVALID", "deadline")
    assert refusal(await client.post(path, json={**body, "files": ["没有.pdf"]})) == (422, "INVALID", "files")
    done = {"day": TODAY.isoformat(), "note": "已补齐"}
    assert (await client.post(path.replace("measures", "done"), json=done)).status_code == 200
    assert refusal(await client.post(path, json=body))[1] in ("NOT_LATE", "NOT_RUNNING")
    assert len(duty.measures) == 1


@pytest.mark.requirement("SITE-83")
async def test_only_a_running_contract_can_be_ended(site: LegalSite, client: httpx.AsyncClient) -> None:
    running = next(one for one in site.state.register.contracts.values() if one.status == "履约中")
    answer = await client.post(f"/api/contracts/{running.id}/terminate", json={"reason": "对方严重违约"})
    assert (answer.status_code, running.status, running.reason) == (200, "已终止", "对方严重违约")
    again = await client.post(f"/api/contracts/{running.id}/terminate", json={"reason": "再来一次"})
    assert refusal(again) == (409, "NOT_RUNNING", None)
    site.reset()
    assert site.state.register.contract(running.id).status == "履约中"


def test_the_register_is_the_same_for_the_same_day() -> None:
    assert Register(TODAY).contracts == Register(TODAY).contracts
    assert LegalSite(TODAY, Sso()).state.register.contracts == Register(TODAY).contracts
    late = list(Register(TODAY).late())
    assert len(late) >= 10
