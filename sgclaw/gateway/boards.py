"""Task boards as files beside the traces, so that a task goes on after the process died."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Final

from sgclaw.errors import FileProblemError
from sgclaw.ports import JsonObject

FRESH_S: Final = 24 * 3600
"""A board that nobody has touched for longer is of another day's work: nothing on it counts as done any more."""
_SUFFIX: Final = ".board.json"


class FileBoards:
    """`ports.Board` in a folder for its owner alone. Every operation raises `FILE_ERROR` when the disk refuses it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, task_id: str) -> JsonObject | None:
        """See `ports.Board`. What is no JSON object is a `FILE_ERROR` that names the file."""
        path = self._path(task_id)
        try:
            self._drop_old()
            data = json.loads(path.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _problem("读不到保存的任务板", path, error.strerror) from None
        except (ValueError, RecursionError):
            raise _problem("保存的任务板读不懂", path, "not JSON") from None
        if not isinstance(data, dict):
            raise _problem("保存的任务板读不懂", path, "not an object")
        return data

    def save(self, task_id: str, board: JsonObject) -> None:
        """See `ports.Board`: written beside, brought to the disk, then put in its place."""
        path = self._path(task_id)
        beside = path.with_suffix(".new")
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(json.dumps(board, ensure_ascii=False).encode("utf-8", "backslashreplace"))
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        except OSError as error:
            raise _problem("任务板无法写入文件，任务已停止", path, error.strerror) from None

    def forget(self, task_id: str) -> None:
        """The task is over for good."""
        try:
            self._path(task_id).unlink(missing_ok=True)
        except OSError as error:
            raise _problem("删不掉保存的任务板", self._path(task_id), error.strerror) from None

    def _path(self, task_id: str) -> Path:
        return self._folder / f"{task_id.replace(':', '_')}{_SUFFIX}"

    def _drop_old(self) -> None:
        for path in self._folder.glob(f"*{_SUFFIX}"):
            if time.time() - path.stat().st_mtime > FRESH_S:
                path.unlink(missing_ok=True)


def _problem(cause: str, path: Path, why: str | None) -> FileProblemError:
    return FileProblemError(cause, facts={"file": str(path), "why": why})
