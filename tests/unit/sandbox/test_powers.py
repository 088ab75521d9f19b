"""What code that escaped the engine still meets: each wall alone, and all of them."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import pytest

from sgclaw.ports import SkillResult
from tests.unit.sandbox.support import Bench, in_act

PROBE: Final = Path(__file__).with_name("probe.py")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the walls of Linux")

as_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="a worker cannot be looked into by its own user"
)


def landlock_version() -> int:
    return int(ctypes.CDLL(None).syscall(444, None, 0, 1))


async def attempted(made: Bench, wall: str, *attempts: str) -> Mapping[str, str]:
    inputs = {"wall": wall, **({"attempts": list(attempts)} if attempts else {})}
    result = await made.run("return { success: true };", inputs)
    assert isinstance(result.data, dict)
    return result.data


@pytest.mark.requirement("SBX-31")
async def test_code_that_escaped_the_engine_finds_nothing_to_use(hostile: Callable[[Path], Bench]) -> None:
    found = await attempted(hostile(PROBE), "everything")
    assert {name: error for name, error in found.items() if error not in {"EPERM", "ValueError"}} == {}
    assert len(found) > 20


@pytest.mark.requirement("SBX-39")
async def test_the_filter_alone_refuses_every_other_call(hostile: Callable[[Path], Bench]) -> None:
    found = await attempted(hostile(PROBE), "filter")
    assert {name: error for name, error in found.items() if error not in {"EPERM", "ValueError"}} == {}


@pytest.mark.skipif(
    sys.platform == "linux" and landlock_version() < 4, reason="this kernel has no Landlock for networks"
)
@pytest.mark.requirement("SBX-39")
async def test_landlock_alone_closes_files_network_and_programs(hostile: Callable[[Path], Bench]) -> None:
    attempts = "open", "create", "make a folder", "list", "connect", "execve"
    found = await attempted(hostile(PROBE), "landlock", *attempts)
    assert found == dict.fromkeys(attempts, "EACCES")


@pytest.mark.skipif(
    sys.platform == "linux" and landlock_version() < 6, reason="this kernel's Landlock knows no signals"
)
@pytest.mark.requirement("SBX-39")
async def test_landlock_alone_keeps_signals_inside(hostile: Callable[[Path], Bench]) -> None:
    assert await attempted(hostile(PROBE), "landlock", "signal the parent") == {"signal the parent": "EPERM"}


@as_root
@pytest.mark.requirement("SBX-39")
async def test_without_the_filter_nothing_is_opened_started_or_signalled_either(
    hostile: Callable[[Path], Bench],
) -> None:
    attempts = (
        "open", "create", "make a folder", "connect", "local socket", "pipe", "dup", "fork", "execve",
        "signal the parent", "trace the parent", "be root", "more files",
    )  # fmt: skip
    found = await attempted(hostile(PROBE), "limits", *attempts)
    refused = {"EMFILE", "EACCES", "EPERM", "EAGAIN", "EINVAL", "ValueError"}  # EINVAL: dup at the limit
    assert {name: error for name, error in found.items() if error not in refused} == {}


@pytest.mark.requirement("SBX-31")
async def test_a_running_worker_has_given_up_its_powers(sandbox: Bench) -> None:
    async with in_act(sandbox) as (task, go_on):
        home = Path(f"/proc/{sandbox.started[0].pid}")
        rows = [re.split(r"\s{2,}", line) for line in (home / "limits").read_text().splitlines()]
        limits = {row[0]: (row[1], row[2]) for row in rows}
        for name in ("file size", "core file size", "open files", "processes", "locked memory", "msgqueue size"):
            assert limits[f"Max {name}"] == ("0", "0")
        soft, hard = (int(value) for value in limits["Max cpu time"])
        assert 0 < soft < hard <= 5
        assert int(limits["Max address space"][1]) < 1 << 30
        status = dict(line.split(":\t", 1) for line in (home / "status").read_text().splitlines() if ":\t" in line)
        assert status["NoNewPrivs"] == "1"
        assert status["Seccomp"] == "2"
        assert "0" not in status["Uid"].split()
        assert int(status["CapEff"], 16) == 0
        assert status["Umask"] == "0777"
        assert status["Threads"] == "1"
        # What cannot be dumped belongs to root, and its user can read neither its memory nor its descriptors.
        assert [(home / name).stat().st_uid for name in ("mem", "environ", "fd", "maps")] == [0] * 4
        go_on.set()
        assert await task == SkillResult(success=True)


@as_root
@pytest.mark.requirement("SBX-30")
async def test_a_worker_holds_three_pipes_and_no_environment(sandbox: Bench) -> None:
    async with in_act(sandbox) as (task, go_on):
        (worker, *_) = sandbox.started
        home = Path(f"/proc/{worker.pid}")
        held = {int(entry.name): str(entry.readlink()) for entry in (home / "fd").iterdir()}
        assert sorted(held) == [0, 1, 2]
        assert all(target.startswith("pipe:") for target in held.values())
        assert len(set(held.values())) == 3
        assert (home / "environ").read_bytes() == b""
        assert (home / "cwd").readlink() == Path("/")
        assert (home / "cmdline").read_bytes().split(b"\0")[1:3] == [b"-I", b"-S"]
        assert os.getpgid(worker.pid) == os.getsid(worker.pid) == worker.pid
        assert (home / "task" / str(worker.pid) / "children").read_bytes() == b""
        go_on.set()
        assert await task == SkillResult(success=True)


LEAKY: Final = """
import json, os
held = sorted(int(name) for name in os.listdir("/proc/self/fd"))
os.read(0, 65536)
value = json.dumps({"success": True, "data": held})
os.write(1, json.dumps({"type": "result", "value": value, "dropped": 0}).encode() + b"\\n")
"""


@pytest.mark.requirement("SBX-30")
async def test_an_inheritable_descriptor_of_the_parent_does_not_reach_a_worker(
    tmp_path: Path, hostile: Callable[[Path], Bench]
) -> None:
    program = tmp_path / "program.py"
    program.write_text(LEAKY)
    with (tmp_path / "secret").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        result = await hostile(program).run("return { success: true };")
    assert result.data in ([0, 1, 2], [0, 1, 2, 3])  # 3 is the folder that is being listed
