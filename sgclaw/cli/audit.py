"""`sgclaw audit list | show | verify`: what the ledger says."""

from __future__ import annotations

import difflib
import re
from dataclasses import asdict, dataclass
from datetime import UTC, timedelta
from pathlib import Path
from typing import Annotated

import typer

from sgclaw.cli.exits import Exit
from sgclaw.cli.help import Command, Group
from sgclaw.cli.options import JsonFlag
from sgclaw.cli.output import say, say_json, table, warn
from sgclaw.cli.world import World, world_of
from sgclaw.errors import (
    AuditUnavailableError,
    LedgerBrokenError,
    NoLedgerError,
    SgClawError,
    TraceNotFoundError,
    UsageProblemError,
)

app = typer.Typer(cls=Group, no_args_is_help=True, rich_markup_mode=None, help="查看和校验审计账本。")

RECENT_DAYS = 30
MOST_DAYS = 36_500
HINTED = 5
_HEAD = re.compile(r"([0-9]{1,15}):([0-9a-f]{64})")


@dataclass(slots=True)
class TraceSummary:
    """One session in a list: `instruction` and `outcome` are those of its last task, empty when there was none."""

    trace_id: str
    started: str
    instruction: str = ""
    outcome: str = ""
    records: int = 0


# --- list -----------------------------------------------------------------------------------------------------------


@app.command("list", cls=Command, help="列出最近的会话：trace_id、时间、任务和结果，最新的在前。")
def list_traces(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", metavar="整数", min=1, help="最多列出几个，默认 20")] = 20,
    days: Annotated[
        int, typer.Option("--days", metavar="整数", min=1, max=MOST_DAYS, help="只看最近几天，默认 30，最多 36500")
    ] = RECENT_DAYS,
    as_json: JsonFlag = False,
) -> int:
    """The latest sessions of the ledger, newest first."""
    world = world_of(context)
    directory, found = world.settings().audit_dir, recent(world, days)[:limit]
    problem = _problem_of(directory)
    if as_json:
        say_json({"traces": [asdict(each) for each in found], "problem": problem.as_dict() if problem else None})
    elif found:
        from sgclaw.audit.story import outcome_in_words

        rows = [
            (each.trace_id, each.started[:19], outcome_in_words(each.outcome) or "—", each.instruction or "—")
            for each in found
        ]
        table(("trace_id", "时间（UTC）", "结果", "任务"), rows)
    else:
        say(f"最近 {days} 天没有记录：{directory}" + (f"。{hint}" if (hint := _elsewhere(directory)) else ""))
    _warn_of(problem)
    return Exit.OK


def recent(world: World, days: int = RECENT_DAYS) -> list[TraceSummary]:
    """The sessions of the last days, newest first; empty when there is no ledger."""
    from sgclaw.audit.records import records

    directory = world.settings().audit_dir
    if not directory.is_dir():
        return []
    found: dict[str, TraceSummary] = {}
    for record in records(directory, first_day=f"{world.now() - timedelta(days=days):%Y%m%d}"):
        if not record.trace_id:
            continue
        summary = found.setdefault(record.trace_id, TraceSummary(record.trace_id, record.time))
        summary.records += 1
        if record.event == "task_submitted":
            summary.instruction, summary.outcome = str(record.data.get("instruction", "")), ""
        elif record.event == "task_finished":
            summary.outcome = str(record.data.get("outcome", ""))
    return list(reversed(found.values()))


# --- show -----------------------------------------------------------------------------------------------------------


@app.command("show", cls=Command, help="逐行讲述一个会话的经过：谁、何时、做了什么、结果如何。")
def show(
    context: typer.Context,
    trace: Annotated[str, typer.Argument(metavar="TRACE", help="会话的 trace_id")],
    kind: Annotated[
        str | None,
        typer.Option("--class", metavar="类别", help="改看一类记录：operation 操作日志、pipe 通信、llm 模型调用"),
    ] = None,
    as_json: JsonFlag = False,
) -> int:
    """The whole story of one session, or its records of one class."""
    if kind is not None:
        return _show_class(world_of(context), trace, kind, as_json=as_json)
    from sgclaw.audit.records import story
    from sgclaw.audit.story import render

    world = world_of(context)
    directory = world.settings().audit_dir
    found = story(directory, trace) if directory.is_dir() else []
    if not found:
        raise _unknown(world, trace, directory)
    if as_json:
        return _show_json(directory, {"trace_id": trace, "records": [asdict(record) for record in found]})
    for line in render(found, world.now().astimezone().tzinfo or UTC):
        say(line)
    _warn_of(_problem_of(directory))
    return Exit.OK


def _show_json(directory: Path, shown: dict[str, object]) -> int:
    problem = _problem_of(directory)
    say_json({**shown, "problem": problem.as_dict() if problem else None})
    _warn_of(problem)
    return Exit.OK


def _problem_of(directory: Path) -> SgClawError | None:
    """What is wrong with the whole ledger that something is read from, or why that cannot be told; None if nothing.

    Reading trusts, so whoever reads must hear of it, even where the bad record is of another session.
    """
    from sgclaw.audit.verify import verify as check

    if not has_ledger(directory):
        return None
    try:
        check(directory)
    except (LedgerBrokenError, AuditUnavailableError) as problem:
        return problem
    except OSError as error:
        return AuditUnavailableError(f"账本无法读取（{error.strerror or error}）：{error.filename or directory}")
    return None


