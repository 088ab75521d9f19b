"""The rules of the demo OA, by its calls and by its state."""

from datetime import timedelta
from typing import Any

import httpx
import pytest

from browser_host_stub.sites.oa import state
from browser_host_stub.sites.oa.approvals import APPROVED, KINDS, LIMIT, PENDING, REJECTED
from browser_host_stub.sites.oa.meetings import ROOMS
from browser_host_stub.sites.oa.organisation import DEPARTMENTS, members
from browser_host_stub.sites.server import DemoSites
from tests.unit.browser_host_stub.sites.conftest import TODAY
from tests.unit.browser_host_stub.sites.reach import signed_in

YES = {"decision": "通过", "opinion": "同意"}


def refusal(answer: httpx.Response) -> tuple[int, Any, Any]:
    error = answer.json()["error"]
    return answer.status_code, error["code"], error.get("field")


@pytest.mark.requirement("SITE-10")
def test_the_same_day_gives_the_same_oa_and_a_reset_gives_it_again() -> None:
    first, again = state.at_start(TODAY), state.at_start(TODAY)
    assert first == again
    assert first != state.at_start(TODAY + timedelta(days=1))
    assert (first.approvals[0].id, first.approvals[0].title) == ("AP20260060", "林端嘉的费用报销 - 部门办公用品")
    assert len({one.name for one in members()}) == 7 * len(DEPARTMENTS)
    assert all(step.person != one.applicant for one in first.approvals for step in one.steps[1:])


@pytest.mark.requirement("SITE-10")
async def test_the_sites_reset_brings_the_oa_back_to_the_start(sites: DemoSites) -> None:
    async with signed_in(sites) as client:
        await client.post("/api/approvals/AP20260060/decide", json=YES)
    assert sites.oa.state != state.at_start(TODAY)
    sites.reset()
    assert sites.oa.state == state.at_start(TODAY)


@pytest.mark.requirement("SITE-11")
async def test_lists_are_filtered_and_paged_and_together_are_the_state(sites: DemoSites) -> None:
    async with signed_in(sites) as client:
        pages = [(await client.get("/api/approvals", params={"page": page})).json() for page in (1, 2, 3)]
        waiting = [one for one in sites.oa.state.approvals if one.status == PENDING]
        assert [row["id"] for page in pages for row in page["rows"]] == [one.id for one in waiting]
        assert (pages[0]["total"], pages[0]["page_size"]) == (len(waiting), 10)
        for kind in KINDS:
            rows = (await client.get("/api/approvals", params={"kind": kind})).json()["rows"]
            assert [row["id"] for row in rows] == [one.id for one in waiting if one.kind == kind]
        day = {"from": "2026-04-10", "to": "2026-04-11", "status": "pending"}
        rows = (await client.get("/api/approvals", params=day)).json()["rows"]
        assert {row["submitted"][:10] for row in rows} == {"2026-04-10", "2026-04-11"}
        done = (await client.get("/api/approvals", params={"status": "done"})).json()
        assert done["total"] == len(sites.oa.state.approvals) - len(waiting)


@pytest.mark.requirement("SITE-11")
async def test_a_decision_is_kept_with_opinion_and_time_and_cannot_be_repeated(sites: DemoSites) -> None:
    async with signed_in(sites) as client:
        path = "/api/approvals/AP20260060/decide"
        assert refusal(await client.post(path, json={"decision": "驳回", "opinion": " "})) == (
            422,
            "NO_OPINION",
            "opinion",
        )
        assert refusal(await client.post(path, json={"decision": "也许"})) == (422, "INVALID", "decision")
        assert (await client.post(path, json={"decision": "驳回", "opinion": "材料不全"})).json()["status"] == REJECTED
        assert refusal(await client.post(path, json=YES)) == (409, "DECIDED", None)
        assert refusal(await client.post("/api/approvals/AP1/decide", json=YES)) == (404, "NO_APPROVAL", None)
        step = sites.oa.state.approval("AP20260060").steps[-1]
        assert (step.result, step.opinion, step.at) == ("驳回", "材料不全", "2026-04-15 09:02")


@pytest.mark.requirement("SITE-11")
async def test_a_batch_reports_each_item_and_goes_on_after_a_refused_one(sites: DemoSites) -> None:
    beyond = [one.id for one in sites.oa.state.approvals if one.status == PENDING and (one.amount or 0) > LIMIT]
    assert len(beyond) == 2
    async with signed_in(sites) as client:
        ids = ["AP20260060", beyond[0], "AP20260058"]
        answer = (await client.post("/api/approvals/decide", json=YES | {"ids": ids})).json()
        assert [(one["id"], one["ok"], one.get("code")) for one in answer["results"]] == [
            ("AP20260060", True, None),
            (beyond[0], False, "OVER_LIMIT"),
            ("AP20260058", True, None),
        ]
        assert [sites.oa.state.approval(number).status for number in ids] == [APPROVED, PENDING, APPROVED]
        assert refusal(await client.post("/api/approvals/decide", json=YES | {"ids": []})) == (422, "INVALID", "ids")


