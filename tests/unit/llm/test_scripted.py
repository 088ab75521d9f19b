"""The scripted model and its scenario files."""

from __future__ import annotations

from pathlib import Path

import pytest

from sgclaw.context.chat import ChatMessage, ToolResult
from sgclaw.errors import ConfigError, ModelError, ModelTimeoutError
from sgclaw.llm.careful import Care, Patience
from sgclaw.llm.providers import make_model
from sgclaw.llm.settings import ModelSettings
from sgclaw.ports import Model, ModelUsage, TextDelta, ThoughtDelta
from tests.support.ports import LoopClock
from tests.unit.llm.room import QUICK, Pauses, events_of, reply_of

SCENARIO = """
model: {name: reciter, tools: false, pictures: true, window: 8000}
steps:
  - expect: {role: user, contains: 导出, lacks: 删除}
    thinks: 先找到菜单。
    says: 我来打开报表页。
    calls:
      - {name: browser_action, arguments: {action: click}}
      - {name: browser_action, arguments: "{not json"}
    usage: {input: 900, output: 40, cached: 700}
  - {fault: rate_limited, retry_after: 3}
  - {fault: cut, says: 我先}
  - expect: {role: user, contains: 已导出}
    says: 完成。
"""


def scripted(folder: Path, text: str, pauses: Pauses | None = None, patience: Patience = QUICK) -> Model:
    path = folder / "scenario.yaml"
    path.write_text(text, encoding="utf-8")
    care = Care(LoopClock(), patience, pauses or Pauses())
    model = make_model(ModelSettings("scripted", scenario=str(path)), care)
    assert model is not None
    return model


@pytest.mark.requirement("LLM-16")
async def test_a_scenario_is_recited_step_by_step_with_its_faults(tmp_path: Path) -> None:
    pauses = Pauses()
    model = scripted(tmp_path, SCENARIO, pauses)
    assert (model.name, model.calls_tools, model.sees_pictures, model.window) == ("reciter", False, True, 8000)
    *deltas, _ = await events_of(scripted(tmp_path, SCENARIO))
    assert deltas == [ThoughtDelta("先找到菜单。"), TextDelta("我来打开报表页。")]
    first = await reply_of(model, [ChatMessage("user", "请导出")])
    assert [call.arguments for call in first.message.calls] == ['{"action": "click"}', "{not json"]
    assert (first.usage, first.stop) == (ModelUsage(900, 40, 700), "tools")
    last = await reply_of(model, [ChatMessage("tool", results=(ToolResult("c1", "已导出 3 行"),))])
    assert (last.message, last.stop) == (ChatMessage("assistant", "完成。"), "end")
    assert pauses.taken == [3, 2]


@pytest.mark.requirement("LLM-16")
@pytest.mark.parametrize(
    "said", [ChatMessage("user", "删除并导出"), ChatMessage("user", "查询"), ChatMessage("tool", "导出")]
)
async def test_a_message_the_scenario_does_not_expect_is_told(tmp_path: Path, said: ChatMessage) -> None:
    with pytest.raises(ModelError) as failed:
        await reply_of(scripted(tmp_path, SCENARIO), [said])
    assert (failed.value.facts["reason"], failed.value.facts["step"]) == ("scenario_unmet", 1)


@pytest.mark.requirement("LLM-16")
async def test_a_request_after_the_last_step_is_told(tmp_path: Path) -> None:
    model = scripted(tmp_path, "steps: [{says: 好}]")
    await reply_of(model)
    with pytest.raises(ModelError) as failed:
        await reply_of(model)
    assert failed.value.facts == {"reason": "scenario_over", "steps": 1}


@pytest.mark.requirement("LLM-16")
@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("bad_request", "MODEL_FAILED"),
        ("unauthorized", "MODEL_KEY_REFUSED"),
        ("garbled", "MODEL_FAILED"),
        ("unreachable", "MODEL_UNREACHABLE"),
        ("error_event", "MODEL_UNREACHABLE"),
        ("cut_in_call", "MODEL_UNREACHABLE"),
    ],
)
async def test_each_fault_is_the_error_a_provider_would_cause(tmp_path: Path, fault: str, code: str) -> None:
    with pytest.raises(ModelError) as failed:
        await reply_of(scripted(tmp_path, f"steps: [{', '.join(['{fault: ' + fault + '}'] * 4)}]"))
    assert failed.value.code == code


@pytest.mark.requirement("LLM-16")
@pytest.mark.parametrize("fault", ["silent", "stalls"])
async def test_silence_is_timed_like_a_providers(tmp_path: Path, fault: str) -> None:
    patience = Patience(first_token=0.05, between_tokens=0.05)
    with pytest.raises(ModelTimeoutError):
        await reply_of(scripted(tmp_path, f"steps: [{{says: 我, fault: {fault}}}]", patience=patience))


@pytest.mark.requirement("LLM-16")
@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("steps: []", "steps"),
        ("steps: [{say: 好}]", "steps.0.say"),
        ("steps: [{fault: tired}]", "steps.0.fault"),
        ("steps: [{usage: {input: -1}}]", "steps.0.usage.input"),
        ("steps: [{says: 好", ""),
        ("!!python/object/apply:os.system [ls]", ""),
        ("", ""),
    ],
)
def test_a_scenario_that_cannot_be_used_names_file_and_place(tmp_path: Path, text: str, key: str) -> None:
    with pytest.raises(ConfigError) as refused:
        scripted(tmp_path, text)
    assert refused.value.facts["file"] == str(tmp_path / "scenario.yaml")
    assert refused.value.facts["key"] == key
