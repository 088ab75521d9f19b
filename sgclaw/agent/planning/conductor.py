"""Carries a plan: one ready card after the other to the actor, judged, reviewed, handed on, or put to the person.

The board is saved before and after everything that may change a page, so that a saved board is the truth whenever the
process dies or is cancelled: a card that was being worked on then has an unknown outcome, waits for the person, and is
never begun again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated, Final, Literal, Protocol

from pydantic import Field

from sgclaw.agent.planning import review
from sgclaw.agent.planning.asking import Desk, Shape
from sgclaw.agent.planning.board import Card, Review, Status, TaskBoard, Verdict, loaded
from sgclaw.agent.planning.evidence import Fact
from sgclaw.agent.planning.phases import MOST_ROUNDS, control_risk, raised, review_goal
from sgclaw.agent.planning.plan import FINAL_REVIEW, RISK_CONTROL, Plan, board_of, make_plan, next_round
from sgclaw.agent.planning.validator import judge, state, told
from sgclaw.context.budgets import HAND_OFF
from sgclaw.context.parts import HandOff, L2Parts, TaskContext
from sgclaw.context.untrusted import Untrusted, one_line
from sgclaw.ports import Board, Person, Question

CARD_ROUNDS: Final = 3
"""How often a card is worked on, and how often a review is answered, before the person decides."""
FINISHED: Final = "已经完成，继续"
ACCEPTED: Final = "接受现有结果，继续"
GO_ON: Final = "仍然继续"
GIVEN_UP: Final = "放弃这个子任务"
ACTOR: Final = "executor"
_TITLE: Final = 60
_REASONS: Final = MappingProxyType(
    {
        "unknown_outcome": ("执行结果不明，不能重做", FINISHED),
        "needs_human": ("需要您处理", FINISHED),
        "unverified": ("证据不足以证明已经完成", FINISHED),
        "reviewers_disagree": ("评审意见不一致", ACCEPTED),
        "round_limit": ("已到轮数上限", ACCEPTED),
        "changed_already": ("评审未通过，但高风险的改动已经发生，不能重做", ACCEPTED),
        "stopped_by_risk_control": ("认为任务不应继续", GO_ON),
        "goal_unclear": ("认为目标需要您来决定", ACCEPTED),
    }
)
"""Why a card waits for the person: what they read, and the choice that ends the waiting well."""

_Undecided = Literal["unverified", "reviewers_disagree"]


@dataclass(frozen=True, slots=True)
class ActorReport:
    """What came of a card. `outputs` and `hand_off` are the actor's words; `evidence` is from the browser's trail.

    `unknown`: something that changes a page was sent and its effect is not known.
    """

    outcome: Literal["completed", "failed", "unknown", "needs_human"]
    outputs: tuple[str, ...] = ()
    evidence: tuple[Fact, ...] = ()
    hand_off: str = ""
    reason: str = ""


class Actor(Protocol):
    """Who works on cards."""

    async def run(self, card: Card, task_context: TaskContext, hand_offs: Sequence[HandOff]) -> ActorReport:
        """Work on one card; `card.reviews` are what to mend. What is raised leaves the outcome unknown."""
        ...


@dataclass(frozen=True, slots=True)
class Crew:
    """Everyone who takes part in a task."""

    desk: Desk
    actor: Actor
    person: Person
    keeper: Board


@dataclass(frozen=True, slots=True)
class Carried:
    """How the plan ended: `failed` when a card failed and nothing waits for the person any more."""

    outcome: Literal["completed", "failed", "waiting_human"]
    board: TaskBoard


class _HandOffText(Shape):
    hand_off: Annotated[str, Field(min_length=HAND_OFF[0], max_length=HAND_OFF[1])]


async def plan_or_resume(crew: Crew, task_id: str, parts: L2Parts) -> Plan | TaskBoard:
    """The saved board as a crash left it, else a new plan: `Plan` when the task stays one loop, else its board."""
    saved = crew.keeper.load(task_id)
    if saved is not None:
        return recovered(loaded(saved))
    plan = await make_plan(crew.desk, parts)
    if plan.mode == "single":
        return plan
    board = board_of(plan, task_id, parts.task.instruction)
    crew.keeper.save(task_id, board.saved())
    return board


def recovered(board: TaskBoard) -> TaskBoard:
    """A board that nobody works on: claimed cards are free again, cards that had begun wait for the person."""
    for card in board.cards:
        if card.status is Status.WORKING:
            board = board.put(card.to(Status.WAITING_HUMAN, "unknown_outcome"))
        elif card.status is Status.CLAIMED:
            board = board.put(card.to(Status.PENDING))
    return board


class Conductor:
    """Carries one board. Cancelling `carry` at any point leaves a saved board that `plan_or_resume` takes up."""

    def __init__(self, crew: Crew, parts: L2Parts, board: TaskBoard) -> None:
        self._crew = crew
        self._parts = parts
        self.board = board

    async def carry(self) -> Carried:
        """Work until nothing is ready; raises what a model, the budget or the actor raises."""
        self._save()
        for card in self.board.cards:
            if card.status is Status.WAITING_HUMAN:
                await self._ask(card)
        while (ready := self._next()) is not None:
            await self._carry(ready)
            self._block()
        return Carried(self._outcome(), self.board)

    def _next(self) -> Card | None:
        reviewed = (card for card in self.board.cards if card.status is Status.REVIEW)
        return next((card for card in (*reviewed, *self.board.ready())), None)

    async def _carry(self, card: Card) -> None:
        if card.phase == RISK_CONTROL:
            return await self._control(card)
        if card.phase == FINAL_REVIEW:
            return await self._finish(card)
        if card.status is Status.PENDING:
            self._crew.desk.budget.check()
            card = self._keep(card.claimed(ACTOR))
            stated = await state(self._crew.desk, self._parts, card)
            card = await self._work(card.model_copy(update={"criterion": stated}))
        while card.status is Status.REVIEW:
            card = await self._settle(card)
        return None

    # --- working ------------------------------------------------------------------------------------------------------

    async def _work(self, card: Card) -> Card:
        self._crew.desk.budget.check()
        card = self._keep(card.started())
        report = await self._crew.actor.run(card, told(self._parts, card).task, self._hand_offs(card))
        card = self._keep(card.model_copy(update={"facts": (*card.facts, *report.evidence)}))
        if report.outcome in ("unknown", "needs_human"):
            return await self._to_person(card, "unknown_outcome" if report.outcome == "unknown" else "needs_human")
        if report.outcome == "failed" or not report.outputs:
            return self._keep(card.to(Status.FAILED, report.reason or "no_output"))
        return self._keep(card.handed_in(report.outputs, await self._hand_off(card, report)))

    def _hand_offs(self, card: Card) -> tuple[HandOff, ...]:
        before = (self.board.card(each) for each in card.depends_on)
        return tuple(HandOff(each.id, each.hand_off) for each in before if each.hand_off)

    async def _hand_off(self, card: Card, report: ActorReport) -> str:
        """The report's hand-off; one of another length is written anew, because the work itself is done."""
        least, most = HAND_OFF
        if least <= len(report.hand_off.strip()) <= most:
            return report.hand_off.strip()
        notes = tuple(Untrusted("note", card.id, text) for text in (*report.outputs, report.hand_off) if text)
        parts = replace(told(self._parts, card), upstream=notes)
        request = f"请为下一个子任务写 {least}～{most} 字的交接说明：决定、取舍、问题和建议。"
        return (await self._crew.desk.ask(ACTOR, parts, request, _HandOffText)).hand_off

    # --- judging ------------------------------------------------------------------------------------------------------

    async def _settle(self, card: Card) -> Card:
        card, verdict = await self._verdict(card)
        if verdict in {"unverified", "reviewers_disagree"}:
            return await self._to_person(card, verdict)
        if verdict == "approved":
            return self._keep(card.to(Status.DONE))
        if len(card.responses) >= CARD_ROUNDS or card.rounds >= CARD_ROUNDS:
            return await self._to_person(card, "round_limit")
        card = await review.answer(self._crew.desk, self._parts, card)
        return await self._follow(card, review.NEXT[verdict, card.responses[-1].answer])

    async def _verdict(self, card: Card) -> tuple[Card, Verdict | _Undecided]:
        found = await judge(self._crew.desk, self._parts, card)
        card = card.noted("validator", f"{found.finding}：{found.why}")
        if found.finding == "unproven":
            return card, "unverified"
        if found.finding == "holds":
            card, verdict = await review.hold(self._crew.desk, self._parts, card)
            return card, verdict or "reviewers_disagree"
        said = Review(author="validator", verdict="needs_revision", notes=found.why, advice=found.why)
        return card.reviewed(said), said.verdict

    async def _follow(self, card: Card, step: review.Next) -> Card:
        if step == "fail":
            return self._keep(card.to(Status.FAILED, "rejected"))
        if step == "review":
            return self._keep(card)
        if card.risk == "high" and any(fact.changes for fact in card.facts):
            return await self._to_person(card, "changed_already")
        return await self._work(card)

    # --- the phases nobody may leave out ------------------------------------------------------------------------------

    async def _control(self, card: Card) -> None:
        found = await control_risk(self._crew.desk, self._parts, self.board, card)
        self.board = raised(self.board, found.raised)
        if found.stop:
            await self._to_person(card.noted("reviewer", found.why), "stopped_by_risk_control")
        else:
            self._keep(_judged(card, "reviewer", found.why))

    async def _finish(self, card: Card) -> None:
        found = await review_goal(self._crew.desk, self._parts, self.board, card)
        noted = card.noted("goal_review", found.why)
        if found.next == "ask_user":
            await self._to_person(noted, "goal_unclear")
        elif found.next == "next_round" and self.board.round >= MOST_ROUNDS:
            await self._to_person(noted, "round_limit")
        else:
            if found.next == "next_round":
                self.board = next_round(self.board, found.cards)
            self._keep(_judged(card, "goal_review", found.why))

    # --- the person, and keeping --------------------------------------------------------------------------------------

    async def _to_person(self, card: Card, reason: str) -> Card:
        return await self._ask(self._keep(card.to(Status.WAITING_HUMAN, reason)))

    async def _ask(self, card: Card) -> Card:
        """Ask what became of it. Without an answer it goes on waiting."""
        why, well = _REASONS.get(card.reason, _REASONS["needs_human"])  # a board may be of another version
        text = f"子任务「{one_line(card.title, _TITLE)}」{why}。请核对系统中的实际情况后选择。"
        said = await self._crew.person.ask(self.board.task_id, Question(text, (well, GIVEN_UP)))
        status = {well: Status.DONE, GIVEN_UP: Status.FAILED}.get(said or "")
        return card if status is None else self._keep(card.to(status, f"person:{card.reason}"))

    def _block(self) -> None:
        """Cards that wait for what will never be done are blocked."""
        lost = {card.id for card in self.board.cards if card.status in (Status.FAILED, Status.BLOCKED)}
        for card in self.board.cards:
            if card.status is Status.PENDING and (gone := sorted(lost & set(card.depends_on))):
                self._keep(card.to(Status.BLOCKED, f"depends_on:{gone[0]}"))
                return self._block()
        return None

    def _outcome(self) -> Literal["completed", "failed", "waiting_human"]:
        statuses = {card.status for card in self.board.cards}
        if statuses == {Status.DONE}:
            return "completed"
        return "waiting_human" if Status.WAITING_HUMAN in statuses else "failed"

    def _keep(self, card: Card) -> Card:
        self.board = self.board.put(card)
        self._save()
        return card

    def _save(self) -> None:
        self._crew.keeper.save(self.board.task_id, self.board.saved())


def _judged(card: Card, author: str, why: str) -> Card:
    """A card of judging, done: it changes nothing, so a crash in it simply asks again."""
    told_card = card.model_copy(update={"actor": author, "outputs": (why,)})
    return told_card.to(Status.CLAIMED).to(Status.WORKING).to(Status.REVIEW).to(Status.DONE)
