"""One question to the model: the request, the answer, what it cost, and the record of it."""

from __future__ import annotations

from collections.abc import Sequence

from sgclaw.agent.checks import REGENERATE, Answer, Wrong, read_reply, unusable
from sgclaw.agent.desk import Desk
from sgclaw.agent.text_mode import as_text, explained, schema_of
from sgclaw.agent.tools.model import Tool
from sgclaw.context.assemble import assemble
from sgclaw.context.chat import ChatMessage
from sgclaw.context.history import Step, cost
from sgclaw.context.request import compose
from sgclaw.errors import ModelError
from sgclaw.ports import CallLimits, RecordKind, Reply
from sgclaw.tokens.counter import counter


class Mind:
    """Asks the model of a run. Its layers are put together once: L0 stands at the head of every request."""

    def __init__(self, desk: Desk, tools: Sequence[Tool]) -> None:
        self._desk, self._tools = desk, tools
        self._specs = [tool.spec for tool in tools]
        task = desk.task
        self._count = counter()
        self._assembled = assemble(task.role, task.parts, task.trace_id, task.references)

    async def answer(self, steps: Sequence[Step], pending: Sequence[ChatMessage], number: int) -> ChatMessage:
        """A message with calls that can be read. What cannot is asked for anew, at most twice; then `MODEL_FAILED`.

        The limits are checked here, before each call of the model, and nowhere else.
        """
        model = self._desk.equipment.model
        told: tuple[ChatMessage, ...] = ()
        wrong = Wrong("no_call", "")
        for _ in range(REGENERATE + 1):
            request = compose(self._assembled, steps, self._specs, model.window, self._count)
            added = (*pending, *told)
            self._desk.meter.check(request.tokens + cost(added, self._count))
            reply = await self._ask((*request.messages, *added))
            read = read_reply(reply, self._tools, number)
            if isinstance(read, Answer):
                return read.message
            wrong, told = read, (ChatMessage("user", read.text),)
        raise unusable(wrong)

    async def _ask(self, messages: Sequence[ChatMessage]) -> Reply:
        equipment, meter = self._desk.equipment, self._desk.meter
        began = equipment.clock.monotonic()
        try:
            reply = await self._reply(messages)
        except ModelError as error:
            meter.add_failed(error)
            self._record(began, error.code, 0, None)
            raise
        meter.add(reply.usage)
        tokens = reply.usage.input_tokens + reply.usage.output_tokens
        self._record(began, reply.stop, tokens, None if reply.usage.cost is None else str(reply.usage.cost))
        return reply

    async def _reply(self, messages: Sequence[ChatMessage]) -> Reply:
        model = self._desk.equipment.model
        if model.calls_tools:
            events = model.stream(messages, self._specs, CallLimits())
        else:
            told = as_text([*messages[:1], explained(self._specs), *messages[1:]])
            events = model.stream(told, (), CallLimits(schema=schema_of(self._specs)))
        reply: Reply | None = None
        async for event in events:
            if isinstance(event, Reply):
                reply = event
        if reply is None:
            raise ModelError("大模型没有给出完整的回答", facts={"reason": "no_reply"})
        return reply

    def _record(self, began: float, outcome: str, tokens: int, price: str | None) -> None:
        equipment = self._desk.equipment
        if equipment.records is None:
            return
        duration = round((equipment.clock.monotonic() - began) * 1000)
        facts = {"task_id": self._desk.task.id, "model": equipment.model.name, "outcome": outcome, "tokens": tokens}
        equipment.records.write(RecordKind.LLM, {**facts, "cost": price, "duration_ms": duration})
