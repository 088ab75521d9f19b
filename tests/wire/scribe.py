"""Writes a transcript by letting two real channels talk: what a line looks like is the code's word, not ours."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Mapping
from typing import Any, Final

from sgclaw import __version__
from sgclaw.errors import WireCode, WireError
from sgclaw.protocol import PROTOCOL
from sgclaw.protocol.actions import spec_of
from sgclaw.protocol.messages import AuditHead, Bye, Command, Init, Message, ProtocolError, Ready, Response, Shutdown
from sgclaw.protocol.parts import HostInfo, SkillTag, WireFault
from sgclaw.protocol.results import PageInfo
from sgclaw.protocol.signing import Role, seal
from tests.wire.ends import PEER, Outgoing, deliver, ends_of
from tests.wire.transcript import Entry, Transcript

TEST_ONLY_KEY: Final = bytes(range(32))
TRACE: Final = "sgclaw-20260303-0a1b2c3d"
ERP, OA = "https://erp.example.com", "https://oa.example.com"
ERP_HOST, OA_HOST = "erp.example.com", "oa.example.com"
POLICY: Final = '{"version":1,"origins":["https://erp.example.com","https://oa.example.com"]}'
HOST: Final = HostInfo(name="SuperRPA", version="1.0.0")
HOME: Final = {"id": "p1", "url": f"{ERP}/", "title": "首页", "version": 1}


def digest(text: str) -> str:
    """A stable stand-in for a hash of something."""
    return hashlib.sha256(text.encode()).hexdigest()


class Scribe:
    """One transcript in the making. Every refusal has to be announced by its code."""

    def __init__(self, title: str, about: str, **head: Any) -> None:
        key = base64.urlsafe_b64encode(TEST_ONLY_KEY).decode().rstrip("=")
        self.transcript = Transcript(title, about, TRACE, key, **{"pages": {"p1": HOME}, **head})
        self.pages = {name: PageInfo(**page) for name, page in self.transcript.pages.items()}
        self._ends = ends_of(self.transcript)
        self._commands: dict[int, tuple[str, Command]] = {}

    # --- sending ----------------------------------------------------------------------------------------------------

    def host(self, message: Message, *, refused: str | None = None, note: str = "") -> None:
        """A line of the host's own making."""
        self._send(Role.HOST, Outgoing(message), refused, note)

    def agent(self, message: Message, *, refused: str | None = None, note: str = "") -> None:
        """A line of sgclaw's own making."""
        self._send(Role.AGENT, Outgoing(message), refused, note)

    def by_hand(
        self, sender: Role, line: bytes, *, refused: str, note: str = "", fill: tuple[bytes, int] | None = None
    ) -> None:
        """A line that no correct end makes; the receiver answers it with `protocol_error`."""
        self._ends[sender].skip(line)
        self._deliver(Entry(sender, line, by_hand=True, refused=refused, note=note, fill=fill))

    def authentic(self, sender: Role, body: dict[str, Any], security: dict[str, Any]) -> bytes:
        """A line with a right MAC, whatever it says."""
        return seal(body, security, self._ends[sender].key_out)[0]

    def signed_anew(self, sender: Role, line: bytes) -> bytes:
        """The line with a MAC that is right for its bytes, which no encoder of ours would make."""
        part, _, _ = line.rpartition(b',"hmac":"')
        mac = hmac.new(self._ends[sender].key_out, part, hashlib.sha256).hexdigest()
        return b'%s,"hmac":"%s"}}' % (part, mac.encode())

    def unasked(self, message: Message, code: WireCode, cause: str, note: str = "") -> None:
        """A line of the host that is in order for the channel and that sgclaw's session does not wait for."""
        line = self._ends[Role.HOST].seal(Outgoing(message)).removesuffix(b"\n")
        entry = Entry(Role.HOST, line, refused=code.value, session_only=True, note=note)
        if isinstance(deliver(self._ends, entry), WireError):
            raise ValueError(f"{self.transcript.title}: the channel itself refuses {line[:200]!r}")
        self.transcript.entries.append(entry)
        self._object(Role.AGENT, entry, WireError(code, cause))

    def end(self, sender: Role, note: str = "") -> None:
        """The sender closes its end of the pipe."""
        self.transcript.entries.append(Entry(sender, eof=True, note=note))

    def _send(self, sender: Role, outgoing: Outgoing, refused: str | None, note: str) -> None:
        line = self._ends[sender].seal(outgoing)
        self._deliver(Entry(sender, line.removesuffix(b"\n"), refused=refused, note=note))

    def _deliver(self, entry: Entry) -> None:
        got = deliver(self._ends, entry)
        refusal = got if isinstance(got, WireError) else None
        code = refusal.code if refusal else None
        if code != entry.refused:
            raise ValueError(f"{self.transcript.title}: expected {entry.refused}, got {code} for {entry.line[:200]!r}")
        fatal = refusal is not None and refusal.fatal
        self.transcript.entries.append(
            Entry(entry.sender, entry.line, entry.by_hand, code, fatal, note=entry.note, fill=entry.fill)
        )
        if refusal is not None:
            self._object(PEER[entry.sender], entry, refusal)

    def _object(self, receiver: Role, entry: Entry, refusal: WireError) -> None:
        """What the receiver says of a line it refused; of one that was too long it kept nothing."""
        line = entry.line if entry.fill is None else b""
        if refusal.code == "HANDSHAKE_FAILED":
            return
        said = ProtocolError(
            code=refusal.code,
            message=refusal.cause,
            line_sha256=hashlib.sha256(line).hexdigest(),
            line_bytes=len(line),
        )
        self._send(receiver, Outgoing(said), None, "")

    # --- whole exchanges --------------------------------------------------------------------------------------------

    def open(self, *, policy: str = POLICY, **init: Any) -> Scribe:
        """`init` and `ready`."""
        self.host(self.init(policy=policy, **init), note="the only unsigned line: it brings the key")
        self.agent(self.ready(policy))
        return self

    def init(self, **changes: Any) -> Init:
        """The first line of every transcript."""
        fields = {
            "protocol": PROTOCOL,
            "trace_id": TRACE,
            "session_key": self.transcript.session_key,
            "host": HOST,
            "policy": POLICY,
        }
        return Init(**{**fields, **changes})

    def ready(self, policy: str = POLICY) -> Ready:
        """The answer to it."""
        return Ready(protocol=PROTOCOL, version=__version__, policy_sha256=hashlib.sha256(policy.encode()).hexdigest())

    def close(self, reason: str = "") -> Transcript:
        """An orderly end, begun by the host."""
        self.host(Shutdown(reason=reason))
        return self.goodbye("shutdown")

    def goodbye(self, reason: str, *, count: int = 12) -> Transcript:
        """What sgclaw says last, whatever ended the session; then both close."""
        self.agent(AuditHead(count=count, hash=digest("the ledger's last record")))
        self.agent(Bye(reason=reason))
        self.end(Role.AGENT)
        return self.transcript

    def command(
        self,
        action: str,
        params: Mapping[str, object] | None = None,
        *,
        domain: str = ERP_HOST,
        page: str | None = "p1",
        note: str = "",
        **more: Any,
    ) -> int:
        """A command of task `t1` (unless `more` says otherwise); returns its `seq`."""
        spec, named = spec_of(action), params or {}
        deadline = spec.deadline_for(spec.check(named))
        return self.raw_command(action, named, domain=domain, page=page, note=note, deadline_ms=deadline, **more)

    def raw_command(
        self, action: str, params: Mapping[str, object], *, domain: str = ERP_HOST, note: str = "", **more: Any
    ) -> int:
        """A command whatever the action table says."""
        seq = self._ends[Role.AGENT].channel.upcoming_seq
        fields = {"task_id": "t1", "page": "p1", "deadline_ms": 10_000, **more}
        message = Command(seq=seq, action=action, params=dict(params), **fields)
        self._send(Role.AGENT, Outgoing(message, expected_domain=domain), None, note)
        self._commands[seq] = (self.last_mac, message)
        return seq

    @property
    def last_mac(self) -> str:
        """The MAC of the latest line."""
        return self.transcript.entries[-1].line[-67:-3].decode()

    def answer(
        self,
        seq: int,
        data: dict[str, Any],
        *,
        moved: tuple[str, str] | None = None,
        page: str | None = "",
        refused: str | None = None,
        note: str = "",
        **more: Any,
    ) -> None:
        """The response of a command that succeeded. `moved` is the address and title of its page then; `page` is
        another page to tell of, or None to tell of none.
        """
        mac, command = self._commands[seq]
        result = spec_of(command.action).result.model_validate(data).model_dump(mode="json", exclude_none=True)
        facts = None if page is None else self._page(page or command.page or "p1", moved)
        self._respond(Response(seq=seq, success=True, data=result, page=facts, **more), mac, refused, note)

    def fail(
        self,
        seq: int,
        code: str,
        message: str,
        facts: dict[str, Any] | None = None,
        *,
        note: str = "",
        refused: str | None = None,
    ) -> None:
        """The response of a command that did not succeed."""
        fault = WireFault(code=code, message=message, facts=facts or {})
        self._respond(Response(seq=seq, success=False, error=fault), self._commands[seq][0], refused, note)

    def _respond(self, response: Response, re: str, refused: str | None, note: str) -> None:
        self._send(Role.HOST, Outgoing(response, re=re), refused, note)

    def _page(self, page_id: str, moved: tuple[str, str] | None) -> PageInfo:
        page = self.pages[page_id]
        if moved is not None:
            page = page.model_copy(update={"url": moved[0], "title": moved[1], "version": page.version + 1})
        self.pages[page_id] = page
        return page

    def mac_of(self, seq: int) -> str:
        """The MAC of a command."""
        return self._commands[seq][0]


def skill_tag(ref: str, source: str) -> SkillTag:
    """The tag of a skill whose file holds `source`."""
    return SkillTag(ref=ref, sha256=digest(source))
