"""Every message of `sgclaw-pipe/1`, both ways. Closed models: unknown fields are refused, nothing is coerced.

A message here is the line without its `security` member, which belongs to `signing` and `channel`. The tables at
the end say which types go in which direction; the docs and schemas are generated from them.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sgclaw.protocol.parts import (
    AomFacts,
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
    protocol: Annotated[str, Field(description="This protocol's name; another one ends the process without an answer.")]
    trace_id: Annotated[
        TraceId, Field(description="Day and 8 random hex digits, new for each process: the salt of the keys.")
    ]
    session_key: Annotated[
        str, Field(pattern=r"^[A-Za-z0-9_-]{43}=?$", repr=False, description="32 fresh random bytes in base64url.")
    ]
    host: Annotated[HostInfo, Field(description="Who the host is.")]
    policy: Annotated[
        str,
        Field(max_length=1_000_000, description="The policy as JSON text; `ready` echoes the SHA-256 of its bytes."),
    ]
    locale: Annotated[str, Field(max_length=16, description="The person's language; texts are Chinese.")] = "zh-CN"
    state_dir: Annotated[
        str | None,
        Field(max_length=1_000, description="Absolute folder of sgclaw's ledger; absent: its settings decide."),
    ] = None
    audit_head: Annotated[
        KeptHead | None, Field(description="The last one kept for this ledger; one without it ends the session.")
    ] = None


class SubmitTask(Message):
    """A user's task. With `skill`, routing is skipped; `inputs` win over what the instruction says."""

    type: Literal["submit_task"] = "submit_task"
    task_id: Annotated[Id, Field(description="Made by the host; never used twice in a session.")]
    instruction: Annotated[str, Field(min_length=1, max_length=10_000, description="What the person typed.")]
    skill: Annotated[str | None, Field(max_length=128, description="`name` or `name@version`.")] = None
    inputs: Annotated[JsonMap, Field(description="What the person gave, by parameter of the skill.")] = Field(
        default_factory=dict
    )
    page: Annotated[Id | None, Field(description="Page the task acts on; absent: the host's default page.")] = None
    options: Annotated[TaskOptions, Field(description="Limits of this task.")] = TaskOptions()


class Response(Message):
    """What became of command `seq`: `data` when it succeeded, `error` when it did not."""

    type: Literal["response"] = "response"
    seq: Annotated[Counter, Field(description="Number of the command it answers.")]
    success: Annotated[bool, Field(description="Whether the act was done and its result is in `data`.")]
    data: Annotated[JsonMap | None, Field(description="The result of the action's row, when `success` is true.")] = None
    error: Annotated[WireFault | None, Field(description="Why not, when `success` is false.")] = None
    aom_snapshot: Annotated[
        Items[AomNode] | None,
        Field(description="If `observe` asked: the page after the act, or the new and changed nodes without children."),
    ] = None
    aom_facts: Annotated[AomFacts | None, Field(description="What goes with `aom_snapshot`.")] = None
    page: Annotated[PageInfo | None, Field(description="Where the page is now; left out when not listed.")] = None


class Approval(Message):
    """The person's word on an act the host holds; only `true` is yes."""

    type: Literal["approval"] = "approval"
    approval_id: Annotated[Id, Field(description="`facts.approval_id` of the response that asked.")]
    approved: Annotated[bool, Field(description="true is yes, false is no.")]
    note: Annotated[LongText, Field(description="What the person wrote beside it; recorded, never interpreted.")] = ""


class Answer(Message):
    """The person's answer to a `question`; `declined` says that nobody will answer."""

    type: Literal["answer"] = "answer"
    question_id: Annotated[Id, Field(description="The question it answers.")]
    text: Annotated[LongText, Field(description="The person's words, or the choice they took, exactly as offered.")] = (
        ""
    )
    declined: Annotated[bool, Field(description="Nobody will answer; `text` is ignored then.")] = False


class CancelTask(Message):
    """Stop a task; its end is reported by `task_completed` with outcome `aborted`."""

    type: Literal["cancel_task"] = "cancel_task"
    task_id: Annotated[Id, Field(description="The task to stop; an unknown or ended one is ignored.")]


