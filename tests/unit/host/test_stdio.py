"""The wire is taken private before anything else can write to it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

NOISY = """
from sgclaw.host.stdio import take_stdio
read_fd, write_fd = take_stdio()
import os, subprocess, sys
print("a stray print from a library")
os.write(1, b"a stray write of a C library\\n")
subprocess.run([sys.executable, "-c", "print('a child that prints')"], check=True)
assert os.read(0, 10) == b"", "fd 0 is empty"
os.write(write_fd, b"echo " + os.read(read_fd, 100))
assert not os.get_inheritable(read_fd) and not os.get_inheritable(write_fd)
"""


@pytest.mark.requirement("HOST-30")
def test_stray_output_of_the_process_and_its_children_never_reaches_the_wire() -> None:
    done = subprocess.run([sys.executable, "-c", NOISY], input=b"hello\n", capture_output=True, timeout=30, check=True)
    assert done.stdout == b"echo hello\n"
    assert done.stderr.count(b"a stray") == 2
    assert b"a child that prints" in done.stderr


@pytest.mark.requirement("HOST-30")
def test_stdout_may_have_been_a_file_and_stderr_a_pipe(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w+b") as out:
        done = subprocess.run(
            [sys.executable, "-c", NOISY], input=b"hello\n", stdout=out, stderr=subprocess.PIPE, timeout=30, check=True
        )
        out.seek(0)
        assert out.read() == b"echo hello\n"
    assert done.stderr.count(b"a stray") == 2


TEN_FILES = """
import os, sys
from sgclaw.host.stdio import fill_closed
fill_closed()
opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(10)]
sys.exit(min(opened))
"""


@pytest.mark.requirement("HOST-31")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_no_file_takes_the_number_of_a_closed_standard_stream(closed: str) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "{sys.executable}" -c "$0" {closed}', TEN_FILES], timeout=30, check=False
    )
    assert done.returncode >= 3
