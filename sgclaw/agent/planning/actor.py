"""An actor that works on a card in the agent's loop: in the scope of the task, from the budget of the task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final, Literal

from sgclaw.agent.dataflow import Tracker
from sgclaw.agent.desk import Desk
from sgclaw.agent.ending import AgentResult
from sgclaw.agent.loop import Agent
from sgclaw.agent.planning.board import Card, TaskBoard
from sgclaw.agent.planning.budget import TaskBudget
from sgclaw.agent.planning.conductor import ActorReport
from sgclaw.agent.planning.evidence import Fact, Rank
from sgclaw.agent.states import ENDED, TRANSITIONS
from sgclaw.agent.task import AgentTask, Equipment
from sgclaw.agent.trace import Resumed
from sgclaw.context.parts import HandOff, TaskContext
from sgclaw.context.untrusted import Untrusted
from sgclaw.errors import (
    ActionCode,
    ActionError,
    AuditUnavailableError,
    BudgetExceededError,
    CancelledTaskError,
    FileProblemError,
    HostGoneError,
    ModelError,
    NeedsApprovalError,
    NeedsHumanError,
    SgClawError,
    UnverifiedError,
)
from sgclaw.protocol.parts import EvidenceRank, State

RANKS: Final[Mapping[EvidenceRank, Rank]] = dict(zip(EvidenceRank, Rank, strict=True))
"""Both name the same order of strength."""
_ENDS_ALL: Final = (
    AuditUnavailableError,
    BudgetExceededError,
    CancelledTaskError,
    FileProblemError,
    HostGoneError,
    ModelError,
)
"""What no other card would escape."""
_OUTPUT: Final = 2_000


@dataclass(slots=True)
class Way:
    """The states of several loops as those of one task: what its table does not have is led through `executing`."""

    told: Callable[[State], None]
    now: State = State.PLANNING

    def go(self, after: State) -> None:
        """A loop is there now; the ends of loops are none of the task's, and neither are their beginnings."""
        if after in ENDED or after in (self.now, State.PLANNING):
            return
        if after not in TRANSITIONS[self.now] and self.now is not State.EXECUTING:
            self._tell(State.EXECUTING)
        if after in TRANSITIONS[self.now]:
            self._tell(after)

    def _tell(self, state: State) -> None:
        self.now = state
        self.told(state)

    def person(self, begins: bool) -> None:
        """A wait for a person outside a loop."""
        self.go(State.CONFIRMING if begins else State.EXECUTING)


@dataclass(slots=True)
class LoopActor:
    """`conductor.Actor`. `tracker` outlives the loops: a value read for one card is known again in every other."""

    task: AgentTask
    equipment: Equipment
    budget: TaskBudget
    tracker: Tracker
    results: dict[str, list[AgentResult]] = field(default_factory=dict)
    """What came of each card, round by round."""
    doubts: dict[str, SgClawError] = field(default_factory=dict)
    """Of cards whose outcome is unknown, the error that says so."""
    numbers: set[Decimal] = field(default_factory=set)
    """Every number that was seen for any card: later ones may name it."""

    async def run(self, card: Card, task_context: TaskContext, hand_offs: Sequence[HandOff]) -> ActorReport:
        """See `conductor.Actor`. Raises what no other card would escape."""
        upstream = (*(each.untrusted() for each in hand_offs), *_to_mend(card))
        job = replace(self.task, parts=replace(self.task.parts, task=task_context, upstream=upstream))
        agent = Agent(job, self._equipped(card), self._before())
        try:
            result = await agent.run()
        finally:
            self.numbers |= agent.desk.proofs.numbers
            if agent.desk.in_doubt is not None:
                self.doubts[card.id] = agent.desk.in_doubt
            if agent.result is not None:
                self.budget.take(agent.result.usage)
                self.results.setdefault(card.id, []).append(agent.result)
        return report_of(result, facts_of(result, agent.desk))

    def _before(self) -> Resumed:
        return Resumed(spent=self.budget.spent, tracker=self.tracker, numbers=frozenset(self.numbers))

    def _equipped(self, card: Card) -> Equipment:
        """With a trace of the card's own: two loops in one file would read as one."""
        trace = self.equipment.trace
        if trace is None:
            return self.equipment
        number = len(self.results.get(card.id, ())) + 1
        return replace(self.equipment, trace=trace.with_name(f"{trace.stem}.{card.id}-{number}{trace.suffix}"))


def _to_mend(card: Card) -> tuple[Untrusted, ...]:
    said = [each for each in card.reviews if each.verdict != "approved"][-2:]
    return tuple(Untrusted("note", each.author, f"评审意见：{each.notes} {each.advice}".strip()) for each in said)


def facts_of(result: AgentResult, desk: Desk) -> tuple[Fact, ...]:
    """What was observed: the evidence that held, and every change. Where the loop itself found the evidence too weak
    for what was done, nobody may take it for more.
    """
    proofs, main = desk.proofs, str(desk.task.scope.main)
    first = min((write.seq for write in proofs.writes), default=None)
    weak = isinstance(result.error, UnverifiedError)
    facts = []
    for each in result.evidence:
        seen = proofs.seen.get(each.seq)
        origin = desk.pages.origin(seen.document[0]) if seen is not None else ""
        changes = first is not None and each.seq >= first
        facts.append(
            Fact(rank=Rank.TOAST if weak else RANKS[each.rank], origin=origin or main, text=each.fact, changes=changes)
        )
    for write in proofs.writes:
        text = f"第 {write.seq} 号操作 {write.action} 已执行"
        facts.append(Fact(rank=Rank.TOAST, origin=main, text=text, changes=True))
    return tuple(facts)


def report_of(result: AgentResult, facts: tuple[Fact, ...]) -> ActorReport:
    """The report a loop's end stands for; raises the error that ends the whole task."""
    error = result.error
    if isinstance(error, _ENDS_ALL) or type(error) is SgClawError:
        raise error
    outputs = (result.summary[:_OUTPUT],)
    return ActorReport(_outcome(error), outputs, facts, result.summary, result.reason)


def _outcome(error: SgClawError | None) -> Literal["completed", "failed", "unknown", "needs_human"]:
    """A loop whose evidence is weak has ended: what its facts prove is judged by others."""
    if error is None or isinstance(error, UnverifiedError):
        return "completed"
    if isinstance(error, ActionError) and error.code == ActionCode.UNKNOWN_OUTCOME:
        return "unknown"
    return "needs_human" if isinstance(error, NeedsHumanError | NeedsApprovalError) else "failed"


def known_again(tracker: Tracker, board: TaskBoard) -> None:
    """A board of an earlier process: what its cards hand on was read somewhere, and nobody knows any more where."""
    for card in board.cards:
        for fact in card.facts:
            tracker.read(fact.origin, [fact.text])
        tracker.read(f"note:{card.id}", [*card.outputs, card.hand_off, *(each.text for each in card.comments)])
    tracker.fresh()
