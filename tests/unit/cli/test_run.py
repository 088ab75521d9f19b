"""`sgclaw run` against a real host process with an in-memory browser."""

import hashlib
import os
from collections.abc import Iterator
from typing import cast

import pytest

from sgclaw.cli.exits import Exit
from sgclaw.cli.task import MAX_DATA_SHOWN
from tests.unit.cli.home import RELEASE, Home, host_command
from tests.unit.cli.memory_host import TRACE_ID
from tests.unit.skills.folder import script

FIELDS = {
    "outcome",
    "summary",
    "data",
    "artifacts",
    "usage",
    "evidence",
    "trace_id",
    "error",
    "steps",
    "duration_ms",
    "skill",
    "inputs",
}
SHA256 = hashlib.sha256(b"rows").hexdigest()


def _error(home: Home) -> dict[str, object]:
    return cast("dict[str, object]", home.json()["error"])


@pytest.mark.requirement("CLI-50")
def test_a_task_runs_to_its_result_and_prints_one_json_object(home: Home) -> None:
    assert home.run("run", "导出2026年3月的订单清单", "--json") == Exit.OK
    report = home.json()
    assert set(report) == FIELDS
    assert (report["outcome"], report["summary"], report["error"]) == ("completed", "已导出 2026-03 的订单清单", None)
    assert (report["skill"], report["inputs"]) == ("order-list@1.2.0", {"month": "2026-03", "rows": 10})
    assert (report["trace_id"], report["steps"]) == (TRACE_ID, 2)
    assert report["usage"] == {"llm_calls": 0, "tokens": 0, "cost_micros": 0}
    (artifact,) = cast("list[dict[str, object]]", report["artifacts"])
    assert (artifact["name"], artifact["sha256"]) == ("订单清单.xlsx", SHA256)


@pytest.mark.requirement("CLI-51")
def test_progress_and_result_are_chinese_lines(home: Home) -> None:
    assert home.run("run", "导出2026年3月的订单清单") == Exit.OK
    progress = home.err.splitlines()
    assert progress[0] == f"任务：导出2026年3月的订单清单    trace_id：{TRACE_ID}"
    assert "● 理解任务" in progress
    steps = [line for line in progress if line.strip()[:2] in ("1.", "2.")]
    assert len(steps) == 2
    assert steps[0].startswith("   1. 打开 https://erp.example.com/orders（")
    assert home.out.splitlines()[0] == "结果：已导出 2026-03 的订单清单"
    assert f"文件：订单清单.xlsx（4 字节，sha256 {SHA256}）" in home.out
    assert home.out.splitlines()[-1] == f"经过：sgclaw audit show {TRACE_ID}"


def _add_echo(home: Home) -> None:
    """A skill that opens a page and whose data is its inputs."""
    texts = '"rows": {"type": "string"}, "message": {"type": "string"}'
    params = f' * @params {{"type": "object", "properties": {{{texts}}}}}\n'
    act = "  await browserAction('navigate', 'https://erp.example.com/orders');\n  return"
    home.skills.write("custom/echo.js", script("echo", extra=params).replace("  return", act))
    home.skills.sign(RELEASE)


@pytest.mark.requirement("CLI-65")
def test_data_without_a_message_is_shown_and_long_data_is_cut(home: Home) -> None:
    _add_echo(home)
    assert home.run("run", "取数", "--skill", "echo", "--input", "rows=1,234.50") == Exit.OK
    assert home.out.splitlines()[:2] == ["结果：技能 echo@1.0.0 执行完成", '数据：{"rows": "1,234.50"}']
    assert home.run("run", "取数", "--skill", "echo", "--input", f"rows={'行' * MAX_DATA_SHOWN}") == Exit.OK
    assert home.out.splitlines()[1].endswith("行…（全部数据请加 --json 查看）")


@pytest.mark.requirement("CLI-65")
def test_a_skill_with_a_message_of_its_own_and_one_without_data_show_no_data(home: Home) -> None:
    _add_echo(home)
    assert home.run("run", "取数", "--skill", "echo", "--input", "message=合计 12 元") == Exit.OK
    assert home.out.splitlines()[0] == "结果：合计 12 元"
    assert "数据：" not in home.out
    assert home.run("run", "取数", "--skill", "echo") == Exit.OK
    assert "数据：" not in home.out


@pytest.mark.requirement("CLI-65")
def test_data_of_an_unverified_run_is_shown_whatever_message_it_holds(home: Home) -> None:
    home.skills.write("custom/claim.js", script("claim").replace("data: params", "data: { message: '已完成' }"))
    home.skills.sign(RELEASE)
    assert home.run("run", "取数", "--skill", "claim") == Exit.UNVERIFIED
    assert home.out.splitlines()[0] == '数据：{"message": "已完成"}'


@pytest.mark.requirement("CLI-51")
def test_what_a_run_did_is_in_the_ledger_and_its_log_beside_it(home: Home) -> None:
    home.run("run", "导出2026年3月的订单清单")
    assert home.run("audit", "show", TRACE_ID) == Exit.OK
    assert "提交任务「导出2026年3月的订单清单」，来自 cli" in home.out
    assert home.run("audit", "verify") == Exit.OK
    log = home.settings.state_dir / "sgclaw.log"
    assert log.stat().st_mode & 0o777 == 0o600
    assert '"event":"run_ended"' in log.read_text(encoding="utf-8")


