import io
import os
import subprocess
import sys

import orjson
import pytest

from sgclaw.audit.log import StderrLog
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


@pytest.mark.requirement("AUDIT-13")
def test_a_line_has_exactly_the_specified_members_in_order() -> None:
    stream, trace = io.BytesIO(), TraceHolder()
    log: Log = StderrLog(stream, HandClock(), trace)
    log.event("host", "ready")
    trace.trace_id = TRACE
    log.event("agent::runtime", "step_completed", {"step": 3, "success": True, "label": "导出"}, level="WARN")
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
    StderrLog(stream, HandClock(), TraceHolder()).event(
        "host",
        "odd",
        {"password": "hunter2", "text": "a\nb\r\u2028c", "long": "x" * 5_000, "sur": "\ud800", "o": object()},
    )
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
        os.close(reader)
        log.event("host", "lost")
        assert log.lost == 1
    log.event("host", "closed on our side")
    assert log.lost == 2
