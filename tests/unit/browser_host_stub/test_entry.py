"""The stub's command line: what ends it, and how that is told."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from browser_host_stub.ends import EXIT_CODES
from browser_host_stub.entry import main
from browser_host_stub.sites.erp.app import ErpSite
from sgclaw.audit.ledger import FileLedger
from tests.gates.repository import ROOT
from tests.unit.audit.support import HandClock, record

PROGRAM = [sys.executable, "-m", "browser_host_stub"]


@pytest.mark.requirement("STUB-27")
@pytest.mark.parametrize(
    "words",
    [
        ["run", ""],
        ["run", "字" * 10_001],
        ["run", "字\udcff"],
        ["run", "导出", "--skill", "x" * 129],
        ["run", "导出", "--input", "bad"],
        ["run", "导出", "--input", "=值"],
        ["run", "导入", "--file", "bad"],
        ["run", "导入", "--file", "=FILE"],
        ["run", "导入", "--file", "报表=nowhere.csv"],
        ["run", "导入", "--file", "报表=/proc"],
        ["run", "导出", "--today", "昨天"],
        ["run", "导出", "--out", "FILE"],
        ["run", "导出", "--out", "/proc/nowhere"],
        ["run"],
        ["run", "导出", "--unknown"],
        ["serve", "--input", "bad"],
        ["fly"],
    ],
)
def test_what_is_wrong_in_a_command_is_one_typed_error_before_a_browser_starts(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "FILE").touch()
    assert main([*words, "--json"]) == 2
    shown = capsys.readouterr()
    (line,) = shown.out.splitlines()
    told: dict[str, Any] = json.loads(line)
    assert (told["outcome"], told["error"]["code"]) == ("failed", "BAD_USAGE")
    assert told["error"]["message"]
    assert shown.err.startswith("BAD_USAGE：")


@pytest.mark.requirement("STUB-27")
def test_the_help_lists_every_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsys.readouterr().out
    assert all(f"  {code:<4} {meaning}\n" in shown for code, meaning in EXIT_CODES.items())


@pytest.mark.requirement("STUB-27")
@pytest.mark.parametrize("words", [[], ["run"], ["demo"], ["serve"], ["host"]])
def test_the_help_of_every_command_is_chinese(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([*words, "-h"])
    shown = capsys.readouterr().out
    assert shown.startswith("用法：python -m browser_host_stub")
    assert "\n选项:\n" in shown
    assert "  -h, --help" in shown
    assert not re.search(r"\b(usage|options|arguments|show|message|exit|OUT|SKILL|TODAY|STATE_DIR)\b", shown)


@pytest.mark.requirement("STUB-27")
@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_the_readme_names_every_option_of_a_run(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    options = set(re.findall(r"^  (--[a-z-]+)", capsys.readouterr().out, re.MULTILINE))
    (row,) = [
        line
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines()
        if line.startswith("| `python -m browser_host_stub run ")
    ]
    assert set(re.findall(r"--[a-z-]+", row)) == options


@pytest.mark.requirement("STUB-27")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "缺少 命令"),
        (["run"], "缺少 指令"),
        (["run", "导出", "--unknown"], "不认识 --unknown"),
        (["run", "导出", "--skill"], "--skill 后面要有一个值"),
        (["run", "导出", "--yes=1"], "--yes 后面不能有值：'1'"),
        (["run", "导出", "--s", "x"], "--s 不明确，可以是 --signed-out, --state-dir, --skill"),
        (["run", "导出", "--today", "昨天"], "--today：日期要写成 2026-03-31 这样，不能是“昨天”"),
        (["fly"], "命令 不能是 'fly'，可选"),
    ],
)
def test_what_is_wrong_in_a_command_is_said_in_chinese(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err.startswith(f"BAD_USAGE：命令用法不对：{said}")


@pytest.mark.requirement("STUB-27")
@pytest.mark.parametrize("today", [date.min, date.max])
def test_the_demo_site_opens_on_any_day(today: date) -> None:
    assert ErpSite(today).today == today


def _run(words: list[str], shell: str = "") -> subprocess.CompletedProcess[bytes]:
    command = ["sh", "-c", f'exec "$@" {shell}', "sh", *PROGRAM, *words]
    return subprocess.run(command, capture_output=True, timeout=30, check=False, stdin=subprocess.DEVNULL)


@pytest.mark.requirement("STUB-28")
@pytest.mark.parametrize(("shell", "out", "err"), [(">/dev/full", 0, 1), ("2>&-", 1, 0), ("2>/dev/full", 1, 0)])
def test_streams_that_take_nothing_change_no_exit_code(shell: str, out: int, err: int) -> None:
    done = _run(["run", "", "--json"], shell)
    assert (done.returncode, len(done.stdout.splitlines()), len(done.stderr.splitlines())) == (2, out, err)


@pytest.mark.requirement("STUB-28")
@pytest.mark.parametrize("after_s", [0.7, 1.1, 1.6])
def test_ctrl_c_while_everything_starts_ends_with_130_and_one_json_object(after_s: float, tmp_path: Path) -> None:
    command = [*PROGRAM, "run", "导出2026年3月财务部的月度报表", "--json", "--out", str(tmp_path)]
    command += ["--state-dir", str(tmp_path / "state")]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as started:
        with contextlib.suppress(subprocess.TimeoutExpired):
            started.wait(after_s)
        os.killpg(started.pid, signal.SIGINT)
        out, err = started.communicate(timeout=30)
    assert b"Traceback" not in err, err.decode()
    assert (started.returncode, json.loads(out)["outcome"]) == (130, "aborted"), err.decode()


@pytest.mark.requirement("STUB-30")
def test_a_host_says_first_where_its_files_are_kept(tmp_path: Path) -> None:
    done = _run(["host", "--out", str(tmp_path / "here")])
    assert done.stderr.decode().splitlines()[0] == f"文件保存在 {tmp_path / 'here' / 'files'}"


@pytest.mark.requirement("STUB-32")
def test_sgclaw_run_tells_a_refused_session_once(tmp_path: Path) -> None:
    ledger = FileLedger(tmp_path / "state" / "audit", HandClock())
    ledger.append(record())
    ledger.close()
    (tmp_path / "state" / "audit" / "ledger.head").write_bytes(b"")
    command = [sys.executable, "-m", "sgclaw.cli.main", "--state-dir", str(tmp_path / "state"), "run", "导出月度报表"]
    done = subprocess.run(command, capture_output=True, timeout=30, check=False, stdin=subprocess.DEVNULL, cwd=tmp_path)
    told = done.stderr.decode().splitlines()
    assert [line.partition("：")[0] for line in told] == [f"文件保存在 {tmp_path / 'out' / 'files'}", "错误", "下一步"]
    assert "账本" in told[1]
    assert done.returncode == 4
