"""Lines that must be refused: one side is wrong, the other real."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from sgclaw.protocol.limits import MAX_LINE_FROM_AGENT, MAX_LINE_FROM_HOST
from sgclaw.protocol.messages import CancelCommand, Ping, Pong
from sgclaw.protocol.signing import Role
from tests.wire.scribe import ERP_HOST, Scribe
from tests.wire.transcript import Transcript

_SIDE: Final = {Role.HOST: "host", Role.AGENT: "sgclaw"}
_CHANNEL_ALONE: Final = {Role.HOST: {"host": "channel"}, Role.AGENT: {"agent": "channel"}}
_CAP: Final = {Role.HOST: MAX_LINE_FROM_HOST, Role.AGENT: MAX_LINE_FROM_AGENT}
_ALIVE: Final[dict[Role, dict[str, Any]]] = {
    Role.HOST: {"type": "ping", "id": "1"},
    Role.AGENT: {"type": "pong", "id": "1"},
}
"""A message of each side that needs nothing before it."""


class Fault:
    """A session in which one side is wrong; `n` is the number its next line must bear."""

    def __init__(self, wrong: Role, title: str, about: str) -> None:
        self.wrong = wrong
        self.scribe = Scribe(f"{title}, from {_SIDE[wrong]}", about, **_CHANNEL_ALONE[wrong]).open()
        self.n = 1 if wrong is Role.HOST else 2

    def line(self, body: dict[str, Any] | None = None, *, n: int | None = None, **security: Any) -> bytes:
        """An authentic line of the wrong side."""
        number = self.n if n is None else n
        return self.scribe.authentic(self.wrong, body or _ALIVE[self.wrong], {"n": number, **security})

    def bare(self, body: dict[str, Any], security: dict[str, Any]) -> bytes:
        """An authentic line with these members of `security` and no others."""
        return self.scribe.authentic(self.wrong, body, security)

    def send(self, line: bytes, refused: str, note: str = "", fill: tuple[bytes, int] | None = None) -> None:
        """Send it; it must be refused."""
        self.scribe.by_hand(self.wrong, line, refused=refused, note=note, fill=fill)

    def good(self) -> None:
        """A line in order: the session goes on."""
        if self.wrong is Role.HOST:
            self.scribe.host(Ping(id="1"))
            self.scribe.agent(Pong(id="1"))
        else:
            self.scribe.agent(Pong(id="1"))
        self.n += 1

    def close(self) -> Transcript:
        """An orderly end."""
        return self.scribe.close()

    def broken(self, reason: str) -> Transcript:
        """The end after a fatal line: sgclaw says goodbye, a host just hangs up."""
        if self.wrong is Role.HOST:
            return self.scribe.goodbye(reason)
        self.scribe.end(Role.HOST)
        return self.scribe.transcript


def _forged(line: bytes) -> bytes:
    """The same line with another last digit in its MAC."""
    return line[:-4] + (b"1" if line[-4:-3] == b"0" else b"0") + line[-3:]


def bad_mac(wrong: Role) -> Transcript:
    fault = Fault(wrong, "A bad MAC", "The line is dropped, its number is not used up, the session goes on.")
    fault.send(_forged(fault.line()), "BAD_HMAC", "one digit of the MAC is wrong")
    fault.good()
    line = fault.line().replace(b'"id":"1"', b'"id":"2"')
    fault.send(line, "BAD_HMAC", "signed, then changed")
    fault.good()
    return fault.close()


def three_bad_macs(wrong: Role) -> Transcript:
    fault = Fault(wrong, "Three bad MACs", "Good lines between them do not help; the third ends the session.")
    fault.send(_forged(fault.line()), "BAD_HMAC")
    fault.good()
    unsigned = b'{"type":"%s","id":"1"}' % _ALIVE[wrong]["type"].encode()
    fault.send(unsigned, "BAD_HMAC", "not signed at all")
    fault.good()
    fault.send(
        fault.line().replace(b',"hmac":', b', "hmac":'), "TOO_MANY_BAD_HMAC", "a space before the MAC: no suffix"
    )
    return fault.broken("TOO_MANY_BAD_HMAC")


def repeated(wrong: Role) -> Transcript:
    fault = Fault(wrong, "A line sent twice", "The copy is refused, the session goes on.")
    line = fault.line()
    fault.good()
    fault.send(line, "REPLAYED", "the bytes of the line before")
    fault.good()
    return fault.close()


def gap(wrong: Role) -> Transcript:
    fault = Fault(wrong, "A number left out", "Nothing after a gap can be trusted.")
    fault.good()
    fault.send(fault.line(n=fault.n + 1), "SEQUENCE_GAP")
    return fault.broken("SEQUENCE_GAP")


def too_long(wrong: Role) -> Transcript:
    fault = Fault(wrong, "A line over the cap", "Refused as soon as the cap is passed; nothing of it is kept.")
    fault.send(b'{"type":"ping","id":"', "LINE_TOO_LONG", fill=(b"x", _CAP[wrong] + 1))
    return fault.broken("LINE_TOO_LONG")


def no_message(wrong: Role) -> Transcript:
    fault = Fault(wrong, "Lines that are no message", "Junk is refused by name and is no bad MAC.")
    fault.send(b"", "BAD_JSON", "an empty line")
    fault.send(b"hello", "BAD_JSON")
    fault.send(b"[1]", "BAD_JSON", "not an object")
    fault.send(b'{"type":"ping"} {}', "BAD_JSON", "two")
    fault.send(b'\xef\xbb\xbf{"type":"ping"}', "BAD_JSON", "a byte order mark")
    fault.send(b'{"type":"\xff"}', "BAD_ENCODING", "not UTF-8")
    fault.send(b'{"type":"ping","id":"\\ud800"}', "BAD_ENCODING", "half a surrogate pair")
    fault.send(b'{"type":"ping","type":"ping"}', "DUPLICATE_KEY")
    fault.send(b'{"type":"ping","n":NaN}', "BAD_NUMBER")
    fault.send(b'{"type":"ping","n":1e3}', "BAD_NUMBER", "an exponent")
    fault.send(b'{"type":"ping","n":9007199254740992}', "BAD_NUMBER", "2^53")
    fault.send(b'{"a":' + b"[" * 64 + b"]" * 64 + b"}", "TOO_DEEP")
    fault.good()
    return fault.close()


def authentic_nonsense(wrong: Role) -> Transcript:
    other = Role.AGENT if wrong is Role.HOST else Role.HOST
    fault = Fault(
        wrong, "Authentic lines with bad content", "A number that can be read is used up; the session goes on."
    )
    body = _ALIVE[wrong]
    cases: tuple[tuple[bytes, str, str], ...] = (
        (fault.line({**body, "extra": 1}), "BAD_SCHEMA", "an unknown field"),
        (fault.line({"type": body["type"]}, n=fault.n + 1), "BAD_SCHEMA", "a field is missing"),
        (fault.line({**body, "id": 1}, n=fault.n + 2), "BAD_SCHEMA", "nothing is coerced"),
        (fault.line(body, n=fault.n + 3, confirmed=True), "BAD_SCHEMA", "an unknown member of security"),
        (fault.line({"type": "surprise"}, n=fault.n + 4), "UNKNOWN_TYPE", ""),
        (fault.line(_ALIVE[other], n=fault.n + 5), "UNKNOWN_TYPE", "a message of the other direction"),
    )
    for line, code, note in cases:
        fault.send(line, code, note)
        fault.n += 1
    fault.send(fault.bare(body, {"x": 1}), "BAD_SCHEMA", "no number: none is used up")
    fault.send(fault.bare(body, {"n": str(fault.n)}), "BAD_SCHEMA", "a number as text: none is used up")
    twice = fault.line().replace(b'"id":"1"', b'"id":"1","id":"1"')
    fault.send(fault.scribe.signed_anew(wrong, twice), "DUPLICATE_KEY", "not decoded: no number is used up")
    fault.good()
    return fault.close()


def second_init() -> Transcript:
    fault = Fault(Role.HOST, "A second init", "There is one init, as the first line.")
    line = fault.scribe.transcript.entries[0].line
    fault.send(line, "SECOND_INIT")
    return fault.broken("SECOND_INIT")


def no_init() -> Transcript:
    scribe = Scribe("A first line that is no init", "No key, no answer: sgclaw closes the pipe.", host="channel")
    scribe.by_hand(Role.HOST, b'{"type":"ping","id":"1"}', refused="HANDSHAKE_FAILED")
    scribe.end(Role.AGENT)
    return scribe.transcript


def ready_twice() -> Transcript:
    fault = Fault(Role.AGENT, "ready twice", "Legal once, as the first line.")
    fault.scribe.agent(fault.scribe.ready(), refused="BAD_STATE")
    fault.n += 1
    fault.good()
    return fault.close()


def commands_out_of_turn() -> Transcript:
    fault = Fault(Role.AGENT, "Commands out of turn", "A repeated command runs once; a left out one ends the session.")
    scribe = fault.scribe
    seq = scribe.command("getText", {"selector": "h1"})
    line = scribe.transcript.entries[-1].line
    scribe.answer(seq, {"text": "财务系统"})
    fault.send(line, "REPLAYED", "the bytes of the command before")
    body = {"type": "command", "seq": 3, "action": "reload", "params": {}, "task_id": "t1", "deadline_ms": 30_000}
    fault.send(scribe.authentic(Role.AGENT, body, {"expected_domain": ERP_HOST}), "SEQUENCE_GAP", "seq 2 never came")
    return fault.broken("SEQUENCE_GAP")


def responses() -> Transcript:
    scribe = Scribe("Responses nobody waits for", "Late, second, unknown, or to other bytes.", host="channel").open()
    first = scribe.command("getText", {"selector": "h1"})
    scribe.answer(first, {"text": "财务系统"})
    scribe.answer(first, {"text": "财务系统"}, refused="REPLAYED", note="a second response")
    second = scribe.command("waitForSelector", {"selector": ".done"})
    scribe.agent(CancelCommand(seq=second), note="the deadline passed, or the task was stopped")
    scribe.answer(second, {"found": True}, refused="LATE_RESPONSE")
    scribe.answer(second, {"found": True}, refused="REPLAYED", note="late once, then a repeat like any other")
    third = scribe.command("getText", {"selector": "h1"})
    body = {"type": "response", "seq": 9, "success": True, "data": {"text": "x"}}
    n = 5
    line = scribe.authentic(Role.HOST, body, {"n": n, "re": scribe.mac_of(third)})
    scribe.by_hand(Role.HOST, line, refused="UNKNOWN_SEQ", note="no such command was ever sent")
    line = scribe.authentic(Role.HOST, {**body, "seq": third}, {"n": n + 1, "re": scribe.mac_of(first)})
    scribe.by_hand(Role.HOST, line, refused="BAD_HMAC", note="`re` is not the MAC of the command it answers")
    scribe.answer(third, {"text": "财务系统"}, note="the command still waits, and takes the right answer")
    return scribe.close()


_BOTH: Final[Mapping[str, Callable[[Role], Transcript]]] = {
    "bad-mac": bad_mac,
    "three-bad-macs": three_bad_macs,
    "repeated": repeated,
    "gap": gap,
    "too-long": too_long,
    "no-message": no_message,
    "authentic-nonsense": authentic_nonsense,
}

STORIES: Final[Mapping[str, Callable[[], Transcript]]] = {
    **{f"3{at}-host-{name}": partial(story, Role.HOST) for at, (name, story) in enumerate(_BOTH.items())},
    "38-host-second-init": second_init,
    "39-host-no-init": no_init,
    **{f"4{at}-agent-{name}": partial(story, Role.AGENT) for at, (name, story) in enumerate(_BOTH.items())},
    "48-agent-ready-twice": ready_twice,
    "49-agent-commands-out-of-turn": commands_out_of_turn,
    "50-host-responses": responses,
}
