"""Signing as an attacker with the right key would: any bytes, not only messages."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from typing import Final

from sgclaw.protocol.messages import FROM_AGENT, FROM_HOST, Message
from sgclaw.protocol.signing import Role
from tests.unit.protocol.samples import AGENT_KEY, HOST_KEY

KEYS: Final[Mapping[Role, bytes]] = {Role.HOST: HOST_KEY, Role.AGENT: AGENT_KEY}
DIRECTIONS: Final[Mapping[Role, Mapping[str, type[Message]]]] = {Role.HOST: FROM_HOST, Role.AGENT: FROM_AGENT}


def sign(signed_part: bytes, key: bytes) -> bytes:
    """The signed line over exactly these bytes."""
    mac = hmac.new(key, signed_part, hashlib.sha256).hexdigest()
    return signed_part + b',"hmac":"' + mac.encode("ascii") + b'"}}'