class Pause(Message):
    """No further act of the task starts until `resume`."""

    type: Literal["pause"] = "pause"
    task_id: Annotated[Id, Field(description="The task to hold.")]


class Resume(Message):
    """The task goes on."""

    type: Literal["resume"] = "resume"
    task_id: Annotated[Id, Field(description="The task to go on with.")]


class Takeover(Message):
    """The person takes the page over; the task waits until `resume`."""

    type: Literal["takeover"] = "takeover"
    task_id: Annotated[Id, Field(description="The task whose page the person takes.")]


class PageEvent(Message):
    """Something happened on a page that no command asked for."""

    type: Literal["page_event"] = "page_event"
    event: Annotated[
        Literal["navigated", "opened", "closed", "crashed", "dialog", "download"], Field(description="What happened.")
    ]
    page: Annotated[PageInfo, Field(description="The page it happened on.")]
    facts: Annotated[JsonMap, Field(description="Details; recorded, never interpreted.")] = Field(default_factory=dict)


class PanelRequest(Message):
    """A question of the panel's tabs, answered by `panel_result`."""

    type: Literal["panel_request"] = "panel_request"
    request_id: Annotated[Id, Field(description="Made by the host; the result repeats it.")]
    method: Annotated[Id, Field(description="What the tab asks for.")]
    params: Annotated[JsonMap, Field(description="Arguments of the method.")] = Field(default_factory=dict)


class Ping(Message):
    """Answered by `pong` with the same id, whatever else happens."""

    type: Literal["ping"] = "ping"
    id: Annotated[Id, Field(description="Made by the host; the pong repeats it.")]


class Shutdown(Message):
    """End the session in order."""

    type: Literal["shutdown"] = "shutdown"
    reason: Annotated[LongText, Field(description="For the ledger.")] = ""


# --- sgclaw → host --------------------------------------------------------------------------------------------------


class Ready(Message):
    """The answer to `init`."""

    type: Literal["ready"] = "ready"
    protocol: Annotated[str, Field(description="The protocol sgclaw speaks.")]
    version: Annotated[str, Field(max_length=64, description="sgclaw's own version.")]
    policy_sha256: Annotated[Sha256, Field(description="SHA-256 of the policy's UTF-8 bytes; compare it.")]
    warnings: Annotated[Items[str], Field(description="Chinese sentences for the person.")] = ()


class CatalogueChanged(Message):
    """The set of usable skills is known or changed."""

    type: Literal["catalogue_changed"] = "catalogue_changed"
    skills: Annotated[int, Field(ge=0, description="Skills that can be used.")]
    refused: Annotated[int, Field(ge=0, description="Skills that were refused.")]


class Command(Message):
    """One act on a page. `expected_domain` travels in `security`, where the signature's suffix needs a member."""

    type: Literal["command"] = "command"
    seq: Annotated[Counter, Field(description="Number of the command: 1, 2, 3 and so on.")]
    action: Annotated[str, Field(pattern=r"^[A-Za-z]{1,32}$", description="A name of the action table.")]
    params: Annotated[JsonMap, Field(description="Named parameters of the action's row.")]
    task_id: Annotated[Id, Field(description="The task it belongs to.")]
    page: Annotated[Id | None, Field(description="Page to act on; absent: the host's default page.")] = None
    skill: Annotated[SkillTag | None, Field(description="The skill that asks: for grants, and for the person.")] = None
    deadline_ms: Annotated[
        Milliseconds, Field(description="Time for the response: sgclaw counts from sending, a host from reading.")
    ]
    observe: Annotated[Literal["none", "diff", "full"], Field(description="What `aom_snapshot` shall hold.")] = "none"
    approval_id: Annotated[Id | None, Field(description="The approval given for this act.")] = None


class CancelCommand(Message):
    """The response to this command is no longer awaited; the host stops the act if it still can."""

    type: Literal["cancel_command"] = "cancel_command"
    seq: Annotated[Counter, Field(description="The command.")]


class TaskState(Message):
    """A task moved to another state."""

    type: Literal["task_state"] = "task_state"
    task_id: Annotated[Id, Field(description="The task.")]
    state: Annotated[State, Field(strict=False, description="Its state now.")]
    detail: Annotated[LongText, Field(description="A Chinese sentence for the person, or nothing.")] = ""


