"""What each command of the stub does."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from collections.abc import Mapping
from pathlib import Path

from browser_host_stub.approvals import Approver
from browser_host_stub.demo_browser import demo_browser, demo_policy
from browser_host_stub.driver import Driver, TakesFiles
from browser_host_stub.ends import FAILED, OK, BadUsageError, SessionRefusedError, exit_of, report
from browser_host_stub.heads import FILE_NAME, HeadKeeper
from browser_host_stub.link import link_over
from browser_host_stub.output import say, tell, tell_json
from browser_host_stub.session import HostOptions, HostSession
from browser_host_stub.task_run import Hosted, RunOptions, Wanted, hosted, local_today, new_trace_id, result_json
from browser_host_stub.terminal import PEOPLE, TerminalPerson, show
from browser_host_stub.typed import Typed
from sgclaw.errors import HostGoneError, SgClawError
from sgclaw.policy.model import parse_policy

MAX_DATA_SHOWN = 2_000
"""Characters of a skill's data that a person is shown; programs get all of it with `--json`."""


def check(options: argparse.Namespace) -> None:
    """Find what can be found before a browser starts; raises `BAD_USAGE`."""
    _check_folder(options)
    if options.command == "host":
        parse_policy(_policy(options))
    else:
        instruction = options.instruction if options.command != "serve" else "每行一个任务"
        files = {name: str(path) for name, path in _files(options.file).items()}
        Wanted(instruction, options.skill, {**_inputs(options.input), **files}).as_message("t1")


def _check_folder(options: argparse.Namespace) -> None:
    folder = options.out.absolute() / "files"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        cause = f"--out 不能用作目录：{options.out}（{error.strerror}）"
        raise BadUsageError(cause, next_step="请换一个可以写入的目录") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise BadUsageError(f"--out 不能写入：{options.out}", next_step="请换一个可以写入的目录")


async def run(options: argparse.Namespace) -> int:
    """One task, live progress on stderr, the result on stdout."""
    typed = Typed()
    files = options.out.absolute() / "files"
    async with demo_browser(
        files, headless=not options.headed, signed_in=not options.signed_out, today=options.today
    ) as browser:
        async with hosted(browser.driver, _run_options(options, typed)) as session:
            code = await _one_task(options, session, browser.driver, options.instruction)
        if options.keep:
            say("浏览器保持打开，按回车关闭")
            await typed.next()
        return code


async def serve(options: argparse.Namespace) -> int:
    """Keep the browser open and run one task for each line of stdin; a bad line costs itself, a lost sgclaw all."""
    typed = Typed()
    files = options.out.absolute() / "files"
    async with (
        demo_browser(files, headless=not options.headed, today=options.today) as browser,
        hosted(browser.driver, _run_options(options, typed)) as session,
    ):
        say("浏览器已就绪，每行输入一个任务，Ctrl-D 结束")
        while (line := await typed.next()) is not None:
            if not line.strip():
                continue
            try:
                await _one_task(options, session, browser.driver, line.strip())
            except HostGoneError:
                raise
            except SgClawError as error:
                report(error, as_json=options.json)
    return OK


async def host(options: argparse.Namespace) -> int:
    """The browser's end for a sgclaw that is the parent: the wire is our stdin and stdout."""
    files = options.out.absolute() / "files"
    say(f"文件保存在 {files}")  # only the browser's side knows: a file's path never goes over the wire
    read_fd, write_fd = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    state_dir = options.state_dir.absolute() if options.state_dir else None
    keeper = HeadKeeper(options.out.absolute() / FILE_NAME, state_dir) if state_dir else None
    async with demo_browser(
        files, headless=not options.headed, signed_in=_signed_in(options), today=options.today
    ) as browser:
        session = HostSession(
            await link_over(read_fd, write_fd),
            browser.driver,
            HostOptions(
                policy=_policy(options),
                trace_id=new_trace_id(local_today()),
                state_dir=str(state_dir) if state_dir else None,
                audit_head=keeper.newest() if keeper else None,
                approver=_person(options),
                observer=keeper.observe if keeper else None,
            ),
        )
        reading = asyncio.create_task(session.run())
        try:
            await session.start()
        except SessionRefusedError:
            await reading
            return FAILED  # our parent refused, knows more than its code, and tells the person
        await reading
    return OK


