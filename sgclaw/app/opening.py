"""What settings name, opened: catalogue, model, tools of others. Each loads its room when it is asked for."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sgclaw.config import Settings
from sgclaw.ports import Clock, Model, Records

if TYPE_CHECKING:
    from sgclaw.skills.catalogue import Catalogue
    from sgclaw.toolbox.box import McpToolbox


class SystemClock:
    """`ports.Clock` of the machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


def open_catalogue(settings: Settings) -> Catalogue:
    """The catalogue these settings name, for running: what was seen is remembered. Raises `REGISTRY_REFUSED` when the
    trust root cannot be used.
    """
    from sgclaw.skills.catalogue import open_set  # noqa: PLC0415 - after `ready`

    return open_set(settings, datetime.now(UTC), production=settings.production, advances=True)


def open_model(settings: Settings, clock: Clock, records: Records | None = None) -> Model | None:
    """The model these settings name, None when they name none; nothing of a provider is loaded or asked yet.

    Each of its calls is put into `records`. Raises `BAD_CONFIG` or `MODEL_KEY_REFUSED`.
    """
    from sgclaw.llm.careful import Care  # noqa: PLC0415 - the first task that thinks pays for it
    from sgclaw.llm.providers import make_model  # noqa: PLC0415

    return make_model(settings.model, Care(clock, records=records), settings.model_key)


def open_toolbox(settings: Settings) -> McpToolbox:
    """The tools of the MCP servers these settings name; nothing is started before they are asked for."""
    from sgclaw.toolbox.box import McpToolbox  # noqa: PLC0415 - after `ready`

    return McpToolbox(settings.toolbox, settings.tool_pins)


async def check_script(source: str, name: str) -> None:
    """Load a script in a sandbox worker without running it; raises `SandboxError` with line and message."""
    from sgclaw.sandbox.engine import engine_folder  # noqa: PLC0415
    from sgclaw.sandbox.load import load_script  # noqa: PLC0415

    await load_script(engine_folder(), source, name)
