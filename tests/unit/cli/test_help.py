"""Help, usage errors and exit codes: everything a person reads is Chinese."""

import json
import re
from collections.abc import Iterator

import pytest
from typer.core import TyperOption

from sgclaw import __version__
from sgclaw.cli.commands import render_cli_docs, report_crash, run_command, toolkit_group
from sgclaw.cli.exits import MEANINGS, Exit
from sgclaw.cli.help import Command, Group
from sgclaw.cli.world import World
from sgclaw.config import Settings
from sgclaw.errors import ConfigError
from tests.unit.cli.home import Home

CHINESE = re.compile("[\u4e00-\u9fff]")
ENGLISH_OF_THE_TOOLKIT = re.compile(
    r"\b(Usage|Options|Commands|Arguments|Error|Show|Missing|No such|default|required)\b"
)


def _every(command: Command | Group, *path: str) -> Iterator[tuple[tuple[str, ...], Command | Group]]:
    yield path, command
    if isinstance(command, Group):
        for name, child in command.commands.items():
            assert isinstance(child, Command | Group)
            yield from _every(child, *path, name)


COMMANDS = list(_every(toolkit_group()))


@pytest.mark.requirement("CLI-01")
@pytest.mark.parametrize("path", [path for path, _ in COMMANDS], ids=" ".join)
def test_every_command_has_chinese_help(home: Home, path: tuple[str, ...]) -> None:
    assert home.run(*path, "--help") == Exit.OK
    assert home.out.startswith(f"用法：{' '.join(['sgclaw', *path])}")
    assert not ENGLISH_OF_THE_TOOLKIT.search(home.out)
    assert home.err == ""


@pytest.mark.requirement("CLI-01")
def test_every_option_and_argument_is_explained_in_chinese() -> None:
    unexplained = [
        (path, param.name)
        for path, command in COMMANDS
        for param in command.params
        if not CHINESE.search(getattr(param, "help", None) or "")
        or (isinstance(param, TyperOption) and not param.is_flag and param.metavar is None)
    ]
    assert unexplained == []


@pytest.mark.requirement("CLI-02")
def test_the_help_lists_every_exit_code_with_its_meaning(home: Home) -> None:
    home.run("--help")
    table = home.out.partition("退出码：\n")[2].splitlines()
    assert [line.split(maxsplit=1) for line in table] == [[str(int(code)), MEANINGS[code]] for code in Exit]


def test_the_version_is_printed(home: Home) -> None:
    assert home.run("--version") == Exit.OK
    assert home.out == f"sgclaw {__version__}\n"


@pytest.mark.requirement("CLI-03")
@pytest.mark.parametrize(
    ("words", "cause"),
    [
        (["skil"], "没有命令 skil；您是想用 skill 吗？"),
        (["skill", "nothing-like-it"], "没有命令 nothing-like-it"),
        (["skill", "list", "--jso"], "没有选项 --jso；您是想用 --json 吗？"),
        (["skill", "show"], "缺少参数 名称"),
        (["keys", "new", "a"], "缺少选项 --out"),
        (["skill", "list", "extra"], "命令里有多余的内容"),
        (["skill", "sign", "--serial"], "选项 --serial 的写法不对：缺少值，或不需要值"),
        (["skill", "sign", "--serial", "0"], "选项 --serial 的值不对：应为 1 到 9007199254740991 的整数"),
        (["skill", "sign", "--expires", "soon"], "选项 --expires 的值不对：应为写成 YYYY-MM-DD 的日期"),
        (["audit", "list", "--days", "0"], "选项 --days 的值不对：应为 1 到 36500 的整数"),
        (["run", "任务", "--timeout", "abc"], "选项 --timeout 的值不对：应为 1 到 86400 的整数"),
        (["run", ""], "任务写得不对：指令是空的"),
        (["run", "字" * 10_001], "任务写得不对：指令太长"),
        (["run", "任务", "--skill", "s" * 129], "任务写得不对：--skill 太长"),
        (["run", "任务", "--input", "rows:=" + "[" * 100_000], f"--input 的值不是 JSON：rows:={'[' * 74}"),
        (["run", "任务", "--input", f"rows:={'[' * 65}{']' * 65}"], "--input 的值无法传递：消息嵌套超过 64 层"),
        (["run", "任务", "--input", 'rows:="\\ud800"'], "--input 的值无法传递：要发送的数据中有无法表示的值"),
        (["run", "\udcff"], "第 2 个参数不是有效的 UTF-8 文字"),
        (["run", "任务", "--input", "month"], "--input 的写法不对：month"),
        (["run", "任务", "--input", "rows:=ten"], "--input 的值不是 JSON：rows:=ten"),
        (["audit", "verify", "--head", "12"], "账本头的写法不对：12"),
        (["pipe", "--debug"], "没有选项 --debug"),
        (["--debug", "pipe"], "pipe 前后不能有其它参数"),
    ],
)
def test_a_usage_error_names_its_cause_and_exits_with_2(home: Home, words: list[str], cause: str) -> None:
    assert home.run(*words) == Exit.USAGE
    assert home.err.splitlines()[-2] == f"错误：{cause}"
    assert home.err.splitlines()[-1].startswith("下一步：")
    assert home.out == ""


