"""The Protocols through which the rooms meet, and the values that pass through them.

Concrete classes are named in `app/` alone. Rooms above this file (host, sandbox, audit, gateway, …) import it and
never each other.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, Protocol

from sgclaw.context.chat import ChatMessage, ToolSpec
from sgclaw.protocol.messages import Message
from sgclaw.protocol.parts import AomFacts
from sgclaw.protocol.results import AomNode, Artifact, PageInfo

if TYPE_CHECKING:  # names here; the rooms that hold one import it, and the way to `ready` does not
    from sgclaw.context.parts import Recalled, Reference
    from sgclaw.errors import SgClawError
    from sgclaw.policy.decide import Scope
    from sgclaw.skills.trust import VerifiedSkill

JsonObject = dict[str, object]
Observe = Literal["none", "diff", "full"]


@dataclass(frozen=True, slots=True)
class Act:
    """One act asked of a browser: an action of the table with named parameters.

    `page` None is the task's page; `expected_domain` None is the task's bound origin for that page.
    """

    action: str
    params: Mapping[str, object]
    page: str | None = None
    expected_domain: str | None = None
    observe: Observe = "none"


@dataclass(frozen=True, slots=True)
class Observed:
    """What came of an act that succeeded: `data` is the checked result, `value` what a skill receives.

    `snapshot` and `facts` are what `observe` asked for: the page after the act when `facts.removed` is None, else the
    new and changed nodes without children. Both are None when it was not asked for, or the host could not look.
    """

    seq: int
    action: str
    data: JsonObject
    value: object
    duration_ms: int
    page: PageInfo | None = None
    artifact: Artifact | None = None
    snapshot: tuple[AomNode, ...] | None = None
    facts: AomFacts | None = None


class Gate(Protocol):
    """Opens while the task may go on; closed by pause and takeover."""

    async def wait(self) -> object:
        """Return when the task may go on."""
        ...


@dataclass(frozen=True, slots=True)
class Binding:
    """What an acting `Browser` is bound to: one task and, inside a skill run, that skill's domains and actions.

    `domain` is the task's host for acts that name none; `on_person` is told when a wait for a person begins and ends.
    `scope` is what a task without a skill may do when an act is judged; None: what the policy allows.
    """

    task_id: str
    domain: str
    gate: Gate
    on_person: Callable[[bool], None]
    page: str | None = None
    skill: VerifiedSkill | None = None
    scope: Callable[[], Scope | None] = lambda: None


class Browser(Protocol):
    """The only way to act on a page: policy, audit, signing and deadlines sit on it and nowhere else.

    An instance is bound to one task and, inside a skill run, to that skill's domains and capabilities.
    """

    async def act(self, act: Act) -> Observed:
        """Carry out one act; raises the typed error that says why it was not done."""
        ...

    @property
    def trail(self) -> Sequence[Observed]:
        """Every act that succeeded so far, in order: what evidence is made from."""
        ...


@dataclass(frozen=True, slots=True)
class SkillResult:
    """What a skill body reports. It is a claim; evidence comes from the browser's trail."""

    success: bool
    data: object = None
    error: str | None = None


class SkillRunner(Protocol):
    """Runs one kind of skill body."""

    async def run(self, skill: VerifiedSkill, inputs: Mapping[str, object], browser: Browser) -> SkillResult:
        """Run to the end or raise a typed error; cancellation kills what it started."""
        ...


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the person with a deadline; `choices` empty means free text."""

    text: str
    choices: tuple[str, ...] = ()
    deadline_s: int = 120


class Person(Protocol):
    """The user behind the host."""

    async def ask(self, task_id: str, question: Question) -> str | None:
        """The answer's text, or None when the deadline passed or nobody can answer."""
        ...


@dataclass(frozen=True, slots=True)
class Record:
    """One thing that happened, for the ledger. `data` is redacted JSON; large values enter as digests."""

    event: str
    trace_id: str
    actor: str
    task_id: str | None = None
    data: Mapping[str, object] = field(default_factory=dict)


class Panel(Protocol):
    """Where the live view goes: task states, log entries, results."""

    async def send(self, message: Message) -> None:
        """Deliver one message; raises `HOST_GONE`."""
        ...

    def tell(self, message: Message) -> None:
        """Deliver one message if there is room now, for callers that cannot wait; else it is dropped and logged."""
        ...


class Ledger(Protocol):
    """Append-only, hash-chained record of what was done."""

    def append(self, record: Record, *, sync: bool = False) -> None:
        """Write before acting. `sync` forces the disk (irreversible acts). Raises `AUDIT_UNAVAILABLE`."""
        ...

    def head(self) -> tuple[int, str]:
        """Number of records and hash of the last one."""
        ...


class RecordKind(StrEnum):
    """The classes of records beside the ledger; each is kept for its own time."""

    OPERATION = "operation"
    PIPE = "pipe"
    LLM = "llm"


