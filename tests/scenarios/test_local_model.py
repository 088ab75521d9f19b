"""The loop with a real small model on this machine. It proves the path to a model without tools, not intelligence.

Only `./dev test --model --model-file FILE.gguf` runs it, where `xllamacpp` is installed; everywhere else it is skipped
by name. A small model on two cores reads about 30 tokens a second: one step takes minutes.
"""

from __future__ import annotations

import asyncio
import importlib
from pathlib import Path
from typing import Any

import pytest

from sgclaw.agent.limits import Limits
from sgclaw.llm.careful import Care, Patience
from sgclaw.llm.providers import make_model
from sgclaw.llm.settings import ModelSettings
from sgclaw.ports import Model
from tests.support.ports import LoopClock
from tests.unit.agent.room import Room

WINDOW = 16_384
STEPS = 3
LONGEST_S = 3_600
PATIENCE = Patience(first_token=LONGEST_S, between_tokens=300, whole_call=LONGEST_S, pauses=())


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Any:
    """An OpenAI-compatible server over the named file, in this process."""
    if not request.config.getoption("--model"):
        pytest.skip("a real model is asked by ./dev test --model only")
    named = str(request.config.getoption("--model-file"))
    if not named or not Path(named).is_file():
        pytest.skip(f"no model: name a GGUF file, ./dev test --model --model-file FILE (named: {named or 'none'})")
    library = pytest.importorskip("xllamacpp", reason="xllamacpp is not installed: pip install xllamacpp")
    wanted = library.CommonParams()
    wanted.model.path = named
    wanted.n_ctx, wanted.n_parallel, wanted.port = WINDOW, 1, 0
    return library.Server(wanted)


def _model(server: Any) -> Model:
    settings = ModelSettings("openai", "local", f"{server.listening_address}/v1", window=WINDOW, tools=False)
    model = make_model(settings, Care(LoopClock(), PATIENCE))
    assert model is not None
    return model


@pytest.mark.requirement("AGT-45")
@pytest.mark.timeout(LONGEST_S)
async def test_a_real_small_model_without_tools_is_asked_and_its_answers_are_carried_out(server: Any) -> None:
    importlib.import_module("openai")
    room = Room([], instruction="读出页面的标题", model=_model(server), limits=Limits(steps=STEPS))
    async with asyncio.timeout(LONGEST_S):
        ended = await room.agent().run()
    assert ended.usage.llm_calls >= 1
    assert ended.usage.output_tokens > 0
    assert room.browser.acts  # an answer was read, and carried out
