"""What each command of the stub does."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys

from browser_host_stub.demo_browser import demo_browser, demo_policy
from browser_host_stub.driver import Driver
from browser_host_stub.link import link_over
from browser_host_stub.session import HostOptions, HostSession
from browser_host_stub.task_run import Hosted, RunOptions, hosted, local_today, new_trace_id, result_json
from browser_host_stub.terminal import TerminalPerson, say, show
from sgclaw.errors import ActionCode, ActionError

CODES = {"completed": 0, "failed": 1, "unverified": 5, "aborted": 130}
"""Exit code by outcome; 3 is a task that needs a person."""
NEEDS_PERSON = frozenset({"NEEDS_HUMAN", "NEEDS_APPROVAL", "NO_MODEL", "BAD_INPUTS"})


async def run(options: argparse.Namespace) -> int:
    """One task, live progress on stderr, the result on stdout."""
    files = options.out.absolute() / "files"
    async with demo_browser(
        files, headless=not options.headed, signed_in=not options.signed_out, today=options.today
    ) as browser:
        async with hosted(browser.driver, _run_options(options)) as session:
            code = await _one_task(options, session, browser.driver, options.instruction)
        if options.keep:
            say("浏览器保持打开，按回车关闭")
            await asyncio.to_thread(sys.stdin.readline)
        return code


async def demo(options: argparse.Namespace) -> int:
    """The main job; its last line of output is the result as JSON."""
    options.json = True
    return await run(options)


async def serve(options: argparse.Namespace) -> int:
    """Keep the browser open and run one task for each line of stdin."""
    files = options.out.absolute() / "files"
    async with (
        demo_browser(files, headless=not options.headed, today=options.today) as browser,
        hosted(browser.driver, _run_options(options)) as session,
    ):
        say("浏览器已就绪，每行输入一个任务，Ctrl-D 结束")
        while line := await asyncio.to_thread(sys.stdin.readline):
            if line.strip():
                await _one_task(options, session, browser.driver, line.strip())
    return 0


async def host(options: argparse.Namespace) -> int:
    """The browser's end for a sgclaw that is the parent: the wire is our stdin and stdout."""
    read_fd, write_fd = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    async with demo_browser(
        options.out.absolute() / "files",
        headless=not options.headed,
        signed_in=not options.signed_out,
        today=options.today,
    ) as browser:
        session = HostSession(
            await link_over(read_fd, write_fd),
            browser.driver,
            HostOptions(
                policy=demo_policy(),
                trace_id=new_trace_id(local_today()),
                state_dir=str(options.state_dir.absolute()) if options.state_dir else None,
                approver=TerminalPerson(default=options.yes),
            ),
        )
        reading = asyncio.create_task(session.run())
        await session.start()
        await reading
    return 0


def _run_options(options: argparse.Namespace) -> RunOptions:
    return RunOptions(
        policy=demo_policy(),
        log_dir=options.out.absolute(),
        state_dir=options.state_dir.absolute() if options.state_dir else None,
        approver=TerminalPerson(default=options.yes),
        observer=show,
    )


async def _one_task(options: argparse.Namespace, session: Hosted, driver: Driver, instruction: str) -> int:
    say(f"任务：{instruction}    trace_id：{session.trace_id}")
    completed = await session.run(instruction, skill=options.skill, inputs=_inputs(options.input))
    result = result_json(completed, session.trace_id, driver)
    if options.json:
        print(json.dumps(result, ensure_ascii=False), flush=True)
    else:
        _print_result(result)
    code = completed.error.code if completed.error else None
    return 3 if code in NEEDS_PERSON else CODES[completed.outcome]


def _inputs(pairs: list[str]) -> dict[str, object]:
    inputs: dict[str, object] = {}
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not separator or not name:
            raise ActionError(ActionCode.BAD_PARAMS, f"--input 要写成 名称=值，收到 {pair!r}")
        inputs[name] = value
    return inputs


def _print_result(result: dict[str, object]) -> None:
    print(f"结果：{result['summary']}")
    artifacts = result["artifacts"]
    if isinstance(artifacts, list):
        for artifact in artifacts:
            print(f"文件：{artifact['path']}（{artifact['size']} 字节）")
    print(f"追溯：sgclaw audit show {result['trace_id']}")
