import json
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgclaw.errors import WireCode, WireError
from sgclaw.protocol.channel import Channel, Received
from sgclaw.protocol.limits import MAX_LINE_FROM_AGENT, MAX_LINE_FROM_HOST
from sgclaw.protocol.session import Phase
from sgclaw.protocol.signing import Role, seal
from sgclaw.protocol.strict import JsonObject, encode
from tests.unit.protocol.samples import (
    AGENT_KEY,
    BODIES,
    DOMAIN,
    FROM_AGENT_BODIES,
    FROM_HOST_BODIES,
    HOST_KEY,
    OTHER_TEST_KEY,
    TEST_ONLY_KEY,
    TRACE,
    command,
    message,
    opened,
    ready,
    response,
)

MAC = "ab" * 32
PING = FROM_HOST_BODIES["ping"]


def _code(channel: Channel, line: bytes) -> str:
    with pytest.raises(WireError) as caught:
        channel.receive(line.removesuffix(b"\n"))
    return caught.value.code


def _ping(number: int) -> Received:
    mac = seal(PING, {"n": number}, HOST_KEY)[1]
    return Received(message(Role.HOST, "ping"), mac, n=number)


def _sealed_ping(security: JsonObject, **changes: object) -> bytes:
    return seal({**PING, **changes}, security, HOST_KEY)[0]


# --- both ends together ---------------------------------------------------------------------------------------------


@pytest.mark.requirement("PROTO-10", "PROTO-24")
@pytest.mark.parametrize("kind", [kind for kind in FROM_HOST_BODIES if kind not in ("init", "response")])
def test_the_agent_receives_what_the_host_sends(kind: str) -> None:
    host, agent = opened()
    sent = message(Role.HOST, kind)
    line = host.seal(sent)
    assert line.endswith(b'"}}\n')
    received = agent.receive(line[:-1])
    assert received == Received(sent, line[-68:-4].decode(), n=1)


@pytest.mark.requirement("PROTO-10", "PROTO-24")
@pytest.mark.parametrize("kind", [kind for kind in FROM_AGENT_BODIES if kind not in ("ready", "command")])
def test_the_host_receives_what_the_agent_sends(kind: str) -> None:
    host, agent = opened()
    sent = message(Role.AGENT, kind)
    assert host.receive(agent.seal(sent)[:-1]).message == sent


@pytest.mark.requirement("PROTO-15")
def test_a_command_carries_its_domain_and_its_response_the_mac_of_the_command() -> None:
    host, agent = opened()
    for seq in range(1, 501):
        assert agent.upcoming_seq == seq
        line, mac = agent.seal_command(command(seq), DOMAIN)
        assert host.receive(line[:-1]) == Received(command(seq), mac, expected_domain=DOMAIN)
        answer = host.seal_response(response(seq), mac)
        received = agent.receive(answer[:-1])
        assert received == Received(response(seq), received.mac, n=seq, re=mac)


@pytest.mark.requirement("PROTO-11")
def test_both_directions_and_both_kinds_of_numbers_count_on_their_own() -> None:
    host, agent = opened()
    for number in (1, 2, 3):
        assert b'"security":{"n":%d,' % number in host.seal(message(Role.HOST, "ping"))
        assert b'"security":{"n":%d,' % (number + 1) in agent.seal(message(Role.AGENT, "pong"))
        assert b'"seq":%d,' % number in agent.seal_command(command(number), DOMAIN)[0]


def test_phases_follow_the_messages_received() -> None:
    host = Channel(Role.HOST, TEST_ONLY_KEY, TRACE)
    agent = Channel(Role.AGENT, TEST_ONLY_KEY, TRACE)
    assert (host.phase, agent.phase) == (Phase.NEW, Phase.OPEN)
    host.receive(agent.seal(ready())[:-1])
    assert host.phase is Phase.OPEN
    agent.receive(host.seal(message(Role.HOST, "shutdown"))[:-1])
    host.receive(agent.seal(message(Role.AGENT, "bye"))[:-1])
    assert (host.phase, agent.phase) == (Phase.CLOSING, Phase.CLOSING)
    assert _code(agent, host.seal(message(Role.HOST, "submit_task"))) == WireCode.BAD_STATE
    assert agent.receive(host.seal_response(response(1), MAC)[:-1]).re == MAC


