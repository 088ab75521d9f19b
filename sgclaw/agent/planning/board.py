"""The task board: cards and what may become of them. Pure values; every change gives a new board or a typed refusal."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from sgclaw.agent.planning.evidence import Fact
from sgclaw.context.parts import HandOff
from sgclaw.context.texts import Risk
from sgclaw.errors import BoardRefusedError
from sgclaw.ports import JsonObject


class Status(StrEnum):
    """Where a card stands. `done` and `failed` are for ever."""

    PENDING = "pending"
    CLAIMED = "claimed"
    WORKING = "working"
    REVIEW = "review"
    DONE = "done"
    FAILED = "failed"
    BLOCKED = "blocked"
    WAITING_HUMAN = "waiting_human"


_P, _C, _W, _R = Status.PENDING, Status.CLAIMED, Status.WORKING, Status.REVIEW
_D, _F, _B, _H = Status.DONE, Status.FAILED, Status.BLOCKED, Status.WAITING_HUMAN
TRANSITIONS: Final[Mapping[Status, frozenset[Status]]] = MappingProxyType(
    {
        _P: frozenset({_C, _B, _F, _H}),
        _C: frozenset({_P, _W, _F, _B, _H}),
        _W: frozenset({_R, _F, _B, _H}),
        _R: frozenset({_W, _D, _F, _H}),
        _B: frozenset({_P, _F, _H}),
        _H: frozenset({_D, _F}),
        _D: frozenset(),
        _F: frozenset(),
    }
)
"""Nothing leads from `working` or `waiting_human` back to `pending`: what may have been done is not done again."""

Verdict = Literal["approved", "rejected", "needs_revision"]
Answer = Literal["ACCEPT", "REJECT", "PARTIAL"]


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Comment(_Value):
    """A word of one role on a card."""

    author: str
    text: str


class Review(_Value):
    """What a reviewer found. A verdict that is not `approved` says in `advice` what would mend it."""

    author: str
    verdict: Verdict
    notes: str
    advice: str = ""
    round: int = 1


class Response(_Value):
    """What the actor answers to a review; `REJECT` and `PARTIAL` give a reason."""

    author: str
    answer: Answer
    reason: str = ""


class Card(_Value):
    """A piece of the task. `criterion` is stated before it runs; `facts` are what was observed while it ran."""

    id: str
    title: str
    phase: str = "operate"
    must_haves: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    risk: Risk = "standard"
    status: Status = Status.PENDING
    criterion: str = ""
    actor: str = ""
    outputs: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    hand_off: str = ""
    comments: tuple[Comment, ...] = ()
    reviews: tuple[Review, ...] = ()
    responses: tuple[Response, ...] = ()
    rounds: int = 0
    reason: str = ""

    def to(self, status: Status, reason: str = "") -> Card:
        """The card in another status; raises `BOARD_REFUSED` when the table has no such transition."""
        if status not in TRANSITIONS[self.status]:
            raise _refused(
                "illegal_transition",
                f"子任务 {self.id} 不能从 {self.status} 变为 {status}",
                {"card": self.id, "from": self.status.value, "to": status.value},
            )
        return self.model_copy(update={"status": status, "reason": reason})

    def claimed(self, actor: str) -> Card:
        """Taken by an actor."""
        return self.to(Status.CLAIMED).model_copy(update={"actor": actor})

    def started(self) -> Card:
        """Begun; refused while no criterion is stated."""
        if not self.criterion.strip():
            raise _refused("no_criterion", f"子任务 {self.id} 还没有成功标准", {"card": self.id})
        return self.to(Status.WORKING).model_copy(update={"rounds": self.rounds + 1})

    def handed_in(self, outputs: tuple[str, ...], hand_off: str) -> Card:
        """Given to review; refused without an output, `BAD_INPUTS` for a hand-off of another length."""
        if not outputs:
            raise _refused("no_output", f"子任务 {self.id} 没有产出，不能进入评审", {"card": self.id})
        HandOff(self.id, hand_off)
        given = {"outputs": outputs, "hand_off": hand_off}
        return self.to(Status.REVIEW).model_copy(update=given)

    def reviewed(self, review: Review) -> Card:
        """With one more review; nobody reviews their own, and who does not approve says what would mend it."""
        if self.status is not Status.REVIEW:
            raise _refused("not_in_review", f"子任务 {self.id} 不在评审中", {"card": self.id})
        if review.author == self.actor:
            raise _refused("own_review", f"{review.author} 不能评审自己的产出", {"card": self.id})
        if review.verdict != "approved" and not review.advice.strip():
            raise _refused("no_advice", "未通过的评审要写明改进办法", {"card": self.id})
        return self.model_copy(update={"reviews": (*self.reviews, review)})

    def answered(self, response: Response) -> Card:
        """With the actor's answer to the last review."""
        if response.author != self.actor or not self.reviews or self.reviews[-1].verdict == "approved":
            raise _refused("nothing_to_answer", f"子任务 {self.id} 没有可由 {response.author} 答复的评审", {})
        if response.answer != "ACCEPT" and not response.reason.strip():
            raise _refused("no_reason", "REJECT 和 PARTIAL 要写理由", {"card": self.id})
        return self.model_copy(update={"responses": (*self.responses, response)})

    def noted(self, author: str, text: str) -> Card:
        """With one more comment."""
        return self.model_copy(update={"comments": (*self.comments, Comment(author=author, text=text))})