def _warn_of(problem: SgClawError | None) -> None:
    if problem is not None:
        warn(f"注意：账本没有通过校验：{problem.cause}。以上内容仅供参考，请运行 sgclaw audit verify")


def _show_class(world: World, trace: str, name: str, *, as_json: bool) -> int:
    from sgclaw.audit.records import kept, story
    from sgclaw.audit.segments import KEPT_DAYS
    from sgclaw.audit.story import class_in_words, render_kept
    from sgclaw.ports import RecordKind

    if name not in set(RecordKind):
        raise UsageProblemError(f"没有这类记录：{name[:80]}", next_step=f"请写成 {'、'.join(RecordKind)} 之一")
    kind, directory = RecordKind(name), world.settings().audit_dir
    found = list(kept(directory, kind, trace)) if directory.is_dir() else []
    if not found and not (directory.is_dir() and story(directory, trace)):
        raise _unknown(world, trace, directory)
    if as_json:
        return _show_json(directory, {"trace_id": trace, "class": name, "records": found})
    for line in render_kept(kind, found, world.now().astimezone().tzinfo or UTC):
        say(line)
    if not found:
        say(f"{trace} 没有{class_in_words(name)}；这类记录保留 {KEPT_DAYS[kind]} 天")
    _warn_of(_problem_of(directory))
    return Exit.OK


def _unknown(world: World, trace: str, directory: Path) -> TraceNotFoundError:
    latest = [each.trace_id for each in recent(world)]
    near = difflib.get_close_matches(trace, latest, n=1, cutoff=0.8)
    hint = f"；最接近的是 {near[0]}" if near else f"；最近的是 {'、'.join(latest[:HINTED])}" if latest else ""
    facts = {"trace_id": trace[:64], "ledger": str(directory), "recent": latest[:HINTED], "nearest": near}
    cause = f"账本 {directory} 里没有 {trace[:64]}{hint}"
    return TraceNotFoundError(cause, next_step=_elsewhere(directory), facts=facts)


def _elsewhere(directory: Path) -> str | None:
    """How to name the state folder when the ledger's own folder was named; None when that is not the fault."""
    named = directory.parent
    if has_ledger(directory) or not has_ledger(named):
        return None
    if named.name == directory.name:
        return f"账本就在 {named} 里；请指定它的上一级：--state-dir {named.parent}"
    return f"{named} 里的文件就是账本；请把它们放进名为 {directory.name} 的文件夹，再用 --state-dir 指定它的上一级"


# --- verify ---------------------------------------------------------------------------------------------------------


@app.command("verify", cls=Command, help="校验整本账和各类记录：任何修改、删除、调换、截断都会指出第一处，退出码是 4。")
def verify(
    context: typer.Context,
    head: Annotated[
        str | None, typer.Option("--head", metavar="条数:哈希", help="另存的账本头，例如浏览器保存的 12:9f86…")
    ] = None,
    as_json: JsonFlag = False,
) -> int:
    """Check every record, then the files of each class; names the first bad one."""
    from sgclaw.audit import verify as ledger
    from sgclaw.audit.story import class_in_words

    directory, expected = world_of(context).settings().audit_dir, _expected(head)
    elsewhere = _elsewhere(directory)
    if elsewhere is not None or (expected is None and not has_ledger(directory)):
        raise NoLedgerError(f"{directory} 里没有账本", next_step=elsewhere, facts={"ledger": str(directory)})
    verified = ledger.verify(directory, expected)
    if as_json:
        say_json({"ok": True, **asdict(verified)})
        return Exit.OK
    say(f"账本完好：{verified.count} 条记录，{verified.segments} 个分段")
    say(f"账本头：{verified.count}:{verified.head}")
    for each in verified.classes:
        told = f"{class_in_words(each.kind)}：{each.segments} 个分段，已登记 {each.records} 条"
        told += f"，尚未登记 {each.open_bytes} 字节" if each.open_bytes else ""
        say(told + (f"，保留期满删除 {each.dropped} 个" if each.dropped else ""))
    if verified.beyond:
        say(
            f"账本头之后还有 {verified.beyond} 条记录（第 {verified.count - verified.beyond + 1} 条起）："
            "进程曾被强行结束，或者有人添加过记录；下次写入时会接收并登记"
        )
    if verified.torn_bytes:
        say(f"末尾有 {verified.torn_bytes} 字节没有写完（进程曾被强行结束），下次写入时会移到一边")
    return Exit.OK


def has_ledger(directory: Path) -> bool:
    """Whether anything of a ledger is there. Who keeps a head knows that there was one, and does not ask."""
    from sgclaw.audit.chain import HEAD_NAME, segments

    return directory.is_dir() and ((directory / HEAD_NAME).exists() or bool(segments(directory)))


def _expected(head: str | None) -> tuple[int, str] | None:
    if head is None:
        return None
    match = _HEAD.fullmatch(head)
    if match is None:
        raise UsageProblemError(
            f"账本头的写法不对：{head[:80]}",
            next_step="请写成 条数:64 位小写十六进制哈希，例如 sgclaw audit verify 打印的那样",
        )
    return int(match[1]), match[2]
