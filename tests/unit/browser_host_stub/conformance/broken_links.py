"""Breakages on the way of the lines. Each knows both keys and makes whole lines again, so that one thing is wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from browser_host_stub.link import Link
from sgclaw.errors import WireError
from sgclaw.protocol.signing import Role, derive_key, open_sealed, seal
from sgclaw.protocol.strict import encode

Json = dict[str, Any]


@dataclass(frozen=True)
class Keys:
    session_key: bytes
    trace_id: str

    def of(self, role: Role) -> bytes:
        return derive_key(self.session_key, self.trace_id, role)


class TamperedLink(Link):
    """Passes lines on through `outgoing` and `incoming`; numbers stay without gaps whatever they drop or add."""

    def __init__(self, link: Link, keys: Keys) -> None:
        self._link = link
        self._host, self._agent = keys.of(Role.HOST), keys.of(Role.AGENT)
        self._n = 0

    async def receive(self) -> bytes | None:
        while (line := await self._link.receive()) is not None:
            changed = self.incoming(line)
            if changed is not None:
                return changed
        return None

    async def send(self, line: bytes) -> None:
        if line.startswith(b'{"type":"init"'):
            await self._link.send(line)
            return
        body, security, _ = open_sealed(line.removesuffix(b"\n"), self._host)
        for changed, changed_security in self.outgoing(body, security):
            self._n += 1
            await self._link.send(self.write(changed, {**changed_security, "n": self._n}))

    async def close(self) -> None:
        await self._link.close()

    def write(self, body: Json, security: Json) -> bytes:
        return seal(body, security, self._host)[0] + b"\n"

    def opened(self, line: bytes) -> tuple[Json, Json] | None:
        try:
            body, security, _ = open_sealed(line, self._agent)
        except WireError:
            return None
        return body, security

    def resealed(self, body: Json, security: Json) -> bytes:
        return seal(body, security, self._agent)[0]

    def incoming(self, line: bytes) -> bytes | None:
        return line

    def outgoing(self, body: Json, security: Json) -> list[tuple[Json, Json]]:
        return [(body, security)]


class Unsigned(TamperedLink):
    def write(self, body: Json, security: Json) -> bytes:
        return encode({**body, "security": security}) + b"\n"


class WrongRe(TamperedLink):
    def outgoing(self, body: Json, security: Json) -> list[tuple[Json, Json]]:
        return [(body, {name: "0" * 64 if name == "re" else value for name, value in security.items()})]


class Twice(TamperedLink):
    """A second response for each."""

    def outgoing(self, body: Json, security: Json) -> list[tuple[Json, Json]]:
        return [(body, security)] * (2 if body["type"] == "response" else 1)


class NoEvents(TamperedLink):
    def outgoing(self, body: Json, security: Json) -> list[tuple[Json, Json]]:
        return [] if body["type"] == "page_event" else [(body, security)]


class TellsUnlisted(TamperedLink):
    """Lists a page of an unlisted origin."""

    def outgoing(self, body: Json, security: Json) -> list[tuple[Json, Json]]:
        data = body.get("data")
        if isinstance(data, dict) and "pages" in data:
            stranger = {"id": "p99", "url": "https://unlisted.example/secret"}
            body = {**body, "data": {**data, "pages": [*data["pages"], stranger]}}
        return [(body, security)]


class Renumbered(TamperedLink):
    """Takes commands whatever their number is."""

    def __init__(self, link: Link, keys: Keys) -> None:
        super().__init__(link, keys)
        self._given: list[tuple[int, str]] = []

    def incoming(self, line: bytes) -> bytes | None:
        found = self.opened(line)
        if found is None or found[0]["type"] != "command":
            return line
        body, security = found
        self._given.append((body["seq"], line[-67:-3].decode()))
        return self.resealed({**body, "seq": len(self._given)}, security)

    def outgoing(self, body: Json, security: Json) -> list[tuple[Json, Json]]:
        if body["type"] != "response":
            return [(body, security)]
        seq, mac = self._given[body["seq"] - 1]
        return [({**body, "seq": seq}, {**security, "re": mac})]


class ChangedCommands(TamperedLink):
    """Carries out another command than was sent."""

    def __init__(self, link: Link, keys: Keys) -> None:
        super().__init__(link, keys)
        self._macs: dict[int, str] = {}

    def changed(self, body: Json, security: Json) -> tuple[Json, Json]:
        return body, security

    def incoming(self, line: bytes) -> bytes | None:
        found = self.opened(line)
        if found is None or found[0]["type"] != "command":
            return line
        self._macs[found[0]["seq"]] = line[-67:-3].decode()
        return self.resealed(*self.changed(*found))

    def outgoing(self, body: Json, security: Json) -> list[tuple[Json, Json]]:
        if body["type"] != "response":
            return [(body, security)]
        return [(body, {**security, "re": self._macs.get(body["seq"], security["re"])})]


class NoDeadline(ChangedCommands):
    def changed(self, body: Json, security: Json) -> tuple[Json, Json]:
        return {**body, "deadline_ms": 600_000}, security


class IgnoresCancel(TamperedLink):
    """Takes note of `cancel_command` and goes on."""

    def incoming(self, line: bytes) -> bytes | None:
        found = self.opened(line)
        if found is None or found[0]["type"] != "cancel_command":
            return line
        return self.resealed({**found[0], "seq": 9_999}, found[1])


LINKS: Mapping[str, Callable[[Link, Keys], Link]] = {
    "does-not-sign": Unsigned,
    "wrong-re": WrongRe,
    "second-response": Twice,
    "forgets-page-events": NoEvents,
    "lists-unlisted-pages": TellsUnlisted,
    "accepts-any-number": Renumbered,
    "no-deadline": NoDeadline,
    "ignores-cancel": IgnoresCancel,
}
