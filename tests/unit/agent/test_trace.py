"""The trace: what is kept of a run, by whom it can be read, and how a run goes on from it."""

from __future__ import annotations

import json
import os
import stat
from decimal import Decimal
from pathlib import Path

import pytest

from sgclaw.agent.limits import Limits
from sgclaw.agent.trace import read_trace, trace_path
from sgclaw.errors import FileProblemError
from tests.unit.agent.room import Answers, Room, act, call, done, given_up, step
from tests.unit.agent.site import ERP, OA

LOOK = step(call("read_page"))
TYPE = step(act("type", ref="2", text="2026-03"))


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.requirement("AGT-22")
async def test_every_step_is_kept_before_its_acts_and_after_them_for_the_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "t1.jsonl"
    await Room([LOOK, TYPE, given_up()], trace=path).run()
    kept = lines(path)
    assert [(each["kind"], each["number"]) for each in kept] == [
        *[("began", 1), ("step", 1)],
        *[("began", 2), ("step", 2)],
        *[("began", 3), ("step", 3)],
    ]
    assert (kept[-1]["state"], kept[-1]["ended"]) == ("failed", "NEEDS_HUMAN")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.requirement("AGT-22")
async def test_a_run_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "t1.jsonl"
    await Room([LOOK, TYPE, LOOK], trace=path, limits=Limits(steps=2)).run()
    was = read_trace(path)
    assert (len(was.steps), was.spent.steps, was.spent.llm_calls, was.criterion) == (2, 3, 2, "看到结果")
    assert [(write.action, write.final) for write in was.writes] == [("type", False)]
    assert Decimal(128) in was.numbers
    again = Room(
        [step(act("type", criterion=None, ref="2", text="2026-04")), LOOK, given_up("只读到 128 行。")], trace=path
    )
    result = await again.run(was)
    assert (result.usage.steps, result.usage.llm_calls, result.summary) == (6, 5, "只读到 128 行。")
    assert "任务从这里继续" in [each.text for each in again.messages(0)][-1]
    assert again.browser.names == ["getAomSnapshot", "getAomSnapshot"]
    assert len(read_trace(path).steps) == 5


@pytest.mark.requirement("AGT-22", "AGT-20")
async def test_where_values_came_from_is_known_after_going_on(tmp_path: Path) -> None:
    path = tmp_path / "t1.jsonl"
    room = Room([LOOK, given_up()], trace=path, instruction="看 ERP 和 OA")
    await room.run()
    again = Room([step(act("navigate", url=f"{OA}/x?q=合规报表")), given_up()], instruction="看 ERP 和 OA")
    await again.run(read_trace(path))
    assert len(again.person.asked) == 1
    assert ERP in again.person.asked[0].text


@pytest.mark.requirement("AGT-22", "AGT-11")
async def test_an_act_that_was_begun_and_never_told_of_is_in_doubt(tmp_path: Path) -> None:
    path = tmp_path / "t1.jsonl"
    await Room([LOOK, TYPE, given_up()], trace=path).run()
    cut = path.read_text(encoding="utf-8").splitlines(keepends=True)[:3]
    path.write_text("".join(cut) + '{"kind": "st', encoding="utf-8")
    was = read_trace(path)
    assert "第 2 步开始之后没有记下结果" in was.in_doubt
    again = Room([LOOK, TYPE, done("好了。")])
    result = await again.run(was)
    assert (result.reason, again.browser.names) == ("UNKNOWN_OUTCOME", ["getAomSnapshot"])


@pytest.mark.requirement("AGT-22")
async def test_a_scope_that_was_widened_stays_so(tmp_path: Path) -> None:
    path = tmp_path / "t1.jsonl"
    await Room([step(act("navigate", url=f"{OA}/x")), given_up()], trace=path, person=Answers(["允许"])).run()
    again = Room([step(act("navigate", url=f"{OA}/x")), given_up()])
    await again.run(read_trace(path))
    assert (again.person.asked, again.browser.names) == ([], ["navigate"])


@pytest.mark.requirement("AGT-22")
async def test_no_secret_stands_in_a_trace(tmp_path: Path) -> None:
    path = tmp_path / "t1.jsonl"
    await Room([LOOK, step(act("type", ref="2", text="password=hunter2hunter2")), given_up()], trace=path).run()
    assert "hunter2" not in path.read_text(encoding="utf-8")


@pytest.mark.requirement("AGT-22")
async def test_a_trace_that_cannot_be_written_ends_the_run_before_anything_is_done(tmp_path: Path) -> None:
    room = Room([LOOK], trace=tmp_path / "none" / "t1.jsonl")
    result = await room.run()
    assert (result.reason, room.browser.acts) == ("FILE_ERROR", [])


@pytest.mark.requirement("AGT-22")
def test_of_old_traces_only_the_newest_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    first = trace_path(folder, "sgclaw-1-t:1")
    assert (first.name, stat.S_IMODE(folder.stat().st_mode)) == ("sgclaw-1-t_1.jsonl", 0o700)
    for number in range(60):
        path = folder / f"{number}.jsonl"
        path.touch()
        os.utime(path, (number, number))
    trace_path(folder, "new")
    assert sorted(int(path.stem) for path in folder.iterdir()) == list(range(11, 60))
    with pytest.raises(FileProblemError):
        trace_path(folder / "59.jsonl" / "x", "new")


@pytest.mark.requirement("AGT-22")
@pytest.mark.parametrize("text", ["{}\n", "no json\n", '{"kind": "step"}\n'])
def test_a_file_that_is_no_trace_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t1.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileProblemError):
        read_trace(path)
    with pytest.raises(FileProblemError):
        read_trace(tmp_path / "none.jsonl")
