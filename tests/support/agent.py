"""A real `sgclaw pipe` process in front of an in-memory browser, with a skills folder of the test's own."""

from __future__ import annotations

import contextlib
import json
import secrets
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from browser_host_stub.approvals import Approver, NobodyThere
from browser_host_stub.link import Faults
from browser_host_stub.memory.driver import MemoryDriver
from browser_host_stub.task_run import Hosted, RunOptions, hosted
from sgclaw.policy.model import policy_document
from sgclaw.protocol.messages import Message
from sgclaw.protocol.signing import KEY_BYTES
from sgclaw.skills.ed25519 import render_public_key
from tests.support.wire import ERP, SITE
from tests.unit.skills.folder import GOOD, Folder

TRACE = "sgclaw-20260402-0000abcd"


def skill(name: str, body: str, *, header: str = "", actions: str = "") -> str:
    """The text of a script skill on the test site."""
    may = f" * @actions {actions}\n" if actions else ""
    return (
        f"/**\n * @skill {name}\n * @version 1.0.0\n * @description {header or name}\n"
        f" * @domains erp.example.com\n{may} */\nasync function execute(params, browserAction) {{\n{body}\n}}\n"
    )


@dataclass
class Home:
    """`registry.json`, `skills/`, `keys/` and the state folder of one test."""

    path: Path
    skills: Folder = field(init=False)
    settings: dict[str, str] = field(default_factory=dict)
    """Variables of the environment beside the home."""

    def __post_init__(self) -> None:
        self.skills = Folder(self.path / "home" / "skills")
        keys = self.path / "home" / "keys"
        keys.mkdir(parents=True)
        (keys / "skill_verify.pub").write_bytes(render_public_key(GOOD.public, "test key"))

    @property
    def state(self) -> Path:
        return self.path / "state"

    @property
    def audit(self) -> Path:
        return self.state / "audit"

    def add(self, name: str, text: str) -> None:
        """Write and sign one skill (and all that are there)."""
        self.skills.write(f"builtin/{name}.js", text)
        self.skills.sign()

    def command(self) -> tuple[str, ...]:
        """sgclaw with these settings: the environment is set by a tiny launcher, as a browser's would be."""
        launch = (
            "import json, os, sys; os.environ.update(json.loads(sys.argv.pop(1)));"
            "from sgclaw.cli.main import main; main()"
        )
        settings = {"SGCLAW_HOME": str(self.path / "home"), **self.settings}
        return (sys.executable, "-c", launch, json.dumps(settings), "pipe")

    def recite(self, steps: Sequence[Mapping[str, object]]) -> None:
        """Configure the scripted model with these steps."""
        path = self.path / "scenario.yaml"
        path.write_text(json.dumps({"steps": list(steps)}), encoding="utf-8")  # JSON is YAML
        self.settings |= {"SGCLAW_MODEL_PROVIDER": "scripted", "SGCLAW_MODEL_SCENARIO": str(path)}


@dataclass
class Running:
    """A ready session with a real process."""

    hosted: Hosted
    driver: MemoryDriver
    seen: list[Message]


@contextlib.asynccontextmanager
async def running(
    home: Home,
    *,
    approver: Approver | None = None,
    faults: Faults | None = None,
    trace_id: str = TRACE,
    session_key: bytes | None = None,
) -> AsyncIterator[Running]:
    """sgclaw and an in-memory browser on the start page of the test site."""
    driver = MemoryDriver(SITE, home.path / "files", start=f"{ERP}/")
    seen: list[Message] = []
    options = RunOptions(
        policy=policy_document([ERP]),
        log_dir=home.state,
        state_dir=home.state,
        approver=approver or NobodyThere(),
        observer=seen.append,
        faults=faults or Faults(),
        command=home.command(),
        trace_id=trace_id,
        session_key=session_key or secrets.token_bytes(KEY_BYTES),
    )
    async with hosted(driver, options) as session:
        yield Running(session, driver, seen)
