"""A real `sgclaw pipe` process whose browser is a bare pair of pipes and a key in the hands of a test."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import psutil

from sgclaw.policy.model import policy_document
from sgclaw.protocol import PROTOCOL
from sgclaw.protocol.signing import Role
from tests.attacks.pipe.signs import VALID, Json, Keys, compact, sealed
from tests.support.agent import TRACE, Home, skill
from tests.support.wire import ERP

KEY: Final = hashlib.sha256(b"the session key of the attack suites").digest()
TASK, SKILL, APPROVAL = "t1", "acts", "cfm-1"
EXIT_S: Final = 4.0
"""sgclaw promises to be gone within 2 s of the session's end; the rest is for a busy machine."""
_SAMPLE_S = 0.02
_MIB = 1024 * 1024

_LAUNCH = """
import os, sys, threading
os.environ["SGCLAW_HOME"], noise = sys.argv.pop(1), int(sys.argv.pop(1))
def loud():
    text = os.read(noise, 65536).decode()
    if text:
        import subprocess
        print(text, flush=True)
        os.write(1, text.encode())
        subprocess.run([sys.executable, "-c", "import sys; sys.stdout.write(sys.argv[1])", text])
        os.write(2, b"[all printed]")
threading.Thread(target=loud, daemon=True).start()
from sgclaw.cli.main import main
main()
"""
"""As a browser would start it. `loud` stands for a library that prints, by every way there is, when it is told to."""


@dataclass(frozen=True, slots=True)
class Seventh:
    """Command 7 of the task: which act it is, and what a browser would answer."""

    action: str
    params: Json
    data: Json
    got: object
    """What the skill receives for it."""

    @property
    def skill(self) -> str:
        """A skill of eight acts; the seventh is this one."""
        body = f"""
  for (let i = 0; i < 6; i++) await browserAction('getText', '#title');
  const got = await browserAction({json.dumps(self.action)}, {json.dumps(self.params)});
  await browserAction('getText', '#after');
  const short = typeof got === 'string' && got.length > 10000 ? got.length : got;
  return {{ success: true, data: {{ message: '完成', got: short }} }};"""
        return skill(SKILL, body, actions=", ".join(sorted({"getText", self.action})))


def init_message(home: Home) -> Json:
    return {
        "type": "init",
        "protocol": PROTOCOL,
        "trace_id": TRACE,
        "session_key": base64.urlsafe_b64encode(KEY).decode().rstrip("="),
        "host": {"name": "attack suite", "version": "1"},
        "policy": policy_document([ERP]),
        "state_dir": str(home.state.absolute()),
    }


