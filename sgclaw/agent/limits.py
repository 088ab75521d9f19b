"""What a run may use, what it has used, and the gate before each call of a tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Final

from sgclaw.errors import BudgetExceededError, ModelError
from sgclaw.ports import Clock, ModelUsage


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one run. Seconds do not run while a person is waited for; `cost` is in the model's currency."""

    steps: int = 60
    tokens: int = 400_000
    seconds: float = 900
    approvals: int = 20
    cost: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run has used. `cost` is None when no price was known or models of two currencies were used."""

    steps: int = 0
    llm_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: Decimal | None = None
    currency: str = ""
    approvals: int = 0
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.input_tokens + self.output_tokens


_WORDS: Final[Mapping[str, str]] = {"steps": "步", "tokens": "个 token", "seconds": "秒", "approvals": "次询问"}


class Meter:
    """Counts what a run uses. `before` is what an earlier part of the same run used."""

    def __init__(self, limits: Limits, clock: Clock, before: Spent) -> None:
        self._limits, self._clock, self._spent = limits, clock, before
        self._since = clock.monotonic()
        self._waits = 0
        self._priced: bool | None = None if before.llm_calls == 0 else before.cost is not None

    @property
    def spent(self) -> Spent:
        """What was used up to now."""
        running = 0.0 if self._waits else self._clock.monotonic() - self._since
        return replace(self._spent, seconds=round(self._spent.seconds + running, 3))

    def begin_step(self) -> int:
        """Count a step; its number, from 1."""
        self._spent = replace(self._spent, steps=self._spent.steps + 1)
        return self._spent.steps

    def person(self, begins: bool) -> None:
        """A wait for a person's word begins or ends. Each is one of the allowed approvals."""
        if begins:
            self._spent = replace(self._spent, approvals=self._spent.approvals + 1)
        self.hold(begins)

    def hold(self, begins: bool) -> None:
        """The clock stops, or goes on; holds may overlap."""
        self._waits += 1 if begins else -1
        now = self._clock.monotonic()
        if begins and self._waits == 1:
            self._spent = replace(self._spent, seconds=self._spent.seconds + now - self._since)
        elif not begins and self._waits == 0:
            self._since = now

    def add(self, usage: ModelUsage) -> None:
        """Count one call of a model. Numbers that give something back count as none: a provider may say anything."""
        was, price = self._spent, usage.cost
        known = (
            price is not None
            and price.is_finite()
            and was.currency in ("", usage.currency)
            and self._priced is not False
        )
        self._priced = known
        self._spent = replace(
            was,
            llm_calls=was.llm_calls + 1,
            input_tokens=was.input_tokens + max(0, usage.input_tokens),
            output_tokens=was.output_tokens + max(0, usage.output_tokens),
            cached_tokens=was.cached_tokens + max(0, usage.cached_tokens),
            cost=(was.cost or Decimal(0)) + max(Decimal(0), price or Decimal(0)) if known else None,
            currency=usage.currency if known else "",
        )

    def add_failed(self, error: ModelError) -> None:
        """Count a call that brought no answer, by what the error says was used all the same."""
        self.add(_usage_in(error.facts.get("usage")))

    def check(self, planned: int) -> None:
        """Whether one more call of a model of so many tokens is within the limits; raises `BUDGET_EXCEEDED`."""
        spent, limits = self.spent, self._limits
        used = {
            "tokens": (spent.tokens + planned, limits.tokens),
            "seconds": (spent.seconds, limits.seconds),
            "steps": (spent.steps, limits.steps),
            "approvals": (spent.approvals, limits.approvals),
        }
        for name, (amount, limit) in used.items():
            if amount > limit:
                facts = {"limit": name, "allowed": limit, "used": amount}
                raise BudgetExceededError(f"任务的限额已用完：最多 {limit:g} {_WORDS[name]}", facts=facts)
        if limits.cost is not None and spent.cost is not None and spent.cost >= limits.cost:
            facts = {"limit": "cost", "allowed": str(limits.cost), "used": str(spent.cost)}
            raise BudgetExceededError(f"任务的限额已用完：费用最多 {limits.cost} {spent.currency}", facts=facts)


def _usage_in(facts: object) -> ModelUsage:
    told = facts if isinstance(facts, dict) else {}
    numbers = [told.get(name) for name in ("input_tokens", "output_tokens", "cached_tokens")]
    counted = [number if isinstance(number, int) else 0 for number in numbers]
    try:
        cost = None if told.get("cost") is None else Decimal(str(told["cost"]))
    except InvalidOperation:
        cost = None
    return ModelUsage(counted[0], counted[1], counted[2], cost, str(told.get("currency", "")))


def objection(instruction: str, criterion: str, *, changes: bool) -> str | None:
    """The gate before a tool call: why it may not be made yet, in words for the model; None lets it pass.

    Reading is how a task is understood, so only calls that change something need the criterion. The budget was
    checked before the call of the model that asks for this.
    """
    if not changes:
        return None
    if not instruction.strip():
        return "任务没有指令，先用 ask_user 问清楚要做什么。"
    if not criterion.strip():
        return "还没有说出任务的成功标准。请在这次调用里加上 criterion（做成之后能看到什么），再执行。"
    return None
