"""Reads skill files, once each: the bytes that are hashed are the bytes that run. The only disk access of this room."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from sgclaw.skills.ed25519 import PublicKey, parse_public_keys
from sgclaw.skills.reasons import Reason, refused_registry, refused_skill

MAX_BYTES = 1024 * 1024
"""Of a skill file and of the registry."""

FOLDERS = ("builtin", "custom")

_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class _RefusedFileError(Exception):
    """Why a file was not read, before it is known whether it refuses a skill or the set."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason


def read_script(root: Path, file: str) -> bytes:
    """The bytes of `root`/`file`, `file` being the checked relative path of a registry entry.

    Raises `SkillRefusedError`: `BAD_PATH` for a symlink in any part below `root` or anything but a regular file,
    `TOO_LARGE`, `NO_FILE`.
    """
    try:
        return _read(root, tuple(file.split("/")))
    except _RefusedFileError as error:
        raise refused_skill(error.reason, file=file) from None


def read_registry(path: Path) -> bytes:
    """The bytes of the registry; raises `RegistryRefusedError` (`NO_REGISTRY`, `TOO_LARGE`)."""
    try:
        return _read(path.parent, (path.name,))
    except _RefusedFileError as error:
        reason = Reason.TOO_LARGE if error.reason is Reason.TOO_LARGE else Reason.NO_REGISTRY
        raise refused_registry(reason, file=path.name) from None


def read_trust_root(path: Path) -> Sequence[PublicKey]:
    """The keys pinned in one file. No folder is listed: a second file beside it adds no trust. Raises `BAD_KEY`."""
    try:
        raw = _read(path.parent, (path.name,))
    except _RefusedFileError:
        raise refused_registry(Reason.BAD_KEY, file=path.name) from None
    return parse_public_keys(raw)


def list_scripts(root: Path) -> Sequence[str]:
    """Every `builtin/*.js` and `custom/*.js` below `root`, as sorted registry paths.

    For signing and for telling what is not signed, never for loading.
    """
    return sorted(f"{folder}/{path.name}" for folder in FOLDERS for path in (root / folder).glob("*.js"))


def _read(root: Path, parts: Sequence[str]) -> bytes:
    path = root
    try:
        for part in parts:
            path = path / part
            _refuse_link(path)
        if not stat.S_ISREG(path.lstat().st_mode):  # before opening: a device or a pipe may act on being opened
            raise _RefusedFileError(Reason.BAD_PATH)
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        raise _RefusedFileError(Reason.BAD_PATH if error.errno == errno.ELOOP else Reason.NO_FILE) from None
    with os.fdopen(descriptor, "rb") as opened:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _RefusedFileError(Reason.BAD_PATH)
        raw = opened.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise _RefusedFileError(Reason.TOO_LARGE)
    return raw


def _refuse_link(path: Path) -> None:
    info = path.lstat()
    attributes = getattr(info, "st_file_attributes", 0)  # Windows only; junctions are no symlinks there
    if stat.S_ISLNK(info.st_mode) or attributes & stat.FILE_ATTRIBUTE_REPARSE_POINT:
        raise _RefusedFileError(Reason.BAD_PATH)
