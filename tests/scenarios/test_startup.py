"""What a `sgclaw pipe` has loaded when it is ready: the real command, asked at its own end."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.imports import HEAVY, heavy, loaded_modules


@pytest.mark.requirement("START-01")
def test_a_ready_and_warm_process_has_loaded_no_model_client_toolkit_or_dictionary(tmp_path: Path) -> None:
    modules = loaded_modules(tmp_path)
    assert {"sgclaw.app", "sgclaw.host.session", "pydantic"} <= modules  # the list is that of a process that worked
    assert heavy(modules) == frozenset()


@pytest.mark.requirement("START-01", "LLM-14")
def test_a_configured_model_changes_nothing_about_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"SGCLAW_MODEL_PROVIDER": "claude", "SGCLAW_MODEL_NAME": "m", "SGCLAW_API_KEY": "sk-secret"}
    for name, value in said.items():
        monkeypatch.setenv(name, value)
    modules = loaded_modules(tmp_path)
    assert heavy(modules) == frozenset()
    assert "sgclaw.llm.settings" in modules
    assert not {"sgclaw.llm.providers", "sgclaw.llm.careful"} & modules


def test_a_heavy_package_is_recognised_by_any_of_its_modules() -> None:
    assert heavy(["rich.console", "sgclaw.app", "numpy"]) == {"rich", "numpy"}
    assert {"anthropic", "openai", "numpy", "typer", "rich", "click", "rjieba"} <= HEAVY
