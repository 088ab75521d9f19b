"""The planner's answer: one loop for a small task, else cards for the board with the phases nobody may leave out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from pydantic import Field

from sgclaw.agent.planning.asking import Desk, Shape
from sgclaw.agent.planning.board import Card, TaskBoard, check_cards
from sgclaw.context.parts import L2Parts
from sgclaw.context.texts import Risk, missing_phases, templates

RISK_CONTROL: Final = "risk_control"
FINAL_REVIEW: Final = "final_review"
MOST_CARDS: Final = 20
_REQUEST: Final = "请判断这项任务是否需要拆分：几步能办完就用 single，否则用 board 并列出子任务。"

Line = Annotated[str, Field(min_length=1, max_length=200)]
CardId = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")]


class PlannedCard(Shape):
    """A card as the planner writes it."""

    id: CardId
    title: Line
    phase: Line
    must_haves: Annotated[tuple[Line, ...], Field(min_length=1, max_length=8)]
    depends_on: tuple[CardId, ...] = ()
    risk: Risk = "standard"
    why: Line = "—"

    def card(self) -> Card:
        """As it is put on the board."""
        return Card(
            id=self.id,
            title=self.title,
            phase=self.phase,
            must_haves=self.must_haves,
            depends_on=self.depends_on,
            risk=self.risk,
        )


class Plan(Shape):
    """`single`: the task stays one loop, `why` says so to the person. `board`: it is split into cards."""

    mode: Literal["single", "board"]
    why: Line
    cards: Annotated[tuple[PlannedCard, ...], Field(max_length=MOST_CARDS)] = ()

    def complain(self) -> str | None:
        """See `Shape.complain`."""
        if self.mode == "single":
            return "single 不带子任务" if self.cards else None
        known = {phase.id for phase in templates().phases}
        if unknown := sorted({card.phase for card in self.cards} - known):
            return f"没有阶段 {'、'.join(unknown)}，可用的阶段：{'、'.join(sorted(known))}"
        if not any(card.phase not in (RISK_CONTROL, FINAL_REVIEW) for card in self.cards):
            return "board 至少要有一个实际的子任务"
        board_of(self, "plan", "plan")
        return None


async def make_plan(desk: Desk, parts: L2Parts) -> Plan:
    """Ask the planner; a plan that the board would refuse is sent back with the reason."""
    return await desk.ask("planner", parts, _REQUEST, Plan)


def board_of(plan: Plan, task_id: str, instruction: str) -> TaskBoard:
    """The board of a plan, undeletable phases kept or added; raises `BOARD_REFUSED` for cycles and unknown cards."""
    return check_cards(TaskBoard(task_id=task_id, instruction=instruction, cards=_guarded(plan)))


def next_round(board: TaskBoard, planned: tuple[PlannedCard, ...]) -> TaskBoard:
    """The board with the cards of one more round behind the others, guarded like the first ones."""
    number = board.round + 1
    cards = _guarded(Plan(mode="board", why="next", cards=planned))
    head = f"r{number}-"
    while any(card.id.startswith(head) for card in board.cards):  # a planner may name its cards like that itself
        head = f"r{head}"
    named = tuple(
        card.model_copy(
            update={
                "id": f"{head}{card.id}",
                "depends_on": tuple(f"{head}{each}" for each in card.depends_on),
            }
        )
        for card in cards
    )
    return check_cards(board.model_copy(update={"cards": (*board.cards, *named), "round": number}))


def _guarded(plan: Plan) -> tuple[Card, ...]:
    cards = [each.card() for each in plan.cards]
    taken = {card.id for card in cards}
    missing = missing_phases(frozenset(card.phase for card in cards))
    cards += [_phase_card(phase, _free(phase, taken)) for phase in missing]
    finals = {card.id for card in cards if card.phase == FINAL_REVIEW}
    controls = tuple(card.id for card in cards if card.phase == RISK_CONTROL)
    before = _ancestors(cards, controls)
    return tuple(_linked(card, cards, finals, () if card.id in before else controls) for card in cards)


def _linked(card: Card, cards: Sequence[Card], finals: set[str], controls: tuple[str, ...]) -> Card:
    """Acting waits for risk control unless risk control waits for it; the final review waits for everything."""
    wanted = dict.fromkeys(card.depends_on)
    if card.id in finals:
        wanted |= dict.fromkeys(each.id for each in cards if each.id not in finals)
    else:
        wanted |= dict.fromkeys(each for each in controls if each != card.id)
    return card.model_copy(update={"depends_on": tuple(wanted)})


def _ancestors(cards: Sequence[Card], of: tuple[str, ...]) -> set[str]:
    by_id = {card.id: card for card in cards}
    found: set[str] = set()
    left = list(of)
    while left:
        each = left.pop()
        if each not in found and each in by_id:
            found.add(each)
            left += by_id[each].depends_on
    return found


def _phase_card(phase_id: str, card_id: str) -> Card:
    phase = next(each for each in templates().phases if each.id == phase_id)
    return Card(id=card_id, title=phase.title, phase=phase_id, must_haves=(phase.when,))


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "-2"
    return name
