"""Help and usage errors in Chinese. The toolkit's own words are English, so it parses and this file speaks.

Only what a command declares is shown: its help text, its parameters with their `metavar` and `help`.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from sgclaw.cli.exits import MEANINGS
from sgclaw.cli.output import width_of
from sgclaw.errors import UsageProblemError

PROGRAM = "sgclaw"
_HELP_ROW = ("--help", "显示帮助")


class Command(TyperCommand):
    """A command whose help is Chinese."""

    def get_help(self, ctx: object) -> str:
        return "\n".join(_page(self, cast("typer.Context", ctx).command_path))


class Group(TyperGroup):
    """A group of commands whose help is Chinese; the outermost one lists the exit codes."""

    def get_help(self, ctx: object) -> str:
        context = cast("typer.Context", ctx)
        lines = [*_page(self, context.command_path), *_section("命令", _commands(self))]
        if context.parent is None:
            lines += _section("退出码", exit_rows())
        return "\n".join(lines)

    def resolve_command(self, ctx: object, args: list[str]) -> tuple[str, Command | Group, list[str]]:
        context = cast("typer.Context", ctx)
        found = self.commands.get(args[0])
        if found is None:
            near = difflib.get_close_matches(args[0], self.commands, n=3)
            hint = f"；您是想用 {'、'.join(near)} 吗？" if near else ""
            raise UsageProblemError(
                f"没有命令 {args[0]}{hint}", next_step=_see_help(context), facts={"known": list(self.commands)}
            )
        return args[0], cast("Command | Group", found), args[1:]


def exit_rows() -> list[tuple[str, str]]:
    """Exit codes and what they mean."""
    return [(str(code.value), meaning) for code, meaning in MEANINGS.items()]


def usage_problem(error: typer.TyperException) -> UsageProblemError | None:
    """What the toolkit refused, in Chinese; None when it only wants to show help, which is then the error's message.

    The toolkit's error classes are not public: their names and attributes are.
    """
    kind = type(error).__name__
    context = cast("typer.Context | None", getattr(error, "ctx", None))
    if kind == "NoArgsIsHelpError":
        return None
    option = getattr(error, "option_name", None)
    parameter = cast("TyperArgument | TyperOption | None", getattr(error, "param", None))
    causes = {
        "NoSuchOption": f"没有选项 {option}{_possible(error)}",
        "BadOptionUsage": f"选项 {option} 的写法不对：缺少值，或不需要值",
        "MissingParameter": f"缺少{_title(parameter).rstrip()}",
        "BadParameter": f"{_title(parameter)}的值不对：{_wanted(parameter)}",
    }
    return UsageProblemError(causes.get(kind, "命令里有多余的内容"), next_step=_see_help(context))


def page_of(group: Group) -> str:
    """docs/cli.md: every command with its parameters, and the exit codes."""
    lines = ["# Command line", "", "Generated from the help texts of `sgclaw`. Everything users read is Chinese.", ""]
    for path, command in _walk(group, PROGRAM):
        lines += [f"{'#' * (1 + len(path.split()))} `{path}`", "", "```text", *_page(command, path), "```", ""]
    lines += ["## Exit codes", "", "| code | meaning |", "|---|---|"]
    lines += [f"| {code} | {meaning} |" for code, meaning in exit_rows()]
    return "\n".join([*lines, ""])


def _walk(command: Command | Group, path: str) -> Iterator[tuple[str, Command | Group]]:
    yield path, command
    if isinstance(command, Group):
        for name, child in command.commands.items():
            yield from _walk(cast("Command | Group", child), f"{path} {name}")


# --- one page -------------------------------------------------------------------------------------------------------


def _page(command: Command | Group, path: str) -> list[str]:
    arguments = [param for param in command.params if isinstance(param, TyperArgument)]
    options = [param for param in command.params if isinstance(param, TyperOption) and not param.hidden]
    words = [_argument(param) for param in arguments]
    tail = ["命令", "…"] if isinstance(command, Group) else words
    lines = [" ".join(["用法：" + path, "[选项]", *tail]), "", *inspect.cleandoc(command.help or "").splitlines()]
    lines += _section("参数", [(_name(param), param.help or "") for param in arguments])
    return lines + _section("选项", [*[(_option(param), param.help or "") for param in options], _HELP_ROW])


def _section(title: str, rows: Sequence[tuple[str, str]]) -> list[str]:
    if not rows:
        return []
    width = max(width_of(name) for name, _ in rows)
    return ["", f"{title}：", *(f"  {name}{' ' * (width - width_of(name))}  {text}".rstrip() for name, text in rows)]


def _commands(group: Group) -> list[tuple[str, str]]:
    return [(name, (child.help or "").partition("\n")[0]) for name, child in group.commands.items()]


def _name(param: TyperArgument | TyperOption) -> str:
    return param.metavar or param.name.upper()


def _argument(param: TyperArgument) -> str:
    return _name(param) if param.required else f"[{_name(param)}]"


def _option(param: TyperOption) -> str:
    names = ", ".join(param.opts)
    return names if param.is_flag else f"{names} {_name(param)}"


# --- errors ---------------------------------------------------------------------------------------------------------


def _see_help(context: typer.Context | None) -> str:
    return f"请用 {context.command_path if context else PROGRAM} --help 查看用法"


def _possible(error: typer.TyperException) -> str:
    possibilities = cast("Sequence[str] | None", getattr(error, "possibilities", None))
    return f"；您是想用 {'、'.join(possibilities)} 吗？" if possibilities else ""


def _title(param: TyperArgument | TyperOption | None) -> str:
    if param is None:
        return "参数"
    return f"选项 {param.opts[0]} " if isinstance(param, TyperOption) else f"参数 {_name(param)} "


_NUMBERS: Mapping[object, str] = {int: "整数", float: "数字"}
"""A declared type of numbers → its Chinese name."""


def _wanted(param: TyperArgument | TyperOption | None) -> str:
    """What a value must be, by the type that was declared; where that says nothing, what the value is for."""
    declared = getattr(param, "type_descriptor", None)
    number = _NUMBERS.get(getattr(declared, "annotation", None))
    if number is not None:
        return f"应为{_range(getattr(param, 'min', None), getattr(param, 'max', None))}{number}"
    formats = cast("Sequence[str] | None", getattr(getattr(declared, "parameter_info", None), "formats", None))
    if formats:
        return f"应为写成 {_date_form(formats[0])} 的日期"
    return (param.help if param is not None else None) or "请查看用法"


def _range(least: float | None, most: float | None) -> str:
    if least is not None and most is not None:
        return f" {least} 到 {most} 的"
    if least is not None:
        return f"不小于 {least} 的"
    return "" if most is None else f"不大于 {most} 的"


def _date_form(form: str) -> str:
    for code, word in (("%Y", "YYYY"), ("%m", "MM"), ("%d", "DD"), ("%H", "hh"), ("%M", "mm"), ("%S", "ss")):
        form = form.replace(code, word)
    return form
