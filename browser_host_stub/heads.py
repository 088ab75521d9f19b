"""The heads of ledgers as this host keeps them, outside the folders they are about.

A chain cannot show that its end was cut off or that it was written anew. sgclaw tells its head every few records; at
the next start the host gives it back in `init`, and sgclaw serves nobody whose records it has lost.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from browser_host_stub.ends import LocalFileError
from sgclaw.protocol.messages import AuditHead, Message
from sgclaw.protocol.parts import KeptHead

FILE_NAME: Final = "audit-heads.json"


class HeadKeeper:
    """Keeps the newest head of the ledger below one state folder; `path` may hold those of others too."""

    def __init__(self, path: Path, state_dir: Path) -> None:
        self._path, self._name = path, str(state_dir)

    def newest(self) -> KeptHead | None:
        """The head to give back in `init`; raises `LocalFileError` when the file cannot be read."""
        return self._read().get(self._name)

    def observe(self, message: Message) -> None:
        """Keep the head when the message is one. Sessions on one ledger may tell theirs out of order."""
        if not isinstance(message, AuditHead):
            return
        heads = self._read()
        if self._name in heads and heads[self._name].count > message.count:
            return
        heads[self._name] = KeptHead(count=message.count, hash=message.hash)
        text = json.dumps({name: head.model_dump() for name, head in heads.items()}, ensure_ascii=False, indent=1)
        fresh = self._path.with_suffix(".new")
        fresh.write_text(text, encoding="utf-8")
        os.replace(fresh, self._path)  # noqa: PTH105 - the old file or the new one, whole, on every system

    def _read(self) -> dict[str, KeptHead]:
        if not self._path.exists():
            return {}
        try:
            entries = json.loads(self._path.read_bytes())
            return {str(name): KeptHead.model_validate(entry) for name, entry in entries.items()}
        except (ValueError, ValidationError, AttributeError):
            cause = f"记录账本末尾的文件不可读：{self._path}"
            raise LocalFileError(cause, next_step="请恢复该文件；确认账本完整后也可以删除它") from None
