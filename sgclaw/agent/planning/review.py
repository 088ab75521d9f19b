"""Reviews: low risk none, standard one, high a debate of two; and what the actor answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Annotated, Final, Literal

from pydantic import Field

from sgclaw.agent.planning.asking import Desk, Shape
from sgclaw.agent.planning.board import Answer, Card, Response, Review, Verdict
from sgclaw.agent.planning.validator import observed, told
from sgclaw.context.parts import L2Parts
from sgclaw.context.texts import Risk
from sgclaw.context.untrusted import Untrusted

DEBATE_ROUNDS: Final = 2
"""Rounds of a debate before disagreement goes to the person."""
REVIEWERS: Final[Mapping[Risk, tuple[tuple[str, str], ...]]] = MappingProxyType(
    {
        "low": (),
        "standard": (("reviewer-1", "请评审这项产出。"),),
        "high": (
            ("reviewer-1", "您是正方：先写出支持通过的最强理由，再给出自己的结论。"),
            ("reviewer-2", "您是反方：先写出反对通过的最强理由，再给出自己的结论。"),
        ),
    }
)
_ANSWER: Final = "评审没有通过。请答复：ACCEPT 接受，PARTIAL 部分接受，REJECT 不接受；后两种写明理由。"

Next = Literal["work", "review", "fail"]
NEXT: Final[Mapping[tuple[str, Answer], Next]] = MappingProxyType(
    {
        ("needs_revision", "ACCEPT"): "work",
        ("needs_revision", "PARTIAL"): "work",
        ("needs_revision", "REJECT"): "review",
        ("rejected", "ACCEPT"): "fail",
        ("rejected", "PARTIAL"): "work",
        ("rejected", "REJECT"): "review",
    }
)
"""What follows a verdict that is not `approved` and the answer to it."""


class Opinion(Shape):
    """A reviewer's answer."""

    verdict: Verdict
    notes: Annotated[str, Field(min_length=1, max_length=600)]
    advice: Annotated[str, Field(max_length=400)] = ""

    def complain(self) -> str | None:
        """See `Shape.complain`."""
        return None if self.verdict == "approved" or self.advice.strip() else "未通过时 advice 要写明改进办法"


class Rejoinder(Shape):
    """An actor's answer."""

    answer: Answer
    reason: Annotated[str, Field(max_length=400)] = ""

    def complain(self) -> str | None:
        """See `Shape.complain`."""
        return None if self.answer == "ACCEPT" or self.reason.strip() else "REJECT 和 PARTIAL 要写理由"


async def hold(desk: Desk, parts: L2Parts, card: Card) -> tuple[Card, Verdict | None]:
    """One review of the card by its risk: the card with the reviews, and the verdict, None when reviewers disagree."""
    reviewers = REVIEWERS[card.risk]
    rounds = DEBATE_ROUNDS if len(reviewers) > 1 else 1
    verdicts: set[Verdict] = {"approved"}
    for number in range(1, rounds + 1):
        verdicts = {"approved"} if not reviewers else set()
        for author, request in reviewers:
            opinion = await desk.ask("reviewer", _shown(parts, card), request, Opinion)
            card = card.reviewed(Review(author=author, round=number, **opinion.model_dump()))
            verdicts.add(opinion.verdict)
        if len(verdicts) == 1:
            break
    return card, verdicts.pop() if len(verdicts) == 1 else None


async def answer(desk: Desk, parts: L2Parts, card: Card) -> Card:
    """The card with its actor's answer to the last review."""
    noted = replace(told(parts, card), upstream=_reviews(card))
    said = await desk.ask("executor", noted, _ANSWER, Rejoinder)
    return card.answered(Response(author=card.actor, **said.model_dump()))


def _shown(parts: L2Parts, card: Card) -> L2Parts:
    outputs = tuple(Untrusted("note", card.id, text) for text in card.outputs)
    said = tuple(Untrusted("note", card.actor, f"{each.answer} {each.reason}") for each in card.responses)
    return replace(told(parts, card), outputs=(*outputs, *observed(card), *_reviews(card), *said))


def _reviews(card: Card) -> tuple[Untrusted, ...]:
    return tuple(
        Untrusted("note", each.author, f"{each.verdict}：{each.notes} {each.advice}".strip()) for each in card.reviews
    )
