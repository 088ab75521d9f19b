"""Message codes of a case: the right one, and every wrong one its name describes. A name can never make a right one."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sgclaw.protocol.signing import Role, derive_key

Json = dict[str, Any]
VALID: Final = "valid"
UNSIGNED: Final = frozenset({"none", "missing", "absent", "unsigned", "no_hmac"})
OTHER_TRACE: Final = "sgclaw-20260303-ffffffff"


@dataclass(frozen=True, slots=True)
class Keys:
    """What a harness knows of a session: its own direction's key signs its lines."""

    session: bytes
    trace_id: str
    role: Role

    @property
    def own(self) -> bytes:
        return derive_key(self.session, self.trace_id, self.role)

    @property
    def other(self) -> bytes:
        return derive_key(self.session, self.trace_id, Role.HOST if self.role is Role.AGENT else Role.AGENT)


@dataclass(frozen=True, slots=True)
class _Message:
    """A message about to be signed: `signed` are the bytes of the line that the code covers."""

    body: Json
    security: Json
    signed: bytes
    keys: Keys

    @property
    def right(self) -> str:
        return _mac(self.keys.own, self.signed)

    def mac_of(self, body: Json, security: Json) -> str:
        return _mac(self.keys.own, signed_part(body, security))


def compact(value: object) -> bytes:
    """JSON as it goes on a line; what UTF-8 cannot hold is escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


def signed_part(body: Json, security: Json) -> bytes:
    return compact({**body, "security": security})[:-2]


def _mac(key: bytes, data: bytes) -> str:
    return hmac.new(key, data, hashlib.sha256).hexdigest()


def with_mac(signed: bytes, mac: str) -> bytes:
    """The line (no newline) that ends with this code."""
    return signed + b',"hmac":' + compact(mac) + b"}}"


def right_line(signed: bytes, keys: Keys) -> tuple[bytes, str]:
    """The authentic line of these bytes, and its code."""
    mac = _mac(keys.own, signed)
    return with_mac(signed, mac), mac


def sealed(body: Json, security: Json, keys: Keys, sign: str) -> tuple[bytes, str]:
    """The line (no newline) of a message with the code `sign` names, and that code."""
    signed = signed_part(body, security)
    if sign == VALID:
        return right_line(signed, keys)
    if sign in UNSIGNED:
        return signed + b"}}", ""
    message = _Message(body, security, signed, keys)
    mac = next(make(message, match) for pattern, make in _WRONG if (match := re.fullmatch(pattern, sign)))
    if mac == message.right:
        mac = mac[:-1] + ("0" if mac[-1] != "0" else "1")
    return with_mac(signed, mac), mac


def wrong_mac(signed: bytes, keys: Keys, name: str) -> str:
    """A code that is not the right one of these bytes, and depends on `name`."""
    return _mac(hashlib.sha256(keys.own + name.encode()).digest(), signed)


_FORMS: Final[Mapping[str, Callable[[object], bytes]]] = {
    "pretty": lambda value: json.dumps(value, ensure_ascii=False, indent=2).encode(errors="replace"),
    "space": lambda value: json.dumps(value, ensure_ascii=False).encode(errors="replace"),
    "ascii": lambda value: json.dumps(value, separators=(",", ":")).encode(),
    "escape": lambda value: json.dumps(value, separators=(",", ":")).encode(),
}


def _over(message: _Message, match: re.Match[str]) -> str:
    """Over another form of the same message than the bytes on the line."""
    whole = {**message.body, "security": message.security}
    form = next((make for word, make in _FORMS.items() if word in match[1]), None)
    in_order = json.dumps(whole, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
    return _mac(message.keys.own, form(whole) if form else in_order)


def _without(message: _Message, match: re.Match[str]) -> str:
    """Over the message without a part of it; `extra` is what no message has."""
    known = {"type", "seq", "action", "params", "task_id", "deadline_ms", "success", "data", "error"}
    gone = {match[1]}
    if match[1] == "extra":
        gone = (set(message.body) - known) | (set(message.security) - {"expected_domain", "n", "re"})
    body = {name: value for name, value in message.body.items() if name not in gone}
    security = {name: value for name, value in message.security.items() if name not in gone}
    return message.mac_of(body, security)


def _of(message: _Message, match: re.Match[str]) -> str:
    """Of the same message with another value in one place, as if it had been changed after signing."""
    name, text = match[1], match[2]
    value: object = int(text) if text.isdigit() else text
    if "domain" in name:
        host = text if "." in text else f"{text}.example.com"
        return message.mac_of(message.body, {**message.security, "expected_domain": host})
    if name in message.body:
        return message.mac_of({**message.body, name: value}, message.security)
    params = {**message.body.get("params", {}), name: value}
    return message.mac_of({**message.body, "params": params}, message.security)


def _other_session(message: _Message, _match: re.Match[str]) -> str:
    return _mac(derive_key(message.keys.session, OTHER_TRACE, message.keys.role), message.signed)


_WRONG: Final[tuple[tuple[str, Callable[[_Message, re.Match[str]], str]], ...]] = (
    ("other_session|other_trace|old_session", _other_session),
    (
        "other_direction|reflected|peer_key|browser_key|agent_key|host_key",
        lambda it, _match: _mac(it.keys.other, it.signed),
    ),
    ("session_key|raw_key|master_key|root_key", lambda it, _match: _mac(it.keys.session, it.signed)),
    ("upper_hex|uppercase", lambda it, _match: it.right.upper()),
    (r"truncated_(\d+)|truncated", lambda it, match: it.right[: int(match[1] or 16)]),
    ("hex_plus_.*|padded|trailing_.*", lambda it, _match: it.right + " "),
    ("space_plus_hex|leading_.*", lambda it, _match: " " + it.right),
    ("base64.*", lambda it, _match: base64.b64encode(bytes.fromhex(it.right)).decode()),
    ("empty", lambda _it, _match: ""),
    ("zeros?|all_zero.*", lambda _it, _match: "0" * 64),
    ("sha256|plain_hash|unkeyed", lambda it, _match: hashlib.sha256(it.signed).hexdigest()),
    (
        "sha1|md5|sha512",
        lambda it, match: hmac.new(it.keys.own, it.signed, match[0]).hexdigest()[:64].ljust(64, "0"),
    ),
    ("(?:over_message_)?without_(.+)", _without),
    ("over_(.+)", _over),
    ("of_([a-z]+)_(.+)", _of),
    (".*", lambda it, match: wrong_mac(it.signed, it.keys, match[0])),
)
"""Name → code. The last row takes every name nobody has thought of."""
