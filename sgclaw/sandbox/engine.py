"""Where the JavaScript engine is installed. The parent never imports it: only workers load it."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from sgclaw.errors import ConfigError

_MODULE: Final = "_quickjs"
MINIMUM: Final = (0, 17, 0, 2)
"""quickjs-ng: the memory-safety fixes of 2026 are in, and the regular expression engine can be interrupted."""


def engine_folder() -> Path:
    """The folder of the engine's compiled module. Raises `ConfigError` when it is missing, too old or ambiguous."""
    spec = find_spec(_MODULE)
    if spec is None or spec.origin is None:
        raise _unusable("没有安装脚本引擎 quickjs-ng", None)
    found = _version("quickjs-ng")
    if found is None or _version("quickjs") is not None:
        # Both distributions install modules of the same names; the older one crashes on nested JSON.
        raise _unusable("脚本引擎必须来自 quickjs-ng，不能是 quickjs", found)
    if tuple(int(part) for part in re.findall(r"\d+", found)[:4]) < MINIMUM:
        raise _unusable(f"脚本引擎 quickjs-ng {found} 太旧", found)
    return Path(spec.origin).parent


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def _unusable(cause: str, found: str | None) -> ConfigError:
    least = ".".join(str(part) for part in MINIMUM)
    return ConfigError(
        cause,
        next_step=f"请卸载 quickjs 并安装 quickjs-ng {least} 或更新的版本",
        facts={"found": found, "minimum": least},
    )
