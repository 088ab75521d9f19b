from pathlib import Path

import pytest

from tests.gates.repository import ROOT, files, python_files
from tests.gates.structure import environment_reads, outline, rooms, without_a_room


@pytest.mark.requirement("GATE-02")
def test_only_the_config_file_reads_the_environment() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in python_files("sgclaw")
        if path != ROOT / "sgclaw" / "config.py"
        for line in environment_reads(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.requirement("GATE-03")
def test_every_unit_test_folder_mirrors_a_room() -> None:
    unit = ROOT / "tests" / "unit"
    names = {path.relative_to(unit).parts[0] for path in files(unit)} - {"__init__.py"}
    assert without_a_room(names, rooms(ROOT / "sgclaw") | {"browser_host_stub"}) == []


@pytest.mark.requirement("GATE-08")
def test_both_readmes_have_the_same_outline_and_code() -> None:
    english, chinese = (outline((ROOT / name).read_text(encoding="utf-8")) for name in ("README.md", "README.zh-CN.md"))
    assert english == chinese


@pytest.mark.parametrize(
    "source",
    [
        "import os\nos.environ['A']",
        "import os as system\nsystem.getenv('A')",
        "x = 1\nfrom os import environ as e",
        "x = 1\nfrom os import *",
        "import posix\nposix.environ",
        "import os\ndef f(): return {**os.environ}",
    ],
)
def test_every_way_to_the_environment_is_seen(source: str) -> None:
    assert list(environment_reads(source)) == [2]


def test_other_uses_of_os_are_free() -> None:
    assert list(environment_reads("import os\nfrom os import path\nos.getpid()\nself.environ\n")) == []


def test_a_unit_folder_without_a_room_is_reported(tmp_path: Path) -> None:
    package = tmp_path / "sgclaw"
    (package / "protocol").mkdir(parents=True)
    (package / "errors.py").touch()
    (package / "notes.txt").touch()
    names = ["protocol", "test_errors.py", "test_protocol.py", "helpers", "test_stray.py", "notes"]
    assert without_a_room(names, rooms(package)) == ["helpers", "test_stray.py", "notes"]


def test_an_outline_is_heading_levels_and_code_with_its_language() -> None:
    page = "# A\n\ntext\n\n```bash\n./dev demo\n# not a heading\n```\n\n## B\n#tag\n"
    assert outline(page) == ([1, 2], ["```bash\n./dev demo\n# not a heading"])


@pytest.mark.parametrize("changed", ["# A\n## B\n", "## A\n```\nx\n```\n", "# A\n```\ny\n```\n", "# A\n"])
def test_pages_that_differ_in_levels_or_code_have_different_outlines(changed: str) -> None:
    assert outline("# 甲\n```\nx\n```\n") != outline(changed)
