"""Every message of `sgclaw-pipe/1`, both ways. Closed models: unknown fields are refused, nothing is coerced.

A message here is the line without its `security` member, which belongs to `signing` and `channel`. The tables at
the end say which types go in which direction; the docs and schemas are generated from them.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sgclaw.protocol.parts import (
    Counter,
    Evidence,
    HostInfo,
    Id,
    JsonMap,
    KeptHead,
    LongText,
    Milliseconds,
    Outcome,
    Problem,
    SkillTag,
    State,
    TaskOptions,
    TraceId,
    Usage,
    WireFault,
)
from sgclaw.protocol.results import AomNode, Artifact, Items, PageInfo, Sha256


class Message(BaseModel):
    """Base of all messages. NaN stays NaN when dumped, so that encoding refuses it instead of sending null."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        protected_namespaces=(),
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    type: str


# --- host → sgclaw --------------------------------------------------------------------------------------------------


class Init(Message):
    """First line, once, unsigned: it brings the key. `policy` is a JSON document as text; its SHA-256 comes back."""

    type: Literal["init"] = "init"
    protocol: str
    trace_id: TraceId
    session_key: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{43}=?$", repr=False)]
    host: HostInfo
    policy: Annotated[str, Field(max_length=1_000_000)]
    locale: Annotated[str, Field(max_length=16)] = "zh-CN"
    state_dir: Annotated[str, Field(max_length=1_000)] | None = None
    audit_head: KeptHead | None = None
    """The last `audit_head` the host got for this `state_dir`: a ledger that no longer holds it ends the session."""


class SubmitTask(Message):
    """A user's task. With `skill`, routing is skipped; `inputs` win over what the instruction says."""

    type: Literal["submit_task"] = "submit_task"
    task_id: Id
    instruction: Annotated[str, Field(min_length=1, max_length=10_000)]
    skill: Annotated[str, Field(max_length=128)] | None = None
    inputs: JsonMap = Field(default_factory=dict)
    page: Id | None = None
    options: TaskOptions = TaskOptions()


class Response(Message):
    """What became of command `seq`: `data` when it succeeded, `error` when it did not."""

    type: Literal["response"] = "response"
    seq: Counter
    success: bool
    data: JsonMap | None = None
    error: WireFault | None = None
    aom_snapshot: Items[AomNode] | None = None
    page: PageInfo | None = None


class Approval(Message):
    """The person's word on an act the host holds; only `true` is yes."""

    type: Literal["approval"] = "approval"
    approval_id: Id
    approved: bool
    note: LongText = ""


class Answer(Message):
    """The person's answer to a `question`; `declined` says that nobody will answer."""

    type: Literal["answer"] = "answer"
    question_id: Id
    text: LongText = ""
    declined: bool = False


class CancelTask(Message):
    """Stop a task; its end is reported by `task_completed` with outcome `aborted`."""

    type: Literal["cancel_task"] = "cancel_task"
    task_id: Id


class Pause(Message):
    """No further act of the task starts until `resume`."""

    type: Literal["pause"] = "pause"
    task_id: Id


class Resume(Message):
    """The task goes on."""

    type: Literal["resume"] = "resume"
    task_id: Id


class Takeover(Message):
    """The person takes the page over; the task waits until `resume`."""

    type: Literal["takeover"] = "takeover"
    task_id: Id


class PageEvent(Message):
    """Something happened on a page that no command asked for."""

    type: Literal["page_event"] = "page_event"
    event: Literal["navigated", "opened", "closed", "crashed", "dialog", "download"]
    page: PageInfo
    facts: JsonMap = Field(default_factory=dict)


class PanelRequest(Message):
    """A question of the panel's tabs, answered by `panel_result`."""

    type: Literal["panel_request"] = "panel_request"
    request_id: Id
    method: Id
    params: JsonMap = Field(default_factory=dict)


class Ping(Message):
    """Answered by `pong` with the same id, whatever else happens."""

    type: Literal["ping"] = "ping"
    id: Id


class Shutdown(Message):
    """End the session in order."""

    type: Literal["shutdown"] = "shutdown"
    reason: LongText = ""


# --- sgclaw → host --------------------------------------------------------------------------------------------------


class Ready(Message):
    """The answer to `init`."""

    type: Literal["ready"] = "ready"
    protocol: str
    version: Annotated[str, Field(max_length=64)]
    policy_sha256: Sha256
    warnings: Items[str] = ()


