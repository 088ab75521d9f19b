"""The model's side fails: its provider stumbles or falls, or its answers cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from sgclaw.protocol.parts import EvidenceRank
from tests.scenarios.agent_mishaps.world_b import (
    A_CALL,
    BODY,
    FILLS,
    PUBLISH,
    PUBLISHES,
    ROW,
    TITLE,
    Made,
    Move,
    Protocol,
    View,
    clicks,
    opens,
    proved,
    world,
)
from tests.support.wire import Approving
from tests.unit.agent.room import act, call, step

SUMMARY = f"公告《{TITLE}》已发布。"
CHECKED: tuple[Move, ...] = (opens("/notice"), proved(SUMMARY, ROW))
TOLD_WHEN_CUT = A_CALL - 9
"""Tokens a stream of Claude has told when it breaks off: all of the request's, one of the answer's."""


def cut(view: View) -> Made:
    return {**step(act("click", ref=view.ref("提交"))), "fault": "cut_in_call"}


@pytest.mark.requirement("MISHAP-05")
@pytest.mark.parametrize("protocol", ["claude", "openai"])
async def test_a_provider_that_stumbles_costs_tries_and_nothing_is_done_twice(
    protocol: Protocol, tmp_path: Path
) -> None:
    moves: tuple[Move, ...] = (
        {"fault": "server_error"},
        *FILLS[:2],
        {"fault": "rate_limited", "retry_after": 0.1},
        FILLS[2],
        cut,
        clicks("提交"),
        *CHECKED,
    )
    person = Approving()
    async with world(tmp_path, protocol, *moves, person=person) as run:
        done = await run.run(PUBLISH)
        assert run.published == [(TITLE, True)]
        used = 6 * A_CALL + TOLD_WHEN_CUT
        if protocol == "openai":  # tells nothing before its end: what broke off counts as what was sent
            assert done.usage.tokens > used
            used = done.usage.tokens - run.script.more * A_CALL
        run.answered(done, used, 6)
    assert (done.outcome, [item.rank for item in done.evidence]) == ("completed", [EvidenceRank.RE_QUERY])
    assert len(person.shown) == 1


@pytest.mark.requirement("MISHAP-06")
async def test_a_provider_that_stays_down_ends_the_task_typed_with_what_was_done_told(tmp_path: Path) -> None:
    person = Approving()
    async with world(tmp_path, "openai", *PUBLISHES, *[{"fault": "server_error"}] * 4, person=person) as run:
        done = await run.run(PUBLISH)
        assert run.published == [(TITLE, True)]
        assert run.page.url.endswith("/notice/new")
        run.answered(done, 4 * A_CALL, 5)
    assert done.error is not None
    assert (done.outcome, done.error.code, done.evidence) == ("failed", "MODEL_UNREACHABLE", ())
    assert "请核对" in done.summary
    assert len(person.shown) == 1


@pytest.mark.requirement("MISHAP-07")
@pytest.mark.parametrize("protocol", ["claude", "openai"])
async def test_answers_that_cannot_be_used_go_back_and_the_right_ones_are_carried_out(
    protocol: Protocol, tmp_path: Path
) -> None:
    moves: tuple[Move, ...] = (
        step(says="好的，我这就去发布。"),
        step({"name": "browser_action", "arguments": '{"action": "navigate", "params": {"url": '}),
        step(call("publish_notice", title=TITLE, text=BODY)),
        step(act("teleport", url="https://oa.example.com/notice/new")),
        step(act("navigate", address="https://oa.example.com/notice/new")),
        *PUBLISHES,
        *CHECKED,
    )
    async with world(tmp_path, protocol, *moves) as run:
        done = await run.run(PUBLISH)
        assert run.published == [(TITLE, True)]
        run.answered(done, 11 * A_CALL, 11)
    told = [view.now for view in run.views[1:6]]
    words = ("没有工具调用", "不是一个 JSON 对象", "没有工具 publish_notice", "action 没有这个值", "url")
    assert [word in text for word, text in zip(words, told, strict=True)] == [True] * 5
    assert (done.outcome, [item.rank for item in done.evidence]) == ("completed", [EvidenceRank.RE_QUERY])


@pytest.mark.requirement("MISHAP-07")
async def test_a_model_that_never_answers_in_form_ends_the_task_typed_and_touches_nothing(tmp_path: Path) -> None:
    async with world(tmp_path, "claude", *FILLS, *[step(says="我觉得可以了。")] * 3) as run:
        done = await run.run(PUBLISH)
        assert run.published == []
        assert await run.page.input_value(".notice-subject") == TITLE
        run.answered(done, 6 * A_CALL, 6)
    assert done.error is not None
    assert (done.outcome, done.error.code, done.error.facts["reason"]) == ("failed", "MODEL_FAILED", "no_call")
