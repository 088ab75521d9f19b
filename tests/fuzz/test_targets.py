"""Every fuzz target on its seeds and on altered seeds, briefly, in the ordinary suite."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.__main__ import ROOT
from tests.fuzz.table import TARGETS, Target, load

_SLOWER = {"registry": 40, "channel": 80, "schema": 80}
_EDITS = st.lists(
    st.tuples(st.sampled_from("sidcx"), st.integers(0, 1 << 16), st.integers(0, 255), st.binary(max_size=6)),
    min_size=1,
    max_size=4,
)


@st.composite
def _altered(draw: st.DrawFn, target: Target) -> bytes:
    """A seed with some bytes set, inserted, deleted, repeated, or crossed with another seed."""
    seeds = target.seeds()
    data = draw(st.sampled_from(seeds))
    for edit, place, byte, piece in draw(_EDITS):
        at = place % (len(data) + 1)
        match edit:
            case "s":
                data = data[:at] + bytes([byte]) + data[at + 1 :]
            case "i":
                data = data[:at] + piece + data[at:]
            case "d":
                data = data[:at] + data[at + 1 + byte :]
            case "c":
                data = data[:at] + data[max(0, at - byte) :]
            case _:
                other = seeds[byte % len(seeds)]
                data = data[:at] + other[min(at, len(other)) :]
    return data


@pytest.mark.requirement("FUZZ-01")
@pytest.mark.parametrize("name", TARGETS)
def test_a_target_holds_for_its_seeds(name: str) -> None:
    target = load(name)
    for data in (b"", b"\x00", b"\xff" * 9, *target.seeds()):
        target.one_input(data)


@pytest.mark.requirement("FUZZ-01")
@pytest.mark.parametrize("name", TARGETS)
def test_a_target_holds_for_altered_seeds_and_random_bytes(name: str) -> None:
    target = load(name)

    @settings(
        max_examples=_SLOWER.get(name, 150),
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(_altered(target) | st.binary(max_size=120))
    def holds(data: bytes) -> None:
        target.one_input(data)

    holds()


def _fuzz(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.fuzz", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.requirement("FUZZ-02")
def test_the_fuzzer_runs_a_target_and_reports_it() -> None:
    pytest.importorskip("atheris")
    done = _fuzz("1", "framing")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "framing" in done.stdout
    assert done.stdout.rstrip().endswith("0 inputs that break a promise")


@pytest.mark.requirement("FUZZ-02")
def test_an_input_that_breaks_a_promise_is_told_kept_and_run_again() -> None:
    pytest.importorskip("atheris")
    done = _fuzz("20", "canary")
    assert done.returncode == 1, done.stdout + done.stderr
    (again,) = re.findall(r"again: python -m tests\.fuzz (again canary \S+)$", done.stdout, re.MULTILINE)
    find = Path(again.split()[-1])
    assert find.read_bytes()[:1] == b"Q"
    repeated = _fuzz(*again.split())
    find.unlink()
    assert repeated.returncode != 0
    assert "AssertionError" in repeated.stderr
