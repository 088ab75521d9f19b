"""The site misbehaves or changes: it is not believed, and what stands in the way is cleared or handed over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.async_api import Page

from browser_host_stub.sites.frame.knobs import Fault
from sgclaw.protocol.parts import EvidenceRank
from tests.scenarios.agent_mishaps.world_b import (
    A_CALL,
    FILLS,
    PUBLISH,
    PUBLISHES,
    ROW,
    TITLE,
    Meanwhile,
    Move,
    View,
    World,
    clicks,
    opens,
    proved,
    sign_in,
    types,
    world,
)
from tests.support.wire import Approving
from tests.unit.agent.room import act, call, step

SUMMARY = f"公告《{TITLE}》已发布。"


@pytest.mark.requirement("MISHAP-02")
async def test_a_toast_of_success_that_the_site_does_not_bear_out_leaves_the_task_unverified(tmp_path: Path) -> None:
    toast = proved(SUMMARY, "公告已发布")
    async with world(tmp_path, "openai", *PUBLISHES, toast, toast) as run:
        run.browser.sites.control.shared.faults.append(Fault("lying_toast", "/api/notices"))
        done = await run.run(PUBLISH)
        assert run.published == []
        run.answered(done, 6 * A_CALL, 6)
    assert "还不能结束" in run.views[-1].now
    assert done.error is not None
    assert (done.outcome, done.error.code, done.error.facts["reason"]) == ("unverified", "UNVERIFIED", "evidence")
    assert [item.rank for item in done.evidence] == [EvidenceRank.TOAST]


@dataclass
class SignsIn(Approving):
    """A person who signs in by hand when they are asked to."""

    page: Page | None = None

    async def answer(self, text: str, choices: tuple[str, ...]) -> str | None:
        self.asked.append(text)
        assert self.page is not None
        await sign_in(self.page)
        return choices[0]


@pytest.mark.requirement("MISHAP-03")
async def test_a_session_that_expires_is_handed_to_the_person_and_the_task_goes_on_after_the_login(
    tmp_path: Path,
) -> None:
    person = SignsIn()
    moves: tuple[Move, ...] = (
        *PUBLISHES,
        opens("/notice"),
        _at_login,
        *PUBLISHES,
        opens("/notice"),
        proved(SUMMARY, ROW),
    )
    async with world(tmp_path, "claude", *moves, person=person) as run:
        person.page = run.page
        run.browser.sites.control.shared.faults.append(Fault("expired", "/api/notices"))
        done = await run.run(PUBLISH)
        assert run.published == [(TITLE, True)]
        run.answered(done, 12 * A_CALL, 12)
    assert (len(person.asked), len(person.shown)) == (1, 2)
    assert (done.outcome, [item.rank for item in done.evidence]) == ("completed", [EvidenceRank.RE_QUERY])
    assert "demo-only" not in "".join(text for view in run.views for text in view.texts)


def _at_login(view: View) -> Mapping[str, object]:
    assert "/login" in view.now, view.now
    return step(call("ask_user", question="登录已失效，请在页面上登录。", choices=["已登录", "不登录"]))


@pytest.mark.requirement("MISHAP-04")
async def test_a_dialog_in_the_way_is_named_closed_and_the_work_done_once(tmp_path: Path) -> None:
    moves: tuple[Move, ...] = (
        opens("/notice/new"),
        step(act("click", selector=".notice-submit")),
        _covered,
        *FILLS[1:],
        clicks("提交"),
        opens("/notice"),
        clicks("我知道了"),
        step(call("read_page")),
        proved(SUMMARY, ROW),
    )
    person = Approving()
    async with world(tmp_path, "openai", *moves, person=person) as run:
        run.browser.sites.control.shared.drift = ("dialog",)
        done = await run.run(PUBLISH)
        assert run.published == [(TITLE, True)]
        run.answered(done, 10 * A_CALL, 10)
    assert (done.outcome, [item.rank for item in done.evidence]) == ("completed", [EvidenceRank.RE_QUERY])
    assert len(person.shown) == 1


def _covered(view: View) -> Mapping[str, object]:
    assert "挡住" in view.now or "遮" in view.now, view.now
    return step(act("click", ref=view.ref("我知道了")))


@dataclass
class Released:
    """A new release of the site between a look and the act that follows from it."""

    run: list[World] = field(default_factory=list)

    async def reload(self) -> None:
        (run,) = self.run
        run.browser.sites.control.shared.drift = ("ids", "classes", "move", "wrap", "labels")
        await run.page.reload()
        await run.page.wait_for_function("document.querySelector('[data-act]')?.textContent.trim() !== '提交'")


@pytest.mark.requirement("MISHAP-08")
async def test_a_page_that_changes_between_look_and_act_is_looked_at_anew_and_the_work_done_once(
    tmp_path: Path,
) -> None:
    released = Released()
    moves: tuple[Move, ...] = (
        *FILLS,
        lambda view: Meanwhile(released.reload, step(act("click", ref=view.ref("提交")))),
        _anew,
        types("公告正文", BODY_AGAIN),
        lambda view: step(act("click", ref=_submits(view))),
        opens("/notice"),
        proved(SUMMARY, ROW),
    )
    person = Approving()
    async with world(tmp_path, "claude", *moves, person=person) as run:
        released.run.append(run)
        done = await run.run(PUBLISH)
        assert [(one.title, BODY_AGAIN in one.html) for one in run.notices if one.title == TITLE] == [(TITLE, True)]
        run.answered(done, 9 * A_CALL, 9)
    assert (done.outcome, [item.rank for item in done.evidence]) == ("completed", [EvidenceRank.RE_QUERY])
    assert len(person.shown) == 1


BODY_AGAIN = "请各部门安排值班。"


def _anew(view: View) -> Mapping[str, object]:
    assert "页面现在的样子" in view.now, view.now
    return step(act("type", ref=view.ref("标题"), text=TITLE))


def _submits(view: View) -> str:
    return view.ref("确认提交") if "确认提交" in "".join(view.texts) else view.ref("提交送审")
