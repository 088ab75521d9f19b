"""Both ends of a session, fed with lines that are random, reflected, altered, authentic or authentic nonsense."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sgclaw.errors import WireCode, WireError
from sgclaw.protocol.channel import Channel, Received, dump, parse
from sgclaw.protocol.limits import MAX_BAD_HMACS
from sgclaw.protocol.messages import Command, Init, Message, Response
from sgclaw.protocol.signing import Role
from sgclaw.protocol.strict import encode
from tests.fuzz.echo import echoed, words
from tests.fuzz.lines import DIRECTIONS, KEYS, sign
from tests.unit.protocol.samples import BODIES, DOMAIN, TEST_ONLY_KEY, TRACE

_MAX_LINES = 12
_SECRET = TEST_ONLY_KEY.hex().encode() + TEST_ONLY_KEY


class Session:
    """A channel under attack and the honest peer whose lines an attacker may alter."""

    def __init__(self, role: Role) -> None:
        self.peer_role = Role.HOST if role is Role.AGENT else Role.AGENT
        self.under_test = Channel(role, TEST_ONLY_KEY, TRACE)
        self.peer = Channel(self.peer_role, TEST_ONLY_KEY, TRACE)
        self.role = role
        self.bad_macs = 0

    def honest(self, choice: int) -> bytes:
        """A valid next line, without its newline."""
        bodies = [body for kind, body in BODIES[self.peer_role].items() if kind != "init"]
        message = parse(bodies[choice % len(bodies)], self.peer_role)
        return seal_any(self.peer, message)[:-1]


def seal_any(channel: Channel, message: Message) -> bytes:
    """The line of any message, numbered as the channel wants it."""
    if isinstance(message, Command):
        return channel.seal_command(message.model_copy(update={"seq": channel.upcoming_seq}), DOMAIN)[0]
    if isinstance(message, Response):
        return channel.seal_response(message, "5d" * 32)
    return channel.seal(message)


def _raw(_session: Session, payload: bytes) -> tuple[bytes, bool]:
    return payload, False


def _reflected(session: Session, payload: bytes) -> tuple[bytes, bool]:
    return sign(payload, KEYS[session.role]), False


def _signed(session: Session, payload: bytes) -> tuple[bytes, bool]:
    return sign(payload, KEYS[session.peer_role]), True


def _honest(session: Session, payload: bytes) -> tuple[bytes, bool]:
    return session.honest(payload[0] if payload else 0), True


def _flipped(session: Session, payload: bytes) -> tuple[bytes, bool]:
    line = bytearray(session.honest(payload[0] if payload else 0))
    bit = int.from_bytes(payload[1:4], "big") % (8 * len(line))
    line[bit // 8] ^= 1 << bit % 8
    return bytes(line), False


_KINDS: tuple[Callable[[Session, bytes], tuple[bytes, bool]], ...] = (_raw, _reflected, _signed, _honest, _flipped)


def one_input(data: bytes) -> None:
    """First byte: which end. Then lines; the first byte of each says how it is made, the rest is its content."""
    session = Session(Role.AGENT if data[:1] < b"\x80" else Role.HOST)
    for record in data[1:].split(b"\n")[:_MAX_LINES]:
        make = _KINDS[record[0] % len(_KINDS) if record else 0]
        line, authentic = make(session, record[1:])
        try:
            received = session.under_test.receive(line)
        except WireError as error:
            _check_refusal(session, error, data + line)
            if error.fatal:
                return
        else:
            assert authentic
            _check_accepted(session, received)


def _check_refusal(session: Session, error: WireError, data: bytes) -> None:
    session.bad_macs += error.code in (WireCode.BAD_HMAC, WireCode.TOO_MANY_BAD_HMAC)
    assert (error.code == WireCode.TOO_MANY_BAD_HMAC) == (session.bad_macs >= MAX_BAD_HMACS)
    assert not echoed(words(error, facts=False), data)
    assert not echoed(words(error), _SECRET)
    assert all(_is_plain(value) for value in error.facts.values())


def _is_plain(value: object) -> bool:
    """Numbers, our own words, or the names of at most ten fields, cut short."""
    if isinstance(value, list):
        return len(value) <= 10 and all(isinstance(item, str) and len(item) <= 400 for item in value)
    return isinstance(value, int) or (isinstance(value, str) and len(value) <= 64)


def _check_accepted(session: Session, received: Received) -> None:
    message = received.message
    assert type(message) in DIRECTIONS[session.peer_role].values()
    assert not isinstance(message, Init)
    assert (received.expected_domain is not None) == isinstance(message, Command)
    assert (received.re is not None) == isinstance(message, Response)
    body = dump(message)
    assert dump(parse(body, session.peer_role)) == body
    encode(body)


def seeds() -> list[bytes]:
    """Honest lines, one altered bit, authentic bodies of every message, right and wrong numbers."""
    found = [bytes([side]) + b"\x03\x00\n\x03\x01\n\x03\x02\n\x04\x00\x01\x02\x03" for side in (0, 128)]
    for side, sender in ((0, Role.HOST), (128, Role.AGENT)):
        found += [bytes([side, 2]) + _signed_part(body) for body in BODIES[sender].values()]
    return [*found, b"\x00\x00junk\n\x01" + b'{"type":"ping"\n\x01x\n\x01y']


def _signed_part(body: Mapping[str, object]) -> bytes:
    members: dict[str, object] = {"n": 1}
    if body["type"] == "command":
        members = {"expected_domain": DOMAIN}
    elif body["type"] == "response":
        members = {"n": 1, "re": "5d" * 32}
    return encode({**body, "security": members}).removesuffix(b"}}")
