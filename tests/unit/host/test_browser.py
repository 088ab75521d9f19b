"""`Browser.act` between a real session and a real host: policy, approval, results, errors, the ledger."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from browser_host_stub.link import Faults
from browser_host_stub.memory.site import Page
from sgclaw.errors import ActionError, AuditUnavailableError, NeedsApprovalError, PolicyDeniedError, SgClawError
from sgclaw.ports import Act
from sgclaw.protocol.messages import CancelCommand, Command
from tests.support.ports import binding, eventually
from tests.support.wire import ERP, EVIL, Approving, wired
from tests.unit.skills.folder import Folder, script


def act(action: str, **params: object) -> Act:
    return Act(action, params)


@pytest.mark.requirement("HOST-01")
async def test_an_act_reaches_the_page_and_comes_back_with_its_natural_value(tmp_path: Path) -> None:
    async with wired(tmp_path) as both:
        observed = await both.browser().act(act("getText", selector="#title"))
        assert (observed.seq, observed.action, observed.value, observed.data) == (
            1,
            "getText",
            "财务系统",
            {"text": "财务系统"},
        )
        assert observed.page is not None
        assert observed.page.url == f"{ERP}/"


@pytest.mark.requirement("HOST-02")
async def test_every_act_is_recorded_before_it_is_sent_and_after_it_ended(tmp_path: Path) -> None:
    async with wired(tmp_path) as both:
        await both.browser().act(act("click", selector="#go"))
        assert both.ledger.events() == ["session_started", "command", "command_done"]
        command, done = both.ledger.data("command")[0], both.ledger.data("command_done")[0]
        assert command == {
            "seq": 1,
            "action": "click",
            "params": {"selector": "#go"},
            "domain": "erp.example.com",
            "verdict": "allow",
            "rule": "allowed",
            "reason": "",
        }
        assert (done["seq"], done["ok"]) == (1, True)


@pytest.mark.requirement("HOST-02")
async def test_nothing_is_sent_when_the_ledger_cannot_be_written(tmp_path: Path) -> None:
    async with wired(tmp_path) as both:
        both.ledger.full = True
        with pytest.raises(AuditUnavailableError):
            await both.browser().act(act("click", selector="#go"))
        assert both.driver.pages["p1"].acts == []
        both.ledger.full = False
        assert (await both.browser().act(act("click", selector="#go"))).seq == 1


@pytest.mark.requirement("HOST-14")
@pytest.mark.parametrize(("wanted", "code"), [("click", "UNKNOWN_OUTCOME"), ("getText", "AUDIT_UNAVAILABLE")])
async def test_an_act_whose_end_cannot_be_recorded_is_in_doubt_if_it_may_have_changed_something(
    wanted: str, code: str, tmp_path: Path
) -> None:
    async with wired(tmp_path) as both:
        both.ledger.full_after = 1
        with pytest.raises(SgClawError) as caught:
            await both.browser().act(act(wanted, selector="#go"))
        both.ledger.full_after = 9
        assert both.driver.pages["p1"].acts == [(wanted, "#go")]
    assert caught.value.code == code


@pytest.mark.requirement("HOST-03")
@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        (act("click", selector="#nowhere"), "NOT_FOUND"),
        (act("click", selector="#twins"), "AMBIGUOUS_TARGET"),
        (act("click", selector="#hidden"), "HIDDEN_TARGET"),
        (act("click", selector="#off"), "DISABLED_TARGET"),
        (act("click", ref="e1"), "STALE_REF"),
        (act("click"), "BAD_PARAMS"),
        (act("eval", code="1"), "UNKNOWN_ACTION"),
        (act("upload", selector="#name", file="f1"), "BAD_PARAMS"),
        (act("waitForSelector", selector=".never", timeout_ms=10), "TIMEOUT"),
        (act("download", selector="#go"), "DOWNLOAD_FAILED"),
    ],
)
async def test_what_a_host_refuses_arrives_as_its_typed_error(wanted: Act, code: str, tmp_path: Path) -> None:
    async with wired(tmp_path) as both:
        with pytest.raises(ActionError) as refused:
            await both.browser().act(wanted)
        assert refused.value.code == code
        assert refused.value.next_step
        assert (await both.browser().act(act("getText", selector="#title"))).value == "财务系统"


@pytest.mark.requirement("HOST-04")
@pytest.mark.parametrize(
    ("wanted", "rule"),
    [
        (act("navigate", url=f"{EVIL}/"), "domain.unlisted"),
        (act("navigate", url="javascript:alert(1)"), "url.scheme"),
        (act("navigate", url="https://evil.example.net\\@erp.example.com/"), "url.characters"),
        (Act("getText", {"selector": "#title"}, expected_domain="evil.example.net"), "domain.unlisted"),
        (Act("navigate", {"url": f"{EVIL}/"}, expected_domain="erp.example.com"), "origin.unlisted"),
    ],
)
async def test_policy_refuses_before_anything_is_sent(wanted: Act, rule: str, tmp_path: Path) -> None:
    async with wired(tmp_path) as both:
        with pytest.raises(PolicyDeniedError) as refused:
            await both.browser().act(wanted)
        assert refused.value.facts["rule"] == rule
        assert both.host.refusals == []
        assert both.driver.pages["p1"].acts == []


@pytest.mark.requirement("HOST-05")
async def test_the_host_refuses_a_page_that_moved_to_an_unlisted_origin(tmp_path: Path) -> None:
    async with wired(tmp_path) as both:
        both.driver.pages["p1"].url = f"{EVIL}/"
        with pytest.raises(PolicyDeniedError) as refused:
            await both.browser().act(act("getText", selector="#title"))
        assert refused.value.facts["rule"] == "origin.unlisted"


@pytest.mark.requirement("HOST-05")
async def test_a_navigation_that_is_redirected_away_brings_no_content(tmp_path: Path) -> None:
    async with wired(tmp_path) as both:
        both.driver.redirects[f"{ERP}/list"] = f"{EVIL}/"
        with pytest.raises(PolicyDeniedError) as refused:
            await both.browser().act(act("navigate", url=f"{ERP}/list"))
        assert refused.value.facts == {"rule": "stopped.origin.unlisted"}


@pytest.mark.requirement("HOST-05")
async def test_going_back_to_an_unlisted_page_tells_nothing_of_it(tmp_path: Path) -> None:
    async with wired(tmp_path) as both:
        page = both.driver.pages["p1"]
        page.before = f"{EVIL}/"
        with pytest.raises(PolicyDeniedError) as refused:
            await both.browser().act(act("goBack"))
        assert (refused.value.facts, page.url) == ({"rule": "stopped.origin.unlisted"}, f"{ERP}/")


@pytest.mark.requirement("HOST-05")
async def test_pages_of_unlisted_origins_are_counted_and_not_listed(tmp_path: Path) -> None:
    async with wired(tmp_path) as both:
        both.driver.pages["p2"] = Page("p2", f"{EVIL}/secret", title="机密")
        observed = await both.browser().act(act("listPages"))
        listed = {"id": "p1", "url": f"{ERP}/", "title": "", "version": 0}
        assert observed.data == {"pages": [listed], "withheld": 1}


@pytest.mark.requirement("HOST-06")
async def test_an_approved_act_runs_once_after_the_person_saw_the_real_label(tmp_path: Path) -> None:
    person = Approving(yes=True)
    waits: list[bool] = []
    async with wired(tmp_path, approver=person) as both:
        observed = await both.browser(binding(on_person=waits.append)).act(act("click", selector="#submit"))
        assert observed.seq == 2
        assert both.driver.pages["p1"].acts == [("click", "#submit")]
        assert (person.shown[0]["label"], person.shown[0]["rule"]) == ("提 交", "approval.label")
        assert waits == [True, False]
        assert both.ledger.events() == [
            "session_started",
            "command",
            "command_done",
            "approval_requested",
            "approval_given",
            "command",
            "command_done",
        ]


@pytest.mark.requirement("HOST-06")
async def test_a_refused_act_is_not_done(tmp_path: Path) -> None:
    async with wired(tmp_path, approver=Approving(yes=False)) as both:
        with pytest.raises(NeedsApprovalError):
            await both.browser().act(act("click", selector="#submit"))
        assert both.driver.pages["p1"].acts == []


@pytest.mark.requirement("HOST-06")
async def test_every_act_needs_its_own_approval(tmp_path: Path) -> None:
    person = Approving(yes=True)
    async with wired(tmp_path, approver=person) as both:
        browser = both.browser()
        await browser.act(act("click", selector="#submit"))
        await browser.act(act("click", selector="#submit"))
        assert len(person.shown) == 2


@pytest.mark.requirement("HOST-13")
async def test_what_may_be_irreversible_is_on_the_disk_before_it_is_sent(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "home" / "skills")
    folder.write("builtin/submits.js", script("submits"))
    folder.sign()
    granted = [{"skill": "submits", "action": "click", "origin": ERP}]
    async with wired(tmp_path, approver=Approving(yes=True), grants=granted) as both:
        await both.browser().act(act("click", selector="#submit"))  # refused for an approval first
        await both.browser(replace(binding(), skill=folder.load().get("submits"))).act(act("click", selector="#submit"))
        await both.browser().act(act("click", selector="#go"))
        synced = [record.data["seq"] for record in both.ledger.synced]
    assert (synced, len(both.driver.pages["p1"].acts)) == ([2, 3], 3)


@pytest.mark.requirement("HOST-07")
@pytest.mark.parametrize(
    ("faults", "refused"), [(Faults(times=1, lose=True), []), (Faults(times=1, corrupt=True), ["BAD_HMAC"])]
)
async def test_a_lost_or_altered_answer_leaves_a_read_timed_out(
    faults: Faults, refused: list[str], tmp_path: Path
) -> None:
    async with wired(tmp_path, faults=faults) as both:
        with pytest.raises(ActionError) as lost:
            await both.browser().act(act("waitForSelector", selector="#title", timeout_ms=0))
        assert lost.value.code == "TIMEOUT"
        assert [item["code"] for item in both.ledger.data("line_refused")] == refused


@pytest.mark.requirement("HOST-07")
async def test_a_second_copy_of_an_answer_is_refused_and_the_session_goes_on(tmp_path: Path) -> None:
    async with wired(tmp_path, faults=Faults(times=1, duplicate=True)) as both:
        browser = both.browser()
        await browser.act(act("getText", selector="#title"))
        assert (await browser.act(act("getText", selector="#title"))).seq == 2
        assert [item["code"] for item in both.ledger.data("line_refused")] == ["REPLAYED"]


@pytest.mark.requirement("HOST-07")
async def test_an_answer_after_the_deadline_changes_nothing(tmp_path: Path) -> None:
    async with wired(tmp_path, faults=Faults(times=1, delay_s=2.2)) as both:
        browser = both.browser()
        with pytest.raises(ActionError) as late:
            await browser.act(act("waitForSelector", selector="#title", timeout_ms=0))
        assert late.value.code == "TIMEOUT"
        await eventually(lambda: both.ledger.data("line_refused"))
        assert [item["code"] for item in both.ledger.data("line_refused")] == ["LATE_RESPONSE"]
        assert (await browser.act(act("getText", selector="#title"))).seq == 2


@pytest.mark.requirement("HOST-07")
async def test_a_stale_answer_sent_in_place_of_the_right_one_is_refused(tmp_path: Path) -> None:
    async with wired(tmp_path) as both:
        browser = both.browser()
        await browser.act(act("getText", selector="#title"))
        both.faults.times, both.faults.stale = 1, True
        with pytest.raises(ActionError) as lost:
            await browser.act(act("waitForSelector", selector="#title", timeout_ms=0))
        assert lost.value.code == "TIMEOUT"
        assert [item["code"] for item in both.ledger.data("line_refused")] == ["REPLAYED"]


@pytest.mark.requirement("HOST-08")
async def test_a_changing_act_without_an_answer_has_an_unknown_outcome_and_is_not_sent_again(tmp_path: Path) -> None:
    async with wired(tmp_path, faults=Faults(times=1, lose=True)) as both:
        with pytest.raises(ActionError) as lost:
            await both.browser().act(act("download", selector="#file", timeout_ms=0))
        assert lost.value.code == "UNKNOWN_OUTCOME"
        assert lost.value.facts["because"] == "TIMEOUT"
        assert both.driver.pages["p1"].acts == [("download", "#file")]


@pytest.mark.requirement("HOST-08")
async def test_a_browser_that_dies_during_an_act_is_reported_at_once(tmp_path: Path) -> None:
    async with wired(tmp_path) as both:
        both.driver.knobs.hang.add("click")
        clicking = asyncio.create_task(both.browser().act(act("click", selector="#go")))
        async with asyncio.timeout(5):
            await eventually(lambda: both.ledger.data("command"))
            both.driver.on_gone.set()
            with pytest.raises(ActionError) as gone:
                await clicking
        assert gone.value.code == "PAGE_GONE"


@pytest.mark.requirement("HOST-09")
async def test_cancelling_an_act_cancels_it_at_the_host(tmp_path: Path) -> None:
    async with wired(tmp_path) as both:
        both.driver.knobs.hang.add("click")
        clicking = asyncio.create_task(both.browser().act(act("click", selector="#go")))
        async with asyncio.timeout(5):
            await eventually(lambda: any(isinstance(message, Command) for message in both.seen))
            clicking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await clicking
            await eventually(lambda: any(isinstance(message, CancelCommand) for message in both.seen))
        assert (await both.browser().act(act("getText", selector="#title"))).value == "财务系统"


@pytest.mark.requirement("HOST-10")
async def test_a_paused_task_starts_no_further_act(tmp_path: Path) -> None:
    async with wired(tmp_path) as both:
        gate = asyncio.Event()
        paused = both.browser(replace(binding(), gate=gate))
        waiting = asyncio.create_task(paused.act(act("click", selector="#go")))
        assert (await both.browser().act(act("getText", selector="#title"))).seq == 1
        assert both.driver.pages["p1"].acts == [("getText", "#title")]
        gate.set()
        assert (await waiting).seq == 2


@pytest.mark.requirement("HOST-11")
async def test_a_skill_acts_only_on_its_own_domains_and_with_its_own_actions(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "home" / "skills")
    folder.write("builtin/only-reads.js", script("only-reads", extra=" * @actions getText, navigate\n"))
    folder.sign()
    bound = replace(binding(), skill=folder.load().get("only-reads"))
    async with wired(tmp_path, origins=(ERP, "https://oa.example.com")) as both:
        browser = both.browser(bound)
        assert (await browser.act(act("getText", selector="#title"))).value == "财务系统"
        with pytest.raises(PolicyDeniedError) as action:
            await browser.act(act("click", selector="#go"))
        assert action.value.facts["rule"] == "skill.action"
        assert "@actions" in action.value.next_step
        with pytest.raises(PolicyDeniedError) as domain:
            await browser.act(act("navigate", url="https://oa.example.com/"))
        assert domain.value.facts["rule"] == "skill.domain"
        assert "@domains" in domain.value.next_step


@pytest.mark.requirement("HOST-12")
@pytest.mark.parametrize(
    ("wanted", "cause"),
    [
        (act("click", selector="#nowhere"), "“点击 #nowhere”没有成功："),
        (act("waitForSelector", selector=".never", timeout_ms=10), "“等待 .never 出现”"),
        (act("type", selector="#nowhere", text="hunter2"), "“在 #nowhere 输入“…””没有成功："),
        (act("getTxt", selector="#title"), "没有名为“getTxt”的操作"),
    ],
)
async def test_a_failed_act_is_told_with_its_target_and_without_what_was_typed(
    wanted: Act, cause: str, tmp_path: Path
) -> None:
    async with wired(tmp_path) as both:
        with pytest.raises(ActionError) as failed:
            await both.browser().act(wanted)
        assert failed.value.cause.startswith(cause)
        assert "hunter2" not in failed.value.cause
        assert "waitForSelector" not in failed.value.cause


@pytest.mark.requirement("HOST-12")
async def test_an_answer_that_never_came_is_told_with_the_act(tmp_path: Path) -> None:
    async with wired(tmp_path, faults=Faults(times=1, lose=True)) as both:
        with pytest.raises(ActionError) as lost:
            await both.browser().act(act("waitForSelector", selector="#title", timeout_ms=0))
        assert lost.value.cause == "“等待 #title 出现”在 2 秒内没有得到浏览器的回答"
