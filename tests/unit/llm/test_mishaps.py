"""Providers that fail, by the real packages from a provider on loopback."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest
import trustme

from sgclaw.errors import (
    ModelError,
    ModelKeyError,
    ModelRateLimitedError,
    ModelTimeoutError,
    ModelUnreachableError,
)
from sgclaw.llm.careful import Patience
from sgclaw.llm.failures import of_status
from sgclaw.llm.scenario import Fault, ScriptedCall, ScriptedUsage, Step
from sgclaw.llm.settings import ModelSettings
from sgclaw.ports import CallLimits, TextDelta
from tests.provider.asked import reciting
from tests.provider.server import Provider, serve
from tests.support.ports import eventually
from tests.unit.llm.room import ASK, DIALECTS, QUICK, Pauses, events_of, model_at, reply_of

FINE = Step(says="好", usage=ScriptedUsage(input=10, output=2))


@pytest.mark.requirement("LLM-03")
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("fault", ["rate_limited", "server_error", "overloaded"])
async def test_what_may_pass_is_tried_again_after_one_two_and_four_seconds(dialect: str, fault: Fault) -> None:
    pauses = Pauses()
    async with serve(reciting([Step(fault=fault)] * 3 + [FINE])) as provider:
        assert (await reply_of(model_at(provider, dialect, pauses))).message.text == "好"
    assert (pauses.taken, len(provider.asked)) == ([1, 2, 4], 4)


@pytest.mark.requirement("LLM-03")
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_the_fourth_failure_is_the_end(dialect: str) -> None:
    pauses = Pauses()
    async with serve(reciting([Step(fault="server_error")] * 5)) as provider:
        with pytest.raises(ModelUnreachableError) as failed:
            await reply_of(model_at(provider, dialect, pauses))
    assert (pauses.taken, len(provider.asked)) == ([1, 2, 4], 4)
    assert failed.value.facts == {"status": 500}


@pytest.mark.requirement("LLM-03")
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_nobody_listening_is_tried_again_and_then_told(dialect: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
    pauses = Pauses()
    with pytest.raises(ModelUnreachableError) as failed:
        await reply_of(model_at(Provider(reciting([]), port), dialect, pauses))
    assert (pauses.taken, failed.value.facts) == ([1, 2, 4], {"reason": "connection"})


@pytest.mark.requirement("LLM-04", "LLM-12")
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("fault", "error", "status"),
    [
        ("unauthorized", ModelKeyError, 401),
        ("forbidden", ModelKeyError, 403),
        ("bad_request", ModelError, 400),
    ],
)
async def test_a_refusal_is_told_at_once(dialect: str, fault: Fault, error: type[ModelError], status: int) -> None:
    pauses = Pauses()
    async with serve(reciting([Step(fault=fault)])) as provider:
        with pytest.raises(error) as failed:
            await reply_of(model_at(provider, dialect, pauses))
    assert type(failed.value) is error
    assert (pauses.taken, failed.value.facts["status"]) == ([], status)
    assert "own words" not in str(failed.value.as_dict())


@pytest.mark.requirement("LLM-05")
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_longer_retry_after_is_waited_for(dialect: str) -> None:
    pauses, limited = Pauses(), Step(fault="rate_limited", retry_after=7)
    async with serve(reciting([limited, limited, FINE])) as provider:
        await reply_of(model_at(provider, dialect, pauses))
    assert pauses.taken == [7, 7]


@pytest.mark.requirement("LLM-05")
@pytest.mark.parametrize(("seconds", "patience"), [(3600, QUICK), (19, replace(QUICK, whole_call=15))])
async def test_a_retry_after_beyond_the_bounds_ends_the_call(seconds: float, patience: Patience) -> None:
    pauses, limited = Pauses(), Step(fault="rate_limited", retry_after=seconds)
    async with serve(reciting([limited, FINE])) as provider:
        with pytest.raises(ModelRateLimitedError) as failed:
            await reply_of(model_at(provider, "openai", pauses, patience))
    assert (pauses.taken, failed.value.facts) == ([], {"status": 429, "retry_after": seconds})


@pytest.mark.requirement("LLM-06")
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("fault", "patience", "limit"),
    [
        ("silent", replace(QUICK, first_token=0.5), "first_token"),
        ("stalls", replace(QUICK, between_tokens=0.2), "between_tokens"),
        ("stalls", replace(QUICK, whole_call=0.5), "whole_call"),
    ],
)
async def test_silence_ends_the_call_and_the_connection(
    dialect: str, fault: Fault, patience: Patience, limit: str
) -> None:
    pauses = Pauses()
    async with serve(reciting([FINE, Step(says="我来", fault=fault)])) as provider:
        model = model_at(provider, dialect, pauses)
        await reply_of(model)  # loads the package, which is not what is timed
        with pytest.raises(ModelTimeoutError) as failed:
            await reply_of(model_at(provider, dialect, pauses, patience))
        await eventually(lambda: provider.hung_up == 1)
    assert failed.value.facts["limit"] == limit
    assert pauses.taken == []


@pytest.mark.requirement("LLM-07", "LLM-13")
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("fault", ["cut", "cut_in_call", "error_event"])
async def test_an_answer_that_breaks_off_is_asked_for_anew(dialect: str, fault: Fault) -> None:
    pauses = Pauses()
    lost = (ScriptedCall(name="f", arguments={"ref": "a-long-reference"}),)
    broken = Step(says="我先", calls=lost, fault=fault, usage=ScriptedUsage(input=10))
    whole = Step(says="我先看看", calls=(ScriptedCall(name="f"),), usage=ScriptedUsage(input=10, output=5))
    async with serve(reciting([broken, whole])) as provider:
        *deltas, reply = await events_of(model_at(provider, dialect, pauses))
    assert deltas == [TextDelta("我先"), TextDelta("我先看看")]
    assert not isinstance(reply, TextDelta)
    assert pauses.taken == [1]
    bodies = [asked.body for asked in provider.asked]
    assert bodies[0] == bodies[1]


@pytest.mark.requirement("LLM-13")
async def test_what_a_failed_call_used_is_told_with_its_error() -> None:
    broken = Step(says="我先", fault="cut", usage=ScriptedUsage(input=10, cached=4))
    async with serve(reciting([broken] * 4)) as provider:
        with pytest.raises(ModelUnreachableError) as failed:
            await reply_of(model_at(provider, "claude"))
    used = {"input_tokens": 40, "output_tokens": 4, "cached_tokens": 16, "cost": None, "currency": ""}
    assert failed.value.facts == {"reason": "cut", "usage": used}


@pytest.mark.requirement("LLM-08")
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("fault", ["silent", "stalls"])
async def test_a_cancelled_call_closes_its_connection(dialect: str, fault: Fault) -> None:
    async with serve(reciting([Step(says="我来", fault=fault)])) as provider:
        calling = asyncio.create_task(reply_of(model_at(provider, dialect)))
        await asyncio.wait_for(provider.streaming.wait(), 10)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        await eventually(lambda: provider.hung_up == 1)


@pytest.mark.requirement("LLM-08")
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_leaving_an_answer_early_closes_its_connection(dialect: str) -> None:
    async with serve(reciting([Step(says="我来", fault="stalls")])) as provider:
        stream = model_at(provider, dialect).stream(ASK, (), CallLimits())
        assert isinstance(stream, AsyncGenerator)
        async with aclosing(stream) as events:
            assert await anext(events) == TextDelta("我来")
        await eventually(lambda: provider.hung_up == 1)


@pytest.mark.requirement("LLM-19")
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_what_is_no_answer_of_the_protocol_is_refused(dialect: str) -> None:
    async with serve(reciting([Step(says="好", fault="garbled")])) as provider:
        with pytest.raises(ModelError) as failed:
            await reply_of(model_at(provider, dialect))
    assert (failed.value.code, failed.value.facts["reason"]) == ("MODEL_FAILED", "event")


@pytest.mark.requirement("LLM-19")
async def test_an_answer_without_end_is_refused() -> None:
    async with serve(reciting([Step(says="好" * 7, calls=(ScriptedCall(name="f" * 2_000_000),))])) as provider:
        with pytest.raises(ModelError) as failed:
            await reply_of(model_at(provider, "openai"))
    assert failed.value.facts["reason"] == "too_long"


@pytest.mark.requirement("LLM-11")
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_redirect_is_not_followed(dialect: str) -> None:
    async with serve(reciting([Step(fault="unreachable")])) as provider:
        with pytest.raises(ModelError) as failed:
            await reply_of(model_at(provider, dialect))
    assert failed.value.facts == {"status": 307}
    assert len(provider.asked) == 1


@pytest.mark.requirement("LLM-10")
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_certificate_that_nobody_vouches_for_gets_no_key(
    dialect: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority, heard = trustme.CA(), list[bytes]()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read(1))
        writer.close()

    async with await asyncio.start_server(listen, "127.0.0.1", 0, ssl=context) as server:
        port = server.sockets[0].getsockname()[1]
        settings = ModelSettings(dialect, "m", f"https://localhost:{port}")
        with pytest.raises(ModelUnreachableError):
            await reply_of(model_at(Provider(reciting([])), dialect, settings=settings))
    assert heard == []


@pytest.mark.requirement("LLM-06")
async def test_connecting_has_a_limit_of_its_own() -> None:
    settings = ModelSettings("openai", "m", "http://192.0.2.1:9", hosts=("http://192.0.2.1:9",))
    patience = replace(QUICK, connect=0.05)
    pauses = Pauses()
    with pytest.raises((ModelTimeoutError, ModelUnreachableError)) as failed:  # without a network: unreachable
        await reply_of(model_at(Provider(reciting([])), "openai", pauses, patience, settings))
    assert pauses.taken == [1, 2, 4]
    assert failed.value.facts.get("limit", "connect") == "connect"


@pytest.mark.requirement("LLM-05")
@pytest.mark.parametrize("value", ["", "soon", "-1", "1e9", "9" * 400, "٣", "Wed, 21 Oct 2026 07:28:00 GMT", "nan"])
def test_a_retry_after_that_is_no_plain_number_of_seconds_counts_as_none(value: str) -> None:
    assert of_status(429, value).facts == {"status": 429}