def _policy(options: argparse.Namespace) -> str:
    """The policy of a host that may have been given one; raises `BAD_USAGE` when it cannot be read."""
    if options.policy is None:
        return demo_policy()
    try:
        return str(options.policy.read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        raise BadUsageError(f"--policy 不能读取：{options.policy}", next_step="请检查路径后重试") from None


def _signed_in(options: argparse.Namespace) -> bool:
    return options.policy is None and not options.signed_out


def _person(options: argparse.Namespace) -> Approver:
    if options.approve is not None:
        return PEOPLE[options.approve]
    return TerminalPerson(Typed(), default=options.yes)


def _run_options(options: argparse.Namespace, typed: Typed) -> RunOptions:
    return RunOptions(
        policy=demo_policy(),
        log_dir=options.out.absolute(),
        state_dir=options.state_dir.absolute() if options.state_dir else None,
        approver=TerminalPerson(typed, default=options.yes),
        observer=show,
    )


async def _one_task(options: argparse.Namespace, session: Hosted, driver: Driver, instruction: str) -> int:
    say(f"任务：{instruction}    trace_id：{session.trace_id}")
    inputs = {**_inputs(options.input), **await _registered(_files(options.file), driver)}
    completed = await session.run(instruction, skill=options.skill, inputs=inputs)
    result = result_json(completed, session.trace_id, driver)
    if options.json:
        tell_json(result)
    else:
        print_result(result)
    return exit_of(completed.outcome, completed.error.code if completed.error else None)


def _inputs(pairs: list[str]) -> dict[str, object]:
    inputs: dict[str, object] = {}
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not separator or not name:
            raise BadUsageError(f"--input 要写成 名称=值，收到 {pair[:80]!r}")
        inputs[name] = value
    return inputs


def _files(pairs: list[str]) -> dict[str, Path]:
    """Files by the input that names them; raises `BAD_USAGE` for what is no file that can be read."""
    files: dict[str, Path] = {}
    for pair in pairs:
        name, separator, written = pair.partition("=")
        if not separator or not name or not written:
            raise BadUsageError(f"--file 要写成 名称=路径，收到 {pair[:80]!r}")
        path = Path(written).absolute()
        if not path.is_file():
            raise BadUsageError(f"--file 指的不是文件：{written[:200]}", next_step="请检查路径后重试")
        if not os.access(path, os.R_OK):
            raise BadUsageError(f"--file 指的文件没有读取权限：{written[:200]}", next_step="请检查文件权限后重试")
        files[name] = path
    return files


async def _registered(files: Mapping[str, Path], driver: Driver) -> dict[str, object]:
    """The ids under which `upload` finds the files: their paths never go over the wire."""
    store = driver.artifacts
    if not isinstance(store, TakesFiles):
        return {}
    return {name: (await store.register(path)).artifact.id for name, path in files.items()}


def print_result(result: Mapping[str, object]) -> None:
    """A task's `result_json` for the person."""
    tell(f"结果：{result['summary']}")
    _print_data(result["data"], in_words=result["error"] is None)
    artifacts = result["artifacts"]
    if isinstance(artifacts, list):
        for artifact in artifacts:
            tell(f"文件：{artifact['path']}（{artifact['size']} 字节）")
    tell(f"追溯：sgclaw audit show {result['trace_id']}")


def _print_data(data: object, *, in_words: bool) -> None:
    """What a skill brought back, unless it put it into words itself and the summary is those words."""
    message = data.get("message") if isinstance(data, dict) else None
    if not data or (in_words and isinstance(message, str) and message.strip()):
        return
    text = json.dumps(data, ensure_ascii=False)
    rest = "…（全部数据请加 --json 查看）" if len(text) > MAX_DATA_SHOWN else ""
    tell(f"数据：{text[:MAX_DATA_SHOWN]}{rest}")
