"""Settings of the model, as `config` reads them."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest

from sgclaw.app.opening import open_model
from sgclaw.config import load_settings
from sgclaw.errors import ConfigError
from sgclaw.llm.settings import ModelSettings, Price
from tests.gates.repository import ROOT
from tests.support.ports import LoopClock

FILE = """
production = false
[model]
provider = "openai"
name = "qwen-max"
base_url = "https://dashscope.aliyuncs.com/compatible-mode/v1"
key = "env:QWEN_KEY"
window = 32000
pictures = true
[model.prices.qwen-max]
input = 2.4
output = 9.6
currency = "CNY"
"""


def environment(folder: Path, text: str, **more: str) -> dict[str, str]:
    path = folder / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return {"SGCLAW_SETTINGS": str(path), "HOME": str(folder), **more}


@pytest.mark.requirement("LLM-17")
def test_without_settings_there_is_no_model_and_no_key(tmp_path: Path) -> None:
    settings = load_settings({"HOME": str(tmp_path)})
    assert (settings.model, settings.model_key) == (ModelSettings(), "")


@pytest.mark.requirement("LLM-17", "LLM-12")
def test_the_file_says_which_model_and_the_environment_holds_its_key(tmp_path: Path) -> None:
    settings = load_settings(environment(tmp_path, FILE, QWEN_KEY="sk-secret"))
    paid = Decimal("2.4")
    assert settings.model == ModelSettings(
        provider="openai",
        name="qwen-max",
        base_url="https://dashscope.aliyuncs.com/compatible-mode/v1",
        key="env:QWEN_KEY",
        window=32000,
        pictures=True,
        prices={"qwen-max": Price(paid, Decimal("9.6"), paid, paid, "CNY")},
    )
    assert settings.model_key == "sk-secret"
    assert "sk-secret" not in repr(settings)


@pytest.mark.requirement("LLM-17")
def test_a_key_lies_where_nothing_else_is_said_in_a_variable_of_its_own(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "SGCLAW_MODEL_PROVIDER": "claude", "SGCLAW_MODEL_NAME": "m"}
    assert load_settings({**env, "SGCLAW_API_KEY": "sk-secret"}).model_key == "sk-secret"
    assert load_settings({**env, "SGCLAW_MODEL_KEY": "env:MINE", "MINE": "sk-mine"}).model_key == "sk-mine"
    with pytest.raises(ConfigError) as refused:
        load_settings({**env, "SGCLAW_MODEL_KEY": "sk-secret"})
    assert "sk-secret" not in str(refused.value.as_dict())


@pytest.mark.requirement("LLM-17")
def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    said = {
        "SGCLAW_MODEL_NAME": "m2",
        "SGCLAW_MODEL_BASE_URL": "http://10.0.0.5:8000/v1",
        "SGCLAW_MODEL_HOSTS": "http://10.0.0.5:8000, api.openai.com",
        "SGCLAW_MODEL_THINKING": "adaptive",
        "SGCLAW_MODEL_TOOLS": "no",
    }
    model = load_settings(environment(tmp_path, FILE, **said)).model
    assert (model.name, model.base_url, model.thinking, model.tools) == (
        "m2",
        "http://10.0.0.5:8000/v1",
        "adaptive",
        False,
    )
    assert model.hosts == ("http://10.0.0.5:8000", "api.openai.com")


@pytest.mark.requirement("LLM-17")
@pytest.mark.parametrize(
    ("line", "key"),
    [
        ('provider = "gemini"', "model.provider"),
        ('provider = "openai"', "model.name"),
        ('provider = "scripted"', "model.scenario"),
        ('provider = "openai"\nname = "m"\nbase_url = "http://api.openai.com/v1"', "model.base_url"),
        ('provider = "openai"\nname = "m"\nhosts = []', "model.base_url"),
        ('key = "sk-live-0123456789"', "model.key"),
        ('key = "env:A B"', "model.key"),
        ("window = 12", "model.window"),
        ("window = true", "model.window"),
        ('window = "many"', "model.window"),
        ("thinking = 5", "model.thinking"),
        ("tools = 3", "model.tools"),
        ("hosts = 1", "model.hosts"),
        ("prices = 1", "model.prices"),
        ("prices.m = {input = 1, output = 2}", "model.prices"),
        ('prices.m = {input = -1, output = 2, currency = "USD"}', "model.prices"),
        ('prices.m = {input = nan, output = 2, currency = "USD"}', "model.prices"),
        ('prices.m = {input = 1, output = 2, currency = "USD", tax = 3}', "model.prices"),
        ('temperature = "hot"', "model.temperature"),
    ],
)
def test_a_bad_setting_names_its_file_and_key(line: str, key: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        load_settings(environment(tmp_path, f"[model]\n{line}\n"))
    assert refused.value.facts["key"] == key
    assert str(tmp_path / "settings.toml") in refused.value.cause
    assert "sk-live" not in str(refused.value.as_dict())


@pytest.mark.requirement("LLM-17")
def test_a_bad_variable_is_named(tmp_path: Path) -> None:
    said = {"SGCLAW_MODEL_BASE_URL": "https://evil.example/v1"}
    with pytest.raises(ConfigError) as refused:
        load_settings(environment(tmp_path, FILE, **said))
    assert "SGCLAW_MODEL_BASE_URL" in refused.value.cause


@pytest.mark.requirement("LLM-17")
def test_the_example_of_the_handbook_is_a_model_that_can_be_made(tmp_path: Path) -> None:
    (example,) = re.findall(
        r"```toml\n(\[model\]\n.+?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL
    )
    settings = load_settings(environment(tmp_path, example, QWEN_KEY="sk-secret"))
    model = open_model(settings, LoopClock())
    assert model is not None
    assert (model.name, model.window, list(settings.model.prices)) == ("qwen-max", 32000, ["qwen-max"])