BOUNDED = [
    (path, param.opts[0], getattr(param, "min", None), getattr(param, "max", None))
    for path, command in COMMANDS
    for param in command.params
    if isinstance(param, TyperOption) and (getattr(param, "min", None), getattr(param, "max", None)) != (None, None)
]


@pytest.mark.requirement("CLI-03")
@pytest.mark.parametrize(("path", "option", "least", "most"), BOUNDED)
def test_every_option_with_a_range_names_it_when_the_value_is_outside(
    home: Home, path: tuple[str, ...], option: str, least: int | None, most: int | None
) -> None:
    outside = [str(least - 1)] if least is not None else []
    outside += [str(most + 1)] if most is not None else []
    arguments = ["任务"] if path == ("run",) else []
    for value in outside:
        assert home.run(*path, *arguments, option, value) == Exit.USAGE
        assert all(str(bound) in home.err for bound in (least, most) if bound is not None)
        assert home.err.startswith(f"错误：选项 {option} 的值不对：应为")


@pytest.mark.requirement("CLI-04")
@pytest.mark.parametrize("words", [["skill", "show", "--json"], ["skill", "show", "no-such", "--json"]])
def test_an_error_is_one_json_object_when_json_is_wanted(home: Home, words: list[str]) -> None:
    home.run(*words)
    error = home.json()["error"]
    assert isinstance(error, dict)
    assert set(error) == {"code", "message", "next_step", "facts"}
    assert home.err == ""


@pytest.mark.parametrize("words", [[], ["skill"], ["audit"], ["keys"]])
def test_a_group_without_a_command_shows_its_help_and_exits_with_2(home: Home, words: list[str]) -> None:
    assert home.run(*words) == Exit.USAGE
    assert home.err.startswith(f"用法：{' '.join(['sgclaw', *words])}")


@pytest.mark.requirement("CLI-05")
def test_a_bug_of_ours_is_told_without_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert report_crash(ZeroDivisionError("division by zero"), ["skill", "list"]) == Exit.INTERNAL
    told = capsys.readouterr()
    assert told.err.splitlines() == [
        "错误：程序内部错误（ZeroDivisionError）",
        "下一步：请用 sgclaw --debug 重新执行，把输出交给管理员",
    ]
    assert report_crash(ZeroDivisionError("division by zero"), ["skill", "list", "--json"]) == Exit.INTERNAL
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "INTERNAL"


@pytest.mark.requirement("CLI-05")
def test_debug_adds_the_traceback(home: Home) -> None:
    home.run("skill", "show", "no-such")
    assert "Traceback" not in home.err
    home.run("--debug", "skill", "show", "no-such")
    assert "Traceback" in home.err
    assert "错误：没有名为 no-such 的技能" in home.err


def test_unusable_settings_are_a_usage_error() -> None:
    def broken() -> Settings:
        raise ConfigError("读不了设置文件 settings.toml")

    assert run_command(["skill", "list"], World(load=broken)) == Exit.USAGE


def test_a_file_that_cannot_be_written_is_an_error_with_its_path(home: Home) -> None:
    blocked = home.folder / "blocked"
    blocked.write_text("a file where a folder should be")
    assert home.run("keys", "new", "mine", "--out", str(blocked), "--json") == Exit.FAILED
    error = home.json()["error"]
    assert isinstance(error, dict)
    assert error["code"] == "FILE_ERROR"
    assert error["facts"] == {"path": str(blocked), "why": "FileExistsError"}


def test_the_documents_are_made_from_the_help() -> None:
    page = render_cli_docs()
    for path, command in COMMANDS:
        assert f"`{' '.join(['sgclaw', *path])}`\n" in page
        assert (command.help or "").partition("\n")[0] in page
    assert "| 130 | 被用户停止 |" in page
