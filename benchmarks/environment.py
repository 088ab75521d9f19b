"""Where a run took place: what a figure means nothing without."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from browser_host_stub.chromium.options import ChromiumOptions

_CPU_INFO: Final = Path("/proc/cpuinfo")
_QUIET_LOAD: Final = 0.25
"""Runnable processes per core before the run starts, above which the machine was doing other work."""


def describe() -> dict[str, str]:
    """Machine, versions, date and load; call it before the first measurement."""
    cores = os.cpu_count() or 1
    load = os.getloadavg()[0]
    state = "quiet" if load <= _QUIET_LOAD * cores else "noisy: other work ran, trust ratios and bests only"
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "processor": _processor(),
        "cores": str(cores),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "chromium": _chromium(),
        "load before the run": f"{load:.2f} ({state})",
    }


def _processor() -> str:
    if _CPU_INFO.exists():
        for line in _CPU_INFO.read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


def _chromium() -> str:
    executable = ChromiumOptions(Path()).executable
    if not executable.exists():
        return "not installed"
    asked = subprocess.run((executable, "--version"), capture_output=True, text=True, check=True, timeout=30)
    return asked.stdout.strip()