@pytest.mark.requirement("PROTO-18")
def test_nothing_but_ready_may_come_first_and_it_comes_once() -> None:
    host = Channel(Role.HOST, TEST_ONLY_KEY, TRACE)
    agent = Channel(Role.AGENT, TEST_ONLY_KEY, TRACE)
    assert _code(host, agent.seal(message(Role.AGENT, "pong"))) == WireCode.BAD_STATE
    host.receive(agent.seal(ready())[:-1])
    assert _code(host, agent.seal(ready())) == WireCode.BAD_STATE


# --- numbers --------------------------------------------------------------------------------------------------------


@pytest.mark.requirement("PROTO-11")
def test_a_repeated_line_is_refused_and_the_session_goes_on() -> None:
    _, agent = opened()
    assert agent.receive(_sealed_ping({"n": 1})) == _ping(1)
    assert _code(agent, _sealed_ping({"n": 1})) == WireCode.REPLAYED
    assert agent.receive(_sealed_ping({"n": 2})) == _ping(2)


@pytest.mark.requirement("PROTO-11")
def test_a_repeated_command_is_refused_and_later_ones_run() -> None:
    host, agent = opened()
    lines = [agent.seal_command(command(seq), DOMAIN)[0][:-1] for seq in (1, 2, 3)]
    host.receive(lines[0])
    host.receive(lines[1])
    assert _code(host, lines[0]) == WireCode.REPLAYED
    assert _code(host, lines[1]) == WireCode.REPLAYED
    assert host.receive(lines[2]).message == command(3)


@pytest.mark.requirement("PROTO-11")
def test_a_gap_ends_the_session() -> None:
    host, agent = opened()
    with pytest.raises(WireError) as caught:
        agent.receive(_sealed_ping({"n": 2}))
    assert (caught.value.code, caught.value.fatal) == (WireCode.SEQUENCE_GAP, True)
    agent.seal_command(command(1), DOMAIN)
    assert _code(host, agent.seal_command(command(2), DOMAIN)[0]) == WireCode.SEQUENCE_GAP


@pytest.mark.requirement("PROTO-12")
def test_a_wrong_mac_does_not_consume_the_number() -> None:
    _, agent = opened()
    assert _code(agent, seal(PING, {"n": 1}, AGENT_KEY)[0]) == WireCode.BAD_HMAC
    assert agent.receive(_sealed_ping({"n": 1})) == _ping(1)


@pytest.mark.requirement("PROTO-12")
@pytest.mark.parametrize(
    ("line", "code"),
    [
        (_sealed_ping({"n": 1}, extra="x"), WireCode.BAD_SCHEMA),
        (_sealed_ping({"n": 1}, type="Ping"), WireCode.UNKNOWN_TYPE),
        (_sealed_ping({"n": 1}, type="pong"), WireCode.UNKNOWN_TYPE),
        (_sealed_ping({"n": 1}, type=None), WireCode.UNKNOWN_TYPE),
        (_sealed_ping({"n": 1, "confirmed": True}), WireCode.BAD_SCHEMA),
        (_sealed_ping({"n": 1, "re": MAC}), WireCode.BAD_SCHEMA),
    ],
)
def test_an_authentic_line_with_bad_content_consumes_its_number_and_the_session_goes_on(
    line: bytes, code: WireCode
) -> None:
    _, agent = opened()
    assert _code(agent, line) == code
    assert agent.receive(_sealed_ping({"n": 2})) == _ping(2)


@pytest.mark.requirement("PROTO-12")
@pytest.mark.parametrize("number", [None, "1", True, 1.0, [1], {}])
def test_an_authentic_line_without_a_usable_number_is_refused(number: object) -> None:
    host, agent = opened()
    assert _code(agent, _sealed_ping({"n": number})) == WireCode.BAD_SCHEMA
    assert agent.receive(_sealed_ping({"n": 1})) == _ping(1)
    odd = {**FROM_AGENT_BODIES["command"], "seq": number}
    assert _code(host, seal(odd, {"expected_domain": DOMAIN}, AGENT_KEY)[0]) == WireCode.BAD_SCHEMA


# --- counting bad MACs ----------------------------------------------------------------------------------------------


