"""What the ledger needs of the operating system: private files, a lock between processes, reading and writing in place.

The one place that knows POSIX from Windows. Functions raise plain `OSError`; refusals of permissions are typed.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sgclaw.errors import AuditUnavailableError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_PRIVATE: Final = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
"""No link is followed, and a pipe without a partner does not keep us waiting: it is seen to be none of our files."""
READ: Final = os.O_RDONLY | _PRIVATE
CREATE: Final = os.O_RDWR | os.O_CREAT | _PRIVATE
APPEND: Final = CREATE | os.O_APPEND
EXISTING: Final = os.O_RDWR | os.O_APPEND | _PRIVATE

LOCK_SECONDS: Final = 5.0
"""A holder that was stopped keeps others waiting for so long, not for ever."""
_FIRST_PAUSE_S: Final = 0.000_5
_LONGEST_PAUSE_S: Final = 0.005
_WINDOWS_LOCK_OFFSET: Final = 1 << 30  # locked bytes cannot be read there: lock one that is never used


def private_directory(directory: Path) -> None:
    """Make sure the folder exists and only its owner can enter it; missing parents are made as private.

    Raises `AuditUnavailableError` for a folder that others can enter, with the command that mends it.
    """
    if not directory.is_dir():
        missing = [path for path in (directory, *directory.parents) if not path.exists()]
        for path in reversed(missing):
            path.mkdir(mode=0o700, exist_ok=True)
    check_private(directory, directory.lstat(), 0o700)


def check_private(path: Path, facts: os.stat_result, mode: int) -> None:
    """Refuse what is not ours, is a link, or is open to others. Windows has access lists instead: nothing to check."""
    if sys.platform == "win32":
        return
    if stat.S_ISLNK(facts.st_mode) or facts.st_uid != os.geteuid():
        raise _foreign(path)
    if facts.st_mode & 0o077:
        found = f"{stat.S_IMODE(facts.st_mode):04o}"
        raise AuditUnavailableError(
            f"账本的权限过宽（{found}），其他用户可以读写：{path}",
            next_step=f"请执行 chmod {mode:o} '{path}' 后重试",
            facts={"path": str(path), "reason": "mode", "mode": found},
        )


def _foreign(path: Path) -> AuditUnavailableError:
    return AuditUnavailableError(
        f"账本路径不是当前用户自己的普通文件或文件夹：{path}",
        next_step="请移走它，或换用当前用户自己的状态目录",
        facts={"path": str(path), "reason": "foreign"},
    )


def is_plain(facts: os.stat_result) -> bool:
    """Whether it is a regular file of ours, whoever may touch it; an administrator may read those of others."""
    return stat.S_ISREG(facts.st_mode) and (sys.platform == "win32" or os.geteuid() in (0, facts.st_uid))


def facts_of(path: Path) -> os.stat_result | None:
    """What lies under a name, links not followed; None for nothing."""
    try:
        return path.lstat()
    except FileNotFoundError:
        return None


def open_plain(path: Path, flags: int = READ) -> int:
    """Open a regular file of ours, without ever waiting for a partner as a pipe does.

    Raises `AuditUnavailableError` with the reason `foreign` for anything else: links, pipes, devices, folders.
    """
    try:
        handle = os.open(path, flags, 0o600)
    except OSError as error:
        facts = facts_of(path)
        if facts is not None and not stat.S_ISREG(facts.st_mode):
            raise _foreign(path) from error
        raise
    if not is_plain(os.fstat(handle)):
        os.close(handle)
        raise _foreign(path)
    return handle


def open_private(path: Path, flags: int) -> int:
    """Open a regular file that only its owner may touch; a new one is made 0600. A link is refused (POSIX)."""
    handle = open_plain(path, flags)
    try:
        check_private(path, os.fstat(handle), 0o600)
    except AuditUnavailableError:
        os.close(handle)
        raise
    return handle


def read_at(handle: int, offset: int, length: int) -> bytes:
    """Up to `length` bytes from `offset`; fewer only at the end of the file."""
    os.lseek(handle, offset, os.SEEK_SET)
    pieces = []
    while length > 0 and (piece := os.read(handle, length)):
        pieces.append(piece)
        length -= len(piece)
    return b"".join(pieces)


def write_all(handle: int, content: bytes) -> None:
    """Write every byte at the handle's place (or the end, when opened for appending)."""
    view = memoryview(content)
    while view:
        view = view[os.write(handle, view) :]


def write_at(handle: int, offset: int, content: bytes) -> None:
    """Write every byte at `offset`; not for handles opened for appending."""
    os.lseek(handle, offset, os.SEEK_SET)
    write_all(handle, content)


def make_read_only(handle: int, path: Path) -> None:
    """Take the owner's right to write away from a file that is complete: every process sees that it is."""
    if sys.platform == "win32":
        path.chmod(stat.S_IRUSR)
    else:
        os.fchmod(handle, stat.S_IRUSR)


def is_read_only(facts: os.stat_result) -> bool:
    """Whether a regular file may not be written by its owner: the mode says so for every user, an administrator too."""
    return stat.S_ISREG(facts.st_mode) and not facts.st_mode & stat.S_IWUSR


def remove(path: Path) -> None:
    """Delete a file, a read-only one too (Windows deletes none); one that is gone already is fine."""
    if sys.platform == "win32":
        path.chmod(stat.S_IRUSR | stat.S_IWUSR)
    path.unlink(missing_ok=True)


def sync_directory(directory: Path) -> None:
    """Make the names of new files survive a power cut. Windows does so with the files."""
    if sys.platform == "win32":
        return
    handle = os.open(directory, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def locked(handle: int, seconds: float = LOCK_SECONDS) -> Iterator[None]:
    """Hold the lock between processes for the block; tries at least once.

    Raises `AuditUnavailableError` with the reason `locked` when others keep it for so long.
    """
    if not _try_lock(handle):
        _wait_for_lock(handle, seconds)
    try:
        yield
    finally:
        _unlock(handle)


def _wait_for_lock(handle: int, seconds: float) -> None:
    deadline, pause = time.monotonic() + seconds, _FIRST_PAUSE_S
    while time.monotonic() < deadline:
        time.sleep(pause)
        if _try_lock(handle):
            return
        pause = min(2 * pause, _LONGEST_PAUSE_S)
    raise AuditUnavailableError(
        "账本被另一个进程长时间占用", next_step="请结束没有响应的 sgclaw 进程后重试", facts={"reason": "locked"}
    )


if sys.platform == "win32":

    def _try_lock(handle: int) -> bool:
        os.lseek(handle, _WINDOWS_LOCK_OFFSET, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno not in {errno.EACCES, errno.EDEADLK}:
                raise
            return False
        return True

    def _unlock(handle: int) -> None:
        os.lseek(handle, _WINDOWS_LOCK_OFFSET, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)
