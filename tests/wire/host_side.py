"""The stub's real host session in front of a transcript's sgclaw: what it says must be the golden bytes."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Final

from browser_host_stub.link import link_over
from browser_host_stub.session import HostOptions, HostSession
from sgclaw.protocol.messages import Init
from sgclaw.protocol.signing import Role
from tests.wire.compare import must_be
from tests.wire.ends import Outgoing, key_bytes
from tests.wire.scripted import ScriptedDriver, ScriptedPerson
from tests.wire.transcript import Entry, Transcript

BY_ITSELF: Final = frozenset({"response", "approval", "answer", "protocol_error"})
"""What a host says because of what it received or what its person said."""
SECONDS: Final = 10


class HostSide:
    """One replay."""

    def __init__(self, transcript: Transcript, folder: Path) -> None:
        self._transcript = transcript
        self._to_agent, self._to_host = os.pipe(), os.pipe()
        self._driver = ScriptedDriver(transcript, folder)
        self._buffer = b""
        self._hung_up = False

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
                        must_be(await self._read(), entry.whole)
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
            session_key=key_bytes(self._transcript.session_key),
            approver=ScriptedPerson(self._transcript),
        )
        return HostSession(link, self._driver, options)

    async def _from_agent(self, entry: Entry) -> None:
        if entry.eof:
            os.close(self._to_host[1])
            self._hung_up = True
            return
        await asyncio.to_thread(_write_all, self._to_host[1], entry.whole)

    async def _from_host(self, host: HostSession, entry: Entry) -> None:
        if entry.eof:
            await host.hang_up()
            must_be(await self._read(), b"")
            return
        if entry.kind not in BY_ITSELF:
            message = Outgoing.of(entry.line, Role.HOST).message
            await host.send(message)
        must_be(await self._read(), entry.whole)

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
