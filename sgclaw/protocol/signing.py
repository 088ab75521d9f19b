"""Signing of raw lines with HMAC-SHA256.

A signed line ends with `,"hmac":"<64 lower-case hex>"}}`: `security` is its last member and `hmac` the last member of
that. The MAC covers every byte before this suffix, so no canonical form is needed and any changed byte is refused.
Keys: one per direction by HKDF-SHA256 (RFC 5869; salt = trace_id, info names protocol and sender) from the session key.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from enum import StrEnum
from typing import cast

from sgclaw.errors import WireCode, WireError
from sgclaw.protocol import PROTOCOL
from sgclaw.protocol.strict import JsonObject, decode, encode

KEY_BYTES = 32
_SUFFIX = re.compile(rb',"hmac":"([0-9a-f]{64})"\}\}')
_SUFFIX_BYTES = len(b',"hmac":""}}') + 64
_OPEN_TAIL = b"}}"


class Role(StrEnum):
    """Who sends: the browser process, or sgclaw."""

    HOST = "host"
    AGENT = "agent"


def derive_key(session_key: bytes, trace_id: str, sender: Role) -> bytes:
    """HKDF-SHA256 of the 32-byte session key, one 32-byte key per sender."""
    if len(session_key) != KEY_BYTES:
        raise WireError(WireCode.HANDSHAKE_FAILED, f"会话密钥必须是 {KEY_BYTES} 字节")
    pseudo_random = hmac.digest(trace_id.encode("utf-8"), session_key, "sha256")
    info = f"{PROTOCOL} {sender.value}".encode()
    return hmac.digest(pseudo_random, info + b"\x01", "sha256")


def seal(body: JsonObject, security: JsonObject, key: bytes) -> tuple[bytes, str]:
    """Return the signed line (no newline) for `body` + `security`, and its MAC in hex.

    `security` must be non-empty: the suffix starts with a comma. `body` must not hold `security` itself.
    """
    unsigned = encode({**body, "security": security})
    signed_part = unsigned.removesuffix(_OPEN_TAIL)
    mac = hmac.new(key, signed_part, hashlib.sha256).hexdigest()
    return signed_part + b',"hmac":"' + mac.encode("ascii") + b'"}}', mac


def verify(line: bytes, key: bytes) -> str:
    """Return the line's MAC in hex when it is right, else raise `BAD_HMAC`.

    A line without the suffix is decoded only to name its fault better (junk, a second `init`); it is never used.
    """
    match = _SUFFIX.fullmatch(line[-_SUFFIX_BYTES:])
    if match is None:
        code = WireCode.SECOND_INIT if decode(line).get("type") == "init" else WireCode.BAD_HMAC
        raise WireError(code, "消息没有签名或签名格式不对")
    given = match.group(1).decode("ascii")
    expected = hmac.new(key, line[:-_SUFFIX_BYTES], hashlib.sha256).hexdigest()
    if not hmac.compare_digest(given, expected):
        raise WireError(WireCode.BAD_HMAC, "消息签名不符")
    return given


def open_sealed(line: bytes, key: bytes) -> tuple[JsonObject, JsonObject, str]:
    """Verify, then decode: returns (message without `security`, security without `hmac`, MAC).

    The suffix closes the object that is the line's last top-level member, whichever that is: so the member must be
    `security`, else a nested object could end the line alike. `hmac` is then its last member and equal to the MAC.
    """
    mac = verify(line, key)
    body = decode(line)
    last_key = next(reversed(body))
    security = body.pop("security", None)
    if last_key != "security":
        raise WireError(WireCode.BAD_SCHEMA, "security 必须是最后一个成员，hmac 必须是它的最后一个成员")
    members = cast("JsonObject", security)
    del members["hmac"]
    return body, members, mac
