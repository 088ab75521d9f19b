"""An installation in a temporary folder: skills signed with test keys, settings, and a way to run commands on it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import pytest

from sgclaw.cli.commands import run_command
from sgclaw.cli.world import World
from sgclaw.config import Settings
from sgclaw.skills.ed25519 import SecretKey, render_public_key
from sgclaw.skills.signing import Release
from tests.unit.skills.folder import GOOD, Folder, script

ROOT = Path(__file__).resolve().parents[3]
NOW = datetime(2026, 3, 31, 8, 0, tzinfo=UTC)
RELEASE = Release(serial=7, updated_at=datetime(2026, 3, 1, tzinfo=UTC), expires=datetime(2036, 3, 1, tzinfo=UTC))
"""Sessions of a command run by the real clock."""
ORDERS = """/**
 * @skill order-list
 * @version 1.2.0
 * @description 导出订单清单
 * @triggers 导出订单清单
 * @domains erp.example.com
 * @params {
 *   "type": "object",
 *   "required": ["month"],
 *   "properties": {
 *     "month": {"type": "string", "pattern": "^\\\\d{4}-\\\\d{2}$", "description": "月份"},
 *     "rows": {"type": "integer", "default": 10, "description": "行数"}
 *   }
 * }
 */
async function execute(params, browserAction) {
  await browserAction('navigate', 'https://erp.example.com/orders');
  const file = await browserAction('download', '#export');
  const message = `已导出 ${params.month} 的订单清单`;
  return { success: true, data: { message, rows: params.rows, sha256: file.sha256 } };
}
"""


def host_command(mode: str) -> tuple[str, ...]:
    """The command of the in-memory host of `memory_host.py`."""
    start = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); from tests.unit.cli.memory_host import main; main({mode!r})"
    )
    return (sys.executable, "-c", start)


@dataclass
class Home:
    """`run` runs one command line in this installation; `out` and `err` hold what the last one printed."""

    folder: Path
    capsys: pytest.CaptureFixture[str]
    settings: Settings
    terminal: Callable[[], int | None] = lambda: None
    now: datetime = NOW
    out: str = ""
    err: str = ""
    skills: Folder = field(init=False)

    def __post_init__(self) -> None:
        self.skills = Folder(self.settings.skills_root)

    def run(self, *arguments: str) -> int:
        world = World(load=lambda: self.settings, now=lambda: self.now, terminal=self.terminal)
        code = run_command(list(arguments), world)
        self.out, self.err = self.capsys.readouterr()
        return code

    def json(self) -> dict[str, object]:
        """The one JSON object on stdout."""
        (line,) = self.out.splitlines()
        return cast("dict[str, object]", json.loads(line))

    def trust(self, key: SecretKey) -> None:
        self.settings.trust_root.write_bytes(render_public_key(key.public, "test"))

    def with_settings(self, **changes: object) -> None:
        self.settings = replace(self.settings, **changes)  # type: ignore[arg-type]


def make_home(folder: Path, capsys: pytest.CaptureFixture[str]) -> Home:
    """Two signed skills, a trust root with the test key, no state yet."""
    settings = Settings(folder / "state", folder / "home", host_command("good"))
    home = Home(folder, capsys, settings)
    settings.trust_root.parent.mkdir(parents=True)
    home.trust(GOOD)
    home.skills.write("builtin/order-list.js", ORDERS)
    home.skills.write("custom/my-skill.js", script("my-skill"))
    home.skills.sign(RELEASE)
    return home
