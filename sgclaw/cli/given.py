"""Files that a command line names: read once, and what is wrong with one is said of that very file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from sgclaw.errors import RegistryRefusedError, UsageProblemError
from sgclaw.skills.ed25519 import SecretKey, parse_public_keys, parse_secret_key
from sgclaw.skills.files import RefusedFileError, read_named
from sgclaw.skills.reasons import Reason

MAX_KEY_BYTES: Final = 64 * 1024
_KEY_STEP: Final = "请给出私钥文件（.key）；还没有密钥时，用 sgclaw keys new 名称 --out 目录 生成"
_WHY: Final[Mapping[type[OSError], str]] = {
    FileNotFoundError: "文件不存在",
    IsADirectoryError: "是目录，不是文件",
    NotADirectoryError: "路径中有一级不是目录",
    PermissionError: "没有读取权限",
}


class UnreadableError(Exception):
    """Why a named file was not read, in Chinese words that fit behind its path."""


def read_given(path: Path, limit: int) -> bytes:
    """The bytes of a file of at most `limit` bytes, links followed. Raises `UnreadableError`."""
    try:
        return read_named(path, limit)
    except RefusedFileError as error:
        too_large = error.reason is Reason.TOO_LARGE
        raise UnreadableError(f"超过 {limit:,} 字节" if too_large else "是管道或设备，不是普通文件") from None
    except OSError as error:
        raise UnreadableError(_WHY.get(type(error)) or error.strerror or type(error).__name__) from None
    except ValueError:  # a NUL in the path
        raise UnreadableError("路径写得不对") from None


def read_key(path: Path) -> SecretKey:
    """The private key in this file. Raises `BAD_USAGE` that says what the file is instead."""
    try:
        content = read_given(path, MAX_KEY_BYTES)
    except UnreadableError as error:
        raise _no_key(f"读不到私钥文件 {path}：{error}", path) from None
    try:
        return parse_secret_key(content)
    except RegistryRefusedError:
        raise _no_key(f"不是私钥文件 {path}：{_what_it_is(content)}", path) from None


def _what_it_is(content: bytes) -> str:
    if not content.strip():
        return "文件是空的"
    if _is_public(content):
        return "里面是公钥，签名要用私钥"
    return "私钥文件里恰好有一行 ed25519-secret: 加 64 位小写十六进制，其余的行以 # 开头"


def _is_public(content: bytes) -> bool:
    try:
        parse_public_keys(content.replace(b"root:", b""))
    except RegistryRefusedError:
        return False
    return True


def _no_key(cause: str, path: Path) -> UsageProblemError:
    return UsageProblemError(cause, next_step=_KEY_STEP, facts={"path": str(path)})
