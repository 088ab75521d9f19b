"""The browser's end alone against a hostile sgclaw: nothing but authentic, allowed, approved acts reach the page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sgclaw.protocol.messages import Command
from sgclaw.protocol.parts import SkillTag
from tests.support.raw_agent import ERP_HOST, RawAgent
from tests.support.wire import ERP, EVIL, Approving


@pytest.mark.requirement("STUB-01")
async def test_an_authentic_allowed_command_is_carried_out(agent: RawAgent) -> None:
    assert await agent.call(agent.command("getText", selector="#title")) == "ok"


@pytest.mark.requirement("STUB-02")
async def test_a_command_line_with_any_flipped_byte_is_refused_and_nothing_happens(tmp_path: Path) -> None:
    for position in range(0, 300, 17):
        raw = RawAgent(tmp_path, Approving())
        running = await raw.open()
        line = raw.command("click", selector="#go")
        place = min(position, len(line) - 2)
        flipped = line[:place] + bytes([line[place] ^ 1]) + line[place + 1 :]
        assert await raw.call(flipped) in {"BAD_HMAC", "BAD_JSON", "BAD_ENCODING"}
        assert raw.acts == []
        await raw.close(running)


Send = Callable[[RawAgent], bytes]


@pytest.mark.requirement("STUB-03")
@pytest.mark.parametrize(
    ("send", "code"),
    [
        (lambda raw: raw.command("eval", code="1"), "UNKNOWN_ACTION"),
        (lambda raw: raw.command("click", selector="#go", extra=1), "BAD_PARAMS"),
        (lambda raw: raw.command("click", "oa.example.com", selector="#go"), "POLICY_DENIED"),
        (lambda raw: raw.command("click", "evil.example.net", selector="#go"), "POLICY_DENIED"),
        (lambda raw: raw.command("click", "ERP.example.com", selector="#go"), "POLICY_DENIED"),
        (lambda raw: raw.command("navigate", url=f"{EVIL}/"), "POLICY_DENIED"),
        (lambda raw: raw.command("navigate", url="https://erp.example.com@evil.example.net/"), "POLICY_DENIED"),
        (lambda raw: raw.command("login", site=ERP_HOST, credential="%vault:erp.login%"), "NEEDS_APPROVAL"),
        (lambda raw: raw.command("clearStorage"), "NEEDS_APPROVAL"),
        (lambda raw: raw.command("click", selector="#submit"), "NEEDS_APPROVAL"),
        (lambda raw: raw.command("click", selector="#submit", approval_id="ap-1"), "POLICY_DENIED"),
    ],
)
async def test_the_host_alone_refuses_what_the_policy_does_not_allow(send: Send, code: str, agent: RawAgent) -> None:
    assert isinstance(agent.approver, Approving)
    agent.approver.yes = False
    assert await agent.call(send(agent)) == code
    assert agent.acts == []


@pytest.mark.requirement("STUB-04")
async def test_an_approval_is_used_once_and_only_for_the_act_it_was_given_for(agent: RawAgent) -> None:
    assert await agent.call(agent.command("click", selector="#submit")) == "NEEDS_APPROVAL"
    approval = await agent.read()
    assert (approval["type"], approval["approved"]) == ("approval", True)
    other = agent.command("clearStorage", approval_id=approval["approval_id"])
    assert await agent.call(other) == "POLICY_DENIED"
    again = agent.command("click", selector="#submit", approval_id=approval["approval_id"])
    assert await agent.call(again) == "POLICY_DENIED"
    assert agent.acts == []
    assert await agent.call(agent.command("click", selector="#submit")) == "NEEDS_APPROVAL"
    second = await agent.read()
    assert await agent.call(agent.command("click", selector="#submit", approval_id=second["approval_id"])) == "ok"
    third = agent.command("click", selector="#submit", approval_id=second["approval_id"])
    assert await agent.call(third) == "POLICY_DENIED"
    assert agent.acts == [("click", "#submit")]


@pytest.mark.requirement("STUB-04")
async def test_an_approval_does_not_cover_an_element_that_changed_meanwhile(agent: RawAgent) -> None:
    await agent.call(agent.command("click", selector="#submit"))
    approval = await agent.read()
    agent.driver.pages["p1"].elements["#submit"].label = "删 除"
    line = agent.command("click", selector="#submit", approval_id=approval["approval_id"])
    assert await agent.call(line) == "POLICY_DENIED"
    assert agent.acts == []


@pytest.mark.requirement("STUB-34")
async def test_a_command_whose_turn_comes_too_late_is_not_carried_out(agent: RawAgent) -> None:
    agent.driver.knobs.hang.add("hover")
    for action, deadline_ms in (("hover", 300), ("click", 100)):
        command = Command(
            seq=agent.channel.upcoming_seq,
            action=action,
            params={"selector": "#go"},
            task_id="t1",
            deadline_ms=deadline_ms,
        )
        agent.write(agent.channel.seal_command(command, ERP_HOST)[0])
    answers = [await agent.read() for _ in range(2)]
    assert [(line["seq"], line["error"]["code"]) for line in answers] == [(1, "TIMEOUT"), (2, "TIMEOUT")]
    assert agent.acts == []


@pytest.mark.requirement("STUB-05")
async def test_a_repeated_command_is_refused_and_a_gap_ends_the_session(agent: RawAgent) -> None:
    line = agent.command("getText", selector="#title")
    assert await agent.call(line) == "ok"
    assert await agent.call(line) == "REPLAYED"
    agent.command("getText", selector="#title")
    assert await agent.call(agent.command("getText", selector="#title")) == "SEQUENCE_GAP"


@pytest.mark.requirement("STUB-06")
async def test_a_standing_grant_covers_exactly_its_skill_action_and_origin(tmp_path: Path) -> None:
    raw = RawAgent(tmp_path, Approving(yes=False), grants=[{"skill": "oa", "action": "click", "origin": ERP}])
    running = await raw.open()
    assert await raw.call(raw.command("click", selector="#submit")) == "NEEDS_APPROVAL"
    assert (await raw.read())["approved"] is False
    command = Command(
        seq=raw.channel.upcoming_seq,
        action="click",
        params={"selector": "#submit"},
        task_id="t1",
        deadline_ms=5_000,
        skill=SkillTag(ref="oa@1.0.0", sha256="0" * 64),
    )
    assert await raw.call(raw.channel.seal_command(command, ERP_HOST)[0]) == "ok"
    await raw.close(running)
