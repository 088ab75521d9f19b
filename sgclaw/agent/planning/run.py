"""One task from the question whether it needs a plan to its result: one loop, or a board carried to its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from sgclaw.agent.dataflow import Tracker
from sgclaw.agent.ending import AgentResult, Ending, result_of
from sgclaw.agent.loop import Agent
from sgclaw.agent.planning.actor import LoopActor, Way, known_again
from sgclaw.agent.planning.asking import Desk
from sgclaw.agent.planning.board import Card, Status, TaskBoard
from sgclaw.agent.planning.budget import AskedPerson, TaskBudget
from sgclaw.agent.planning.conductor import Conductor, Crew, plan_or_resume
from sgclaw.agent.planning.plan import FINAL_REVIEW, RISK_CONTROL, Plan
from sgclaw.agent.planning.small import why_planned
from sgclaw.agent.planning.telling import Say, TellingBoard, listed
from sgclaw.agent.task import AgentTask, Equipment
from sgclaw.agent.trace import Resumed
from sgclaw.agent.truth import Proofs
from sgclaw.context.untrusted import one_line
from sgclaw.errors import (
    ActionCode,
    ActionError,
    CancelledTaskError,
    ModelError,
    NeedsHumanError,
    SgClawError,
    UnverifiedError,
)
from sgclaw.ports import Board, JsonObject, Record
from sgclaw.protocol.parts import State

_JUDGING: Final = (RISK_CONTROL, FINAL_REVIEW)
_EVIDENCE: Final = 20
_TITLE: Final = 60
_SETTLED: Final = "person:unknown_outcome"


class PlannedRun:
    """Carries out one task. `result` is there when it has ended, also by a cancel, which `run` passes on.

    `settled` hears of each unknown outcome of which a person said that it has come about.
    """

    def __init__(
        self,
        task: AgentTask,
        equipment: Equipment,
        keeper: Board,
        say: Say,
        settled: Callable[[SgClawError], None] = lambda _: None,
    ) -> None:
        self._settled = settled
        self._task, self._say = task, say
        self._budget = TaskBudget(task.limits, equipment.clock)
        self._way = Way(equipment.told)
        self._equipment = equipment
        instruction = task.context.instruction
        self._keeper = TellingBoard(keeper, instruction, self._record, say)
        told = replace(equipment, told=self._way.go)
        self._actor = LoopActor(task, told, self._budget, Tracker(instruction))
        desk = Desk(equipment.model, task.trace_id, self._budget, task.references)
        person = AskedPerson(equipment.person, self._budget, self._way.person)
        self._crew = Crew(desk, self._actor, person, self._keeper)
        self._conductor: Conductor | None = None
        self.result: AgentResult | None = None

    async def run(self) -> AgentResult:
        """Work until the task has ended, whatever ends it. Raises only when it is cancelled, or for a bug of ours."""
        try:
            board = await self._planned()
            if board is None:
                return await self._loop()
            self._conductor = Conductor(self._crew, self._task.parts, board)
            await self._conductor.carry()
            self.result = self._ended(_why(self._conductor.board))
        except SgClawError as error:
            self.result = self._ended(error)
        except asyncio.CancelledError:
            self.result = self.result or self._ended(CancelledTaskError("任务已停止"))
            raise
        return self.result

    # --- the plan -----------------------------------------------------------------------------------------------------

    async def _planned(self) -> TaskBoard | None:
        """The board; None when the task is one loop."""
        task = self._task
        why = why_planned(task.context.instruction, len(task.scope.origins))
        saved = self._keeper.load(task.id) is not None
        if why is None and not saved:
            return None
        try:
            plan = await plan_or_resume(self._crew, task.id, task.parts)
        except ModelError as error:
            if error.facts.get("reason") != "bad_answer":
                raise
            plan = Plan(mode="single", why="大模型没有给出可用的计划")
        if isinstance(plan, Plan):
            self._record("plan_made", {"mode": "single", "why": plan.why, "sign": why})
            self._say(f"不拆分，直接办理：{one_line(plan.why, 200)}", {"mode": "single"})
            return None
        if saved:
            known_again(self._actor.tracker, plan)
        self._tell(plan, saved)
        return plan

    def _tell(self, board: TaskBoard, saved: bool) -> None:
        cards = listed(board.cards)
        self._record("plan_made", {"mode": "board", "round": board.round, "resumed": saved, "cards": cards})
        titles = "；".join(one_line(card.title, _TITLE) for card in board.cards if card.phase not in _JUDGING)
        words = "接着做上次没有做完的子任务" if saved else "任务拆分为子任务"
        self._say(f"{words}：{titles}"[:1_000], {"mode": "board", "cards": len(board.cards)})

    async def _loop(self) -> AgentResult:
        agent = Agent(self._task, self._equipment, Resumed(spent=self._budget.spent))
        try:
            return await agent.run()
        finally:
            self.result = agent.result

    # --- the end ------------------------------------------------------------------------------------------------------

    def _ended(self, error: SgClawError | None) -> AgentResult:
        """The result of all cards together: their words, which were checked one by one, and their evidence."""
        board = self._conductor.board if self._conductor else None
        results = [each for rounds in self._actor.results.values() for each in rounds]
        data = {card: rounds[-1].data for card, rounds in self._actor.results.items() if rounds[-1].data is not None}
        evidence = tuple(item for each in results for item in each.evidence)[-_EVIDENCE:]
        ending = Ending(_summary(board, error) if board else "", error, data or None, evidence)
        proofs = Proofs(artifacts={file.id: file for each in results for file in each.artifacts})
        for card in board.cards if board else ():
            if card.reason == _SETTLED and card.status is Status.DONE and card.id in self._actor.doubts:
                self._settled(self._actor.doubts[card.id])
        if error is None:
            self._way.go(State.EVALUATING)
        return result_of(ending, self._budget.spent, proofs)

    def _record(self, event: str, data: JsonObject) -> None:
        self._equipment.ledger.append(Record(event, self._task.trace_id, "sgclaw", self._task.id, data))


def _why(board: TaskBoard) -> SgClawError | None:
    """Why a board that was carried to its end is not completed; what nobody knows the effect of comes first."""
    waiting = [card for card in board.cards if card.status is Status.WAITING_HUMAN]
    failed = [card for card in board.cards if card.status is Status.FAILED]
    first = next((card for card in waiting if card.reason == "unknown_outcome"), None) or next(
        iter([*waiting, *failed]), None
    )
    if first is None:
        return None
    facts: JsonObject = {"reason": first.reason, "card": first.id}
    title = one_line(first.title, _TITLE)
    if first.status is Status.FAILED:
        return ActionError(ActionCode.ACTION_FAILED, f"子任务「{title}」没有做成", facts=facts)
    if first.reason == "unknown_outcome":
        return ActionError(ActionCode.UNKNOWN_OUTCOME, f"子任务「{title}」的结果不明", facts=facts)
    if first.reason == "unverified":
        return UnverifiedError(f"子任务「{title}」的证据不足", facts=facts)
    return NeedsHumanError(f"子任务「{title}」在等您决定", facts=facts)


def _summary(board: TaskBoard, error: SgClawError | None) -> str:
    """A line a card, in the words of its checked summary; what is not done is said without any."""
    head = "各子任务都已完成。" if error is None else f"{error.cause}。"
    lines = [_line(card) for card in board.cards if card.phase not in _JUDGING]
    return "\n".join((head, *lines, *([error.next_step] if error else [])))


def _line(card: Card) -> str:
    title = one_line(card.title, _TITLE)
    if card.status is not Status.DONE:
        return f"- {title}：{_UNDONE.get(card.status, '没有做完')}"
    by_person = "（由您确认）" if card.reason.startswith("person:") else ""
    return f"- {title}：完成{by_person}。{card.outputs[-1] if card.outputs else ''}"


_UNDONE: Final = {
    Status.PENDING: "没有开始",
    Status.BLOCKED: "没有开始",
    Status.FAILED: "没有做成",
    Status.WAITING_HUMAN: "等您决定",
}
