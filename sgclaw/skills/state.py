"""What this machine keeps about skills, in a folder of its own: marks, switched-off names, workstation keys.

Every file is 0600 and replaced at once, so a reader sees the old one or the new one, whole. A writer that is killed
leaves at most a temporary file that nobody reads. Marks are merged with what is on disk under a lock that the system
takes back from a dead process: two processes never lower each other's marks. Whoever could write into the folders could
put older files in place of ours, so folders that others may change are refused.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sgclaw.errors import RegistryRefusedError, WireError
from sgclaw.protocol import strict
from sgclaw.skills.ed25519 import PublicKey, parse_public_keys
from sgclaw.skills.files import (
    RefusedFileError,
    is_open_folder,
    is_ours,
    is_readable_by_others,
    is_writable_by_others,
    read_plain,
)
from sgclaw.skills.manifest import SkillName
from sgclaw.skills.marks import FIRST_USE, Marks
from sgclaw.skills.reasons import Reason, refused_registry, refused_skill
from sgclaw.skills.registry import as_document, render

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

MAX_STATE_BYTES: Final = 8 * 1024 * 1024
SWITCHES_FILE: Final = "switched-off.json"
PATCH_KEYS_FILE: Final = "patch-keys.pub"

LOCK_SECONDS: Final = 0.5
"""Others hold the lock for milliseconds, and one that was stopped must not stop us."""
_LOCK_FILE: Final = "lock"
_LOCK_PAUSE_S: Final = 0.005
_STRICT = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)


class _StoredMarks(BaseModel):
    """The marks file of one registry. The path inside tells a file that was copied from elsewhere."""

    model_config = _STRICT

    version: Literal[1]
    registry: str
    marks: Marks


class _StoredSwitches(BaseModel):
    """The names that are switched off."""

    model_config = _STRICT

    version: Literal[1]
    names: Annotated[tuple[SkillName, ...], Field(strict=False)]


S = TypeVar("S", bound=BaseModel)


class SkillState:
    """The state folder's part on one registry, the one at this absolute path. Reading needs no write access and makes
    nothing; a missing file is a first use.
    """

    def __init__(self, folder: Path, registry: Path) -> None:
        self._folder = folder
        self._registry = str(registry)
        name = hashlib.sha256(self._registry.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self.marks_path: Final = folder / f"marks-{name}.json"
        self.switches_path: Final = folder / SWITCHES_FILE
        self.patch_keys_path: Final = folder / PATCH_KEYS_FILE

    def read_marks(self) -> Marks:
        """The marks. Raises `BAD_MARKS` for a file that is broken, of another registry, or open to others, and
        `OPEN_STATE` for a folder that is.
        """
        stored = _read(self.marks_path, _StoredMarks, Reason.BAD_MARKS)
        if stored is None:
            return FIRST_USE
        if stored.registry != self._registry:
            raise refused_registry(Reason.BAD_MARKS, file=str(self.marks_path), problem="OTHER_REGISTRY")
        return stored.marks

    def raise_marks(self, marks: Marks) -> None:
        """Raise the marks on disk to these. Nothing is lowered, whoever else is writing. Raises `BAD_MARKS`."""
        with self._exclusive(Reason.BAD_MARKS, self.marks_path):
            before = self.read_marks()
            merged = before.merged(marks)
            if merged != before:
                document = _StoredMarks(version=1, registry=self._registry, marks=merged)
                _replace(self.marks_path, render(as_document(document)))

    def switched_off(self) -> frozenset[str]:
        """The names that are switched off here. Raises `BAD_SWITCHES`, `OPEN_STATE`: nobody knows what should not
        run.
        """
        stored = _read(self.switches_path, _StoredSwitches, Reason.BAD_SWITCHES)
        return frozenset() if stored is None else frozenset(stored.names)

    def switch(self, name: str, *, on: bool) -> bool:
        """Switch one skill off, or on again; returns whether that changed anything. Raises `BAD_SWITCHES`,
        `OPEN_STATE`, and `SkillRefusedError` (`BAD_NAME`) for what is no name of a skill.
        """
        with self._exclusive(Reason.BAD_SWITCHES, self.switches_path):
            before = self.switched_off()
            after = before - {name} if on else before | {name}
            if after == before:
                return False
            try:
                document = _StoredSwitches(version=1, names=tuple(sorted(after)))
            except ValidationError:
                raise refused_skill(Reason.BAD_NAME, name=name[:64]) from None
            _replace(self.switches_path, render(as_document(document)))
            return True

    def patch_keys(self) -> list[PublicKey]:
        """The workstation keys whose patches count here; none when there is no file. Raises `BAD_KEY`,
        `OPEN_STATE`.
        """
        raw = _bytes(self.patch_keys_path, Reason.BAD_KEY)
        return [] if raw is None else list(parse_public_keys(raw))

    @contextmanager
    def _exclusive(self, reason: Reason, path: Path) -> Iterator[None]:
        try:
            missing = [place for place in (self._folder, *self._folder.parents) if not place.exists()]
            for place in reversed(missing):
                place.mkdir(mode=0o700, exist_ok=True)
            _check_folders(self._folder, reason)
            with hold_lock(self._folder / _LOCK_FILE):
                yield
        except OSError as error:
            problem = errno.errorcode.get(error.errno or 0, type(error).__name__)
            raise refused_registry(reason, file=str(path), problem=problem) from None


def _check_folders(folder: Path, reason: Reason) -> None:
    """Whether the folders are there for nobody but us, and what we lock is a file: reading says what writing would
    meet. Raises `OSError` too.
    """
    standing = next(place for place in (folder, *folder.parents) if os.path.lexists(place))
    if not standing.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    for place, mend in open_folders(folder):
        raise refused_registry(Reason.OPEN_STATE, file=str(place), mend=mend)
    lock = folder / _LOCK_FILE
    if os.path.lexists(lock) and not stat.S_ISREG(lock.lstat().st_mode):
        raise _unusable(reason, lock, Reason.BAD_PATH.value)


def open_folders(folder: Path) -> Iterator[tuple[Path, str]]:
    """What others could change of the folder for skills and of the state folder around it: each place, and the command
    that mends it. Windows has access lists instead: nothing is said there.
    """
    around = folder.parent
    if around.is_dir() and is_open_folder(around):
        yield around, _mend(around, "go-w")
    if folder.is_symlink():
        yield folder, f"rm '{folder}'"
    elif folder.is_dir() and (is_open_folder(folder) or is_readable_by_others(folder)):
        yield folder, _mend(folder, "700")


def _mend(path: Path, mode: str) -> str:
    return f"chmod {mode} '{path}'" if is_ours(path) else f"chown {os.geteuid()} '{path}'"


def _read(path: Path, model: type[S], reason: Reason) -> S | None:
    raw = _bytes(path, reason)
    if raw is None:
        return None
    try:
        return model.model_validate(strict.decode(raw.removesuffix(b"\n")))
    except (WireError, ValidationError) as error:
        problem = error.code if isinstance(error, WireError) else "BAD_FIELDS"
        raise refused_registry(reason, file=str(path), problem=problem) from None


def _bytes(path: Path, reason: Reason) -> bytes | None:
    """The file's bytes, None when there is no file; raises for a link, for what is not ours, and for what others may
    write.
    """
    try:
        _check_folders(path.parent, reason)
        if is_writable_by_others(path):
            raise _unusable(reason, path, "OPEN_TO_OTHERS")
        return read_plain(path.parent, (path.name,), MAX_STATE_BYTES)
    except RefusedFileError as error:
        if error.reason is Reason.NO_FILE and not os.path.lexists(path):
            return None
        raise _unusable(reason, path, error.reason.value) from None
    except OSError as error:
        raise _unusable(reason, path, errno.errorcode.get(error.errno or 0, type(error).__name__)) from None


def _unusable(reason: Reason, path: Path, problem: str) -> RegistryRefusedError:
    return refused_registry(reason, file=str(path), problem=problem)


def _replace(path: Path, content: bytes) -> None:
    """Put the content in the file's place at once, on the disk when this returns. The lock must be held: what a killed
    writer left behind has the same name and is written over.
    """
    temporary = path.with_name(f".{path.name}.new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()


@contextmanager
def hold_lock(path: Path, seconds: float = LOCK_SECONDS) -> Iterator[None]:
    """Hold the lock between processes; raises `BlockingIOError` when it is not to be had in time, else `OSError`."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    handle = os.open(path, flags, 0o600)
    try:
        for _ in range(int(seconds / _LOCK_PAUSE_S)):
            if _try_lock(handle):
                break
            time.sleep(_LOCK_PAUSE_S)
        else:
            raise BlockingIOError(errno.EAGAIN, "the lock is held")
        yield
    finally:
        os.close(handle)  # gives the lock back


def _try_lock(handle: int) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
