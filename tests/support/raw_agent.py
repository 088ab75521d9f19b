"""sgclaw's end of a session in the hands of a test."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import os
from pathlib import Path
from typing import Any, Generic, TypeVar

from browser_host_stub.approvals import Approver
from browser_host_stub.driver import Driver
from browser_host_stub.link import link_over
from browser_host_stub.memory.driver import MemoryDriver
from browser_host_stub.session import HostOptions, HostSession
from sgclaw.policy.model import policy_document
from sgclaw.protocol.channel import Channel, read_init
from sgclaw.protocol.messages import Command, Message, Ready
from sgclaw.protocol.signing import Role
from tests.support.wire import ERP, SITE

ERP_HOST, OA = "erp.example.com", "https://oa.example.com"
D = TypeVar("D", bound=Driver)


class AgentEnd(Generic[D]):
    """sgclaw's end as bare descriptors, over any browser: whatever it likes to send."""

    def __init__(self, driver: D, policy: str, approver: Approver) -> None:
        self.to_agent, self.to_host = os.pipe(), os.pipe()
        self.driver, self.policy, self.approver = driver, policy, approver
        self.seen: list[Message] = []
        self._buffer = b""

    async def open(self) -> asyncio.Task[None]:
        link = await link_over(self.to_host[0], self.to_agent[1])
        options = HostOptions(
            policy=self.policy, trace_id="sgclaw-20260402-0000abcd", approver=self.approver, observer=self.seen.append
        )
        self.host = HostSession(link, self.driver, options)
        running = asyncio.create_task(self.host.run())
        starting = asyncio.create_task(self.host.start())
        init = read_init((await self.line()).encode())
        key = base64.urlsafe_b64decode(init.session_key + "=")
        self.channel = Channel(Role.AGENT, key, init.trace_id)
        digest = hashlib.sha256(init.policy.encode()).hexdigest()
        self.write(self.channel.seal(Ready(protocol=init.protocol, version="0", policy_sha256=digest)))
        await starting
        return running

    async def close(self, running: asyncio.Task[None]) -> None:
        """End sgclaw's end and wait for the host's."""
        os.close(self.to_host[1])
        async with asyncio.timeout(5):
            await running
        os.close(self.to_agent[0])

    def write(self, line: bytes) -> None:
        os.write(self.to_host[1], line)

    async def line(self, patience_s: float = 20.0) -> str:
        async with asyncio.timeout(patience_s):
            while b"\n" not in self._buffer:
                self._buffer += await asyncio.to_thread(os.read, self.to_agent[0], 65536)
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode()

    async def read(self, patience_s: float = 20.0) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(await self.line(patience_s))
        return message


class RawAgent(AgentEnd[MemoryDriver]):
    """sgclaw's end over the in-memory browser."""

    def __init__(self, folder: Path, approver: Approver, *, grants: list[dict[str, str]] | None = None) -> None:
        driver = MemoryDriver(SITE, folder, start=f"{ERP}/")
        super().__init__(driver, policy_document([ERP, OA], grants=grants), approver)

    def command(
        self, action: str, domain: str = ERP_HOST, *, approval_id: str | None = None, task: str = "t1", **params: object
    ) -> bytes:
        command = Command(
            seq=self.channel.upcoming_seq,
            action=action,
            params=params,
            task_id=task,
            deadline_ms=5_000,
            approval_id=approval_id,
        )
        return self.channel.seal_command(command, domain)[0]

    async def call(self, line: bytes) -> str:
        """Send a command and return `ok` or the code it was refused with."""
        self.write(line)
        answer = await self.read()
        return "ok" if answer.get("success") else str(answer.get("code") or answer["error"]["code"])

    @property
    def acts(self) -> list[tuple[str, str]]:
        return self.driver.pages["p1"].acts