def a_booking(**changes: object) -> dict[str, object]:
    booking = {
        "room": "R502",
        "day": "2026-04-18",
        "start": "09:00",
        "end": "10:30",
        "subject": "预算沟通",
        "participants": [members()[1].id, members()[2].id],
    }
    return booking | changes


@pytest.mark.requirement("SITE-12")
@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({"room": "R999"}, (422, "INVALID", "room")),
        ({"day": "2026-04-14"}, (422, "PAST", "day")),
        ({"day": "2026-02-30"}, (422, "INVALID", "day")),
        ({"start": "10:30", "end": "10:30"}, (422, "INVALID", "start")),
        ({"start": "08:00"}, (422, "INVALID", "start")),
        ({"start": "09:10"}, (422, "INVALID", "start")),
        ({"subject": ""}, (422, "INVALID", "subject")),
        ({"participants": []}, (422, "INVALID", "participants")),
        ({"participants": ["E1"]}, (422, "INVALID", "participants")),
        ({"participants": [one.id for one in members()[:6]]}, (422, "ROOM_TOO_SMALL", "participants")),
    ],
)
async def test_a_booking_that_cannot_be_is_refused_and_changes_nothing(
    sites: DemoSites, changes: dict[str, object], wanted: tuple[int, str, str]
) -> None:
    before = len(sites.oa.state.bookings)
    async with signed_in(sites) as client:
        assert refusal(await client.post("/api/bookings", json=a_booking(**changes))) == wanted
    assert len(sites.oa.state.bookings) == before


@pytest.mark.requirement("SITE-12")
async def test_a_room_is_booked_once_and_only_its_organiser_cancels(sites: DemoSites) -> None:
    async with signed_in(sites) as client:
        made = (await client.post("/api/bookings", json=a_booking())).json()
        assert sites.oa.state.bookings[-1].id == made["id"]
        overlap = a_booking(start="10:00", end="11:00")
        assert refusal(await client.post("/api/bookings", json=overlap)) == (409, "CONFLICT", None)
        assert (await client.post("/api/bookings", json=a_booking(start="10:30", end="11:00"))).status_code == 200
        shown = (await client.get("/api/rooms", params={"day": "2026-04-18"})).json()
        assert ([room["id"] for room in shown["rooms"]], len(shown["bookings"])) == ([room.id for room in ROOMS], 2)
        foreign = sites.oa.state.bookings[0].id
        assert refusal(await client.delete(f"/api/bookings/{foreign}")) == (403, "NOT_YOURS", None)
        assert (await client.delete(f"/api/bookings/{made['id']}")).status_code == 200
        assert refusal(await client.delete(f"/api/bookings/{made['id']}")) == (404, "NO_BOOKING", None)


@pytest.mark.requirement("SITE-13")
@pytest.mark.parametrize("html", ["<script>1</script>", '<p onclick="x">a</p>', "<img src=x>", '<a href="//x">b</a>'])
async def test_a_notice_takes_plain_markup_only(sites: DemoSites, html: str) -> None:
    notice = {"title": "通知", "kind": "公司公告"}
    async with signed_in(sites) as client:
        assert refusal(await client.post("/api/notices", json=notice | {"html": html})) == (422, "INVALID", "html")
        good = await client.post("/api/notices", json=notice | {"html": "<p><b>好</b><br></p>"})
        assert sites.oa.state.notices[0].id == good.json()["id"]


@pytest.mark.requirement("SITE-13")
async def test_a_seal_request_needs_papers_and_an_uploaded_file(sites: DemoSites) -> None:
    wanted: dict[str, Any] = {
        "seal": "合同专用章",
        "day": "2026-04-16",
        "reason": "采购合同盖章",
        "papers": [
            {"name": "采购合同", "kind": "合同协议", "copies": 3},
            {"name": "附件", "kind": "其他", "copies": 1},
        ],
    }
    async with signed_in(sites) as client:
        bad = await client.post("/api/uploads", files={"file": ("坏.exe", b"MZ")})
        assert refusal(bad) == (415, "BAD_KIND", None)
        sent = (await client.post("/api/uploads", files={"file": ("采购合同.pdf", b"%PDF\r\n\0")})).json()
        assert (sent["name"], sites.oa.state.uploads[sent["id"]].content) == ("采购合同.pdf", b"%PDF\r\n\0")
        assert refusal(await client.post("/api/seals", json=wanted)) == (422, "INVALID", "files")
        assert refusal(await client.post("/api/seals", json=wanted | {"files": ["UP9"]})) == (422, "INVALID", "files")
        wanted["files"] = [sent["id"]]
        none = wanted | {"papers": [{"name": "合同", "kind": "合同协议", "copies": 0}]}
        assert refusal(await client.post("/api/seals", json=none)) == (422, "INVALID", "copies")
        assert (await client.post("/api/seals", json=wanted)).status_code == 200
    (kept,) = sites.oa.state.seals
    assert (kept.seal, sum(paper.copies for paper in kept.papers), kept.files) == ("合同专用章", 4, ["采购合同.pdf"])
