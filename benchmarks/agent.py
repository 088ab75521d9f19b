"""A real `sgclaw pipe` as a browser starts it: the installed command, `init` on its stdin, `ready` from its stdout."""

from __future__ import annotations

import base64
import compileall
import contextlib
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Final

import sgclaw
from browser_host_stub.task_run import local_today, new_trace_id
from sgclaw.policy.model import policy_document
from sgclaw.protocol import PROTOCOL
from sgclaw.protocol.channel import Channel, encode_init
from sgclaw.protocol.messages import Init, Message, Ready, Shutdown
from sgclaw.protocol.parts import HostInfo
from sgclaw.protocol.signing import KEY_BYTES, Role
from sgclaw.skills.ed25519 import SecretKey, render_public_key
from sgclaw.skills.signing import Release, build_registry

ORIGIN: Final = "https://erp.example.com"
COMMAND: Final = (str(Path(sys.executable).with_name("sgclaw")), "pipe")
EXIT_S: Final = 5.0
_KEY: Final = SecretKey(b"benchmark key".ljust(32, b"."))


def compile_modules() -> None:
    """Write sgclaw's compiled modules, as an installation does: a start that compiles first measures the compiler."""
    compileall.compile_dir(Path(sgclaw.__file__).parent, quiet=1)


class NoLog:
    """`ports.Log` that keeps nothing."""

    def event(self, module: str, event: str, data: Mapping[str, object] | None = None, *, level: str = "INFO") -> None:
        return


@dataclass(slots=True)
class ReadyAgent:
    """A process that has said `ready`, and how long that took from before its start."""

    process: subprocess.Popen[bytes]
    channel: Channel
    stdin: IO[bytes]
    stdout: IO[bytes]
    ready_ms: float = 0.0

    def write(self, line: bytes) -> None:
        """Send one whole line."""
        self.stdin.write(line)
        self.stdin.flush()

    def wait_for(self, kind: type[Message]) -> None:
        """Read until a message of this type came; raises `EOFError` when the process ends before."""
        while line := self.stdout.readline():
            if isinstance(self.channel.receive(line[:-1]).message, kind):
                return
        raise EOFError(kind.__name__)


@contextlib.contextmanager
def ready_agent(state_dir: Path, command: tuple[str, ...] = COMMAND) -> Iterator[ReadyAgent]:
    """Sgclaw while the block runs, with the simplest host there can be; its log is dropped."""
    key, trace_id = secrets.token_bytes(KEY_BYTES), new_trace_id(local_today())
    channel = Channel(Role.HOST, key, trace_id)
    init = Init(
        protocol=PROTOCOL,
        trace_id=trace_id,
        session_key=base64.urlsafe_b64encode(key).decode().rstrip("="),
        host=HostInfo(name="benchmark", version="1"),
        policy=policy_document([ORIGIN]),
        state_dir=str(state_dir),
    )
    line = encode_init(init)
    began = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("pipes were asked for")
    agent = ReadyAgent(process, channel, process.stdin, process.stdout)
    try:
        agent.write(line)
        first = process.stdout.readline()
        agent.ready_ms = (time.perf_counter() - began) * 1_000
        if not first or not isinstance(channel.receive(first[:-1]).message, Ready):
            raise RuntimeError("the first line was not `ready`")
        yield agent
        agent.write(channel.seal(Shutdown(reason="done")))
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    try:
        process.wait(EXIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@dataclass(frozen=True, slots=True)
class Home:
    """A folder with signed skills and their trust root, for what the shipped skills do not show."""

    path: Path

    def add(self, scripts: Mapping[str, str]) -> None:
        """Write scripts by name and sign all of them."""
        folder, keys = self.path / "skills" / "custom", self.path / "keys"
        for made in (folder, keys):
            made.mkdir(parents=True, exist_ok=True)
        for name, source in scripts.items():
            (folder / f"{name}.js").write_text(source, encoding="utf-8")
        release = Release(1, datetime(2026, 1, 1, tzinfo=UTC), datetime(2126, 1, 1, tzinfo=UTC))
        (self.path / "registry.json").write_bytes(build_registry(folder.parent, _KEY, release))
        (keys / "skill_verify.pub").write_bytes(render_public_key(_KEY.public, "benchmarks"))

    @property
    def command(self) -> tuple[str, ...]:
        """Sgclaw with this folder as its home."""
        return ("env", f"SGCLAW_HOME={self.path}", *COMMAND)
