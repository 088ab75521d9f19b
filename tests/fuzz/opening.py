"""The first line of a session: a channel with a 32-byte key and a policy, or a refusal that keeps the key to itself."""

from __future__ import annotations

import json
from collections.abc import Coroutine

from sgclaw.errors import BadPolicyError, WireCode, WireError
from sgclaw.host.handshake import LineSource, Opened, open_session
from sgclaw.protocol import PROTOCOL
from sgclaw.protocol.signing import Role
from sgclaw.protocol.strict import encode
from tests.fuzz.echo import echoed, words
from tests.unit.protocol.samples import BODIES


class OneLine(LineSource):
    """A pipe that holds one line; remembers what was answered."""

    def __init__(self, line: bytes) -> None:
        self._line = line
        self.answers: list[bytes] = []

    async def next(self) -> bytes | None:
        return self._line

    def reply(self, line: bytes) -> None:
        self.answers.append(line)


def _run(work: Coroutine[object, None, Opened]) -> Opened:
    """Nothing in it waits, so that no loop is needed."""
    try:
        work.send(None)
    except StopIteration as done:
        opened: Opened = done.value
        return opened
    raise AssertionError("the handshake waited for more than its line")


def one_input(data: bytes) -> None:
    """The first line itself."""
    lines = OneLine(data)
    try:
        opened = _run(open_session(lines))
    except WireError as error:
        assert error.code == WireCode.HANDSHAKE_FAILED
        assert lines.answers == []
        named = "协议是" in error.cause  # it says which protocol the other side speaks
        assert named or not echoed(words(error), data)
        return
    except BadPolicyError as error:
        (answer,) = lines.answers
        assert b'"reason":"BAD_POLICY"' in answer
        assert not echoed([error.code, json.loads(answer)["reason"]], data)
        return
    assert opened.init.protocol == PROTOCOL
    assert (opened.init.session_key, opened.init.policy) == ("", "")
    key = json.loads(data)["session_key"]
    assert key not in repr(opened)
    assert lines.answers == []


def seeds() -> list[bytes]:
    """A usable line and nearly usable ones."""
    body = BODIES[Role.HOST]["init"]
    policy = (
        '{"version":1,"origins":["https://erp.example.com"],"denied_actions":["click"],"irreversible_labels":["x"],'
        '"grants":[{"skill":"a","action":"click","origin":"https://erp.example.com"}]}'
    )
    return [
        encode(body),
        encode({**body, "policy": policy}),
        encode({**body, "policy": "{}"}),
        encode({**body, "protocol": "sgclaw-pipe/2"}),
        encode({**body, "session_key": "A" * 43 + "="}),
        encode({**body, "session_key": "A" * 42}),
        encode(BODIES[Role.HOST]["ping"]),
    ]
