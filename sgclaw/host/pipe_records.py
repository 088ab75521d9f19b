"""What is kept of a line of the pipe: its kind, number, length, digest and outcome; never what it says."""

from __future__ import annotations

import hashlib
from typing import Literal

from sgclaw.ports import JsonObject
from sgclaw.protocol.messages import Bye, Command, Message, ProtocolError, Response

Direction = Literal["in", "out"]


def pipe_record(direction: Direction, message: Message, line: bytes, n: int | None) -> JsonObject:
    """The record of a line that carried a message; commands and responses are told by `seq`, the others by `n`."""
    kept: JsonObject = {
        "direction": direction,
        "type": message.type,
        "bytes": len(line),
        "sha256": hashlib.sha256(line).hexdigest(),
    }
    match message:
        case Command():
            kept |= {"seq": message.seq, "action": message.action}
        case Response():
            kept |= {"seq": message.seq, "success": message.success}
            if message.error is not None:
                kept["code"] = message.error.code
        case ProtocolError():
            kept |= {"n": n, "code": message.code}
        case Bye():
            kept |= {"n": n, "code": message.reason}
        case _:
            kept["n"] = n
    return kept


def refused_record(line: bytes, code: str) -> JsonObject:
    """The record of a line that came and was refused."""
    digest = hashlib.sha256(line).hexdigest()
    return {"direction": "in", "type": "refused", "bytes": len(line), "sha256": digest, "success": False, "code": code}
