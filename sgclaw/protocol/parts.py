"""Objects and scalar types inside messages."""

from enum import StrEnum
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from sgclaw.protocol.results import Items, Sha256

ID_PATTERN: Final = r"^[A-Za-z0-9_.:-]{1,64}$"
Id = Annotated[str, Field(pattern=ID_PATTERN)]
TraceId = Annotated[str, Field(pattern=r"^sgclaw-[0-9]{8}-[0-9a-f]{8}$")]
Counter = Annotated[int, Field(ge=1, le=2**53 - 1)]
Milliseconds = Annotated[int, Field(ge=1, le=600_000)]
MAX_TEXT: Final = 20_000
"""Characters of one text in a message; whoever makes one cuts it to this."""
LongText = Annotated[str, Field(max_length=MAX_TEXT)]
JsonMap = dict[str, Any]
Outcome = Literal["completed", "failed", "aborted", "unverified"]


class Part(BaseModel):
    """Base of the objects inside messages."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


class HostInfo(Part):
    """Who the host is and which actions it carries out."""

    name: Annotated[str, Field(max_length=64, description="Name of the browser.")]
    version: Annotated[str, Field(max_length=64, description="Its version.")]
    actions: Annotated[Items[str], Field(description="Actions it carries out; empty: all of the table.")] = ()


class KeptHead(Part):
    """The ledger's head as the host kept it: number of records, and the hash of the last one."""

    count: Annotated[int, Field(ge=0, description="Number of records.")]
    hash: Annotated[Sha256, Field(description="Hash of the last one.")]


class AomFacts(Part):
    """How complete the `aom_snapshot` of a response is, and what it leaves out."""

    interactive_total: Annotated[int, Field(ge=0, description="Operable elements, counted by an independent walk.")]
    blank: Annotated[bool, Field(description="The page shows nothing.")]
    cut: Annotated[bool, Field(description="A cap was met.")] = False
    removed: Annotated[
        Items[str] | None,
        Field(
            description="Refs that are gone. Absent: `aom_snapshot` is the whole page, as `observe` asked, or "
            "there was no snapshot of this document to compare with."
        ),
    ] = None


class TaskOptions(Part):
    """Limits of one task; absent ones take the configured defaults."""

    max_steps: Annotated[
        Annotated[int, Field(ge=1, le=500)] | None, Field(description="Most acts the task may ask for.")
    ] = None
    budget_tokens: Annotated[
        Annotated[int, Field(ge=0)] | None, Field(description="Most tokens of a model it may use.")
    ] = None
    deadline_s: Annotated[
        Annotated[int, Field(ge=1, le=86_400)] | None,
        Field(description="Most seconds it may run, waiting for the person not counted."),
    ] = None


class WireFault(Part):
    """The error of a response."""

    code: Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]{1,63}$", description="One of the codes of the table below.")]
    message: Annotated[LongText, Field(description="The cause in Chinese, for the person.")]
    facts: Annotated[JsonMap, Field(description="What makes the cause checkable; never a secret.")] = Field(
        default_factory=dict
    )


class SkillTag(Part):
    """Which verified skill asks for the act."""

    ref: Annotated[str, Field(max_length=128, description="`name@version`.")]
    sha256: Annotated[Sha256, Field(description="Hash of the verified file.")]


class State(StrEnum):
    """Where a task is; the transitions are a table in `agent/states.py`."""

    IDLE = "idle"
    PLANNING = "planning"
    EXECUTING = "executing"
    WAITING = "waiting"
    OBSERVING = "observing"
    CONFIRMING = "confirming"
    EVALUATING = "evaluating"
    COMPLETED = "completed"
    FAILED = "failed"
    ABORTED = "aborted"
    UNVERIFIED = "unverified"


class Problem(Part):
    """An error in the user's words."""

    code: Annotated[str, Field(description="An error code.")]
    message: Annotated[LongText, Field(description="The cause, in Chinese.")]
    next_step: Annotated[LongText, Field(description="What to do about it, in Chinese.")] = ""
    facts: Annotated[JsonMap, Field(description="What makes the cause checkable.")] = Field(default_factory=dict)


class Usage(Part):
    """What the task cost. Money is in millionths of the configured currency, so that it stays an integer."""

    llm_calls: Annotated[int, Field(ge=0, description="Calls of a model.")] = 0
    tokens: Annotated[int, Field(ge=0, description="Tokens in and out.")] = 0
    cost_micros: Annotated[int, Field(ge=0, description="Cost in millionths.")] = 0


class EvidenceRank(StrEnum):
    """How much a piece of evidence proves, weakest first (the order is the order of strength)."""

    TOAST = "toast"
    DOM_STATE = "dom_state"
    RESPONSE_STATUS = "response_status"
    FILE_HASH = "file_hash"
    RE_QUERY = "re_query"


class Evidence(Part):
    """One observed fact that supports the outcome; `seq` is the command that observed it."""

    rank: Annotated[EvidenceRank, Field(strict=False, description="How much it proves.")]
    seq: Annotated[Counter, Field(description="The command that observed it.")]
    fact: Annotated[LongText, Field(description="What was observed.")]
