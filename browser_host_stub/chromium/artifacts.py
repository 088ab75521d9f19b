"""Files that came out of the browser, kept whole or not at all.

A file is written or moved under a hidden name first and gets its final name by a hard link, which is atomic and never
replaces an earlier file; a crash leaves no half-written file under a name a person would open.
"""

from __future__ import annotations

import asyncio
import hashlib
import mimetypes
import os
import secrets
import shutil
import unicodedata
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from browser_host_stub.driver import StoredArtifact
from sgclaw.errors import ActionCode, ActionError
from sgclaw.protocol.results import Artifact

_MIME_BY_SUFFIX = {
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".xls": "application/vnd.ms-excel",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".csv": "text/csv",
    ".ofd": "application/ofd",
}
_MIME = mimetypes.MimeTypes(filenames=())
_MAX_NAME_BYTES = 200
_INCOMING = ".incoming"


def _remove_left_behind(incoming: Path) -> None:
    """Remove the unfinished files of processes that were killed; those of running ones are theirs."""
    for left in incoming.glob("[0-9]*-*"):
        try:
            os.kill(int(left.name.partition("-")[0]), 0)
        except (ProcessLookupError, ValueError):
            shutil.rmtree(left, ignore_errors=True)
        except PermissionError:
            continue  # alive, and not ours


class FolderArtifacts:
    """Keeps files in one folder under the names they came with; a taken name gets ` (2)` and so on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept: dict[str, StoredArtifact] = {}
        self.incoming = folder / _INCOMING / f"{os.getpid()}-{secrets.token_hex(8)}"
        """Where unfinished files are; on the same file system, so that a link is possible."""
        _remove_left_behind(folder / _INCOMING)
        self.incoming.mkdir(parents=True)

    def close(self) -> None:
        """Remove what was never finished; finished files stay."""
        shutil.rmtree(self.incoming, ignore_errors=True)

    def get(self, artifact_id: str) -> StoredArtifact | None:
        """One file by id, or None."""
        return self._kept.get(artifact_id)

    def all(self) -> tuple[StoredArtifact, ...]:
        """Every file in the order of completion."""
        return tuple(self._kept.values())

    async def keep_bytes(self, content: bytes, name: str) -> StoredArtifact:
        """Store bytes made here, a screenshot for instance."""
        return await self._keep(name, lambda temporary: temporary.write_bytes(content))

    async def keep_file(self, source: Path, name: str) -> StoredArtifact:
        """Take over a finished file of the same file system; the source name goes away."""
        return await self._keep(name, source.rename)

    async def register(self, path: Path) -> StoredArtifact:
        """Give an id to a file of the person's, which stays where it is; raises `OSError`."""

        def facts() -> tuple[str, int]:
            with path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest(), path.stat().st_size

        digest, size = await asyncio.to_thread(facts)
        artifact_id = f"u-{secrets.token_hex(8)}"
        fact = Artifact(id=artifact_id, name=path.name, size=size, sha256=digest, mime=mime_of(path.name))
        self._kept[artifact_id] = StoredArtifact(fact, path)
        return self._kept[artifact_id]

    async def _keep(self, name: str, fill: Callable[[Path], object]) -> StoredArtifact:
        artifact_id = f"f-{secrets.token_hex(8)}"
        temporary = self.incoming / artifact_id
        try:
            fact, path = await asyncio.to_thread(self._store, artifact_id, temporary, safe_name(name), fill)
        except OSError as error:
            raise ActionError(
                ActionCode.DOWNLOAD_FAILED,
                "文件无法保存到磁盘",
                next_step="请检查下载目录的空间和权限",
                facts={"errno": error.errno, "name": name[:200]},
            ) from None
        stored = StoredArtifact(fact, path)
        self._kept[artifact_id] = stored
        return stored

    def _store(
        self, artifact_id: str, temporary: Path, name: str, fill: Callable[[Path], object]
    ) -> tuple[Artifact, Path]:
        try:
            fill(temporary)
            with temporary.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
                os.fsync(file.fileno())
            size = temporary.stat().st_size
            path = self._link(temporary, name)
        finally:
            temporary.unlink(missing_ok=True)
        fact = Artifact(id=artifact_id, name=path.name, size=size, sha256=digest, mime=mime_of(name))
        return fact, path

    def _link(self, temporary: Path, name: str) -> Path:
        stem, suffix = PurePosixPath(name).stem, PurePosixPath(name).suffix
        number = 1
        while True:
            path = self._folder / (name if number == 1 else f"{stem} ({number}){suffix}")
            try:
                path.hardlink_to(temporary)
            except FileExistsError:
                number += 1
            else:
                return path


def mime_of(name: str) -> str:
    """Media type by extension from a fixed table, the same on every machine."""
    suffix = PurePosixPath(name.lower()).suffix
    return _MIME_BY_SUFFIX.get(suffix) or _MIME.guess_type(f"x{suffix}")[0] or "application/octet-stream"


def safe_name(name: str) -> str:
    """A plain file name: no folders, no invisible or direction-changing characters, not hidden, of bounded length."""
    plain = "".join("_" if char in '/\\:*?"<>|' else char for char in name if unicodedata.category(char)[0] != "C")
    plain = plain.strip(" .") or "download"
    path = PurePosixPath(plain)
    room = _MAX_NAME_BYTES - len(path.suffix.encode())
    if room < 1:
        return "download"
    return path.stem.encode()[:room].decode("utf-8", "ignore") + path.suffix