class LogEntry(Message):
    """One line of the live view (`onLogEntry`); `text` is Chinese."""

    type: Literal["log_entry"] = "log_entry"
    task_id: Annotated[Id | None, Field(description="The task; absent: it concerns the session.")] = None
    level: Annotated[Literal["debug", "info", "warning", "error"], Field(description="How serious.")] = "info"
    text: Annotated[LongText, Field(description="One Chinese sentence, at most a line.")]
    data: Annotated[JsonMap, Field(description="Its facts: `step`, `success`, `seq` …")] = Field(default_factory=dict)


class AskPerson(Message):
    """A question to the person; silence until the deadline is no answer."""

    type: Literal["question"] = "question"
    question_id: Annotated[Id, Field(description="Made by sgclaw; the answer repeats it.")]
    task_id: Annotated[Id, Field(description="The task that waits.")]
    text: Annotated[LongText, Field(description="The question, in Chinese.")]
    choices: Annotated[Items[str], Field(description="What to offer; empty: free text.")] = ()
    deadline_s: Annotated[int, Field(ge=1, le=86_400, description="Seconds until no answer is taken any more.")]


class PanelResult(Message):
    """The answer to a `panel_request`."""

    type: Literal["panel_result"] = "panel_result"
    request_id: Annotated[Id, Field(description="The request it answers.")]
    data: Annotated[JsonMap | None, Field(description="The answer.")] = None
    error: Annotated[Problem | None, Field(description="Why there is none.")] = None


class AuditHead(Message):
    """How many records the ledger holds and the hash of the last: the host's copy shows a shortened ledger."""

    type: Literal["audit_head"] = "audit_head"
    count: Annotated[int, Field(ge=0, description="Number of records in the ledger.")]
    hash: Annotated[Sha256, Field(description="Hash of the last one.")]


class TaskCompleted(Message):
    """How a task ended (`onTaskCompleted`)."""

    type: Literal["task_completed"] = "task_completed"
    task_id: Annotated[Id, Field(description="The task.")]
    outcome: Annotated[Outcome, Field(description="`unverified`: it ended, but nothing proves what it did.")]
    summary: Annotated[LongText, Field(description="One Chinese paragraph for the person.")]
    data: Annotated[Any, Field(description="What the skill returned.")] = None
    error: Annotated[Problem | None, Field(description="Why it did not complete.")] = None
    artifacts: Annotated[Items[Artifact], Field(description="Files that came of it; the host has them.")] = ()
    usage: Annotated[Usage, Field(description="What it cost.")] = Usage()
    evidence: Annotated[Items[Evidence], Field(description="What was observed that supports the outcome.")] = ()
    steps: Annotated[int, Field(ge=0, description="Acts asked for.")] = 0
    duration_ms: Annotated[int, Field(ge=0, description="From its start to this message.")] = 0
    skill: Annotated[str | None, Field(description="`name@version` of the skill that ran.")] = None
    inputs: Annotated[JsonMap, Field(description="The inputs it ran with, defaults included.")] = Field(
        default_factory=dict
    )
    heal_events: Annotated[Items[JsonMap], Field(description="What was repaired on the way.")] = ()


class Pong(Message):
    """The answer to `ping`."""

    type: Literal["pong"] = "pong"
    id: Annotated[Id, Field(description="That of the ping.")]


class Bye(Message):
    """sgclaw ends the session; nothing follows."""

    type: Literal["bye"] = "bye"
    reason: Annotated[LongText, Field(description="`shutdown`, `eof`, `stopped`, or a code.")] = ""


# --- both ways ------------------------------------------------------------------------------------------------------


class ProtocolError(Message):
    """A line was refused: its code and digest, never its content. A host may send it too (ADR 0008)."""

    type: Literal["protocol_error"] = "protocol_error"
    code: Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]{1,63}$", description="Why the line was refused.")]
    message: Annotated[LongText, Field(description="The same in Chinese, for a log.")]
    line_sha256: Annotated[Sha256, Field(description="Of the line without its newline; of nothing if it was too long.")]
    line_bytes: Annotated[int, Field(ge=0, description="Without newline; 0 if it was too long.")]


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
