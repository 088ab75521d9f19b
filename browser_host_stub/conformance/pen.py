"""Writes sgclaw's lines, right ones and any wrong one that a row needs, with numbers of its own."""

from __future__ import annotations

import hashlib
import hmac

from sgclaw.protocol.channel import dump
from sgclaw.protocol.messages import Command, Message
from sgclaw.protocol.signing import Role, derive_key, seal
from sgclaw.protocol.strict import JsonObject


class Pen:
    """Key and numbers of the agent's direction. A line it made counts as sent."""

    def __init__(self, session_key: bytes, trace_id: str) -> None:
        self._key = derive_key(session_key, trace_id, Role.AGENT)
        self.n = 0
        self.seq = 0

    def message(self, message: Message) -> bytes:
        """The next line of any message but a command."""
        self.n += 1
        return self.sealed(dump(message), {"n": self.n})

    def command(self, command: Command, domain: str) -> tuple[bytes, str]:
        """The line of a command that carries the next number, and its MAC."""
        self.seq += 1
        line, mac = seal(dump(command), {"expected_domain": domain}, self._key)
        return line + b"\n", mac

    def sealed(self, body: JsonObject, security: JsonObject) -> bytes:
        """A signed line of any object; no number is taken."""
        line, _ = seal(body, security, self._key)
        return line + b"\n"

    def raw(self, signed_part: bytes) -> bytes:
        """The line whose bytes before the suffix are these, whatever they are; authentic, but perhaps no JSON."""
        mac = hmac.new(self._key, signed_part, hashlib.sha256).hexdigest().encode()
        return signed_part + b',"hmac":"' + mac + b'"}}\n'
