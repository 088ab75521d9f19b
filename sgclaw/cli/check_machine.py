"""Checks of the machine: Python, the browser and its parts, fonts, the state folder."""

from __future__ import annotations

import os
import platform
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from sgclaw.cli.findings import Finding, Verdict, required
from sgclaw.config import Settings
from sgclaw.skills.state import open_folders

MIN_PYTHON = (3, 11)
MIN_FREE_MB = 200
ASK_SECONDS = 20
"""How long another program may take to tell its version: the first start of a browser is slow."""

_MB = 1024 * 1024
_STUB = "browser_host_stub"
_CHROMIUM_PATHS = ("/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome", "chrome")


def needs_stub(settings: Settings) -> bool:
    """Whether the configured host is the demonstration browser, which brings its own Chromium."""
    return any(_STUB in word for word in settings.host_command)


def check_python() -> Finding:
    """The interpreter."""
    found = f"Python {platform.python_version()}（{sys.executable}）"
    if sys.version_info[:2] < MIN_PYTHON:
        return Finding("Python", Verdict.FAIL, found, "请安装 Python 3.11 或更新的版本，例如 apt-get install python3")
    return Finding("Python", Verdict.OK, found)


def check_host(settings: Settings) -> Finding:
    """The command that `sgclaw run` starts."""
    name, command = "浏览器命令", settings.host_command
    program = shutil.which(command[0])
    mend = "请在 settings.toml 里设置 host_command，或设环境变量 SGCLAW_HOST_COMMAND"
    if program is None:
        return Finding(name, Verdict.FAIL, f"找不到 {command[0]}", mend)
    if needs_stub(settings) and program == shutil.which(sys.executable) and find_spec(_STUB) is None:
        return Finding(name, Verdict.FAIL, "没有安装演示浏览器 browser_host_stub", mend)
    return Finding(name, Verdict.OK, " ".join(command))


def check_chromium(settings: Settings, candidates: tuple[str, ...] = _CHROMIUM_PATHS) -> Finding:
    """The browser program of the demonstration host, and its version."""
    path = next((found for name in candidates if (found := shutil.which(name))), None)
    if path is None:
        mend = "apt-get install -y --no-install-recommends chromium"
        return Finding("Chromium", required(needs_stub(settings)), "没有找到", mend)
    said = _ask(path, "--version")
    number = re.search(r"[0-9]+(?:\.[0-9]+)+", said or "")
    if number is None:
        return Finding(
            "Chromium", required(needs_stub(settings)), f"{path} 不能运行", f"请直接执行 {path} --version 看原因"
        )
    return Finding("Chromium", Verdict.OK, f"{path}，版本 {number[0]}")


def check_playwright(settings: Settings) -> Finding:
    """The library the demonstration host drives Chromium with."""
    try:
        found = version("playwright")
    except PackageNotFoundError:
        found = ""
    if not found or find_spec("playwright") is None:
        mend = "pip install 'sgclaw[stub]'（只有演示浏览器需要）"
        return Finding("Playwright", required(needs_stub(settings)), "没有安装", mend)
    return Finding("Playwright", Verdict.OK, f"版本 {found}")


def check_fonts() -> Finding:
    """Chinese fonts: without one, screenshots show boxes."""
    name, mend = "中文字体", "apt-get install -y fonts-noto-cjk（或 fonts-wqy-microhei）"
    if sys.platform != "linux":
        return Finding(name, Verdict.OK, "由操作系统提供")
    if shutil.which("fc-list") is None:
        return Finding(name, Verdict.WARN, "没有 fc-list，无法检查", "apt-get install -y fontconfig")
    families = sorted({line.partition(",")[0] for line in (_ask("fc-list", ":lang=zh", "family") or "").splitlines()})
    if not families:
        return Finding(name, Verdict.WARN, "没有中文字体，页面截图里的汉字会显示为方框", mend)
    return Finding(name, Verdict.OK, f"{len(families)} 种，例如 {families[0]}")


def _ask(*command: str) -> str | None:
    """What a program prints on stdout; None when it cannot be run or takes too long."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=ASK_SECONDS, check=True, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace").strip()


# --- the state folder -----------------------------------------------------------------------------------------------


def check_state(settings: Settings) -> list[Finding]:
    """The folder everything is written to: there or makeable, ours alone, with room."""
    folder = settings.state_dir
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    return [_folder(settings, existing), _room(existing)]


def _folder(settings: Settings, existing: Path) -> Finding:
    name, folder = "状态目录", settings.state_dir
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        mend = f"请给当前用户 {existing} 的写权限，或用 --state-dir、state_dir 另设目录"
        return Finding(name, Verdict.FAIL, f"{folder} 不能写入", mend)
    if existing != folder:
        return Finding(name, Verdict.OK, f"{folder}（第一次使用时建立）")
    for place, mend in open_folders(settings.skills_state):
        return Finding(name, Verdict.FAIL, f"其他用户可以改动或访问 {place}", mend)
    open_ones = list(_open_to_others(folder))
    if open_ones:
        mend = f"chmod -R go-rwx '{folder}'"
        return Finding(name, Verdict.FAIL, f"其他用户可以访问 {open_ones[0]} 等 {len(open_ones)} 处", mend)
    return Finding(name, Verdict.OK, f"{folder}，其中的账本和技能记录只有当前用户可以访问")


def _open_to_others(folder: Path) -> Iterator[str]:
    """The state folder's own parts that another user could enter or read. Windows has access lists instead."""
    if sys.platform == "win32":
        return
    for path in (folder / "audit", *(folder / "audit").glob("*")):
        if path.exists() and stat.S_IMODE(path.lstat().st_mode) & 0o077:
            yield str(path)


def _room(existing: Path) -> Finding:
    free = shutil.disk_usage(existing).free // _MB
    if free < MIN_FREE_MB:
        mend = f"请清理 {existing} 所在的磁盘，至少留出 {MIN_FREE_MB} MB：账本写不下时任务会停止"
        return Finding("磁盘空间", Verdict.FAIL, f"只剩 {free} MB", mend)
    return Finding("磁盘空间", Verdict.OK, f"可用 {free} MB")
