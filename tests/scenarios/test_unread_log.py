"""A host that starts sgclaw with a pipe for its log and never reads it: the log is lost, nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import psutil
import pytest

from tests.support.agent import Home, running, skill
from tests.support.ports import eventually

CHATTY = """
  for (let i = 0; i < 600; i++) console.log('x'.repeat(80));
  return { success: true, data: { message: await browserAction('getText', '#title') } };"""


class DeafHome(Home):
    """Its command finds a stderr that is full once and for all: a pipe whose other end nobody reads."""

    def command(self) -> tuple[str, ...]:
        launch = (
            "import os, sys; read, write = os.pipe(); os.set_blocking(write, False)\n"
            "try:\n  while True: os.write(write, b'x')\n"
            "except BlockingIOError: os.set_blocking(write, True)\n"
            "os.dup2(write, 2); os.set_inheritable(read, True); os.execv(sys.executable, sys.argv[1:])"
        )
        return (sys.executable, "-c", launch, *super().command())


@pytest.mark.requirement("AUDIT-15")
async def test_tasks_run_and_the_process_ends_although_nobody_reads_its_log(tmp_path: Path) -> None:
    home = DeafHome(tmp_path)
    home.add("chatty", skill("chatty", CHATTY))
    before = {child.pid for child in psutil.Process().children()}
    async with running(home) as run:
        (agent,) = [child for child in psutil.Process().children() if child.pid not in before]
        outcomes = [(await run.hosted.run("任务", skill="chatty")).outcome for _ in range(3)]
    await eventually(lambda: not agent.is_running() or agent.status() == psutil.STATUS_ZOMBIE)
    assert outcomes == ["completed", "completed", "completed"]
