"""What commands take from outside: settings, the time, the person's terminal. Tests pass their own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import typer

from sgclaw.config import Settings, load_settings, with_state_dir


def _now() -> datetime:
    return datetime.now(UTC)


def _terminal() -> int | None:
    return sys.stdin.fileno() if sys.stdin is not None and sys.stdin.isatty() else None


@dataclass(slots=True)
class World:
    """The surroundings of one command. `terminal` gives the descriptor of a terminal on which a person can answer,
    None when there is nobody.
    """

    load: Callable[[], Settings] = load_settings
    now: Callable[[], datetime] = _now
    terminal: Callable[[], int | None] = _terminal
    state_dir: Path | None = None
    """What `--state-dir` says."""

    def settings(self) -> Settings:
        """The settings as this command sees them; raises `BAD_CONFIG`."""
        return with_state_dir(self.load(), str(self.state_dir.absolute()) if self.state_dir else None)


def world_of(context: typer.Context) -> World:
    """The world the command was started with."""
    world = context.find_object(World)
    if world is None:
        raise RuntimeError("run_command gives every command its world")
    return world
