"""What a worker that was taken over writes: acts of the table only, and a typed end."""

from __future__ import annotations

import asyncio
import json
from functools import cache
from random import Random

from sgclaw.errors import SgClawError
from sgclaw.ports import SkillResult
from sgclaw.protocol.actions import ACTIONS
from sgclaw.sandbox.bridge import ScriptRun
from sgclaw.sandbox.budget import Budgets
from sgclaw.sandbox.process import Worker
from tests.unit.sandbox.support import MemoryBrowser, MemoryLog

_BUDGETS = Budgets(wall_s=60, calls=6, log_bytes=600, result_bytes=500)


class HostileWorker(Worker):
    """A worker whose output is given; keeps what it is sent."""

    def __init__(self, output: bytes, cuts: Random) -> None:
        self.sent: list[bytes] = []
        self._rest, self._cuts = output, cuts

    @property
    def has_unread(self) -> bool:
        return False

    def start_job(self, job: bytes, budgets: Budgets) -> None:
        pass

    def send(self, line: bytes) -> None:
        self.sent.append(line)

    async def read(self) -> bytes:
        size = self._cuts.choice((1, 5, 64, 4_000))
        taken, self._rest = self._rest[:size], self._rest[size:]
        return taken

    def kill(self) -> None:
        self._rest = b""


@cache
def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


def one_input(data: bytes) -> None:
    """First byte: how the output comes in. The rest: the worker's output."""
    worker, browser, log = HostileWorker(data[1:], Random(data[:1])), MemoryBrowser(), MemoryLog()
    result = _loop().run_until_complete(_run(worker, browser, log))
    assert result is None or isinstance(result, SkillResult)
    assert set(browser.names) <= ACTIONS.keys()
    assert len(browser.names) <= _BUDGETS.calls
    for line in worker.sent:
        assert b"\n" not in line
        assert set(json.loads(line)) in ({"id", "ok", "value"}, {"id", "ok", "code", "message", "facts"})
    shown = sum(len(str(event[2].get("text", "")).encode()) for event in log.events if event[1] == "console")
    assert shown <= _BUDGETS.log_bytes


async def _run(worker: HostileWorker, browser: MemoryBrowser, log: MemoryLog) -> SkillResult | None:
    try:
        return await ScriptRun(worker, "probe", browser, log, _BUDGETS).to_end(b"{}")
    except SgClawError as error:
        assert error.cause
        return None


def seeds() -> list[bytes]:
    """Every line an honest worker writes, and some it does not."""
    call = b'{"type":"call","id":1,"action":"click","args":"[\\"#a\\"]"}\n'
    lines = [
        call + b'{"type":"call","id":2,"action":"navigate","args":"[{\\"url\\":\\"https://erp.example.com/\\"}]"}\n',
        call + call,
        b'{"type":"log","level":"info","text":"x"}\n{"type":"result","value":"{\\"success\\":true}","dropped":0}\n',
        b'{"type":"result","value":"{\\"success\\":false,\\"error\\":[1],\\"z\\":2}","dropped":3}\n',
        b'{"type":"result","value":"{\\"success\\":1}","dropped":0}\n',
        b'{"type":"call","id":1,"action":"eval","args":"[\\"1\\"]"}\n{"type":"threw","text":"a","stack":"b","call":1}\n',
        b'{"type":"call","id":1,"action":"click","args":"[\\"\\\\ud800\\"]"}\n',
        b'{"type":"end","reason":"cpu","detail":""}\n',
        b'{"type":"log","level":"warn","text":"' + b"x" * 700 + b'"}\n',
        b"junk\n",
    ]
    return [b"\x00" + line for line in lines]
