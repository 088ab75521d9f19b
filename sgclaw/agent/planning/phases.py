"""The phases that every plan has, carried out by models that judge: neither touches a page."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, Literal

from pydantic import Field

from sgclaw.agent.planning.asking import Desk, Shape
from sgclaw.agent.planning.board import Card, Status, TaskBoard
from sgclaw.agent.planning.plan import MOST_CARDS, Line, Plan, PlannedCard
from sgclaw.agent.planning.validator import told
from sgclaw.context.parts import L2Parts
from sgclaw.context.untrusted import Untrusted

MOST_ROUNDS: Final = 3
"""Rounds of planning; after the last one the person decides."""
_CONTROL: Final = (
    "请检查任务板上的子任务：把含有不能撤销、涉及资金或越出范围的操作的列入 raised；整项任务不该做时 stop 为 true。"
)
_FINAL: Final = (
    "请回答三个问题并给出结论 next：achieved 已达到，next_round 需要下一轮（cards 写明任务），ask_user 由用户决定。"
)


class RiskFinding(Shape):
    """What risk control found: risks are raised to high, never lowered."""

    raised: Annotated[tuple[str, ...], Field(max_length=MOST_CARDS)] = ()
    stop: bool
    why: Line


class GoalFinding(Shape):
    """The three questions and what follows from them."""

    goal_clear: bool
    covered: bool
    why: Line
    next: Literal["achieved", "next_round", "ask_user"]
    cards: Annotated[tuple[PlannedCard, ...], Field(max_length=MOST_CARDS)] = ()

    def complain(self) -> str | None:
        """See `Shape.complain`."""
        if self.next == "achieved" and not (self.goal_clear and self.covered):
            return "目标不清或产出没有覆盖目标时不能是 achieved"
        if self.next != "next_round":
            return "只有 next_round 带 cards" if self.cards else None
        return Plan(mode="board", why=self.why, cards=self.cards).complain()


async def control_risk(desk: Desk, parts: L2Parts, board: TaskBoard, card: Card) -> RiskFinding:
    """Ask which cards are riskier than planned; ids that are on no card are left out."""
    found = await desk.ask("reviewer", _with_board(parts, board, card), _CONTROL, RiskFinding)
    known = {each.id for each in board.cards}
    return found.model_copy(update={"raised": tuple(each for each in found.raised if each in known)})


def raised(board: TaskBoard, card_ids: tuple[str, ...]) -> TaskBoard:
    """The board with those cards at high risk, as far as they have not begun."""
    for card_id in card_ids:
        card = board.card(card_id)
        if card.status is Status.PENDING:
            board = board.put(card.model_copy(update={"risk": "high"}))
    return board


async def review_goal(desk: Desk, parts: L2Parts, board: TaskBoard, card: Card) -> GoalFinding:
    """Ask the three questions about everything that was handed in."""
    shown = _with_board(parts, board, card)
    task = replace(shown.task, status="review", rounds=(board.round, MOST_ROUNDS))
    return await desk.ask("goal_review", replace(shown, task=task), _FINAL, GoalFinding)


def _with_board(parts: L2Parts, board: TaskBoard, card: Card) -> L2Parts:
    lines = tuple(Untrusted("note", each.id, _line(each)) for each in board.cards if each.id != card.id)
    return replace(told(parts, card), outputs=lines)


def _line(card: Card) -> str:
    head = f"{card.id} [{card.phase}] {card.title}，状态 {card.status}，风险 {card.risk}"
    return "\n".join((head, *card.must_haves, *card.outputs, *(fact.text for fact in card.facts)))
