"""What leaves for a model, where it may go, and what never shows: keys and secrets."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from dataclasses import replace

import pytest

from sgclaw.context.chat import ChatMessage, Thought, ToolCall, ToolResult
from sgclaw.errors import ConfigError, ModelError, ModelKeyError
from sgclaw.llm.careful import Care
from sgclaw.llm.providers import PROVIDERS, TOKENS_FOR_ONE, Wanted, make_model
from sgclaw.llm.scenario import Step
from sgclaw.llm.settings import DEFAULT_HOSTS, DEFAULT_URLS, ModelSettings, is_permitted
from tests.gates.repository import ROOT
from tests.provider.asked import reciting
from tests.provider.server import serve
from tests.support.ports import LoopClock
from tests.unit.llm.room import DIALECTS, KEY, model_at, reply_of, settings_for

SECRET = "Xk9#mT2vLq"
SAID = f"密码：{SECRET}"


@pytest.mark.requirement("LLM-09")
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_no_text_of_any_message_carries_a_secret(dialect: str) -> None:
    history = [
        ChatMessage("system", SAID),
        ChatMessage("user", SAID),
        ChatMessage(
            "assistant",
            SAID,
            calls=(ToolCall("c1", "f", json.dumps({"password": SECRET})), ToolCall("c2", "f", f'{{"x": "{SAID}')),
            thoughts=(Thought(SAID, "seal-1"), Thought("想", "seal-2")),
        ),
        ChatMessage("tool", results=(ToolResult("c1", SAID), ToolResult("c2", "好"))),
        ChatMessage("user", "订单 A-1002 金额 1280.00"),
    ]
    async with serve(reciting([Step(says="好")])) as provider:
        await reply_of(model_at(provider, dialect), history)
    sent = json.dumps(provider.asked[0].body, ensure_ascii=False)
    assert SECRET not in sent
    assert "seal-1" not in sent
    assert ("seal-2" in sent) == (dialect == "claude")
    assert "订单 A-1002 金额 1280.00" in sent


@pytest.mark.requirement("LLM-10")
@pytest.mark.parametrize(
    "url",
    [
        *DEFAULT_URLS.values(),
        "https://api.deepseek.com/v1",
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        "http://127.0.0.1:11434/v1",
        "http://localhost:8000/v1",
        "http://[::1]:8000/v1",
        "http://10.1.2.3:8000/v1",
        "https://API.OpenAI.com/v1",
    ],
)
def test_a_listed_place_is_permitted(url: str) -> None:
    assert is_permitted(url, (*DEFAULT_HOSTS, "http://10.1.2.3:8000")) or not url


@pytest.mark.requirement("LLM-10")
@pytest.mark.parametrize(
    "url",
    [
        "https://api.openai.com.evil.example/v1",
        "https://evil.example/api.openai.com",
        "http://api.openai.com/v1",
        "http://10.1.2.3:8001/v1",
        "http://10.1.2.3/v1",
        "https://10.1.2.3:8000/v1",
        "https://api.openai.com@evil.example/v1",
        "https://key@api.openai.com/v1",
        "https://api.openai.com/v1?to=evil",
        "https://api.openai.com/v1#x",
        "ftp://api.openai.com/",
        "//api.openai.com/v1",
        "api.openai.com",
        "https://api.openai.com:99999999/v1",
        "http://127.0.0.1.evil.example/",
        "http://[::1",
        "",
    ],
)
def test_any_other_place_is_refused(url: str) -> None:
    assert not is_permitted(url, (*DEFAULT_HOSTS, "http://10.1.2.3:8000"))
    with pytest.raises(ConfigError) as refused:
        make_model(ModelSettings("openai", "m", url or "x"), Care(LoopClock()), KEY)
    assert refused.value.facts["key"] == "model.base_url"


@pytest.mark.requirement("LLM-11")
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_the_environment_changes_nothing_about_a_request(dialect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for scheme in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(scheme, "http://127.0.0.1:9")
    for package in ("ANTHROPIC", "OPENAI"):
        monkeypatch.setenv(f"{package}_CUSTOM_HEADERS", "Authorization: Bearer other\nX-Api-Key: other\nX-Spy: 1")
        monkeypatch.setenv(f"{package}_BASE_URL", "http://127.0.0.1:9")
        monkeypatch.setenv(f"{package}_API_KEY", "other")
    monkeypatch.setenv("OPENAI_ORG_ID", "other")
    async with serve(reciting([Step(says="好")])) as provider:
        await reply_of(model_at(provider, dialect))
    headers = provider.asked[0].headers
    assert "other" not in str(headers)
    assert not {name for name in headers if name.startswith(("x-spy", "x-stainless", "openai-"))}
    carried = headers["x-api-key"] if dialect == "claude" else headers["authorization"].removeprefix("Bearer ")
    assert carried == KEY


@pytest.mark.requirement("LLM-12")
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_the_key_shows_in_no_error_no_log_and_no_repr(dialect: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with serve(reciting([Step(fault="unauthorized")])) as provider:
        settings = settings_for(provider, dialect)
        wanted = Wanted(settings, Care(LoopClock()), KEY)
        model = PROVIDERS[dialect](wanted)
        with pytest.raises(ModelError) as failed:
            await reply_of(model)
    shown = [repr(wanted), repr(model), repr(vars(model)), str(failed.value.as_dict()), caplog.text]
    assert failed.value.__cause__ is None
    assert not [text for text in shown if KEY in text]


@pytest.mark.requirement("LLM-12")
@pytest.mark.parametrize(("key", "reason"), [("", "missing"), ("sk-\nX: y", "malformed"), ("密钥", "malformed")])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_key_that_is_missing_or_cannot_be_one_is_told_before_anything_is_sent(
    dialect: str, key: str, reason: str
) -> None:
    with pytest.raises(ModelKeyError) as failed:
        make_model(ModelSettings(dialect, "m"), Care(LoopClock()), key)
    assert failed.value.facts == {"reason": reason, "key": "env:SGCLAW_API_KEY"}


@pytest.mark.requirement("LLM-14")
def test_a_model_is_made_without_loading_a_package_of_a_provider() -> None:
    program = """
