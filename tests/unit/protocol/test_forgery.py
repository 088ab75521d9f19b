"""What an attacker who sees lines but has no key can make of them: nothing that is accepted."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgclaw.errors import WireCode, WireError
from sgclaw.protocol.channel import Channel, dump, parse
from sgclaw.protocol.signing import Role, open_sealed
from sgclaw.protocol.strict import JsonObject, encode
from tests.fuzz.lines import KEYS
from tests.unit.protocol.samples import TEST_ONLY_KEY, TRACE, opened
from tests.unit.protocol.varied import KINDS, line_of, messages

Path = tuple[str | int, ...]


def _ends(sender: Role) -> tuple[Channel, Channel]:
    """Sender and receiver of one session."""
    host, agent = opened()
    return (host, agent) if sender is Role.HOST else (agent, host)


def _refusal(receiver: Channel, line: bytes) -> str:
    """The code the line is refused with; empty when it is accepted."""
    try:
        receiver.receive(line)
    except WireError as error:
        return error.code
    return ""


def _leaves(value: object, path: Path = ()) -> Iterator[Path]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if inside is None or not value:
        yield path
        return
    for key, item in inside:
        yield from _leaves(item, (*path, key))


def _altered(value: object) -> object:
    match value:
        case bool():
            return not value
        case int() | float():
            return value - 1 if value > 0 else value + 1
        case str():
            return value[:-1] if value else "x"
        case None:
            return False
        case _:
            return None


def _with(value: object, path: Path, *, drop: bool) -> object:
    """A copy of the value with the leaf at `path` altered, or gone."""
    if not path:
        return _altered(value)
    key, rest = path[0], path[1:]
    if isinstance(value, dict):
        changed = {name: _with(item, rest, drop=drop) if name == key else item for name, item in value.items()}
        return {name: item for name, item in changed.items() if name != key or rest} if drop else changed
    assert isinstance(value, list)
    changed_list = [_with(item, rest, drop=drop) if at == key else item for at, item in enumerate(value)]
    return [item for at, item in enumerate(changed_list) if at != key or rest] if drop else changed_list


@pytest.mark.requirement("FUZZ-03")
def test_200_random_messages_with_one_field_altered_or_gone_are_all_refused() -> None:
    tried, accepted = 0, list[tuple[bytes, Path]]()
    for sender, message in messages(200, seed=4):
        sending, receiving = _ends(sender)
        line = line_of(sending, message)
        whole: JsonObject = json.loads(line)
        for path, drop in itertools.product(_leaves(whole), (False, True)):
            forged = encode(_with(whole, path, drop=drop))
            assert forged != line
            tried += 1
            if not _refusal(Channel(_receiver(sender), TEST_ONLY_KEY, TRACE), forged):
                accepted.append((line, path))
        assert message.type == "ready" or _refusal(receiving, line) == ""  # the session is past its `ready`
    assert accepted == []
    assert tried > 2_000


def _receiver(sender: Role) -> Role:
    return Role.AGENT if sender is Role.HOST else Role.HOST


@pytest.mark.requirement("FUZZ-03")
def test_200_random_messages_with_one_byte_of_each_kind_replaced_are_all_refused() -> None:
    random = Random(5)  # noqa: S311 - the same messages for the same seed
    kinds = [b"{}[]", b'":,', b"0123456789", b"abcdefghijklmnopqrstuvwxyz_", b"\xe4\xe5\xe6\x80\xbb", b"\\"]
    for sender, message in messages(200, seed=6):
        line = line_of(_ends(sender)[0], message)
        for kind in (*kinds, line[-76:]):
            places = [at for at, byte in enumerate(line) if byte in kind]
            for at in random.sample(places, min(4, len(places))):
                other = random.choice([byte for byte in (*kind, 0x20, 0x00) if byte != line[at]])
                forged = line[:at] + bytes([other]) + line[at + 1 :]
                with pytest.raises(WireError):
                    open_sealed(forged, KEYS[sender])


@pytest.mark.requirement("FUZZ-04")
@pytest.mark.parametrize("at", range(len(KINDS)), ids=[f"{sender.value}-{kind}" for sender, kind in KINDS])
def test_no_single_bit_of_a_signed_line_can_be_flipped(at: int) -> None:
    sender, message = next(itertools.islice(messages(len(KINDS), seed=7), at, None))
    line = line_of(_ends(sender)[0], message)
    for bit in range(8 * len(line)):
        forged = bytearray(line)
        forged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(WireError):
            open_sealed(bytes(forged), KEYS[sender])


@st.composite
def _two(draw: st.DrawFn) -> tuple[Role, bytes, bytes]:
    """Two following lines of one direction."""
    sender = draw(st.sampled_from(list(Role)))
    pool = [
        message for side, message in messages(60, seed=8) if side is sender and message.type not in ("bye", "shutdown")
    ]
    pool = [message for message in pool if message.type not in ("ready", "command", "init")]
    first, second = draw(st.sampled_from(pool)), draw(st.sampled_from(pool))
    sending, _ = _ends(sender)
    return sender, line_of(sending, first), line_of(sending, second)


@pytest.mark.requirement("FUZZ-05")
@settings(max_examples=150, deadline=None)
@given(_two(), st.integers(0, 10_000), st.integers(0, 10_000))
def test_two_lines_cannot_be_merged(two: tuple[Role, bytes, bytes], left: int, right: int) -> None:
    sender, first, second = two
    left, right = left % (len(first) + 1), right % (len(second) + 1)
    merged = first[:left] + second[right:]
    if merged in (first, second):
        return
    assert _refusal(_ends(sender)[1], merged)
    assert _refusal(_ends(sender)[1], first + second)
    assert _refusal(_ends(sender)[1], first[:-2] + b"," + second[1:])


@pytest.mark.requirement("FUZZ-05")
@settings(max_examples=60, deadline=None)
@given(_two())
def test_two_lines_are_accepted_in_their_order_and_once_only(two: tuple[Role, bytes, bytes]) -> None:
    sender, first, second = two
    receiver = _ends(sender)[1]
    assert [_refusal(receiver, line) for line in (first, first, second, second, first)] == [
        "",
        WireCode.REPLAYED,
        "",
        WireCode.REPLAYED,
        WireCode.REPLAYED,
    ]
    assert _refusal(_ends(sender)[1], second) == WireCode.SEQUENCE_GAP


@pytest.mark.requirement("FUZZ-05")
@settings(max_examples=60, deadline=None)
@given(_two(), st.randoms(use_true_random=False))
def test_members_cannot_change_places_or_owners(two: tuple[Role, bytes, bytes], random: Random) -> None:
    sender, first, second = two
    one, other = json.loads(first), json.loads(second)
    names = list(one)
    random.shuffle(names)
    moved = encode({name: one[name] for name in names})
    if moved != first:
        assert _refusal(_ends(sender)[1], moved)
    assert _refusal(_ends(sender)[1], encode({**one, "security": other["security"]}))
    given_mac = {**other["security"], "hmac": one["security"]["hmac"]}
    assert _refusal(_ends(sender)[1], encode({**other, "security": given_mac}))


@pytest.mark.requirement("FUZZ-07")
def test_random_messages_of_every_type_come_out_as_they_went_in() -> None:
    for seed in range(10):
        host, agent = opened()
        for sender, message in messages(60, seed):
            if message.type in ("ready", "bye", "shutdown", "command"):
                continue
            sending, receiving = (host, agent) if sender is Role.HOST else (agent, host)
            received = receiving.receive(line_of(sending, message))
            assert received.message == message
            assert parse(dump(message), sender) == message
