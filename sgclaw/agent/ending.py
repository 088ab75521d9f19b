"""How a run ends, and how the loop is left: by an exception that carries the messages that go with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sgclaw.agent.limits import Spent
from sgclaw.agent.truth import Proofs
from sgclaw.context.chat import ChatMessage
from sgclaw.errors import SgClawError
from sgclaw.protocol.outcomes import outcome_of
from sgclaw.protocol.parts import Evidence, Outcome
from sgclaw.protocol.results import Artifact


@dataclass(frozen=True, slots=True)
class Ending:
    """What the run came to; `error` None: it completed. `summary` is Chinese and has been checked."""

    summary: str
    error: SgClawError | None = None
    data: object = None
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentResult:
    """The whole result of a run, however it ended: `reason` is the error's code, empty when it completed."""

    summary: str
    data: object
    outcome: Outcome
    reason: str
    error: SgClawError | None
    evidence: tuple[Evidence, ...]
    artifacts: tuple[Artifact, ...]
    usage: Spent
    steps: int


class LeaveLoopError(Exception):
    """The run is over; `messages` are what is still to be kept of it."""

    def __init__(self, ending: Ending, messages: Sequence[ChatMessage] = ()) -> None:
        super().__init__(ending.summary)
        self.ending, self.messages = ending, tuple(messages)


def result_of(ending: Ending, spent: Spent, proofs: Proofs) -> AgentResult:
    """The result an ending stands for; without a summary of its own an error speaks for itself."""
    error = ending.error
    summary = ending.summary or (_told(error, len(proofs.writes)) if error else "任务完成")
    return AgentResult(
        summary=summary,
        data=ending.data,
        outcome=outcome_of(error),
        reason=error.code if error else "",
        error=error,
        evidence=ending.evidence,
        artifacts=tuple(proofs.artifacts.values()),
        usage=spent,
        steps=spent.steps,
    )


def _told(error: SgClawError, writes: int) -> str:
    """The end in the user's words, with a warning where something was changed before it."""
    done = f"在此之前已做过 {writes} 个会改变数据的操作，请核对。" if writes else ""
    return f"{error.cause}。{done}{error.next_step}"
