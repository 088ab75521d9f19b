"""The lines a worker writes. Parsed strictly: the worker runs code that nobody trusts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from sgclaw.errors import WireError
from sgclaw.protocol.strict import JsonObject, decode
from sgclaw.sandbox.ends import End


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


class LogLine(_Line):
    """Console text."""

    type: Literal["log"]
    level: Literal["info", "warn", "error"]
    text: str


class CallLine(_Line):
    """`browserAction(action, ...)`; `args` is the JSON text of the list of the other arguments."""

    type: Literal["call"]
    id: int
    action: str
    args: str


class ResultLine(_Line):
    """`execute` returned; `value` is its JSON text, `dropped` counts calls that nobody waited for."""

    type: Literal["result"]
    value: str
    dropped: int


class ThrewLine(_Line):
    """`execute` threw; `call` is the call whose refusal it threw on, else 0."""

    type: Literal["threw"]
    text: str
    stack: str
    call: int


class EndLine(_Line):
    """The worker stopped the run itself."""

    type: Literal["end"]
    reason: Literal[
        "cpu", "memory", "calls", "log", "result", "params", "outstanding", "timers", "stuck", "worker_died", "load",
        "bad_result",
    ]  # fmt: skip
    detail: str

    @property
    def end(self) -> End:
        """The reason as a member of `End`."""
        return End(self.reason)


Line = LogLine | CallLine | ResultLine | ThrewLine | EndLine

_LINE: Final[TypeAdapter[Line]] = TypeAdapter(
    Annotated[Line, Field(discriminator="type")], config=ConfigDict(defer_build=True)
)


def parse_line(line: bytes) -> Line | None:
    """The message of one line, or None for what no honest worker writes."""
    try:
        return _LINE.validate_python(decode(line))
    except (WireError, ValidationError):
        return None


def parse_value(text: str) -> object:
    """The value that a JSON text of the script stands for, by the rules of the wire. Raises `WireError`."""
    body: Mapping[str, object] | JsonObject = decode(b'{"value":' + text.encode("utf-8") + b"}")
    return body["value"]
