from pathlib import Path

import pytest

from tests.unit.cli.home import Home, make_home


@pytest.fixture
def home(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Home:
    return make_home(tmp_path, capsys)
