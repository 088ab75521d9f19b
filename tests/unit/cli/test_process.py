"""What only a process of its own can show: settings from the environment, code pages, Ctrl-C, what is loaded."""

import contextlib
import json
import os
import pty
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import psutil
import pytest

from sgclaw.cli.exits import Exit
from tests.unit.cli.home import ROOT, Home, host_command

SECONDS = 30
INTERRUPTED = """
import os, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
sys.argv = ["sgclaw", "run", "导出2026年3月的订单清单", "--json"]
from sgclaw.cli.main import main
main()
"""
BROKEN = """
import sys
sys.modules[{name!r}] = None
sys.argv = ["sgclaw", *{arguments!r}]
from sgclaw.cli.main import main
main()
"""
"""An installation in which one module is missing: a bug that no caller expects."""


def _environment(home: Home, **more: str) -> dict[str, str]:
    settings = home.folder / "settings.toml"
    command = json.dumps(list(home.settings.host_command))
    settings.write_text(
        f'state_dir = "{home.settings.state_dir}"\nhome = "{home.settings.home}"\nhost_command = {command}\n',
        encoding="utf-8",
    )
    return {"PATH": os.defpath, "PYTHONPATH": str(ROOT), "SGCLAW_SETTINGS": str(settings), **more}


@contextlib.contextmanager
def _started(home: Home, *arguments: str, **more: str) -> Iterator[subprocess.Popen[bytes]]:
    """A running `sgclaw`; one that is still there at the end is killed."""
    process = subprocess.Popen(
        (sys.executable, "-m", "sgclaw.cli.main", *arguments),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=_environment(home, **more),
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.requirement("CLI-06")
def test_output_is_utf8_whatever_the_code_page(home: Home) -> None:
    with _started(home, "skill", "list", PYTHONIOENCODING="gbk", PYTHONUTF8="0", LC_ALL="C") as process:
        out, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, err) == (0, b"")
    assert "导出订单清单" in out.decode("utf-8")


@pytest.mark.requirement("CLI-08")
def test_looking_at_skills_loads_nothing_of_a_session(home: Home) -> None:
    code = (
        "import sys; from sgclaw.cli.commands import run_command; run_command(['skill', 'list']);"
        "print(*sorted(m for m in sys.modules if m in"
        " {'asyncio', 'rich', 'sgclaw.app', 'sgclaw.host', 'sgclaw.gateway', 'jsonschema', 'rjieba', 'quickjs'}))"
    )
    done = subprocess.run(
        (sys.executable, "-c", code), env=_environment(home), capture_output=True, timeout=SECONDS, check=True
    )
    assert done.stdout.splitlines()[-1] == b""


def _until(process: subprocess.Popen[bytes], piece: str) -> None:
    """Read progress up to the line that holds `piece`; a watchdog ends a process that never says it."""
    assert process.stderr is not None
    watchdog = threading.Timer(SECONDS, process.kill)
    watchdog.start()
    try:
        seen = []
        for line in process.stderr:
            seen.append(line.decode("utf-8"))
            if piece in seen[-1]:
                return
        raise AssertionError(f"the process ended without saying {piece}: {seen}")
    finally:
        watchdog.cancel()