class TaskBoard(_Value):
    """All cards of one task, in the order of the plan. `round` counts the rounds of planning, from 1."""

    task_id: str
    instruction: str
    cards: tuple[Card, ...]
    round: int = 1

    def card(self, card_id: str) -> Card:
        """The card of that id; raises `BOARD_REFUSED` for an unknown one."""
        found = next((card for card in self.cards if card.id == card_id), None)
        if found is None:
            raise _refused("unknown_card", f"任务板上没有子任务 {card_id[:64]}", {"card": card_id[:64]})
        return found

    def put(self, card: Card) -> TaskBoard:
        """The board with the card of that id replaced."""
        self.card(card.id)
        return self.model_copy(update={"cards": tuple(card if each.id == card.id else each for each in self.cards)})

    def ready(self) -> tuple[Card, ...]:
        """Pending cards that depend on nothing undone, in the order of the plan."""
        done = {card.id for card in self.cards if card.status is Status.DONE}
        return tuple(card for card in self.cards if card.status is Status.PENDING and done >= set(card.depends_on))

    def saved(self) -> JsonObject:
        """As JSON; `loaded` gives the same board back."""
        return self.model_dump(mode="json")


def loaded(data: JsonObject) -> TaskBoard:
    """A saved board; raises pydantic's `ValidationError` for what no board was saved as."""
    return check_cards(TaskBoard.model_validate(data))


def check_cards(board: TaskBoard) -> TaskBoard:
    """The board itself, when ids are unique, dependencies are known and nothing waits for itself."""
    left = {card.id: set(card.depends_on) for card in board.cards}
    if len(left) < len(board.cards):
        raise _refused("repeated_id", "任务板上有重复的子任务编号", {})
    for card_id, wanted in left.items():
        if unknown := sorted(wanted - left.keys()):
            raise _refused(
                "unknown_dependency", f"子任务 {card_id} 依赖不存在的 {'、'.join(unknown)}", {"unknown": unknown}
            )
    while free := [card_id for card_id, wanted in left.items() if not wanted & left.keys()]:
        for card_id in free:
            del left[card_id]
    if left:
        raise _refused("cycle", f"子任务 {'、'.join(sorted(left))} 相互依赖", {"cards": sorted(left)})
    return board


class MemoryBoard:
    """`ports.Board` in this process."""

    def __init__(self) -> None:
        self._kept: dict[str, JsonObject] = {}

    def load(self, task_id: str) -> JsonObject | None:
        """See `ports.Board`."""
        return self._kept.get(task_id)

    def save(self, task_id: str, board: JsonObject) -> None:
        """See `ports.Board`."""
        self._kept[task_id] = board


def _refused(reason: str, cause: str, facts: JsonObject) -> BoardRefusedError:
    return BoardRefusedError(cause, facts={"reason": reason, **facts})
