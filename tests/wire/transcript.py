"""One session as data, and its form on disk: a header line, then one JSON object for each thing that happened."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sgclaw.protocol.signing import Role

JsonObject = dict[str, Any]

FOLDER: Final = Path(__file__).parent
SUFFIX: Final = ".jsonl"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line that was sent, or the end of a stream.

    `by_hand`: the sender's own code would not make this line. `refused`: with which code the receiver drops it.
    """

    sender: Role
    line: bytes = b""
    """Without its newline."""
    by_hand: bool = False
    refused: str | None = None
    fatal: bool = False
    session_only: bool = False
    """The channel lets it pass: only a session knows that nobody waits for it."""
    eof: bool = False
    note: str = ""
    fill: tuple[bytes, int] | None = None
    """A line too long to be written down: `line` is its start, then this byte up to this length in all."""

    @property
    def whole(self) -> bytes:
        """Every byte that was sent for this entry."""
        if self.fill is None:
            return self.line + b"\n"
        byte, length = self.fill
        return self.line.ljust(length, byte)

    @property
    def body(self) -> JsonObject:
        """The line as JSON; only for lines that are some."""
        body: JsonObject = json.loads(self.line)
        return body

    @property
    def kind(self) -> str:
        """The message type; empty for what has none."""
        if self.eof or self.by_hand:
            return ""
        return str(self.body.get("type", ""))

    def as_json(self) -> JsonObject:
        """The object on disk."""
        shown: JsonObject = {"from": self.sender.value}
        if self.eof:
            shown["eof"] = True
        elif self.fill is not None:
            byte, length = self.fill
            shown |= {"start": self.line.decode(), "fill": byte.decode(), "bytes": length}
        else:
            shown |= _text_or_hex(self.line)
        shown |= {name: True for name in ("by_hand", "session_only") if getattr(self, name)}
        if self.refused is not None:
            shown |= {"refused": self.refused, "fatal": self.fatal}
        return {**shown, "note": self.note} if self.note else shown

    @classmethod
    def from_json(cls, shown: JsonObject) -> Entry:
        """The entry of one object on disk."""
        line = (
            bytes.fromhex(shown["hex"]) if "hex" in shown else str(shown.get("line", shown.get("start", ""))).encode()
        )
        return cls(
            sender=Role(shown["from"]),
            line=line,
            by_hand=shown.get("by_hand", False),
            session_only=shown.get("session_only", False),
            refused=shown.get("refused"),
            fatal=shown.get("fatal", False),
            eof=shown.get("eof", False),
            note=shown.get("note", ""),
            fill=(str(shown["fill"]).encode(), int(shown["bytes"])) if "fill" in shown else None,
        )


@dataclass
class Transcript:
    """A whole session. `host` and `agent` say what replays that end: the real session, or its channel alone."""

    title: str
    about: str
    trace_id: str
    session_key: str
    """base64url without padding; published, for tests only."""
    host: str = "session"
    agent: str = "session"
    pages: dict[str, JsonObject] = field(default_factory=dict)
    """What is open in the browser at the start."""
    redirects: dict[str, str] = field(default_factory=dict)
    """Addresses that lead elsewhere."""
    entries: list[Entry] = field(default_factory=list)

    def dump(self) -> str:
        """The text of the file."""
        head = {name: getattr(self, name) for name in _HEAD}
        return "".join(_compact(item) + "\n" for item in (head, *(entry.as_json() for entry in self.entries)))

    @classmethod
    def load(cls, text: str) -> Transcript:
        """The transcript of a file's text."""
        head, *rest = (json.loads(line) for line in text.splitlines())
        return cls(**head, entries=[Entry.from_json(item) for item in rest])


_HEAD = ("title", "about", "trace_id", "session_key", "host", "agent", "pages", "redirects")


def _compact(value: JsonObject) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _text_or_hex(line: bytes) -> JsonObject:
    try:
        return {"line": line.decode()}
    except UnicodeDecodeError:
        return {"hex": line.hex()}


def stored() -> dict[str, Transcript]:
    """Every transcript of the folder by the name of its file."""
    return {
        path.name.removesuffix(SUFFIX): Transcript.load(path.read_text(encoding="utf-8"))
        for path in sorted(FOLDER.glob(f"*{SUFFIX}"))
    }