class _Screen:
    """The other side of a terminal: what is shown on it, and a keyboard."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self.shown = ""

    def until(self, piece: str) -> None:
        """Read until the piece is shown or the terminal is closed; fails when neither happens in time."""
        while piece not in self.shown:
            readable, _, _ = select.select([self._fd], [], [], SECONDS)
            assert readable, self.shown
            try:
                self.shown += os.read(self._fd, 65536).decode("utf-8", "replace")
            except OSError:  # how a terminal without a program on it ends
                break

    def type(self, text: str) -> None:
        os.write(self._fd, text.encode())


@pytest.mark.requirement("CLI-51", "CLI-53")
def test_on_a_terminal_the_task_asks_and_shows_its_progress(home: Home) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        (sys.executable, "-m", "sgclaw.cli.main", "run", "导出订单清单"),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=_environment(home, TERM="xterm", COLUMNS="200"),
    )
    os.close(theirs)
    screen = _Screen(ours)
    with process:
        try:
            screen.until("直接回车表示不回答")
            screen.type("2026-03\n")
            screen.until("经过：sgclaw audit show")
            assert process.wait(SECONDS) == Exit.OK
        finally:
            process.kill()
            os.close(ours)
    assert "1. 打开 https://erp.example.com/orders" in screen.shown
    assert "结果：已导出 2026-03 的订单清单" in screen.shown


@pytest.mark.requirement("CLI-57")
def test_ctrl_c_stops_the_task_in_order_and_leaves_no_process(home: Home) -> None:
    home.with_settings(host_command=host_command("hang"))
    with _started(home, "run", "导出2026年3月的订单清单", "--json") as process:
        _until(process, "1. 打开")
        children = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == Exit.STOPPED, err.decode()
    report = json.loads(out)
    assert (report["outcome"], report["error"]["code"], report["error"]["facts"]["by"]) == (
        "aborted",
        "CANCELLED",
        "user",
    )
    _, alive = psutil.wait_procs(children, timeout=SECONDS)
    assert alive == []
    home.run("audit", "show", report["trace_id"])
    assert "任务被取消，取消者 用户" in home.out


@pytest.mark.requirement("CLI-57")
def test_ctrl_c_before_the_browser_is_ready_leaves_at_once(home: Home) -> None:
    waiting = "import sys; sys.stderr.write('up\\n'); sys.stderr.flush(); sys.stdin.read()"
    home.with_settings(host_command=(sys.executable, "-c", waiting))
    with _started(home, "run", "导出2026年3月的订单清单", "--json") as process:
        _until(process, "up")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == Exit.STOPPED
    assert json.loads(out)["outcome"] == "aborted"


def _python(home: Home, code: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        (sys.executable, "-c", code), env=_environment(home), capture_output=True, timeout=SECONDS, check=False
    )


@pytest.mark.requirement("CLI-57", "CLI-60")
@pytest.mark.parametrize(
    "name",
    ["sgclaw.cli.commands", "typer", "sgclaw.cli.run", "sgclaw.cli.task", "pydantic", "sgclaw.host.session"],
)
def test_ctrl_c_while_the_command_is_loading_is_told_like_any_other(home: Home, name: str) -> None:
    done = _python(home, INTERRUPTED.format(name=name))
    assert done.returncode == Exit.STOPPED
    (line,) = done.stdout.splitlines()
    assert json.loads(line)["error"]["code"] == "CANCELLED"


@pytest.mark.requirement("CLI-61")
@pytest.mark.parametrize("name", ["sgclaw.skills.catalogue", "sgclaw.cli.commands"])
def test_whatever_goes_wrong_in_our_own_code_exits_with_70_and_no_traceback(home: Home, name: str) -> None:
    done = _python(home, BROKEN.format(name=name, arguments=["skill", "list"]))
    assert (done.returncode, done.stdout) == (Exit.INTERNAL, b"")
    assert b"Traceback" not in done.stderr
    assert "程序内部错误（ModuleNotFoundError" in done.stderr.decode()


@pytest.mark.requirement("CLI-61")
def test_a_bug_under_json_is_one_object(home: Home) -> None:
    done = _python(home, BROKEN.format(name="sgclaw.skills.catalogue", arguments=["skill", "list", "--json"]))
    assert (done.returncode, done.stderr) == (Exit.INTERNAL, b"")
    (line,) = done.stdout.splitlines()
    assert json.loads(line)["error"]["code"] == "INTERNAL"


@pytest.mark.requirement("CLI-61")
@pytest.mark.parametrize("name", ["sgclaw.cli.pipe", "sgclaw.app"])
def test_a_bug_of_pipe_is_one_line_on_stderr_and_nothing_on_the_wire(home: Home, name: str) -> None:
    done = _python(home, BROKEN.format(name=name, arguments=["pipe"]))
    assert (done.returncode, done.stdout) == (Exit.INTERNAL, b"")
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith("sgclaw: INTERNAL: 程序内部错误（ModuleNotFoundError，")


def _shell(home: Home, words: str) -> subprocess.CompletedProcess[bytes]:
    command = ("/bin/sh", "-c", f'"{sys.executable}" -m sgclaw.cli.main {words}')
    return subprocess.run(command, env=_environment(home), capture_output=True, timeout=SECONDS, check=False)


@pytest.mark.requirement("CLI-62")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("skill list >&-", Exit.FAILED),
        ("skill list --json >&-", Exit.FAILED),
        ("skill list >/dev/full", Exit.FAILED),
        ("skill list --json >/dev/full", Exit.FAILED),
        ("skill list --json >/dev/full 2>/dev/full", Exit.FAILED),
        ("nonsense 2>&-", Exit.USAGE),
        ("nonsense 2>/dev/full", Exit.USAGE),
        ("skill list <&- 2>&- >/dev/null", Exit.OK),
        ("pipe <&-", Exit.NO_HOST),
        ("pipe >&- </dev/null", Exit.NO_HOST),
        ("pipe </dev/null 2>&-", Exit.FAILED),
        ("pipe </dev/null 2>/dev/full", Exit.FAILED),
    ],
)
def test_a_closed_or_full_standard_stream_changes_no_exit_code(home: Home, words: str, code: Exit) -> None:
    done = _shell(home, words)
    assert done.returncode == code, done.stderr
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


@pytest.mark.requirement("CLI-62")
def test_an_error_that_stdout_does_not_take_is_told_on_stderr(home: Home) -> None:
    assert "读写文件失败" in _shell(home, "skill list --json >/dev/full").stderr.decode()
    assert "标准输出没有打开" in _shell(home, "skill list --json >&-").stderr.decode()


@pytest.mark.requirement("CLI-63")
@pytest.mark.parametrize(
    "words", ["run '\udcff' --json", "run x --json --input 'a=\udcff'", "audit show --json '\udcff'"]
)
def test_words_that_are_no_utf_8_are_called_that(home: Home, words: str) -> None:
    done = _shell(home, words)
    assert done.returncode == Exit.USAGE
    assert "不是有效的 UTF-8" in json.loads(done.stdout)["error"]["message"]
