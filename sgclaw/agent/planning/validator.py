"""The validator: says what success is before a card runs, and judges afterwards what the observed facts show."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, Literal

from pydantic import Field

from sgclaw.agent.planning.asking import Desk, Shape
from sgclaw.agent.planning.board import Card
from sgclaw.agent.planning.evidence import suffices
from sgclaw.context.parts import L2Parts
from sgclaw.context.untrusted import Untrusted

_STATE: Final = "这个子任务还没有开始。请写出一条可以由观察到的事实检验的成功标准。"
_JUDGE: Final = "请只根据观察到的事实，判断成功标准是否成立。执行者自己的说法不是证据。"

Finding = Literal["holds", "fails", "unproven"]


class Criterion(Shape):
    """What will have to be observed."""

    criterion: Annotated[str, Field(min_length=4, max_length=200)]


class Judgement(Shape):
    """Whether it was."""

    finding: Finding
    why: Annotated[str, Field(min_length=1, max_length=400)]


async def state(desk: Desk, parts: L2Parts, card: Card) -> str:
    """The card's success criterion, before it runs."""
    return (await desk.ask("reviewer", told(parts, card), _STATE, Criterion)).criterion.strip()


async def judge(desk: Desk, parts: L2Parts, card: Card) -> Judgement:
    """What the facts show. Facts too weak for the card's risk prove nothing, and no model is asked."""
    if not suffices(card.facts, card.risk):
        return Judgement(finding="unproven", why="观察到的证据达不到该风险要求的等级")
    return await desk.ask("reviewer", replace(told(parts, card), outputs=observed(card)), _JUDGE, Judgement)


def observed(card: Card) -> tuple[Untrusted, ...]:
    """The card's facts with their ranks, as data for a judge."""
    return tuple(Untrusted("page", fact.origin, f"[{fact.rank.name}] {fact.text}") for fact in card.facts)


def told(parts: L2Parts, card: Card) -> L2Parts:
    """The parts with this card as the task; the instruction stays the person's own."""
    task = replace(
        parts.task,
        title=card.title,
        criterion=card.criterion,
        must_haves=card.must_haves,
        status=card.status.value,
        risk=card.risk,
    )
    return replace(parts, task=task)
