"""Pins: the digest of each tool a person has seen and accepted, in one JSON file."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from sgclaw.errors import ConfigError
from sgclaw.skills.files import RefusedFileError, is_writable_by_others, read_named

Pins = Mapping[str, Mapping[str, str]]
"""By server, then by tool: the digest."""

MAX_BYTES: Final = 1_048_576


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    version: int
    servers: dict[str, dict[str, str]]


def digest_of(name: str, description: str, schema: Mapping[str, object]) -> str:
    """SHA-256, as hex, over name, description and input schema as canonical JSON: keys sorted, no spaces, ASCII."""
    text = json.dumps([name, description, schema], sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def read_pins(path: Path) -> Pins:
    """What is pinned; nothing where there is no file. Raises `BAD_CONFIG` for a file that says nothing reliable."""
    try:
        if is_writable_by_others(path) or is_writable_by_others(path.parent):
            raise _unusable(path, "OPEN_TO_OTHERS")
        kept = _File.model_validate_json(read_named(path, MAX_BYTES))
    except FileNotFoundError:
        return {}
    except (OSError, RefusedFileError, ValidationError) as error:
        raise _unusable(path, type(error).__name__) from None
    if kept.version != 1:
        raise _unusable(path, "VERSION")
    return kept.servers


def write_pins(path: Path, pins: Pins) -> None:
    """Replace the file at once; it is 0600, its folder 0700 when it is made here. Raises `OSError`."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    document = {"version": 1, "servers": pins}
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(temporary, flags, 0o600), "w", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True) + "\n")
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()


def _unusable(path: Path, why: str) -> ConfigError:
    return ConfigError(
        f"外部工具的锁定文件 {path} 不可用",
        next_step="请核对该文件和所在目录只有本人能写，或删除它后用 sgclaw mcp pin 重新锁定",
        facts={"file": str(path), "why": why},
    )
