"""What is kept of each call of a model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace
from decimal import Decimal

import pytest

from sgclaw.context.chat import ChatMessage, Picture
from sgclaw.errors import ModelError
from sgclaw.llm.careful import Care
from sgclaw.llm.providers import make_model
from sgclaw.llm.scenario import ScriptedUsage, Step
from sgclaw.llm.settings import Price
from sgclaw.ports import CallLimits, Model, RecordKind
from tests.provider.asked import reciting
from tests.provider.server import Provider, serve
from tests.support.ports import LoopClock, RecordingRecords
from tests.unit.llm.room import ASK, KEY, QUICK, Pauses, reply_of, settings_for

SECRET = "密码：Xk9#mT2vLq"
USED = ScriptedUsage(input=1000, output=100, cached=400)
PRICE = Price(Decimal(3), Decimal(15), Decimal("0.3"), Decimal(3), "USD")


def recorded(provider: Provider, records: RecordingRecords) -> Model:
    settings = replace(settings_for(provider, "claude"), prices={"m-1": PRICE})
    model = make_model(settings, Care(LoopClock(), QUICK, Pauses(), records), KEY)
    assert model is not None
    return model


def only(records: RecordingRecords) -> Mapping[str, object]:
    ((kind, data),) = records.kept
    assert kind is RecordKind.LLM
    return data


@pytest.mark.requirement("LLM-22")
async def test_a_call_is_recorded_with_digests_and_usage_and_without_a_word() -> None:
    records = RecordingRecords()
    async with serve(reciting([Step(fault="overloaded"), Step(says="好的", usage=USED)])) as provider:
        await reply_of(recorded(provider, records), [*ASK, ChatMessage("user", SECRET, pictures=(Picture(b"png"),))])
    data = only(records)
    digests = [str(data[name]) for name in ("request_sha256", "response_sha256")]
    assert isinstance(data["duration_ms"], int)
    assert [len(digest) for digest in digests] == [64, 64]
    rest = {name: value for name, value in data.items() if "sha256" not in name and name != "duration_ms"}
    assert rest == {
        "model": "m-1",
        "outcome": "end",
        "tries": 2,
        "tokens": 1100,
        "usage": {"input": 1000, "output": 100, "cached": 400},
        "cost": "0.00342 USD",
    }


@pytest.mark.requirement("LLM-22")
async def test_the_digest_is_of_what_was_sent_so_a_secret_cannot_be_guessed_from_it() -> None:
    records = RecordingRecords()
    async with serve(reciting([Step(says="好")] * 3)) as provider:
        model = recorded(provider, records)
        for text in ("密码：first-Secret-1", "密码：other-Secret-2", "导出"):
            await reply_of(model, [ChatMessage("user", text)])
    digests = [data["request_sha256"] for _, data in records.kept]
    assert digests[0] == digests[1] != digests[2]


@pytest.mark.requirement("LLM-22")
async def test_a_failed_call_is_recorded_with_its_code_and_what_it_used() -> None:
    records = RecordingRecords()
    broken = Step(says="我先", fault="cut", usage=ScriptedUsage(input=10))
    async with serve(reciting([broken] * 4)) as provider:
        with pytest.raises(ModelError):
            await reply_of(recorded(provider, records))
    data = only(records)
    assert (data["outcome"], data["tries"], data["tokens"]) == ("MODEL_UNREACHABLE", 4, 44)
    assert "response_sha256" not in data


@pytest.mark.requirement("LLM-22", "LLM-08")
async def test_a_cancelled_call_is_recorded_with_what_it_used_until_then() -> None:
    records = RecordingRecords()
    step = Step(says="我来", fault="stalls", usage=ScriptedUsage(input=10))
    async with serve(reciting([step])) as provider:
        calling = asyncio.create_task(reply_of(recorded(provider, records)))
        await asyncio.wait_for(provider.streaming.wait(), 10)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
    assert (only(records)["outcome"], only(records)["tokens"]) == ("CANCELLED", 11)


@pytest.mark.requirement("LLM-22")
async def test_who_leaves_with_the_reply_in_hand_has_had_a_whole_call() -> None:
    records = RecordingRecords()
    async with serve(reciting([Step(calls=(), says="", usage=USED)])) as provider:
        stream = recorded(provider, records).stream(ASK, (), CallLimits())
        assert isinstance(stream, AsyncGenerator)
        async with aclosing(stream) as events:
            await anext(events)
    assert only(records)["outcome"] == "end"
