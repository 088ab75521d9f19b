from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.raw_agent import RawAgent
from tests.support.wire import Approving


@pytest.fixture
async def agent(tmp_path: Path) -> AsyncIterator[RawAgent]:
    raw = RawAgent(tmp_path, Approving(yes=True))
    running = await raw.open()
    yield raw
    await raw.close(running)
