"""Tasks of a session whose sgclaw is gone, and tasks that cannot be sent."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from browser_host_stub.ends import BadUsageError, SessionRefusedError
from browser_host_stub.typed import Typed
from sgclaw.errors import HostGoneError
from tests.support.agent import Home, running


@pytest.mark.requirement("STUB-26")
async def test_a_task_after_sgclaws_end_fails_at_once(tmp_path: Path) -> None:
    async with running(Home(tmp_path)) as run:
        await run.hosted.session.hang_up()
        with pytest.raises(HostGoneError):
            async with asyncio.timeout(5):
                await run.hosted.run("读取标题")
        with pytest.raises(HostGoneError):
            async with asyncio.timeout(5):
                await run.hosted.run("读取标题")


@pytest.mark.requirement("STUB-26")
async def test_a_task_that_cannot_be_sent_costs_only_itself(tmp_path: Path) -> None:
    async with running(Home(tmp_path)) as run:
        for instruction, inputs in (("", {}), ("字" * 10_001, {}), ("\udcff", {}), ("好", {"x": "\ud800", "y": 1e21})):
            with pytest.raises(BadUsageError):
                await run.hosted.run(instruction, inputs=inputs)
        done = await run.hosted.run("读取标题")
    assert done.task_id == "t1"


@pytest.mark.requirement("STUB-26")
async def test_lines_are_typed_in_order_and_odd_bytes_stay_recognisable(tmp_path: Path) -> None:
    path = tmp_path / "typed"
    path.write_bytes("一\r\n\n".encode() + b"\xff\n" + b"x" * 100_000 + "\n最后".encode())
    with path.open("rb", buffering=0) as file:
        typed = Typed(file.fileno())
        lines = [await typed.next() for _ in range(6)]
    assert lines == ["一", "", "\udcff", "x" * 100_000, "最后", None]


@pytest.mark.requirement("STUB-29")
@pytest.mark.parametrize(("reason", "meaning"), [("LEDGER_BROKEN", "截断"), ("AUDIT_UNAVAILABLE", "权限")])
async def test_a_refused_session_is_told_with_its_reason_and_where_to_look(
    reason: str, meaning: str, tmp_path: Path
) -> None:
    home = Home(tmp_path)
    async with running(home):
        pass
    if reason == "LEDGER_BROKEN":
        (segment,) = home.audit.glob("ledger-*.jsonl")
        segment.write_bytes(segment.read_bytes()[:-10])
    else:
        home.audit.chmod(0o755)
    with pytest.raises(SessionRefusedError) as refused:
        async with running(home):
            pass
    assert (refused.value.code, refused.value.facts) == ("HANDSHAKE_FAILED", {"reason": reason})
    assert meaning in refused.value.cause
    assert "sgclaw.log" in refused.value.next_step
    assert "sgclaw doctor" in refused.value.next_step
