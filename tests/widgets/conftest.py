from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.widgets.lab import Lab, lab


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def gallery(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> AsyncIterator[Lab]:
    """The gallery page that a test is given, or the module names in `PAGE`, open in a browser of its own."""
    async with lab(tmp_path_factory.mktemp("lab")) as running:
        await running.open(str(getattr(request, "param", None) or request.module.PAGE))
        yield running
