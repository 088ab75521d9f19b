"""One end of a signed session: turns messages into lines and lines into messages, in both roles.

Pure: bytes in, messages out, typed errors. The order of checks on a received line is fixed here: byte cap (framer)
→ MAC → strict decoding → number → type for this direction → shape → legal now. Nothing is used before all of them
passed.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import ValidationError

from sgclaw.errors import WireCode, WireError
from sgclaw.protocol.limits import MAX_BAD_HMACS, MAX_LINE_FROM_AGENT, MAX_LINE_FROM_HOST
from sgclaw.protocol.messages import FROM_AGENT, FROM_HOST, Command, Init, Message, Response
from sgclaw.protocol.params import place_of
from sgclaw.protocol.session import Phase, Sequence, advance
from sgclaw.protocol.signing import Role, derive_key, open_sealed, seal
from sgclaw.protocol.strict import JsonObject, decode, encode

OUTGOING_CAP = {Role.AGENT: MAX_LINE_FROM_AGENT, Role.HOST: MAX_LINE_FROM_HOST}
_TABLE = {Role.AGENT: FROM_AGENT, Role.HOST: FROM_HOST}


@dataclass(frozen=True, slots=True)
class Received:
    """An authentic message, with what its `security` member said."""

    message: Message
    mac: str
    n: int | None = None
    """The line's number, where it is not a command."""
    expected_domain: str | None = None
    re: str | None = None


def parse(body: JsonObject, sender: Role) -> Message:
    """Make the typed message; raises `UNKNOWN_TYPE` or `BAD_SCHEMA`."""
    kind = body.get("type")
    model = _TABLE[sender].get(kind) if isinstance(kind, str) else None
    if model is None:
        raise WireError(WireCode.UNKNOWN_TYPE, "这个方向没有这种消息")
    try:
        return model.model_validate(body)
    except ValidationError as error:
        fields = [place_of(item) for item in error.errors(include_input=False)[:10]]
        raise WireError(WireCode.BAD_SCHEMA, "消息内容不符合规定", facts={"fields": fields}) from None


def dump(message: Message) -> JsonObject:
    """Plain JSON of a message: `type` first, absent optional fields left out."""
    body = message.model_dump(mode="json", exclude_none=True)
    return {"type": body.pop("type"), **body}


def read_init(line: bytes) -> Init:
    """Decode the first line of a session; any fault is `HANDSHAKE_FAILED`."""
    try:
        message = parse(decode(line), Role.HOST)
    except WireError as error:
        raise WireError(WireCode.HANDSHAKE_FAILED, "第一行不是可用的 init", facts={"why": error.code}) from None
    if not isinstance(message, Init):
        raise WireError(WireCode.HANDSHAKE_FAILED, "第一行必须是 init", facts={"why": WireCode.BAD_STATE.value})
    return message


class Channel:
    """Signing, numbering and checking for one role. Both keys live here and nowhere else."""

    def __init__(self, role: Role, session_key: bytes, trace_id: str) -> None:
        self._role = role
        self._peer = Role.HOST if role is Role.AGENT else Role.AGENT
        self._key_out = derive_key(session_key, trace_id, role)
        self._key_in = derive_key(session_key, trace_id, self._peer)
        self._numbers_out, self._numbers_in = Sequence(), Sequence()
        self._seq_out, self._seq_in = Sequence(), Sequence()
        self._phase_in = Phase.OPEN if role is Role.AGENT else Phase.NEW
        self._bad_hmacs = 0

    @property
    def phase(self) -> Phase:
        """Phase of the receiving direction."""
        return self._phase_in

    @property
    def upcoming_seq(self) -> int:
        """The number the next command must carry."""
        return self._seq_out.upcoming

    @property
    def last_n(self) -> int:
        """The number of the line sealed last that was not a command."""
        return self._numbers_out.upcoming - 1

    def seal(self, message: Message) -> bytes:
        """The signed line (with newline) of any message but a command or a response."""
        line, _ = self._finish(dump(message), {"n": self._numbers_out.upcoming})
        self._numbers_out.take()
        return line

    def seal_command(self, command: Command, expected_domain: str) -> tuple[bytes, str]:
        """The signed line of the command numbered `upcoming_seq`, and its MAC, which its response must name."""
        sealed = self._finish(dump(command), {"expected_domain": expected_domain})
        self._seq_out.take()
        return sealed

    def seal_response(self, response: Response, re: str) -> bytes:
        """The signed line of a response to the command whose MAC is `re`."""
        line, _ = self._finish(dump(response), {"n": self._numbers_out.upcoming, "re": re})
        self._numbers_out.take()
        return line

    def _finish(self, body: JsonObject, security: JsonObject) -> tuple[bytes, str]:
        line, mac = seal(body, security, self._key_out)
        if len(line) + 1 > OUTGOING_CAP[self._role]:
            raise WireError(WireCode.TOO_LARGE, "要发送的消息超过长度上限", facts={"bytes": len(line)})
        return line + b"\n", mac

    def receive(self, line: bytes) -> Received:
        """Check one line completely and return its message; raises `WireError`."""
        try:
            body, security, mac = open_sealed(line, self._key_in)
        except WireError as error:
            raise self.counted(error) from None
        self._consume_number(body, security)
        message = parse(body, self._peer)
        received = _with_security(message, security, mac)
        self._phase_in = advance(self._phase_in, message.type)
        return received

    def _consume_number(self, body: JsonObject, security: JsonObject) -> None:
        """Authentic lines use their number up even when their content is refused, else the next line would be a gap."""
        is_command = "expected_domain" in security
        number = body.get("seq") if is_command else security.get("n")
        if not isinstance(number, int) or isinstance(number, bool):
            raise WireError(WireCode.BAD_SCHEMA, "消息没有可用的序号")
        (self._seq_in if is_command else self._numbers_in).accept(number)

    def counted(self, error: WireError) -> WireError:
        """The error to raise for a refused line: the third `BAD_HMAC` of a session becomes the fatal one."""
        if error.code == WireCode.BAD_HMAC:
            self._bad_hmacs += 1
            if self._bad_hmacs >= MAX_BAD_HMACS:
                return WireError(WireCode.TOO_MANY_BAD_HMAC, "多次收到签名不符的消息")
        return error


_SECURITY_MEMBERS: dict[type[Message], tuple[str, ...]] = {Command: ("expected_domain",), Response: ("n", "re")}


def _with_security(message: Message, security: JsonObject, mac: str) -> Received:
    """Bind what `security` says to the message; it must hold exactly the members of this message's kind."""
    names = _SECURITY_MEMBERS.get(type(message), ("n",))
    texts = [security.get(name) for name in names if name != "n"]
    if set(security) != set(names) or not all(isinstance(text, str) for text in texts):
        raise WireError(WireCode.BAD_SCHEMA, f"security 必须正好含有 {'、'.join(names)} 和 hmac")
    domain, answers = security.get("expected_domain"), security.get("re")
    number = security.get("n")
    return Received(
        message,
        mac,
        n=number if isinstance(number, int) else None,
        expected_domain=domain if isinstance(domain, str) else None,
        re=answers if isinstance(answers, str) else None,
    )


def encode_init(init: Init) -> bytes:
    """The unsigned first line, with newline."""
    return encode(dump(init)) + b"\n"