@pytest.mark.requirement("CLI-52")
def test_skill_and_inputs_may_be_given_as_options(home: Home) -> None:
    words = ["--skill", "order-list@1.2.0", "--input", "month=2025-12", "--input", "rows:=3"]
    assert home.run("run", "导出订单清单", *words, "--json") == Exit.OK
    assert home.json()["inputs"] == {"month": "2025-12", "rows": 3}


@pytest.mark.requirement("CLI-53")
def test_a_question_nobody_can_answer_ends_with_3(home: Home) -> None:
    assert home.run("run", "导出订单清单", "--json") == Exit.NEEDS_HUMAN
    report = home.json()
    assert set(report) == FIELDS
    assert (report["outcome"], _error(home)["code"]) == ("failed", "NEEDS_HUMAN")
    assert "没有终端，无法回答" in home.err
    assert "？。" not in str(report["summary"])


@pytest.fixture
def typed() -> Iterator[tuple[int, int]]:
    """What a person types on: (descriptor the command reads, descriptor to type into)."""
    read_fd, write_fd = os.pipe()
    yield read_fd, write_fd
    os.close(read_fd)


@pytest.mark.requirement("CLI-53")
def test_a_question_is_asked_on_the_terminal(home: Home, typed: tuple[int, int]) -> None:
    read_fd, write_fd = typed
    os.write(write_fd, "去年12月\n".encode())
    home.terminal = lambda: read_fd
    assert home.run("run", "导出订单清单", "--json") == Exit.OK
    os.close(write_fd)
    assert home.json()["inputs"] == {"month": "2025-12", "rows": 10}
    assert "？" in home.err


@pytest.mark.requirement("CLI-53")
@pytest.mark.parametrize("answer", [b"\n", b""])
def test_an_empty_line_and_a_closed_terminal_are_no_answer(home: Home, typed: tuple[int, int], answer: bytes) -> None:
    read_fd, write_fd = typed
    os.write(write_fd, answer)
    os.close(write_fd)
    home.terminal = lambda: read_fd
    assert home.run("run", "导出订单清单", "--json") == Exit.NEEDS_HUMAN


@pytest.mark.requirement("CLI-54")
def test_a_task_no_skill_can_do_says_what_would_help(home: Home) -> None:
    assert home.run("run", "帮我写一首关于春天的诗", "--json") == Exit.NEEDS_HUMAN
    assert _error(home)["code"] == "NO_MODEL"


@pytest.mark.requirement("CLI-54")
def test_a_refused_skill_is_not_run(home: Home) -> None:
    home.skills.write("builtin/order-list.js", "// changed")
    assert home.run("run", "导出订单清单", "--skill", "order-list", "--json") == Exit.REFUSED
    assert (_error(home)["code"], home.json()["steps"]) == ("SKILL_REFUSED", 0)


@pytest.mark.requirement("CLI-55")
@pytest.mark.parametrize("mode", ["die at navigate", "mute"])
def test_a_browser_that_leaves_ends_the_run_with_6(home: Home, mode: str) -> None:
    home.with_settings(host_command=host_command(mode))
    assert home.run("run", "导出2026年3月的订单清单", "--json") == Exit.NO_HOST
    report = home.json()
    assert set(report) == FIELDS
    assert (report["outcome"], _error(home)["code"]) == ("failed", "HOST_GONE")


@pytest.mark.requirement("CLI-58")
def test_a_browser_that_leaves_in_the_middle_of_a_change_leaves_its_outcome_unknown(home: Home) -> None:
    home.with_settings(host_command=host_command("die at download"))
    assert home.run("run", "导出2026年3月的订单清单", "--json") == Exit.UNVERIFIED
    assert (home.json()["outcome"], _error(home)["code"]) == ("unverified", "UNKNOWN_OUTCOME")


@pytest.mark.requirement("CLI-55")
def test_a_browser_that_cannot_be_started_ends_the_run_with_6(home: Home) -> None:
    home.with_settings(host_command=("no-such-browser",))
    assert home.run("run", "导出订单清单") == Exit.NO_HOST
    assert home.err.splitlines()[-2] == "错误：启动不了浏览器命令 no-such-browser"
    assert home.out == ""


@pytest.mark.requirement("CLI-56")
def test_a_task_that_takes_too_long_is_stopped(home: Home) -> None:
    home.with_settings(host_command=host_command("hang"))
    assert home.run("run", "导出2026年3月的订单清单", "--timeout", "1", "--json") == Exit.UNVERIFIED
    assert _error(home)["code"] == "UNKNOWN_OUTCOME"


@pytest.mark.requirement("CLI-60")
def test_ctrl_c_before_there_is_a_session_ends_in_the_documented_shape(home: Home) -> None:
    def interrupted() -> int | None:
        raise KeyboardInterrupt

    home.terminal = interrupted
    assert home.run("run", "导出2026年3月的订单清单", "--json") == Exit.STOPPED
    report = home.json()
    assert (report["outcome"], report["trace_id"], _error(home)["code"]) == ("aborted", None, "CANCELLED")
