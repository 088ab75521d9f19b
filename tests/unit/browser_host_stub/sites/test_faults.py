"""What each fault does to a write, told by the state of the site and by what the page hears."""

import asyncio

import httpx
import pytest

from browser_host_stub.sites.frame.knobs import Fault
from browser_host_stub.sites.oa.approvals import APPROVED, PENDING
from browser_host_stub.sites.server import DemoSites
from tests.unit.browser_host_stub.sites.reach import signed_in

PUBLISH = {"title": "停水通知", "kind": "公司公告", "html": "<p>周六停水</p>"}


async def publish(client: httpx.AsyncClient) -> httpx.Response:
    return await client.post("/api/notices", json=PUBLISH)


def published(sites: DemoSites) -> int:
    return sum(notice.title == PUBLISH["title"] for notice in sites.oa.state.notices)


@pytest.mark.requirement("SITE-06")
async def test_error_500_does_nothing_and_says_so_once(sites: DemoSites) -> None:
    sites.control.shared.faults = [Fault("error_500")]
    async with signed_in(sites) as client:
        answer = await publish(client)
        assert (answer.status_code, answer.json()["error"]["code"], published(sites)) == (500, "SERVER_ERROR", 0)
        assert ((await publish(client)).status_code, published(sites)) == (200, 1)


@pytest.mark.requirement("SITE-06")
async def test_a_lying_toast_answers_as_a_success_would_and_changes_nothing(sites: DemoSites) -> None:
    state = sites.oa.state
    waiting = next(one for one in state.approvals if one.status == PENDING)
    order = {"decision": "通过", "opinion": "同意"}
    async with signed_in(sites) as client:
        sites.control.shared.faults = [Fault("lying_toast")]
        lie = await client.post(f"/api/approvals/{waiting.id}/decide", json=order)
        assert (lie.status_code, waiting.status, sites.oa.state is state) == (200, PENDING, True)
        truth = await client.post(f"/api/approvals/{waiting.id}/decide", json=order)
        assert (truth.content, waiting.status) == (lie.content, APPROVED)


@pytest.mark.requirement("SITE-06")
async def test_a_lost_response_is_carried_out_and_the_connection_dropped(sites: DemoSites) -> None:
    sites.control.shared.faults = [Fault("lost_response", "/api/notices")]
    async with signed_in(sites) as client:
        with pytest.raises(httpx.RemoteProtocolError):
            await publish(client)
        assert published(sites) == 1


@pytest.mark.requirement("SITE-06")
async def test_a_duplicate_is_carried_out_twice_and_answered_once(sites: DemoSites) -> None:
    sites.control.shared.faults = [Fault("duplicate")]
    async with signed_in(sites) as client:
        assert ((await publish(client)).status_code, published(sites)) == (200, 2)


@pytest.mark.requirement("SITE-06")
async def test_an_expired_session_refuses_the_write_and_everything_after_it(sites: DemoSites) -> None:
    sites.control.shared.faults = [Fault("expired")]
    async with signed_in(sites) as client:
        answer = await publish(client)
        assert (answer.status_code, answer.json()["error"]["code"], published(sites)) == (401, "NO_SESSION", 0)
        assert (await client.get("/")).headers["location"] == "/login?next=/"


@pytest.mark.requirement("SITE-06")
async def test_a_slow_write_is_carried_out_after_its_wait_and_let_go_by_a_reset(sites: DemoSites) -> None:
    sites.control.shared.faults = [Fault("slow", seconds=0.3), Fault("slow", seconds=100.0)]
    async with signed_in(sites) as client:
        answer = await publish(client)
        assert (answer.status_code, answer.elapsed.total_seconds() >= 0.3, published(sites)) == (200, True, 1)
        waiting = asyncio.create_task(publish(client))
        finished, _ = await asyncio.wait({waiting}, timeout=0.3)
        assert not finished
        sites.reset()
        assert (await waiting).json()["error"]["code"] == "RESET"


@pytest.mark.requirement("SITE-06")
async def test_a_cut_download_breaks_off_and_spares_what_is_no_download(sites: DemoSites) -> None:
    sites.erp.knobs.export_step_s = 0
    async with signed_in(sites, "erp.example.com") as client:
        job = (await client.post("/api/exports", json={"month": "2026-03", "format": "csv"})).json()
        sites.control.shared.faults = [Fault("cut_download")]
        assert (await client.get(f"/api/exports/{job['id']}")).status_code == 200
        with pytest.raises(httpx.RemoteProtocolError):
            await client.get(job["url"])
        assert len((await client.get(job["url"])).content) > 1_000


@pytest.mark.requirement("SITE-06")
async def test_a_fault_of_one_path_and_session_leaves_all_others_alone(sites: DemoSites) -> None:
    async with signed_in(sites) as mine, signed_in(sites) as other:
        await mine.post("/__control", json={"faults": [{"kind": "error_500", "path": "/api/notices", "times": 0}]})
        assert [(await publish(mine)).status_code for _ in range(2)] == [500, 500]
        assert (await mine.post("/api/notices/NT100/read", json={})).status_code == 200
        assert (await publish(other)).status_code == 200
