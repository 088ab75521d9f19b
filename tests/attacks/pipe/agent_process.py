"""Lines of a case that are about sgclaw's process: what it prints and holds, and what it does when nobody reads."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tests.attacks.pipe.agent import EXIT_S, TASK, AgentEnd, all_secrets, files_under
from tests.attacks.pipe.verdicts import Outcome
from tests.support.ports import eventually

if TYPE_CHECKING:
    from tests.attacks.pipe.agent_lines import Exchange

Data = Mapping[str, Any]
_FLOOD = 14_000
"""Questions whose answers, of about 500 bytes, fill sgclaw's write queue and what is behind it."""


def _value(line: Data, pattern: str) -> Any:
    return next(value for name, value in line.items() if re.search(pattern, name))


async def _prints(run: Exchange, line: Data) -> list[Outcome]:
    text = str(_value(line, PRINTS)).encode()
    os.write(run.end.noise, text)
    await eventually(lambda: b"[all printed]" in run.end.log())
    await run.end.fence()
    assert run.end.log().count(text.strip()) >= 3
    assert text.strip() not in run.end.stdout
    return []


async def _inspect(run: Exchange, line: Data) -> list[Outcome]:
    places = line["inspect"]
    for place in [places] if isinstance(places, str) else places:
        look = next(look for pattern, look in _PLACES if re.search(pattern, place, re.IGNORECASE))
        for content in look(run.end, place):
            for form in all_secrets(run.end.keys):
                assert form not in content, f"a key is in {place}"
    return []


def _proc(end: AgentEnd, place: str) -> list[bytes]:
    found = re.search(r"/proc/[^/]+/(\w+)", place)
    name = found[1] if found else "cmdline"
    return [Path(f"/proc/{process.pid}/{name}").read_bytes() for process in end.family()]


def _handles(end: AgentEnd, place: str) -> list[bytes]:
    """No child holds an end of the pipe: two handles on one pipe have one name, and sgclaw's stdin is its one socket
    that others made.
    """
    mine, *children = end.family()
    own = _links(mine.pid)
    pipe = (_links(os.getpid()) & own) | {link for link in own if link.startswith("socket:")}
    assert pipe, f"{place}: the pipe was not found"
    for child in children:
        assert not pipe & _links(child.pid), f"{place}: a child holds the pipe"
    return []


def _links(pid: int) -> set[str]:
    """The pipes and sockets a process holds, by name."""
    found = set()
    for path in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):  # closed since
            found.add(str(path.readlink()))
    return {link for link in found if link.startswith(("pipe:", "socket:"))}


def _everywhere(end: AgentEnd, place: str) -> list[bytes]:
    return [*_of_children(end, place), *_written(end, place)]


def _of_children(end: AgentEnd, _place: str) -> list[bytes]:
    found = [_proc(end, f"/proc/PID/{name}") for name in ("environ", "cmdline")]
    return [content for contents in found for content in contents]


def _written(end: AgentEnd, _place: str) -> list[bytes]:
    return [bytes(end.stdout), *(path.read_bytes() for path in files_under(end.home.path))]


def _no_core(end: AgentEnd, place: str) -> list[bytes]:
    """A process that may not write a core file cannot leave the key in one."""
    for process in end.family():
        limits = Path(f"/proc/{process.pid}/limits").read_text("ascii").splitlines()
        (core,) = [line.split()[4:6] for line in limits if line.startswith("Max core file size")]
        assert core == ["0", "0"], f"{place}: core files are not off"
    return []


_PLACES: Final[tuple[tuple[str, Callable[[AgentEnd, str], list[bytes]]], ...]] = (
    (r"crash|core", _no_core),
    (r"fd\b|handle|descriptor", _handles),
    (r"child|worker", _of_children),
    (r"^/proc/", _proc),
    (r"environ|argv|cmdline|command line", _of_children),
    (r"log|ledger|file|state|database|db|temp|disk|audit|stdout|stderr", _written),
    ("", _everywhere),
)
"""Word in the name of a place → what is there."""


async def _unread(run: Exchange, _line: Data) -> list[Outcome]:
    """Nobody reads: answers pile up to the cap and no further, and a cancel is heard all the same."""
    end = run.end
    end.reading.clear()
    for start in range(0, _FLOOD, 500):
        block = bytearray()
        for number in range(start, start + 500):
            question = {"type": "panel_request", "request_id": f"r{number}-".ljust(60, "x"), "method": "x" * 64}
            block += end.sealed(question)
            end.n += 1
        await end.write([bytes(block)])
    await end.write([end.sealed({"type": "cancel_task", "task_id": TASK})])
    end.n += 1
    await eventually(lambda: any(b'"task_finished"' in path.read_bytes() for path in files_under(end.home.audit)))
    end.reading.set()
    run.ends_as = "aborted"
    await end.until(lambda: end.report)  # then there is room for answers again
    await end.fence()
    assert len(end.of("panel_result")) < _FLOOD, "the queue was never full"
    return [Outcome(tuple(code for code, _ in end.refusals()), closed=end.closed)]


async def _signal(run: Exchange, line: Data) -> list[Outcome]:
    """The process is told to end, or killed."""
    name = str(_value(line, SIGNALS)).upper()
    number = signal.Signals[name if name.startswith("SIG") else f"SIG{name}"] if name.isalpha() else signal.SIGTERM
    run.end.process.send_signal(number)
    await run.end.until(lambda: False)
    return [Outcome(closed=run.end.closed)]


async def _deaf(run: Exchange, _line: Data) -> list[Outcome]:
    """The browser closes its reading end: the next word sgclaw has to say finds nobody, and the process ends."""
    run.end.stop_reading()
    await run.end.until(lambda: False)
    await run.end.write([run.end.sealed({"type": "ping", "id": "anybody"})])
    async with asyncio.timeout(EXIT_S):
        await run.end.process.wait()
    return [Outcome(closed=run.end.closed)]


PRINTS: Final = r"^(agent|child|worker|sub\w*|library|skill|thread)\w*_(prints?|writes?|echo(es)?|outputs?)\w*$"
SIGNALS: Final = r"^(signal|kill|send_signal|terminate)$"
Kind = Callable[["Exchange", Data], Awaitable[list[Outcome]]]
KINDS: Final[tuple[tuple[str, Kind], ...]] = (
    (PRINTS, _prints),
    (r"^(inspect|search|look_in)$", _inspect),
    (r"^(stop_reading(_s|_ms)?|not_reading_s|pause_reading_s|slow_reader_s)$", _unread),
    (r"^(close_reading|close_read_end|close_stdout|browser_closes_stdout|broken_pipe)$", _deaf),
    (SIGNALS, _signal),
)
"""Name of a kind of line → what is done."""
