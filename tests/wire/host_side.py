"""The stub's real host session in front of a transcript's sgclaw.

A host makes its own random key, so lines cannot be compared as they are. Everything in them can: lines of the
transcript are signed again with the session's key before they go in, lines that come out are checked, signed again with
the transcript's key, and must then be the golden bytes.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import os
from pathlib import Path
from typing import Final

from browser_host_stub.link import link_over
from browser_host_stub.session import HostOptions, HostSession
from sgclaw.errors import WireError
from sgclaw.protocol.messages import Init
from sgclaw.protocol.signing import Role, derive_key, open_sealed, verify
from tests.wire.ends import Outgoing, key_bytes
from tests.wire.scripted import ScriptedDriver, ScriptedPerson
from tests.wire.signing import must_be, signed_again
from tests.wire.transcript import Entry, Transcript

BY_ITSELF: Final = frozenset({"response", "approval", "answer", "protocol_error"})
"""What a host says because of what it received or what its person said."""
SECONDS: Final = 10


class Names:
    """Hex texts that differ between the session and the transcript: MACs, and digests of lines that hold them."""

    def __init__(self) -> None:
        self._golden: dict[bytes, bytes] = {}

    def learn(self, live: bytes, golden: bytes) -> None:
        """A line of the session and the line of the transcript that it stands for."""
        self._golden[hashlib.sha256(live).hexdigest().encode()] = hashlib.sha256(golden).hexdigest().encode()
        self._golden[live[-67:-3]] = golden[-67:-3]

    def translate(self, signed_part: bytes) -> bytes:
        """What is signed, in the transcript's names."""
        for live, golden in self._golden.items():
            signed_part = signed_part.replace(live, golden)
        return signed_part


class HostSide:
    """One replay."""

    def __init__(self, transcript: Transcript, folder: Path) -> None:
        self._transcript = transcript
        self._to_agent, self._to_host = os.pipe(), os.pipe()
        self._driver = ScriptedDriver(transcript, folder)
        self._names = Names()
        self._buffer = b""
        self._hung_up = False
        golden = key_bytes(transcript.session_key)
        self._golden_keys = {role: derive_key(golden, transcript.trace_id, role) for role in Role}
        self._live_keys: dict[Role, bytes] = {}

    async def replay(self) -> None:
        """Go through the transcript; raises `AssertionError` at the first difference."""
        host = await self._host()
        running = asyncio.create_task(host.run())
        starting: asyncio.Task[object] | None = None
        try:
            async with asyncio.timeout(SECONDS):
                for entry in self._transcript.entries:
                    if entry.sender is Role.AGENT:
                        await self._from_agent(entry)
                    elif entry.kind == "init":
                        starting = asyncio.create_task(host.start())
                        await self._greeted(entry)
                    else:
                        await self._from_host(host, entry)
                await running
        finally:
            running.cancel()
            await asyncio.gather(running, *([starting] if starting else []), return_exceptions=True)
            os.close(self._to_agent[0])
            if not self._hung_up:
                os.close(self._to_host[1])

    async def _host(self) -> HostSession:
        link = await link_over(self._to_host[0], self._to_agent[1])
        init = Outgoing.of(self._transcript.entries[0].line, Role.HOST).message
        assert isinstance(init, Init)
        options = HostOptions(
            policy=init.policy,
            trace_id=init.trace_id,
            state_dir=init.state_dir,
            audit_head=init.audit_head,
            name=init.host.name,
            version=init.host.version,
            approver=ScriptedPerson(self._transcript),
        )
        return HostSession(link, self._driver, options)

    async def _greeted(self, entry: Entry) -> None:
        line = await self._read()
        text = str(json.loads(line)["session_key"])
        key = base64.urlsafe_b64decode(text + "=")
        self._live_keys = {role: derive_key(key, self._transcript.trace_id, role) for role in Role}
        must_be(line.replace(text.encode(), self._transcript.session_key.encode()), entry.whole)

    async def _from_agent(self, entry: Entry) -> None:
        if entry.eof:
            os.close(self._to_host[1])
            self._hung_up = True
            return
        await asyncio.to_thread(_write_all, self._to_host[1], self._live(entry))

    def _live(self, entry: Entry) -> bytes:
        """The entry's bytes, signed with the session's key if they were signed with the transcript's."""
        if entry.fill is not None:
            return entry.whole
        line = entry.line
        try:
            verify(line, self._golden_keys[Role.AGENT])
        except WireError:
            live = line
        else:
            live = signed_again(line, self._live_keys[Role.AGENT])
        self._names.learn(live, line)
        return live + b"\n"

    async def _from_host(self, host: HostSession, entry: Entry) -> None:
        if entry.eof:
            await host.hang_up()
            must_be(await self._read(), b"")
            return
        if entry.kind not in BY_ITSELF:
            message = Outgoing.of(entry.line, Role.HOST).message
            await host.send(message)
        line = (await self._read()).removesuffix(b"\n")
        open_sealed(line, self._live_keys[Role.HOST])
        golden = signed_again(line, self._golden_keys[Role.HOST], self._names.translate)
        must_be(golden, entry.line)
        self._names.learn(line, golden)

    async def _read(self) -> bytes:
        while b"\n" not in self._buffer:
            chunk = await asyncio.to_thread(os.read, self._to_agent[0], 65_536)
            if not chunk:
                return self._buffer
            self._buffer += chunk
        line, newline, self._buffer = self._buffer.partition(b"\n")
        return line + newline


def _write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]
