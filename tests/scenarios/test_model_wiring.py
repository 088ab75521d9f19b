"""The model as the application wires it: its records in the files of the audit, its key in no child."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from sgclaw.app.opening import SystemClock, open_model
from sgclaw.audit.ledger import FileLedger
from sgclaw.audit.record_files import RecordFiles
from sgclaw.audit.records import kept
from sgclaw.audit.story import render_kept
from sgclaw.audit.trace import TraceHolder
from sgclaw.config import Settings
from sgclaw.context.chat import ChatMessage
from sgclaw.llm.settings import ModelSettings
from sgclaw.ports import CallLimits, RecordKind
from tests.unit.cli.home import make_home

TRACE = "sgclaw-20260401-0a0b0c0d"
SCENARIO = """
model: {name: reciter}
steps: [{says: 报表已导出, usage: {input: 900, output: 40}}]
"""


@pytest.mark.requirement("LLM-22")
async def test_a_call_of_the_wired_model_is_in_the_records_and_tells_no_word(tmp_path: Path) -> None:
    scenario, audit, clock = tmp_path / "s.yaml", tmp_path / "audit", SystemClock()
    scenario.write_text(SCENARIO, encoding="utf-8")
    settings = Settings(tmp_path, tmp_path, (), model=ModelSettings("scripted", scenario=str(scenario)))
    records = RecordFiles(audit, FileLedger(audit, clock), clock, TraceHolder(TRACE))
    model = open_model(settings, clock, records)
    assert model is not None
    _ = [event async for event in model.stream([ChatMessage("user", "密码：Xk9#mT2vLq")], (), CallLimits())]
    records.commit()
    records.close()
    (record,) = kept(audit, RecordKind.LLM, TRACE)
    assert (record["model"], record["outcome"], record["tokens"], record["tries"]) == ("reciter", "end", 940, 1)
    assert "Xk9" not in json.dumps(record)
    (line,) = render_kept(RecordKind.LLM, [record])
    assert "模型 reciter，end" in line
    assert "词元 940" in line


@pytest.mark.requirement("LLM-12")
def test_the_host_that_is_started_has_no_key_in_its_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = make_home(tmp_path, capsys)
    seen = tmp_path / "environment.json"
    for name in ("SGCLAW_API_KEY", "MINE"):
        monkeypatch.setenv(name, "sk-secret")
    program = f"import json, os; open({str(seen)!r}, 'w').write(json.dumps(dict(os.environ)))"
    home.with_settings(
        host_command=(sys.executable, "-c", program),
        model=ModelSettings("claude", "m", key="env:MINE"),
        model_key="sk-secret",
    )
    assert home.run("run", "导出订单清单", "--input", "month=2026-03") != 0
    environment = json.loads(seen.read_text(encoding="utf-8"))
    assert "PATH" in environment
    assert not {"SGCLAW_API_KEY", "MINE"} & environment.keys()
    assert "sk-secret" not in home.out + home.err
