"""Tasks that only read: a figure, a table of several pages, a file."""

from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path

import pytest

from browser_host_stub.sites.erp.data import rows, totals
from browser_host_stub.sites.erp.export import ReportFilter, render
from browser_host_stub.task_run import result_json
from sgclaw.llm.scenario import Step
from tests.scenarios.agent.world import Person, Told, act, call, done, opened, read, wait, world

ERP, LEGAL = "https://erp.example.com", "https://legal.example.com"
WORDS = "信息技术"
READY = ".report-table[data-state=ready]"


@pytest.mark.requirement("THINK-01")
async def test_a_figure_is_read_where_it_stands_and_told_with_its_place(tmp_path: Path) -> None:
    debit, _ = totals(rows("2026-03"))

    def tell(told: Told) -> Step:
        figure = told.found(r"借方合计([\d,.]+)")
        return done(f"2026年3月借方合计 {figure} 元。", (told.seq, f"借方合计{figure}"), data={"debit": figure})

    moves = [
        lambda _: read(),
        lambda told: act("click", criterion="看到三月的合计", ref=told.ref("财务月度报表")),
        lambda _: wait(READY),
        lambda _: read(),
        lambda told: act("click", ref=told.ref("月份选择")),
        lambda told: act("click", ref=told.ref("三月")),
        lambda _: wait(READY),
        lambda _: read(mode="find", query="借方合计"),
        tell,
    ]
    async with world(tmp_path, "claude", moves) as run:
        ended = await run.run("看一下 ERP 里 2026 年 3 月全公司的借方合计是多少")
        assert (run.person.asked, run.person.shown) == ([], [])
    assert (ended.outcome, ended.error, ended.data) == ("completed", None, {"debit": f"{debit:,}"})
    assert ended.summary == f"2026年3月借方合计 {debit:,} 元。"
    assert [(item.rank.value, item.fact) for item in ended.evidence] == [("dom_state", f"页面显示“借方合计{debit:,}”")]


@pytest.mark.requirement("THINK-04")
async def test_a_table_of_several_pages_is_read_whole_and_a_count_nobody_read_is_sent_back(tmp_path: Path) -> None:
    found: list[dict[str, str]] = []
    ends: list[tuple[int, str]] = []

    def take(told: Told) -> None:
        table = json.loads(told.found(r"(?m)^(\{\"columns\".*\})$"))
        found.extend({"id": row[0], "amount": row[5]} for row in table["rows"])
        ends.append((told.seq, found[-1]["id"]))

    def turn(told: Told) -> Step:
        take(told)
        return act("click", ref=told.ref("下一页"))

    def invent(told: Told) -> Step:
        take(told)
        return done(f"共 {len(found) + 81} 份合同。", *ends, data=found)

    def tell(told: Told) -> Step:
        assert f"总结里的“{len(found) + 81}”在读到的数据里找不到" in told.text
        return done(f"共 {len(found)} 份合同。", *ends, data=found)

    moves = [
        *opened(f"{LEGAL}/contracts", ".open-contract[data-id=HT-2026-001]"),
        lambda told: act("type", criterion="列出全部合同", ref=told.ref("~合同台账"), text=WORDS),
        lambda told: act("click", ref=told.ref("查询")),
        lambda _: wait(".el-loading-mask", "hidden"),
        lambda _: read(),
        lambda _: act("extractTable", selector=".contract-table"),
        turn,
        lambda _: wait(".el-loading-mask", "hidden"),
        lambda _: act("extractTable", selector=".contract-table"),
        invent,
        tell,
    ]
    async with world(tmp_path, "openai", moves) as run:
        ended = await run.run(f"列出 legal 系统里名称有“{WORDS}”的合同和金额")
        contracts = run.sites.legal.state.register.contracts.values()
        truth = [{"id": one.id, "amount": f"{one.amount:,}"} for one in contracts if WORDS in one.name + one.partner]
    assert len(truth) > 10
    assert (ended.outcome, ended.data, ended.summary) == ("completed", truth, f"共 {len(truth)} 份合同。")
    assert [(item.rank.value, item.fact) for item in ended.evidence] == [
        ("dom_state", f"页面显示“{truth[at]['id']}”") for at in (9, -1)
    ]


@pytest.mark.requirement("THINK-05")
async def test_a_download_is_proved_by_the_hash_of_the_file_that_the_site_made(tmp_path: Path) -> None:
    truth = render(ReportFilter("2026-04", "法务部"), "csv")

    def tell(told: Told) -> Step:
        return done("已下载法务部的月度报表。", (told.seq, "月度报表_2026-04_法务部.csv"))

    moves = [
        *opened(f"{ERP}/report/finance", READY),
        lambda told: act("click", criterion="文件已下载", ref=told.ref("部门筛选")),
        lambda told: act("click", ref=told.ref("法务部")),
        lambda told: act("select", ref=told.ref("导出格式"), value="csv"),
        lambda told: act("click", ref=told.ref("导出报表")),
        lambda _: wait(".export-link"),
        lambda _: act("download", selector=".export-link"),
        tell,
    ]
    async with world(tmp_path, "claude", moves) as run:
        ended = await run.run("把 ERP 法务部的分录存成 CSV 文件给我")
        artifacts = result_json(ended, run.session.trace_id, run.browser.driver)["artifacts"]
    assert isinstance(artifacts, list)
    (file,) = artifacts
    digest = hashlib.sha256(truth).hexdigest()
    assert (ended.outcome, file["size"], file["sha256"]) == ("completed", len(truth), digest)
    assert await asyncio.to_thread(Path(file["path"]).read_bytes) == truth
    assert [(item.rank.value, item.fact) for item in ended.evidence] == [
        ("file_hash", f"文件 {file['name']}，{len(truth)} 字节，sha256 {digest}")
    ]


@pytest.mark.requirement("THINK-08")
async def test_what_the_task_leaves_open_the_person_chooses(tmp_path: Path) -> None:
    departments = ["财务部", "法务部", "市场部"]

    def tell(told: Told) -> Step:
        figure = told.found(r"借方合计([\d,.]+)")
        return done(f"法务部 4 月借方合计 {figure} 元。", (told.seq, f"借方合计{figure}"), data={"debit": figure})

    moves = [
        *opened(f"{ERP}/report/finance", READY),
        lambda _: call("ask_user", question="要看哪个部门？", choices=departments),
        lambda told: act("click", criterion="看到该部门的合计", ref=told.ref("部门筛选")),
        lambda told: act("click", ref=told.ref(told.found(r"用户回答：(\w+)"))),
        lambda _: wait(READY),
        lambda _: read(mode="find", query="借方合计"),
        tell,
    ]
    person = Person(answers={"哪个部门": "法务部"})
    async with world(tmp_path, "openai", moves, person) as run:
        ended = await run.run("看看 ERP 某个部门 4 月的借方发生额")
        states = run.states()
    debit, _ = totals(rows("2026-04", "法务部"))
    assert (person.asked, person.choices) == (["要看哪个部门？"], [tuple(departments)])
    assert "confirming" in states
    assert (ended.outcome, ended.data) == ("completed", {"debit": f"{debit:,}"})
    assert [item.rank.value for item in ended.evidence] == ["dom_state"]