@dataclass
class AgentEnd:
    """The browser's end. `n` is the lowest number the next line may carry: a refused line may have used one up."""

    process: asyncio.subprocess.Process
    home: Home
    seventh: Seventh
    noise: int
    keys: Keys = field(default_factory=lambda: Keys(KEY, TRACE, Role.HOST))
    n: int = 1
    told: int = 1
    """The number the cases give the browser's next message: they count responses apart."""
    closed: bool = False
    stdout: bytearray = field(default_factory=bytearray)
    messages: list[Json] = field(default_factory=list)
    commands: dict[int, Json] = field(default_factory=dict)
    settled: set[int] = field(default_factory=set)
    sent: list[str] = field(default_factory=list)
    """Digests of everything sent."""
    own: set[str] = field(default_factory=set)
    """Digests of the lines of the harness itself."""
    reading: asyncio.Event = field(default_factory=asyncio.Event)
    growth: float = 0.0
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _rest: bytes = b""

    # --- reading ----------------------------------------------------------------------------------------------------

    async def pump(self) -> None:
        """Take everything sgclaw writes, unless the browser has stopped reading."""
        assert self.process.stdout is not None
        self.reading.set()
        while chunk := await self.process.stdout.read(65_536):
            await self.reading.wait()
            self.stdout += chunk
            *lines, self._rest = (self._rest + chunk).split(b"\n")
            for line in lines:
                self._take(json.loads(line))
            self._news.set()
        self.closed = True
        self._news.set()

    def _take(self, message: Json) -> None:
        self.messages.append(message)
        if message["type"] == "command":
            self.commands[message["seq"]] = message
        if message["type"] == "cancel_command":
            self.settled.add(message["seq"])

    async def until(self, happened: Callable[[], object], seconds: float = 5.0) -> None:
        """Return when it happened or the pipe was closed; fail when neither comes in time."""
        async with asyncio.timeout(seconds):
            while not happened() and not self.closed:
                self._news.clear()
                await self._news.wait()

    def of(self, kind: str) -> list[Json]:
        return [message for message in self.messages if message["type"] == kind]

    def refusals(self) -> list[tuple[str, str]]:
        """(code, digest of the line) of every refusal but those of the harness's own lines."""
        return [
            (item["code"], item["line_sha256"])
            for item in self.of("protocol_error")
            if item["line_sha256"] not in self.own
        ]

    @property
    def report(self) -> Json | None:
        """How the task ended."""
        return next((item for item in self.of("task_completed") if item["task_id"] == TASK), None)

    @property
    def waiting(self) -> list[int]:
        """Commands without an answer, in order."""
        return sorted(set(self.commands) - self.settled)

    # --- writing ----------------------------------------------------------------------------------------------------

    async def write(self, pieces: Iterable[bytes], pause_s: float = 0) -> None:
        """Write bytes as they are, with a pause after each piece; a sgclaw that has closed its end is no error here."""
        assert self.process.stdin is not None
        digest = hashlib.sha256()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for piece in pieces:
                *ended, rest = piece.split(b"\n")
                for part in ended:
                    digest.update(part)
                    self.sent.append(digest.hexdigest())
                    digest = hashlib.sha256()
                digest.update(rest)
                self.process.stdin.write(piece)
                await self.process.stdin.drain()
                if pause_s:
                    await asyncio.sleep(pause_s)

    def sealed(self, body: Json, *, sign: str = VALID, n: int | None = None, **security: object) -> bytes:
        """The line of a message, with its newline; it is not sent."""
        line, _ = sealed(body, {"n": self.n if n is None else n, **security}, self.keys, sign)
        return line + b"\n"

    async def say(self, body: Json, **security: str) -> None:
        """Send a right message of the harness's own."""
        line = self.sealed(body, sign=VALID, n=None, **security)
        self.own.add(hashlib.sha256(line[:-1]).hexdigest())
        self.n += 1
        await self.write([line])

    async def fence(self) -> None:
        """Return when everything sent before was dealt with, and with `n` exact again. Does nothing once closed.

        A ping whose number was used up already is refused without harm, so the lower one is tried first.
        """
        for _ in range(2):
            mark = f"ping-{len(self.sent)}"
            line = self.sealed({"type": "ping", "id": mark})
            digest = hashlib.sha256(line[:-1]).hexdigest()
            self.own.add(digest)
            self.n += 1
            await self.write([line])
            await self.until(partial(self._heard, mark, digest), 20)
            if self.closed or self._heard(mark):
                return
        raise AssertionError("two pings in a row were refused")

    def _heard(self, *marks: str) -> bool:
        """Whether an answer came to one of the pings with these ids and digests; each is used once."""
        return any(item.get("id") in marks or item.get("line_sha256") in marks for item in self.messages[-200:])

    async def respond(self, seq: int, data: Json) -> None:
        """A right answer to a command."""
        self.settled.add(seq)
        body = {"type": "response", "seq": seq, "success": True, "data": data}
        await self.say(body, re=self.mac_of(seq))

    def mac_of(self, seq: int) -> str:
        command = self.commands.get(seq)
        return str(command["security"]["hmac"]) if command else "0" * 64

    def answer_to(self, seq: int) -> Json:
        """What a browser would answer."""
        command = self.commands[seq]
        return self.seventh.data if command["action"] == self.seventh.action and seq > 6 else {"text": "财务系统"}

    # --- states -----------------------------------------------------------------------------------------------------

    async def become(self, state: str) -> None:
        """Bring the session into a state of the cases."""
        await _STATES[state](self)

    async def open(self, init: Json | None = None) -> None:
        await self.write([compact(init or init_message(self.home)) + b"\n"])
        await self.until(lambda: self.of("ready"), 20)

    async def start_task(self) -> None:
        await self.open()
        await self.say({"type": "submit_task", "task_id": TASK, "instruction": "执行", "skill": SKILL})
        self.told = 2
        for seq in range(1, 7):
            await self.until(partial(self.commands.get, seq), 20)
            await self.respond(seq, self.answer_to(seq))
        await self.until(lambda: 7 in self.commands)
        await self.fence()

    async def start_confirming(self) -> None:
        await self.start_task()
        self.settled.add(7)
        facts = {"approval_id": APPROVAL, "action": self.seventh.action, "origin": ERP}
        error = {"code": "NEEDS_APPROVAL", "message": "需要您确认", "facts": facts}
        await self.say({"type": "response", "seq": 7, "success": False, "error": error}, re=self.mac_of(7))
        await self.fence()

    def stop_reading(self) -> None:
        """Close the browser's reading end."""
        self.process._transport.get_pipe_transport(1).close()  # type: ignore[attr-defined]

    async def hang_up(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        await self.until(lambda: False)

    # --- watching ---------------------------------------------------------------------------------------------------

    async def measure(self) -> None:
        """Follow how much more memory the process holds than now."""
        process = psutil.Process(self.process.pid)
        with contextlib.suppress(psutil.Error):
            before = process.memory_info().rss
            while True:
                self.growth = max(self.growth, (process.memory_info().rss - before) / _MIB)
                await asyncio.sleep(_SAMPLE_S)

    def log(self) -> bytes:
        return (self.home.path / "stderr.log").read_bytes()

    def family(self) -> list[psutil.Process]:
        """The process and its children."""
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(self.process.pid)
            return [process, *process.children(recursive=True)]
        return []


async def _nothing(_end: AgentEnd) -> None:
    return


_STATES: Final[Mapping[str, Callable[[AgentEnd], Awaitable[None]]]] = {
    "fresh": _nothing,
    "ready": AgentEnd.open,
    "task": AgentEnd.start_task,
    "confirming": AgentEnd.start_confirming,
}


@contextlib.asynccontextmanager
async def agent_end(home: Home, seventh: Seventh) -> AsyncIterator[AgentEnd]:
    """A fresh process; leaving the block ends it."""
    home.add(SKILL, seventh.skill)
    quiet, noise = os.pipe()
    command = (sys.executable, "-c", _LAUNCH, str(home.path / "home"), str(quiet), "pipe")
    with (home.path / "stderr.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            pass_fds=(quiet,),
            cwd=home.path,
        )
    os.close(quiet)
    end = AgentEnd(process, home, seventh, noise)
    pumping = asyncio.create_task(end.pump())
    try:
        yield end
    finally:
        os.close(noise)
        end.reading.set()
        if process.stdin is not None:
            process.stdin.close()
        try:
            async with asyncio.timeout(EXIT_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
        await asyncio.gather(pumping)


def secrets_of(key: bytes) -> tuple[bytes, ...]:
    """A key in every form it could be written in."""
    return (
        key,
        key.hex().encode(),
        key.hex().upper().encode(),
        base64.b64encode(key).rstrip(b"="),
        base64.urlsafe_b64encode(key).rstrip(b"="),
        str(list(key)).encode(),
    )


def all_secrets(keys: Keys) -> tuple[bytes, ...]:
    """Every key of a session in every form; one that is all zeros looks like other things that are."""
    made = [key for key in (keys.session, keys.own, keys.other) if len(set(key)) > 2]
    return tuple(form for key in made for form in secrets_of(key))


def files_under(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]