@pytest.mark.requirement("PROTO-13")
def test_the_third_bad_mac_ends_the_session_even_with_good_lines_between() -> None:
    _, agent = opened()
    forged = seal(PING, {"n": 1}, AGENT_KEY)[0]
    assert _code(agent, forged) == WireCode.BAD_HMAC
    agent.receive(_sealed_ping({"n": 1}))
    assert _code(agent, encode(PING)) == WireCode.BAD_HMAC
    with pytest.raises(WireError) as caught:
        agent.receive(forged)
    assert (caught.value.code, caught.value.fatal) == (WireCode.TOO_MANY_BAD_HMAC, True)


@pytest.mark.requirement("PROTO-13")
def test_junk_is_refused_without_counting_as_a_bad_mac() -> None:
    _, agent = opened()
    for _ in range(100):
        assert _code(agent, b"not json") == WireCode.BAD_JSON
    assert agent.receive(_sealed_ping({"n": 1})) == _ping(1)


@pytest.mark.requirement("PROTO-09")
def test_lines_of_another_session_or_direction_are_refused() -> None:
    host, agent = opened()
    other = Channel(Role.AGENT, OTHER_TEST_KEY, TRACE)
    assert _code(host, other.seal_command(command(1), DOMAIN)[0]) == WireCode.BAD_HMAC
    assert _code(agent, agent.seal(message(Role.AGENT, "pong"))) == WireCode.BAD_HMAC


# --- direction and security members ---------------------------------------------------------------------------------


@pytest.mark.requirement("PROTO-14")
@pytest.mark.parametrize(
    ("sender", "kind"),
    [
        *((Role.HOST, kind) for kind in FROM_AGENT_BODIES if kind not in FROM_HOST_BODIES),
        *((Role.AGENT, kind) for kind in FROM_HOST_BODIES if kind not in FROM_AGENT_BODIES),
    ],
)
def test_a_message_of_the_other_direction_is_unknown_even_with_a_right_mac(sender: Role, kind: str) -> None:
    host, agent = opened()
    receiver, key, number = (agent, HOST_KEY, 1) if sender is Role.HOST else (host, AGENT_KEY, 2)
    body = {**FROM_HOST_BODIES, **FROM_AGENT_BODIES}[kind]
    assert _code(receiver, seal(body, {"n": number}, key)[0]) == WireCode.UNKNOWN_TYPE


@pytest.mark.requirement("PROTO-15")
@pytest.mark.parametrize(
    "security",
    [
        {"n": 1},
        {"n": 1, "re": None},
        {"n": 1, "re": 5},
        {"n": 1, "re": MAC, "expected_domain": DOMAIN},
        {"re": MAC, "expected_domain": DOMAIN},
        {"n": 1, "re": MAC, "more": 1},
    ],
)
def test_a_response_holds_its_number_and_the_mac_it_answers_and_nothing_else(security: JsonObject) -> None:
    _, agent = opened()
    assert _code(agent, seal(FROM_HOST_BODIES["response"], security, HOST_KEY)[0]) == WireCode.BAD_SCHEMA


@pytest.mark.requirement("PROTO-15")
@pytest.mark.parametrize(
    "security",
    [
        {"n": 2},
        {"expected_domain": 5},
        {"expected_domain": None},
        {"expected_domain": [DOMAIN]},
        {"expected_domain": DOMAIN, "n": 2},
        {"expected_domain": DOMAIN, "confirmed": True},
    ],
)
def test_a_command_holds_its_domain_and_nothing_else(security: JsonObject) -> None:
    host, _ = opened()
    assert _code(host, seal(FROM_AGENT_BODIES["command"], security, AGENT_KEY)[0]) == WireCode.BAD_SCHEMA


@pytest.mark.requirement("PROTO-15")
def test_no_other_message_can_count_as_a_command() -> None:
    host, _ = opened()
    body = {**FROM_AGENT_BODIES["cancel_command"], "seq": 1}
    assert _code(host, seal(body, {"expected_domain": DOMAIN}, AGENT_KEY)[0]) == WireCode.BAD_SCHEMA


# --- sending --------------------------------------------------------------------------------------------------------


