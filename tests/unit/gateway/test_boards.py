"""Task boards as files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sgclaw.errors import FileProblemError
from sgclaw.gateway.boards import FRESH_S, FileBoards


@pytest.mark.requirement("PLAN-25")
def test_a_board_is_kept_whole_for_its_owner_alone_until_it_is_forgotten(tmp_path: Path) -> None:
    boards = FileBoards(tmp_path / "traces")
    assert boards.load("t:1") is None
    boards.save("t:1", {"cards": ["旧"]})
    boards.save("t:1", {"cards": ["新"]})
    (path,) = (tmp_path / "traces").iterdir()
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert FileBoards(tmp_path / "traces").load("t:1") == {"cards": ["新"]}
    assert boards.load("t2") is None
    boards.forget("t:1")
    boards.forget("t:1")
    assert boards.load("t:1") is None


@pytest.mark.requirement("PLAN-25")
def test_a_board_of_another_day_is_dropped(tmp_path: Path) -> None:
    boards = FileBoards(tmp_path)
    boards.save("t1", {})
    (path,) = tmp_path.iterdir()
    old = path.stat().st_mtime - FRESH_S - 60
    os.utime(path, (old, old))
    assert (boards.load("t1"), list(tmp_path.iterdir())) == (None, [])


@pytest.mark.requirement("PLAN-25")
@pytest.mark.parametrize("text", ["{", "[1]", "[" * 100_000])
def test_a_file_that_is_no_board_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "t1.board.json").write_text(text)
    with pytest.raises(FileProblemError) as caught:
        FileBoards(tmp_path).load("t1")
    assert caught.value.facts["file"] == str(tmp_path / "t1.board.json")


@pytest.mark.requirement("PLAN-25")
def test_where_nothing_can_be_written_the_task_is_told(tmp_path: Path) -> None:
    (tmp_path / "traces").write_text("a file, no folder")
    with pytest.raises(FileProblemError):
        FileBoards(tmp_path / "traces").save("t1", {})