class Records(Protocol):
    """What was logged, what went over the pipe, what a model was asked: kept for its time, then dropped by the day."""

    def write(self, kind: RecordKind, data: Mapping[str, object]) -> None:
        """Keep one record. Never waits, never raises: what could not be kept is counted, and the ledger says so."""
        ...


class Log(Protocol):
    """Structured operation log (stderr JSON lines)."""

    def event(self, module: str, event: str, data: Mapping[str, object] | None = None, *, level: str = "INFO") -> None:
        """Write one line; never raises for a lost reader."""
        ...


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """What one call used, broken-off tries included, as the provider counted it; by our own count where it tells none.

    `input_tokens` is the whole prompt; `cached_tokens` of them were read from the provider's cache. `cost` is an amount
    of `currency` by the configured prices, None when no price is known.
    """

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    cost: Decimal | None = None
    currency: str = ""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer, for display only."""

    text: str


@dataclass(frozen=True, slots=True)
class ThoughtDelta:
    """A piece of what a model thinks, for display only."""

    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """The whole answer: a message of the assistant, what it used, and why the model stopped."""

    message: ChatMessage
    usage: ModelUsage
    stop: Literal["end", "tools", "length", "refusal"]


ModelEvent = TextDelta | ThoughtDelta | Reply


@dataclass(frozen=True, slots=True)
class CallLimits:
    """Bounds of one call. `schema` asks for JSON of that shape as text, for models without tool calling."""

    output_tokens: int = 4096
    schema: JsonObject | None = None


class Model(Protocol):
    """A language model. `window` is how many tokens prompt and answer may have together."""

    @property
    def name(self) -> str: ...

    @property
    def calls_tools(self) -> bool: ...

    @property
    def sees_pictures(self) -> bool: ...

    @property
    def window(self) -> int: ...

    def stream(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], limits: CallLimits
    ) -> AsyncIterator[ModelEvent]:
        """The answer as it comes; exactly one `Reply`, last. Raises `ModelError` and its kinds.

        Only the reply counts: when a try breaks off, the next one begins anew and its deltas follow those already
        given. Arguments of calls come as the model wrote them, JSON or not. Cancelling whoever waits for an event
        closes the connection.
        """
        ...


@dataclass(frozen=True, slots=True)
class ForeignTool:
    """A tool of an MCP server that a person has pinned. `name` is what a model calls; no tool of ours has such a name.

    `description` and `schema` are the server's words, stripped and cut; `digest` is the pinned one, of the whole words.
    """

    name: str
    description: str
    schema: JsonObject
    server: str
    digest: str


class Toolbox(Protocol):
    """Tools that others provide. Their results are untrusted and their calls are acts nobody can undo."""

    async def tools(self) -> Sequence[ForeignTool]:
        """What is offered now. A server that cannot be used, or a tool that is not pinned, is left out."""
        ...

    async def call(self, name: str, arguments: Mapping[str, object]) -> str:
        """The result's text as one labelled block of untrusted text, redacted and cut.

        Raises `ForeignToolError`; with reason TIMEOUT or GONE the outcome is not known and nothing is tried again.
        Cancelling it ends the server.
        """
        ...


@dataclass(frozen=True, slots=True)
class SkillRun:
    """A skill that was run: what it reports, every act of it that succeeded, and the error that ended it, if one did:
    what it did before that was done all the same.
    """

    result: SkillResult
    trail: Sequence[Observed]
    error: SgClawError | None = None


class SkillBook(Protocol):
    """The catalogue as an agent uses it. Skills act through their own bound browser, by the same rules."""

    async def search(self, text: str, limit: int) -> Sequence[Reference]:
        """The skills that fit the words, best first."""
        ...

    async def read(self, name: str) -> str:
        """What a skill is for and what it takes, in full; raises `SKILL_NOT_FOUND`."""
        ...

    def domains(self, name: str) -> Sequence[str]:
        """The hosts a skill acts on; raises `SKILL_NOT_FOUND`."""
        ...

    async def run(self, name: str, inputs: Mapping[str, object]) -> SkillRun:
        """Check the inputs and run the skill to its end; raises the typed error that says why it was not begun."""
        ...


class Recollection(Protocol):
    """Long-term memory as an agent asks it. What it gives is data: it grants nothing."""

    async def recall(self, text: str, limit: int) -> Sequence[Recalled]:
        """The entries nearest to the words, nearest first."""
        ...


class Pictures(Protocol):
    """The pictures the host keeps."""

    async def picture(self, artifact: Artifact) -> bytes:
        """The bytes of one; raises a typed error when it cannot be had."""
        ...


class Board(Protocol):
    """Keeps task boards, each whole and as JSON, so that a task goes on after a crash."""

    def load(self, task_id: str) -> JsonObject | None:
        """The board as it was saved last, None when there is none."""
        ...

    def save(self, task_id: str, board: JsonObject) -> None:
        """Replace the board. When this returns it is kept; what was saved before is never half overwritten."""
        ...


class Clock(Protocol):
    """Time, so that deadlines and ledgers are testable."""

    def now(self) -> datetime:
        """Aware UTC wall time."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back."""
        ...
