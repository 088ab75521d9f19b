"""What a tool is: what the model is told of it, and what a call does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from sgclaw.agent.ending import Ending
from sgclaw.context.chat import Picture, ToolSpec
from sgclaw.errors import SgClawError
from sgclaw.ports import Observed


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a call brought. `text` goes to the model: text of pages in it stands in labelled blocks.

    `error` is why it failed, where something was tried. `unchanged`: an act that should have changed the page did not.
    `surprise`: the page is another than the calls that follow were thought for. `ends` ends the run.
    """

    text: str
    failed: bool = False
    observed: Observed | None = None
    ends: Ending | None = None
    error: SgClawError | None = field(default=None, compare=False)
    pictures: tuple[Picture, ...] = ()
    note: str = ""
    unchanged: bool | None = None
    surprise: bool = False


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `call` takes arguments that fit the schema; it raises typed errors, or tells of a failure itself.

    `changes`: a call can change business state; for `browser_action` the action decides. `checks`: the schema that
    arguments are held to, where the one a model is shown was written by others.
    """

    spec: ToolSpec
    call: Callable[[Mapping[str, object]], Awaitable[ToolOutcome]]
    changes: bool
    checks: Mapping[str, object] | None = None