import sys
from dataclasses import replace
import sgclaw.config
from sgclaw.llm.careful import Care
from sgclaw.llm.providers import make_model
from sgclaw.llm.settings import ModelSettings
for provider in ("claude", "openai"):
    assert make_model(ModelSettings(provider, "m"), Care(None), "key") is not None
print(sorted({"anthropic", "openai", "httpx2", "httpx", "yaml"} & set(sys.modules)))
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert ran.stdout == "[]\n"


@pytest.mark.requirement("LLM-14")
def test_no_provider_in_the_settings_is_no_model() -> None:
    assert make_model(ModelSettings(), Care(LoopClock())) is None


@pytest.mark.requirement("LLM-23")
def test_a_window_is_told_in_the_tokens_we_count_less_what_thoughts_take() -> None:
    def window(**said: object) -> int:
        settings = replace(ModelSettings("claude", "m", window=200_000), **said)  # type: ignore[arg-type] # by name
        model = make_model(settings, Care(LoopClock()), KEY)
        assert model is not None
        return model.window

    assert window() == int(200_000 / TOKENS_FOR_ONE["claude"])
    assert window(thinking=20_000) == int(180_000 / TOKENS_FOR_ONE["claude"])
    assert window(thinking="adaptive") < window()
    assert window(provider="openai") == 200_000


@pytest.mark.requirement("LLM-14")
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_package_that_is_not_installed_is_named_with_the_command_that_brings_it(dialect: str) -> None:
    package = {"claude": "anthropic", "openai": "openai"}[dialect]
    program = f"""
import asyncio, sys
sys.modules[{package!r}] = None
from sgclaw.errors import ModelError
from sgclaw.llm.transport import load
try:
    asyncio.run(load({package!r}))
except ModelError as error:
    print(error.facts["reason"], error.next_step)
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert ran.stdout == f"not_installed pip install {package}\n"
