"""What tests of planning share: a scripted model, an actor and a person that note what they are asked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sgclaw.agent.planning.asking import Budget, Desk, TokenBudget
from sgclaw.agent.planning.board import Card, MemoryBoard, TaskBoard
from sgclaw.agent.planning.conductor import ActorReport, Conductor, Crew
from sgclaw.agent.planning.evidence import Fact, Rank
from sgclaw.context.parts import HandOff, L2Parts, TaskContext
from sgclaw.llm.careful import Care
from sgclaw.llm.providers import make_model
from sgclaw.llm.settings import ModelSettings
from sgclaw.ports import Board, Model, Question
from tests.support.ports import LoopClock
from tests.unit.llm.room import QUICK, Pauses

ERP: Final = "https://erp.example.com"
PARTS: Final = L2Parts(TaskContext("导出本月合规报表并核对", origins=(ERP,)))
NOTE: Final = (
    "月份控件要先清空再输入，否则仍是上月；导出按钮只点一次，文件约十秒后出现，不要重复点击，行数与页面总数已核对一致。"
)
SEEN: Final = Fact(rank=Rank.FILE, origin=ERP, text="report.xlsx 128 行")
WROTE: Final = Fact(rank=Rank.RESPONSE, origin=ERP, text="POST /orders 200", changes=True)
GOOD: Final = ActorReport("completed", ("已导出 128 行",), (SEEN,), NOTE)

Step = tuple[str, object]
NEVER: Final[Step] = ("没有人会这样问", "")
"""The last step of every scenario: one question too many fails on it."""
CRITERION: Final[Step] = ("还没有开始", {"criterion": "下载的文件有 128 行"})
HOLDS: Final[Step] = ("观察到的事实", {"finding": "holds", "why": "文件 128 行"})
FAILS: Final[Step] = ("观察到的事实", {"finding": "fails", "why": "只有 20 行"})
APPROVED: Final = {"verdict": "approved", "notes": "与证据一致"}
REVISION: Final = {"verdict": "needs_revision", "notes": "缺 3 月", "advice": "补上 3 月"}
REJECTED: Final = {"verdict": "rejected", "notes": "对象错了", "advice": "换成正确的报表"}
ONE: Final = "请评审这项产出"
CONTROLLED: Final[Step] = ("raised", {"raised": [], "stop": False, "why": "没有不能撤销的操作"})
ACHIEVED: Final[Step] = (
    "三个问题",
    {"goal_clear": True, "covered": True, "why": "产出覆盖目标", "next": "achieved"},
)
CARD_OK: Final[tuple[Step, ...]] = (CRITERION, HOLDS, (ONE, APPROVED))


def scripted(folder: Path, steps: Sequence[Step]) -> Model:
    written = [
        {
            "expect": {"role": "user", "contains": heard},
            "says": said if isinstance(said, str) else json.dumps(said, ensure_ascii=False),
            "usage": {"input": 90, "output": 10},
        }
        for heard, said in (*steps, NEVER)
    ]
    path = folder / "scenario.yaml"
    path.write_text(json.dumps({"model": {"tools": False}, "steps": written}, ensure_ascii=False), encoding="utf-8")
    model = make_model(ModelSettings("scripted", scenario=str(path)), Care(LoopClock(), QUICK, Pauses()))
    assert model is not None
    return model


@dataclass(slots=True)
class Hands:
    """An actor that reports what it was told to; a report that is an error is raised."""

    reports: list[ActorReport | BaseException] = field(default_factory=list)
    ran: list[Card] = field(default_factory=list)
    given: list[tuple[HandOff, ...]] = field(default_factory=list)

    async def run(self, card: Card, task_context: TaskContext, hand_offs: Sequence[HandOff]) -> ActorReport:
        assert task_context.criterion == card.criterion
        self.ran.append(card)
        self.given.append(tuple(hand_offs))
        report = self.reports.pop(0) if self.reports else GOOD
        if isinstance(report, BaseException):
            raise report
        return report

    @property
    def cards(self) -> list[str]:
        return [card.id for card in self.ran]


@dataclass(slots=True)
class Someone:
    """A person with these answers, then silent."""

    answers: list[str] = field(default_factory=list)
    asked: list[Question] = field(default_factory=list)

    async def ask(self, task_id: str, question: Question) -> str | None:
        self.asked.append(question)
        return self.answers.pop(0) if self.answers else None


@dataclass(slots=True)
class Room:
    folder: Path
    hands: Hands = field(default_factory=Hands)
    someone: Someone = field(default_factory=Someone)
    keeper: Board = field(default_factory=MemoryBoard)
    budget: Budget = field(default_factory=lambda: TokenBudget(100_000))

    def desk(self, *steps: Step) -> Desk:
        return Desk(scripted(self.folder, steps), "sgclaw-20261201-0001", self.budget)

    def crew(self, *steps: Step) -> Crew:
        return Crew(self.desk(*steps), self.hands, self.someone, self.keeper)

    def conductor(self, board: TaskBoard, *steps: Step) -> Conductor:
        return Conductor(self.crew(*steps), PARTS, board)


def board_with(*cards: Card) -> TaskBoard:
    return TaskBoard(task_id="t-1", instruction=PARTS.task.instruction, cards=cards)


def card_of(card_id: str = "export", **more: object) -> Card:
    return Card.model_validate({"id": card_id, "title": "导出报表", "must_haves": ("128 行",), **more})
