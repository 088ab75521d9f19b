"""Tasks that change something: a form, a text carried from one system to another, a way around what fails."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from browser_host_stub.sites.oa.state import at_start
from sgclaw.llm.scenario import Step
from tests.scenarios.agent.world import TODAY, Person, Told, World, act, call, done, opened, read, wait, world

HR, LEGAL, OA = "https://hr.example.com", "https://legal.example.com", "https://oa.example.com"
NOTE = "资料已交档案室"
WHO = "HY00003"
STAFF = ".staff-page[data-state=ready]"


@pytest.mark.requirement("THINK-02")
async def test_a_form_is_filled_and_saved_and_the_row_it_made_proves_it(tmp_path: Path) -> None:
    number, duty = "HT-2026-001", "到货验收"

    def tell(told: Told) -> Step:
        row = told.found(rf"({duty} \| [\d-]+ \| {TODAY})")
        return done(f"已登记 {number} 的“{duty}”于 {TODAY} 完成。", (told.seq, row))

    moves = [
        *opened(f"{LEGAL}/contracts", f".open-contract[data-id={number}]"),
        lambda told: act(
            "click", criterion="节点显示完成日期", ref=told.found(rf"(?s){number} .*?\| \[(\d+)\] \[\d+\]")
        ),
        lambda _: wait(".contract-drawer .contract-state"),
        lambda _: read(),
        lambda told: act("click", ref=told.ref("履约节点")),
        lambda _: wait(".contract-drawer .duty-table"),
        lambda _: read(),
        lambda told: act("click", ref=told.found(rf"{duty}[^\n]*?\[(\d+)\]")),
        lambda _: wait(".finish-dialog"),
        lambda _: read(),
        lambda told: act("type", ref=told.ref("说明"), text=NOTE),
        lambda told: act("click", ref=told.ref("保存")),
        lambda _: wait(".finish-dialog", "hidden"),
        lambda _: read(),
        tell,
    ]
    async with world(tmp_path, "openai", moves) as run:
        ended = await run.run(f"在 legal 系统把合同 {number} 的“{duty}”登记为今天完成，说明写“{NOTE}”")
        site = run.sites.legal.state.register
        done_duties = [(one.name, one.done, one.note) for one in site.contract(number).duties if one.done == TODAY]
        assert (run.person.asked, run.person.shown) == ([], [])
    assert done_duties == [(duty, TODAY, NOTE)]
    assert (ended.outcome, ended.error) == ("completed", None)
    assert [item.rank.value for item in ended.evidence] == ["dom_state"]


@pytest.mark.requirement("THINK-06")
async def test_a_value_reaches_another_system_only_after_the_person_read_it(tmp_path: Path) -> None:
    title = ""

    def carry(told: Told) -> Step:
        nonlocal title
        title = "请关注 " + told.found(r"相对方 \| (\S+)")
        return act("navigate", url=f"{OA}/notice/new")

    def tell(told: Told) -> Step:
        return done("公告已提交，列表里可以看到。", (told.seq, title))

    moves = [
        *opened(f"{LEGAL}/contracts", ".open-contract[data-id=HT-2026-001]"),
        lambda told: act("click", ref=told.found(r"(?s)HT-2026-001 .*?\| \[(\d+)\] \[\d+\]"), criterion="公告在列表里"),
        lambda _: read(),
        carry,
        lambda told: act("type", ref=told.ref("~标题"), text=title),
        lambda told: act("type", ref=told.ref("公告正文"), text="请各部门知悉。"),
        lambda told: act("click", ref=told.ref("提交")),
        lambda _: wait(".notice-subject:placeholder-shown"),
        *opened(f"{OA}/notice", ".notice-list[data-state=ready]"),
        tell,
    ]
    person = Person(yes=True, answers={"读到的内容": "允许"})
    async with world(tmp_path, "openai", moves, person) as run:
        ended = await run.run(
            "把 legal 系统合同 HT-2026-001 的相对方写进一条 OA 公告的标题并发布，正文写“请各部门知悉。”"
        )
        notices = run.sites.oa.state.notices
    assert title.endswith("有限公司")
    assert person.asked == [f"要把从 {LEGAL} 读到的内容发给 {OA}，是否允许？原文：\n{title}"]
    assert person.choices == [("允许", "不允许")]
    assert [(facts["action"], facts["label"]) for facts in person.shown] == [("click", "提交")]
    assert [one.title for one in notices] == [title, *(one.title for one in at_start(TODAY).notices)]
    assert ended.outcome == "completed"
    assert [(item.rank.value, item.fact) for item in ended.evidence] == [("re_query", f"页面显示“{title}”")]


class ReloadingPerson(Person):
    """A person who loads the page anew before they answer."""

    run: World

    async def answer(self, text: str, choices: tuple[str, ...]) -> str | None:
        async with asyncio.timeout(30):
            page = self.run.browser.driver._pages.get(None).page
            await page.reload()
            await page.wait_for_selector(STAFF)
        return await super().answer(text, choices)


@pytest.mark.requirement("THINK-07")
async def test_what_is_missing_or_stale_is_told_and_another_way_does_it_once(tmp_path: Path) -> None:
    old = ""

    def other_way(told: Told) -> Step:
        nonlocal old
        assert "没有找到目标元素" in told.text
        old = told.found(rf"{WHO} [^\n]*\[(\d+)\]\n")
        return call("ask_user", question=f"要关注的是 {WHO} 吗？", choices=["是", "不是"])

    def again(told: Told) -> Step:
        assert "页面现在的样子" in told.text
        new = told.found(rf"{WHO} [^\n]*\[(\d+)\]\n")
        return act("click", ref=new)

    def tell(told: Told) -> Step:
        name = told.found(rf"{WHO} \| (\S+) ")
        return done(f"已把 {name} 加入关注。", (told.seq, f"{WHO} {name} 关注"))

    moves = [
        *opened(f"{HR}/employees", STAFF),
        lambda _: act("click", criterion="该员工带“关注”标记", selector=f"#mark-{WHO}"),
        other_way,
        lambda _: act("click", ref=old),
        again,
        lambda _: wait(".staff-menu"),
        lambda _: read(),
        lambda told: act("click", ref=told.ref("加入关注")),
        lambda _: wait(f".staff-marked[data-id={WHO}]"),
        lambda _: read(),
        tell,
    ]
    person = ReloadingPerson(answers={WHO: "是"})
    async with world(tmp_path, "claude", moves, person) as run:
        person.run = run
        ended = await run.run(f"在 HR 系统把员工 {WHO} 加入关注")
        marked = run.sites.hr.state.staff.marked
    assert marked == {WHO}
    assert ended.outcome == "completed"
    assert [item.rank.value for item in ended.evidence] == ["dom_state"]
