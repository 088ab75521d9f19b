from collections.abc import AsyncIterator

import pytest

from tests.unit.sandbox.support import Bench, bench


@pytest.fixture
async def sandbox() -> AsyncIterator[Bench]:
    async with bench() as made:
        yield made
