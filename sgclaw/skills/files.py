"""Reads skill files, once each: the bytes that are hashed are the bytes that run. What this machine keeps of its own is
`state.py`; nothing else of this room touches a disk.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

from sgclaw.errors import RegistryRefusedError
from sgclaw.skills.ed25519 import TrustRoot, parse_trust_root
from sgclaw.skills.reasons import Reason, refused_registry, refused_skill

MAX_BYTES = 1024 * 1024
"""Of a skill file and of the registry."""

FOLDERS = ("builtin", "custom")

_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class RefusedFileError(Exception):
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
        return read_plain(root, tuple(file.split("/")))
    except RefusedFileError as error:
        raise refused_skill(error.reason, file=file) from None


def read_registry(path: Path) -> bytes:
    """The bytes of the registry; raises `RegistryRefusedError` (`NO_REGISTRY`, `TOO_LARGE`)."""
    try:
        return read_plain(path.parent, (path.name,))
    except RefusedFileError as error:
        reason = Reason.TOO_LARGE if error.reason is Reason.TOO_LARGE else Reason.NO_REGISTRY
        raise refused_registry(reason, file=path.name) from None


def read_paper_file(folder: Path, file: str) -> bytes | None:
    """The bytes of a signed paper below the registry's folder; None when there is none.

    One that is there and cannot be read comes back empty: it is a paper that does not hold.
    """
    try:
        return read_plain(folder, tuple(file.split("/")))
    except RefusedFileError as error:
        return None if error.reason is Reason.NO_FILE and not (folder / file).exists() else b""


def read_trust_root(path: Path, *, outside: Path | None = None) -> TrustRoot:
    """The keys pinned in one file. No folder is listed: a second file beside it adds no trust.

    `outside` is the folder that whoever delivers skills can write; production names it, and then the file must lie
    elsewhere, where nobody but its owner can change it. Raises `BAD_KEY`, `EXPOSED_TRUST_ROOT`.
    """
    try:
        if outside is not None:
            _refuse_exposed(path, outside)
        return parse_trust_root(read_plain(path.parent, (path.name,)))
    except (RefusedFileError, OSError):
        raise refused_registry(Reason.BAD_KEY, file=str(path)) from None
    except RegistryRefusedError as error:
        error.facts.setdefault("file", str(path))
        raise


def _refuse_exposed(path: Path, outside: Path) -> None:
    if path.resolve().is_relative_to(outside.resolve()):
        raise refused_registry(Reason.EXPOSED_TRUST_ROOT, file=str(path), problem="INSIDE")
    for place in (path, path.parent):
        if is_writable_by_others(place):
            raise refused_registry(Reason.EXPOSED_TRUST_ROOT, file=str(place), problem="WRITABLE")
    # Whoever may rename a folder further up puts another in its place, and a link leads past all that was looked at.
    for place in path.parents:
        if place.is_symlink():
            raise refused_registry(Reason.EXPOSED_TRUST_ROOT, file=str(place), problem="LINK")
        if place.is_dir() and is_open_folder(place):
            raise refused_registry(Reason.EXPOSED_TRUST_ROOT, file=str(place), problem="WRITABLE")


def is_writable_by_others(path: Path) -> bool:
    """Whether group, others, or an owner who is neither we nor the administrator may write there.

    Windows has access lists instead: nothing is said there. What is not there is nobody's.
    """
    if sys.platform == "win32" or not path.exists():
        return False
    return bool(path.stat().st_mode & 0o022) or not is_ours(path)


def is_ours(path: Path) -> bool:
    """Whether what is there belongs to us or to the administrator; on Windows it always does."""
    if sys.platform == "win32":
        return True
    return path.stat().st_uid in {0, os.geteuid()}


def is_open_folder(path: Path) -> bool:
    """Whether others may replace what lies in this folder: they may write there, and it is not sticky."""
    if sys.platform == "win32":
        return False
    mode = path.stat().st_mode
    return not is_ours(path) or bool(mode & 0o022 and not mode & stat.S_ISVTX)


def is_readable_by_others(path: Path) -> bool:
    """Whether group or others may do anything there."""
    if sys.platform == "win32":
        return False
    return bool(path.stat().st_mode & 0o077)


def list_scripts(root: Path) -> Sequence[str]:
    """Every `builtin/*.js` and `custom/*.js` below `root`, as sorted registry paths.

    For signing and for telling what is not signed, never for loading.
    """
    return sorted(f"{folder}/{path.name}" for folder in FOLDERS for path in (root / folder).glob("*.js"))


def read_plain(root: Path, parts: Sequence[str], limit: int = MAX_BYTES) -> bytes:
    """The bytes of a regular file of at most `limit` bytes, reached without a link in any part below `root`.

    Raises `RefusedFileError`.
    """
    path = root
    try:
        for part in parts:
            path = path / part
            _refuse_link(path)
        if not stat.S_ISREG(path.lstat().st_mode):  # before opening: a device or a pipe may act on being opened
            raise RefusedFileError(Reason.BAD_PATH)
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        raise RefusedFileError(Reason.BAD_PATH if error.errno == errno.ELOOP else Reason.NO_FILE) from None
    return read_open(descriptor, limit)


def read_named(path: Path, limit: int = MAX_BYTES) -> bytes:
    """The bytes of a file that a person named, at most `limit`. Links are followed; what is no regular file is not
    opened: a pipe would be waited for, a device has no end.

    Raises `RefusedFileError`, and `OSError` or `ValueError` (a NUL in the path) as the system does.
    """
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise RefusedFileError(Reason.BAD_PATH)
    return read_open(os.open(path, _FLAGS & ~getattr(os, "O_NOFOLLOW", 0)), limit)


def read_open(descriptor: int, limit: int) -> bytes:
    """The same of an open file, which is closed: what was looked at may have been replaced before it was opened."""
    with os.fdopen(descriptor, "rb") as opened:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise RefusedFileError(Reason.BAD_PATH)
        raw = opened.read(limit + 1)
    if len(raw) > limit:
        raise RefusedFileError(Reason.TOO_LARGE)
    return raw


def _refuse_link(path: Path) -> None:
    info = path.lstat()
    attributes = getattr(info, "st_file_attributes", 0)  # Windows only; junctions are no symlinks there
    if stat.S_ISLNK(info.st_mode) or attributes & stat.FILE_ATTRIBUTE_REPARSE_POINT:
        raise RefusedFileError(Reason.BAD_PATH)
