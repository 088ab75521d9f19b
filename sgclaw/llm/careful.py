"""A model with everything that holds for all of them: redaction, limits of time, further tries, costs, records."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from sgclaw.context.chat import ChatMessage, ToolSpec
from sgclaw.errors import ModelError
from sgclaw.llm.calls import Call, planned
from sgclaw.llm.failures import cut, may_try_again, timed_out
from sgclaw.llm.outgoing import Powers, outgoing, outgoing_tools
from sgclaw.llm.prices import Spent, usage_of
from sgclaw.llm.settings import Price
from sgclaw.llm.wire import Answer, Beat, Request, Token, Wire
from sgclaw.ports import CallLimits, Clock, ModelEvent, RecordKind, Records, Reply

Sleep = Callable[[float], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Patience:
    """How long is waited for what, in seconds.

    `whole_call` covers a call with all its tries and the pauses between them. Loading a provider's package, once in the
    life of a process, is in none of them. `pauses` are waited before the second, third and fourth try; a provider that
    names a longer one gets it, up to `longest_pause`.
    """

    connect: float = 10
    first_token: float = 30
    between_tokens: float = 30
    whole_call: float = 120
    pauses: tuple[float, ...] = (1, 2, 4)
    longest_pause: float = 60


@dataclass(frozen=True, slots=True)
class Traits:
    """What is known of a model beforehand; `window` in the tokens that we count."""

    name: str
    calls_tools: bool = True
    sees_pictures: bool = False
    window: int = 128_000


@dataclass(frozen=True, slots=True)
class Care:
    """What a `CarefulModel` works with besides its provider; `sleep` is here so that tests wait for nothing.

    Each call is put into `records`; None is for who makes a model and never asks it.
    """

    clock: Clock
    patience: Patience = Patience()
    sleep: Sleep = asyncio.sleep
    records: Records | None = None


class CarefulModel:
    """`ports.Model` over one provider's protocol; `price` None: no cost is told."""

    def __init__(self, traits: Traits, wire: Wire, care: Care, price: Price | None = None) -> None:
        self._traits, self._wire, self._care, self._price = traits, wire, care, price

    @property
    def name(self) -> str:
        return self._traits.name

    @property
    def calls_tools(self) -> bool:
        return self._traits.calls_tools

    @property
    def sees_pictures(self) -> bool:
        return self._traits.sees_pictures

    @property
    def window(self) -> int:
        return self._traits.window

    async def stream(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], limits: CallLimits
    ) -> AsyncGenerator[ModelEvent, None]:
        """See `ports.Model.stream`."""
        offered = outgoing_tools(tools) if self.calls_tools else ()
        request = Request(outgoing(messages, Powers(bool(offered), self.sees_pictures)), offered, limits)
        call = Call(self.name, request, self._care.clock.monotonic())
        try:
            await self._wire.load()
            async with aclosing(self._tries(request, call)) as events:
                async for event in events:
                    if isinstance(event, Reply):
                        call.replied(event)
                    yield event
        except ModelError as error:
            call.outcome = error.code
            raise self._with_usage(error, call.spent) from None
        finally:
            if self._care.records is not None:
                usage = usage_of(call.spent, self._price)
                self._care.records.write(RecordKind.LLM, call.record(usage, self._care.clock.monotonic()))

    async def _tries(self, request: Request, call: Call) -> AsyncGenerator[ModelEvent, None]:
        ends = self._care.clock.monotonic() + self._care.patience.whole_call
        for pause in (*self._care.patience.pauses, None):
            call.tries += 1
            try:
                async with aclosing(self._try(request, call.spent, ends)) as events:
                    async for event in events:
                        yield event
                return
            except ModelError as error:
                pause_s = self._pause_after(error, pause, ends)
                if pause_s is None:
                    raise
            await self._care.sleep(pause_s)

    async def _try(self, request: Request, total: Spent, ends: float) -> AsyncGenerator[ModelEvent, None]:
        """One request. What it used is added to `total`, however it ends."""
        spent, limit, said = Spent(), "first_token", list[str]()
        try:
            async with aclosing(self._wire.answer(request, spent)) as tokens:
                while not isinstance(token := await self._next(tokens, limit, ends), Answer):
                    limit = "between_tokens"
                    if not isinstance(token, Beat):
                        said.append(token.text)
                        yield token
                said.extend(call.arguments for call in token.message.calls)
                limit = "over"
        finally:
            total.add(spent if spent.input or limit == "first_token" else planned(request, said))
        yield Reply(token.message, usage_of(total, self._price), token.stop)

    async def _next(self, tokens: AsyncGenerator[Token, None], limit: str, ends: float) -> Token:
        patience = self._care.patience
        seconds: float = patience.first_token if limit == "first_token" else patience.between_tokens
        left = ends - self._care.clock.monotonic()
        try:
            async with asyncio.timeout(min(seconds, left)):
                return await anext(tokens)
        except StopAsyncIteration:
            raise cut() from None
        except TimeoutError:
            whole = left < seconds
            raise timed_out("whole_call" if whole else limit, patience.whole_call if whole else seconds) from None

    def _pause_after(self, error: ModelError, pause: float | None, ends: float) -> float | None:
        """Seconds until the next try; None when there is to be none."""
        if pause is None or not may_try_again(error):
            return None
        asked = error.facts.get("retry_after")
        seconds = max(pause, asked) if isinstance(asked, float) else pause
        left = ends - self._care.clock.monotonic()
        return seconds if seconds <= self._care.patience.longest_pause and seconds < left else None

    def _with_usage(self, error: ModelError, total: Spent) -> ModelError:
        """The error, with what was used for nothing."""
        if total.input or total.output:
            usage = usage_of(total, self._price)
            error.facts["usage"] = {
                "input_tokens": usage.input_tokens,
                "output_tokens": usage.output_tokens,
                "cached_tokens": usage.cached_tokens,
                "cost": None if usage.cost is None else str(usage.cost),
                "currency": usage.currency,
            }
        return error
