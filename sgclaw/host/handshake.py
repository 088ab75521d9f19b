"""The first line of a session: cut lines from a carrier, read `init`, make the channel."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass, field

from sgclaw.errors import BadPolicyError, HostGoneError, WireCode, WireError
from sgclaw.host.carrier import FdCarrier
from sgclaw.policy.model import Policy, parse_policy
from sgclaw.protocol import PROTOCOL
from sgclaw.protocol.channel import Channel, read_init
from sgclaw.protocol.framing import LineFramer
from sgclaw.protocol.limits import MAX_LINE_FROM_HOST
from sgclaw.protocol.messages import Bye, Init
from sgclaw.protocol.signing import Role


class LineSource:
    """Lines of one carrier."""

    def __init__(self, carrier: FdCarrier) -> None:
        self._carrier = carrier
        self._framer = LineFramer(MAX_LINE_FROM_HOST)
        self._lines: Iterator[bytes] = iter(())

    async def next(self) -> bytes | None:
        """The next whole line, or None at the end of the stream (a partial line is never one)."""
        while True:
            for line in self._lines:
                return line
            chunk = await self._carrier.read()
            if not chunk:
                return None
            self._lines = self._framer.feed(chunk)

    def reply(self, line: bytes) -> None:
        """Queue one line for the peer: the last word of a session that cannot begin."""
        self._carrier.put(line)


@dataclass(frozen=True, slots=True)
class Opened:
    """What the first line brought. The key itself is not kept: only the channel's derived keys are."""

    trace_id: str
    policy: Policy
    channel: Channel = field(repr=False)
    init: Init = field(repr=False)


async def open_session(lines: LineSource) -> Opened:
    """Read the first line; raises `HANDSHAKE_FAILED`, `BAD_POLICY` (after a signed `bye` that says so) or
    `HOST_GONE`.
    """
    line = await lines.next()
    if line is None:
        raise HostGoneError("浏览器没有发送 init 就关闭了连接")
    init = read_init(line)
    if init.protocol != PROTOCOL:
        raise WireError(WireCode.HANDSHAKE_FAILED, f"对端的协议是 {init.protocol[:32]}，这里需要 {PROTOCOL}")
    key = base64.urlsafe_b64decode(init.session_key.rstrip("=") + "=")
    channel = Channel(Role.AGENT, key, init.trace_id)
    public = init.model_copy(update={"session_key": "", "policy": ""})
    try:
        policy = parse_policy(init.policy)
    except BadPolicyError as error:
        lines.reply(channel.seal(Bye(reason=error.code)))
        raise
    return Opened(init.trace_id, policy, channel, public)