@pytest.mark.requirement("PROTO-16")
def test_a_line_that_cannot_be_sent_leaves_no_gap() -> None:
    host, agent = opened()
    huge = "x" * MAX_LINE_FROM_AGENT
    for bad, code in (
        ({"data": {"t": huge}}, WireCode.TOO_LARGE),
        ({"data": {"t": float("nan")}}, WireCode.BAD_NUMBER),
        ({"data": {"t": "\ud800"}}, WireCode.BAD_ENCODING),
    ):
        with pytest.raises(WireError) as caught:
            agent.seal(message(Role.AGENT, "log_entry", **bad))
        assert caught.value.code == code
        assert not caught.value.fatal
        with pytest.raises(WireError) as caught:
            agent.seal_command(command(1, params=bad["data"]), DOMAIN)
        assert caught.value.code == code
    assert host.receive(agent.seal(message(Role.AGENT, "pong"))[:-1]).message == message(Role.AGENT, "pong")
    assert host.receive(agent.seal_command(command(1), DOMAIN)[0][:-1]).message == command(1)


@pytest.mark.requirement("PROTO-16")
def test_a_response_that_cannot_be_sent_leaves_no_gap() -> None:
    host, agent = opened()
    with pytest.raises(WireError) as caught:
        host.seal_response(response(1, data={"t": "x" * MAX_LINE_FROM_HOST}), MAC)
    assert caught.value.code == WireCode.TOO_LARGE
    assert agent.receive(host.seal_response(response(1), MAC)[:-1]).message == response(1)


@pytest.mark.requirement("PROTO-06")
def test_the_cap_counts_every_byte_of_the_line_with_its_newline() -> None:
    _, agent = opened()
    empty = len(agent.seal(message(Role.AGENT, "log_entry", data={"t": ""})))
    room = MAX_LINE_FROM_AGENT - empty
    assert len(agent.seal(message(Role.AGENT, "log_entry", data={"t": "x" * room}))) == MAX_LINE_FROM_AGENT
    with pytest.raises(WireError):
        agent.seal(message(Role.AGENT, "log_entry", data={"t": "x" * (room + 1)}))


@pytest.mark.requirement("PROTO-06")
def test_a_host_may_send_lines_of_many_megabytes() -> None:
    host, agent = opened()
    big = response(1, data={"t": "QUJD" * 524_288})
    assert agent.receive(host.seal_response(big, MAC)[:-1]).message == big


# --- any change is refused ------------------------------------------------------------------------------------------


def _leaves(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, dict | list) and value:
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in pairs:
            yield from _leaves(item, (*path, key))
    elif path[-1] != "hmac":
        yield path


def _replaced(value: object, path: tuple[str | int, ...], new: object) -> object:
    if not path:
        return new
    head, *rest = path
    if isinstance(value, dict):
        return {key: _replaced(item, tuple(rest), new) if key == head else item for key, item in value.items()}
    assert isinstance(value, list)
    return [_replaced(item, tuple(rest), new) if at == head else item for at, item in enumerate(value)]


_ANYTHING: st.SearchStrategy[object] = (
    st.none() | st.booleans() | st.integers(-5, 5) | st.text("ab导", max_size=3) | st.just([]) | st.just({})
)


def _line_of(sender: Role, kind: str) -> bytes:
    security: JsonObject = {"n": 2 if sender is Role.AGENT else 1}
    if kind == "command":
        security = {"expected_domain": DOMAIN}
    if kind == "response":
        security["re"] = MAC
    return seal(BODIES[sender][kind], security, AGENT_KEY if sender is Role.AGENT else HOST_KEY)[0]


@pytest.mark.requirement("PROTO-08")
@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_message_with_any_field_changed_after_signing_is_never_accepted(data: st.DataObject) -> None:
    sender = data.draw(st.sampled_from(Role))
    kind = data.draw(st.sampled_from(sorted(set(BODIES[sender]) - {"init", "ready"})))
    line = _line_of(sender, kind)
    whole = json.loads(line)
    path = data.draw(st.sampled_from(list(_leaves(whole))))
    changed = encode(_replaced(whole, path, data.draw(_ANYTHING)))
    host, agent = opened()
    receiver = agent if sender is Role.HOST else host
    if changed == line:
        receiver.receive(line)
        return
    assert _code(receiver, changed) in (WireCode.BAD_HMAC, WireCode.SECOND_INIT)
    receiver.receive(line)


@pytest.mark.requirement("PROTO-11")
def test_the_number_of_the_last_line_is_known_and_commands_do_not_count() -> None:
    host, agent = opened()
    assert (host.last_n, agent.last_n) == (0, 1)
    agent.seal_command(command(1), DOMAIN)
    assert agent.last_n == 1
    host.seal(message(Role.HOST, "ping"))
    host.seal_response(response(1), MAC)
    assert host.last_n == 2
