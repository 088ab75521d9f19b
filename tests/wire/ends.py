"""Both ends of a transcript's session without their sessions: framing, signing, numbers, outstanding commands."""

from __future__ import annotations

import base64
from dataclasses import dataclass

from sgclaw.errors import NeedsApprovalError, WireError
from sgclaw.protocol.channel import OUTGOING_CAP, Channel, Received, dump, encode_init, parse, read_init
from sgclaw.protocol.framing import LineFramer
from sgclaw.protocol.messages import Command, Init, Message, Ping, Pong, Response
from sgclaw.protocol.session import Outstanding, Pending
from sgclaw.protocol.signing import Role, derive_key, open_sealed
from sgclaw.protocol.strict import JsonObject, decode
from tests.wire.transcript import Entry, Transcript

PEER = {Role.HOST: Role.AGENT, Role.AGENT: Role.HOST}
_STAND_IN: dict[Role, Message] = {Role.HOST: Ping(id="x"), Role.AGENT: Pong(id="x")}


def key_bytes(text: str) -> bytes:
    """The session key of a transcript."""
    return base64.urlsafe_b64decode(text + "=")


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What a line says: the message, and what its `security` says beside numbers."""

    message: Message
    expected_domain: str = ""
    re: str = ""

    @classmethod
    def of(cls, line: bytes, sender: Role) -> Outgoing:
        """Read a line that the sender's own code made."""
        body = decode(line)
        security = body.pop("security", {})
        said = security if isinstance(security, dict) else {}
        return cls(parse(body, sender), str(said.get("expected_domain", "")), str(said.get("re", "")))


class End:
    """One end. Seals what it sends, refuses what it must."""

    def __init__(self, role: Role, transcript: Transcript) -> None:
        key = key_bytes(transcript.session_key)
        self.role = role
        self.key_out = derive_key(key, transcript.trace_id, role)
        self.channel = Channel(role, key, transcript.trace_id)
        self._framer = LineFramer(OUTGOING_CAP[PEER[role]])
        self._outstanding = Outstanding()
        self._greeted = role is Role.HOST
        self._numbers = 0

    def seal(self, outgoing: Outgoing) -> bytes:
        """The bytes of a message; a command is outstanding from now on."""
        message = outgoing.message
        if isinstance(message, Init):
            return encode_init(message)
        if isinstance(message, Command):
            line, mac = self.channel.seal_command(message, outgoing.expected_domain)
            self._outstanding.add(Pending(message.seq, mac, deadline=float("inf")))
            return line
        self._numbers += 1
        if isinstance(message, Response):
            return self.channel.seal_response(message, outgoing.re)
        if message.type == "cancel_command":
            self._outstanding.expire(int(dump(message)["seq"]))  # type: ignore[call-overload]
        return self.channel.seal(message)

    def skip(self, line: bytes) -> None:
        """A line made by hand was sent: when it is authentic and bears the next number, that number is used up."""
        try:
            body, security, _ = open_sealed(line, self.key_out)
        except WireError:
            return
        if "expected_domain" in security:
            if body.get("seq") == self.channel.upcoming_seq:
                self.channel.seal_command(_stand_in_command(self.channel.upcoming_seq), "x")
        elif security.get("n") == self._numbers + 1:
            self.seal(Outgoing(_STAND_IN[self.role]))

    def receive(self, data: bytes) -> Message:
        """Take the one line the peer sent. Raises `WireError`."""
        (line,) = self._framer.feed(data)
        if not self._greeted:
            self._greeted = True
            return read_init(line)
        received = self.channel.receive(line)
        if isinstance(received.message, Response):
            self._settle(received, received.message)
        return received.message

    def _settle(self, received: Received, response: Response) -> None:
        try:
            self._outstanding.settle(response.seq, received.re or "", 0.0)
        except WireError as refusal:
            raise self.channel.counted(refusal) from None


def _stand_in_command(seq: int) -> Command:
    return Command(seq=seq, action="reload", params={}, task_id="x", deadline_ms=1)


def approval_of(response: JsonObject) -> str | None:
    """The approval a response asks for, if it does."""
    error = response.get("error")
    if isinstance(error, dict) and error.get("code") == NeedsApprovalError.code:
        return str(error["facts"]["approval_id"])
    return None


def ends_of(transcript: Transcript) -> dict[Role, End]:
    """Fresh ends for a transcript."""
    return {role: End(role, transcript) for role in Role}


def deliver(ends: dict[Role, End], entry: Entry) -> Message | WireError:
    """Give an entry's bytes to the other end; returns the message, or why it is refused."""
    try:
        return ends[PEER[entry.sender]].receive(entry.whole)
    except WireError as refusal:
        return refusal
