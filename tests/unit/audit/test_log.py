import io
import os
import subprocess
import sys
from typing import IO

import orjson
import pytest

from sgclaw.audit.log import StderrLog
from sgclaw.audit.outbox import MAX_HELD_BYTES
from sgclaw.audit.trace import TraceHolder
from sgclaw.ports import Log
from sgclaw.redact import hint
from tests.gates.repository import ROOT
from tests.unit.audit.support import TRACE, HandClock

PRINTING = """
import sys
from sgclaw.audit.log import StderrLog
from sgclaw.audit.trace import TraceHolder
from tests.unit.audit.support import HandClock
StderrLog(sys.stderr.buffer, HandClock(), TraceHolder()).event("host", "started", {"名": "财务😀"})
"""


FLOODING = """
import sys
from sgclaw.audit.log import StderrLog
from sgclaw.audit.trace import TraceHolder
from tests.unit.audit.support import HandClock
log = StderrLog(sys.stderr.buffer, HandClock(), TraceHolder())
for number in range(3_000):
    log.event("sandbox", "console", {"text": "x" * 400})
sys.stdout.write("done")
"""
SECONDS = 30


def flushed(log: StderrLog) -> None:
    assert log.flush(SECONDS)


@pytest.mark.requirement("AUDIT-13")
def test_a_line_has_exactly_the_specified_members_in_order() -> None:
    stream, trace = io.BytesIO(), TraceHolder()
    stderr_log = StderrLog(stream, HandClock(), trace)
    log: Log = stderr_log
    log.event("host", "ready")
    trace.trace_id = TRACE
    log.event("agent::runtime", "step_completed", {"step": 3, "success": True, "label": "导出"}, level="WARN")
    flushed(stderr_log)
    first, second = stream.getvalue().splitlines(keepends=True)
    assert orjson.loads(first) == {
        "timestamp": "2026-03-03T10:23:05.123Z",
        "level": "INFO",
        "trace_id": "",
        "module": "host",
        "event": "ready",
        "data": {},
    }
    assert second.decode() == (
        f'{{"timestamp":"2026-03-03T10:23:05.123Z","level":"WARN","trace_id":"{TRACE}","module":"agent::runtime",'
        '"event":"step_completed","data":{"step":3,"success":true,"label":"导出"}}\n'
    )


@pytest.mark.requirement("AUDIT-13")
def test_data_is_redacted_long_texts_are_digests_and_a_line_is_one_line() -> None:
    stream = io.BytesIO()
    log = StderrLog(stream, HandClock(), TraceHolder())
    log.event(
        "host",
        "odd",
        {"password": "hunter2", "text": "a\nb\r\u2028c", "long": "x" * 5_000, "sur": "\ud800", "o": object()},
    )
    flushed(log)
    [line] = stream.getvalue().split(b"\n")[:-1]
    data = orjson.loads(line)["data"]
    assert data.pop("long").keys() == {"sha256", "bytes"}
    assert data == {"password": hint("密码"), "text": "a\nb\r\u2028c", "sur": "\ufffd", "o": hint("object")}


@pytest.mark.requirement("AUDIT-13")
@pytest.mark.parametrize("encoding", ["gbk", "ascii", "utf-8"])
def test_lines_are_utf_8_whatever_the_console_speaks(encoding: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", PRINTING],
        cwd=ROOT,
        env={"PYTHONIOENCODING": encoding, "PYTHONPATH": str(ROOT), "LC_ALL": "C"},
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert orjson.loads(run.stderr)["data"] == {"名": "财务😀"}


@pytest.mark.requirement("AUDIT-13")
def test_a_lost_reader_costs_lines_and_not_the_caller() -> None:
    reader, writer = os.pipe()
    with os.fdopen(writer, "wb", buffering=0) as stream:
        log = StderrLog(stream, HandClock(), TraceHolder())
        log.event("host", "seen")
        flushed(log)
        os.close(reader)
        log.event("host", "lost")
        flushed(log)
        assert log.lost == 1
    log.event("host", "closed on our side")
    flushed(log)
    assert log.lost == 2


def said_until(reader: IO[bytes], last: bytes) -> list[bytes]:
    """The lines up to the one that holds `last`."""
    lines: list[bytes] = []
    while not lines or last not in lines[-1]:
        lines.append(reader.readline())
        assert lines[-1].endswith(b"\n")
    return lines


@pytest.mark.requirement("AUDIT-15")
def test_a_reader_that_does_not_keep_up_costs_lines_and_not_the_caller() -> None:
    read_fd, write_fd = os.pipe()
    with os.fdopen(read_fd, "rb") as reader, os.fdopen(write_fd, "wb") as stream:
        log = StderrLog(stream, HandClock(), TraceHolder())
        total = 2 * MAX_HELD_BYTES // 400
        for number in range(total):
            log.event("sandbox", "console", {"n": number, "text": "x" * 400})
        lost = log.lost
        assert lost > 0
        assert not log.flush(0)
        kept = [reader.readline() for _ in range(total - lost)]
        flushed(log)
        log.event("host", "heard again")
        assert len(said_until(reader, b"heard again")) == 1
    numbers = [orjson.loads(line)["data"]["n"] for line in kept]
    assert numbers == sorted(set(numbers))
    assert log.lost == lost


@pytest.mark.requirement("AUDIT-15")
def test_a_process_ends_although_nobody_reads_its_log() -> None:
    command = (sys.executable, "-c", FLOODING)
    environment = {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            assert process.wait(SECONDS) == 0
            assert process.stdout is not None
            assert process.stdout.read() == b"done"
        finally:
            process.kill()
