"""Refused lines, and a pipe that is gone."""

from __future__ import annotations

from enum import StrEnum

from sgclaw.errors.base import Facts, Fault, SgClawError


class WireCode(StrEnum):
    """Why a line was refused."""

    BAD_ENCODING = "BAD_ENCODING"  # not strict UTF-8, or text with a lone surrogate
    BAD_JSON = "BAD_JSON"  # not exactly one JSON object
    DUPLICATE_KEY = "DUPLICATE_KEY"  # compared after unescaping
    BAD_NUMBER = "BAD_NUMBER"  # NaN, Infinity, an exponent, an integer outside ±(2⁵³−1)
    TOO_DEEP = "TOO_DEEP"
    TOO_LARGE = "TOO_LARGE"  # too many values in one line
    LINE_TOO_LONG = "LINE_TOO_LONG"
    BAD_SCHEMA = "BAD_SCHEMA"
    UNKNOWN_TYPE = "UNKNOWN_TYPE"  # no message of this type goes in this direction
    BAD_HMAC = "BAD_HMAC"  # the message's number is not consumed
    TOO_MANY_BAD_HMAC = "TOO_MANY_BAD_HMAC"
    TOO_MANY_REFUSED = "TOO_MANY_REFUSED"  # junk without end
    REPLAYED = "REPLAYED"
    SEQUENCE_GAP = "SEQUENCE_GAP"  # the pipe is lossless: nothing after a gap can be trusted
    UNKNOWN_SEQ = "UNKNOWN_SEQ"  # a response to no outstanding command
    LATE_RESPONSE = "LATE_RESPONSE"
    BAD_STATE = "BAD_STATE"
    SECOND_INIT = "SECOND_INIT"
    HANDSHAKE_FAILED = "HANDSHAKE_FAILED"


FATAL_WIRE_CODES = frozenset(
    {
        WireCode.LINE_TOO_LONG,
        WireCode.TOO_MANY_BAD_HMAC,
        WireCode.TOO_MANY_REFUSED,
        WireCode.SEQUENCE_GAP,
        WireCode.SECOND_INIT,
        WireCode.HANDSHAKE_FAILED,
    }
)
"""Codes that end the session; after any other the line is dropped and the session goes on."""


class WireError(SgClawError):
    """The peer sent a line that cannot be used."""

    fault = Fault.PEER
    default_next_step = "请核对对端的协议实现（docs/protocol.md）"

    def __init__(self, code: WireCode, cause: str, *, facts: Facts | None = None) -> None:
        super().__init__(cause, facts=facts)
        self.code = code.value

    @property
    def fatal(self) -> bool:
        """Whether the session ends with this line."""
        return self.code in FATAL_WIRE_CODES


class HostGoneError(SgClawError):
    """The other end of the pipe closed or died."""

    code = "HOST_GONE"
    fault = Fault.PEER
    default_next_step = "请确认浏览器仍在运行，然后重新提交任务；已执行到哪一步可用 sgclaw audit show 查看"


class TooManyOutstandingError(SgClawError):
    """More commands in flight than the protocol allows."""

    code = "TOO_MANY_OUTSTANDING"
    default_next_step = "请等待前面的操作完成"
