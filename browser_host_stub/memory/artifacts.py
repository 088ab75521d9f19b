"""Files of the in-memory browser."""

from __future__ import annotations

import hashlib
from pathlib import Path

from browser_host_stub.driver import StoredArtifact
from sgclaw.protocol.results import Artifact

_ANY = "application/octet-stream"


class MemoryArtifacts:
    """Files kept in a folder, whole from the moment they are visible."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept: dict[str, StoredArtifact] = {}

    def get(self, artifact_id: str) -> StoredArtifact | None:
        """One file by id, or None."""
        return self._kept.get(artifact_id)

    def all(self) -> tuple[StoredArtifact, ...]:
        """Every file in the order of completion."""
        return tuple(self._kept.values())

    def add(self, name: str, content: bytes, mime: str = _ANY) -> Artifact:
        """Keep one file."""
        artifact = self._fact(f"f{len(self._kept) + 1}", name, content, mime)
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{artifact.id}-{name}"
        path.write_bytes(content)
        self._kept[artifact.id] = StoredArtifact(artifact, path)
        return artifact

    async def register(self, path: Path) -> StoredArtifact:
        """Give an id to a file of the person's, which stays where it is; raises `OSError`."""
        artifact = self._fact(f"u{len(self._kept) + 1}", path.name, path.read_bytes(), _ANY)  # noqa: ASYNC240 - a test's
        self._kept[artifact.id] = StoredArtifact(artifact, path)
        return self._kept[artifact.id]

    @staticmethod
    def _fact(artifact_id: str, name: str, content: bytes, mime: str) -> Artifact:
        digest = hashlib.sha256(content).hexdigest()
        return Artifact(id=artifact_id, name=name, size=len(content), sha256=digest, mime=mime)
