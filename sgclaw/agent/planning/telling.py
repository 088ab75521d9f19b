"""A `Board` that tells what moves on it: into the ledger and into the live view."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from pydantic import ValidationError

from sgclaw.agent.planning.board import Card, Status, TaskBoard, loaded
from sgclaw.context.untrusted import one_line
from sgclaw.errors import BoardRefusedError, FileProblemError
from sgclaw.ports import Board, JsonObject

Say = Callable[[str, JsonObject], None]
"""Tells the person one sentence with its facts."""
Write = Callable[[str, JsonObject], None]
"""Writes one record of the ledger."""

OVER: Final = frozenset({Status.DONE, Status.FAILED, Status.BLOCKED})
_TITLE: Final = 60
_WORDS: Final[Mapping[Status, str]] = MappingProxyType(
    {
        Status.WORKING: "开始",
        Status.DONE: "完成",
        Status.FAILED: "没有做成",
        Status.BLOCKED: "因前面的子任务没有做成而不做",
        Status.WAITING_HUMAN: "等您决定",
    }
)
"""The moves a person hears of."""


class TellingBoard:
    """`ports.Board` for one task. A board that was kept for other words, or is over, is none to go on with."""

    def __init__(self, keeper: Board, instruction: str, write: Write, say: Say) -> None:
        self._keeper, self._instruction = keeper, instruction
        self._write, self._say = write, say
        self._last: TaskBoard | None = None

    def load(self, task_id: str) -> JsonObject | None:
        """See `ports.Board`; raises `FILE_ERROR` for what is no board."""
        saved = self._keeper.load(task_id)
        if saved is None:
            return None
        try:
            board = loaded(saved)
        except (ValidationError, BoardRefusedError):
            facts: JsonObject = {"task_id": task_id}
            raise FileProblemError("保存的任务板读不懂，任务没有开始", facts=facts) from None
        if board.instruction != self._instruction or all(card.status in OVER for card in board.cards):
            return None
        self._last = board
        return saved

    def save(self, task_id: str, board: JsonObject) -> None:
        """See `ports.Board`."""
        self._keeper.save(task_id, board)
        now, before = TaskBoard.model_validate(board), self._last
        self._last = now
        known = {card.id: card for card in before.cards} if before else {}
        if before is not None and now.round > before.round:
            self._write("plan_made", {"mode": "board", "round": now.round, "cards": listed(now.cards[len(known) :])})
        for card in now.cards:
            if (old := known.get(card.id)) is not None:
                self._tell(old, card)

    def _tell(self, old: Card, card: Card) -> None:
        for review in card.reviews[len(old.reviews) :]:
            held: JsonObject = {"author": review.author, "verdict": review.verdict, "round": review.round}
            self._write("review_held", {"card": card.id, **held})
        if card.status is old.status:
            return
        moved: JsonObject = {"card": card.id, "from": old.status.value, "to": card.status.value}
        self._write("card_moved", {**moved, **({"reason": card.reason} if card.reason else {})})
        if card.status is Status.WAITING_HUMAN:
            self._write("escalated", {"card": card.id, "title": card.title, "reason": card.reason})
        if (word := _WORDS.get(card.status)) is not None:
            self._say(f"子任务「{one_line(card.title, _TITLE)}」{word}", moved)


def listed(cards: Sequence[Card]) -> list[JsonObject]:
    """The cards as the ledger names them."""
    return [{"id": each.id, "title": each.title, "phase": each.phase, "risk": each.risk} for each in cards]