class CatalogueChanged(Message):
    """The set of usable skills is known or changed."""

    type: Literal["catalogue_changed"] = "catalogue_changed"
    skills: Annotated[int, Field(ge=0)]
    refused: Annotated[int, Field(ge=0)]


class Command(Message):
    """One act on a page. `expected_domain` travels in `security`, where the signature's suffix needs a member."""

    type: Literal["command"] = "command"
    seq: Counter
    action: Annotated[str, Field(pattern=r"^[A-Za-z]{1,32}$")]
    params: JsonMap
    task_id: Id
    page: Id | None = None
    skill: SkillTag | None = None
    deadline_ms: Milliseconds
    observe: Literal["none", "diff", "full"] = "none"
    approval_id: Id | None = None


class CancelCommand(Message):
    """The response to this command is no longer awaited; the host stops the act if it still can."""

    type: Literal["cancel_command"] = "cancel_command"
    seq: Counter


class TaskState(Message):
    """A task moved to another state."""

    type: Literal["task_state"] = "task_state"
    task_id: Id
    state: Annotated[State, Field(strict=False)]
    detail: LongText = ""


class LogEntry(Message):
    """One line of the live view (`onLogEntry`); `text` is Chinese."""

    type: Literal["log_entry"] = "log_entry"
    task_id: Id | None = None
    level: Literal["debug", "info", "warning", "error"] = "info"
    text: LongText
    data: JsonMap = Field(default_factory=dict)


class AskPerson(Message):
    """A question to the person; silence until the deadline is no answer."""

    type: Literal["question"] = "question"
    question_id: Id
    task_id: Id
    text: LongText
    choices: Items[str] = ()
    deadline_s: Annotated[int, Field(ge=1, le=86_400)]


class PanelResult(Message):
    """The answer to a `panel_request`."""

    type: Literal["panel_result"] = "panel_result"
    request_id: Id
    data: JsonMap | None = None
    error: Problem | None = None


class AuditHead(Message):
    """How many records the ledger holds and the hash of the last: the host's copy shows a shortened ledger."""

    type: Literal["audit_head"] = "audit_head"
    count: Annotated[int, Field(ge=0)]
    hash: Sha256


class TaskCompleted(Message):
    """How a task ended (`onTaskCompleted`)."""

    type: Literal["task_completed"] = "task_completed"
    task_id: Id
    outcome: Outcome
    summary: LongText
    data: Any = None
    error: Problem | None = None
    artifacts: Items[Artifact] = ()
    usage: Usage = Usage()
    evidence: Items[Evidence] = ()
    steps: Annotated[int, Field(ge=0)] = 0
    duration_ms: Annotated[int, Field(ge=0)] = 0
    skill: str | None = None
    inputs: JsonMap = Field(default_factory=dict)
    heal_events: Items[JsonMap] = ()


class Pong(Message):
    """The answer to `ping`."""

    type: Literal["pong"] = "pong"
    id: Id


class Bye(Message):
    """sgclaw ends the session; nothing follows."""

    type: Literal["bye"] = "bye"
    reason: LongText = ""


# --- both ways ------------------------------------------------------------------------------------------------------


class ProtocolError(Message):
    """A line was refused: its code and digest, never its content. A host may send it too (ADR 0008)."""

    type: Literal["protocol_error"] = "protocol_error"
    code: Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]{1,63}$")]
    message: LongText
    line_sha256: Sha256
    line_bytes: Annotated[int, Field(ge=0)]


FROM_HOST: Mapping[str, type[Message]] = MappingProxyType(
    {
        model.model_fields["type"].default: model
        for model in (
            Init,
            SubmitTask,
            Response,
            Approval,
            Answer,
            CancelTask,
            Pause,
            Resume,
            Takeover,
            PageEvent,
            PanelRequest,
            Ping,
            Shutdown,
            ProtocolError,
        )
    }
)
"""Type → model of what a host may send."""

FROM_AGENT: Mapping[str, type[Message]] = MappingProxyType(
    {
        model.model_fields["type"].default: model
        for model in (
            Ready,
            CatalogueChanged,
            Command,
            CancelCommand,
            TaskState,
            LogEntry,
            AskPerson,
            PanelResult,
            AuditHead,
            TaskCompleted,
            Pong,
            Bye,
            ProtocolError,
        )
    }
)
"""Type → model of what sgclaw may send."""
