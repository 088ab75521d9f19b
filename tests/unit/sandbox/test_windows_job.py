"""The structures of Windows, whose layout is the same wherever Python runs on 64 bits."""

from __future__ import annotations

import ctypes
import struct
import sys

import pytest

from sgclaw.sandbox.budget import Budgets
from sgclaw.sandbox.limits import address_space
from sgclaw.sandbox.windows_job import ExtendedLimits, confine, limits_of

pytestmark = pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason="the layout on 64 bits")


@pytest.mark.requirement("SBX-43")
def test_the_limits_of_a_job_are_packed_as_windows_reads_them() -> None:
    budgets = Budgets(cpu_ms=5_000)
    packed = bytes(limits_of(address_space(budgets), budgets.cpu_ms))
    process_time, job_time, flags, least, most, processes, affinity, priority, scheduling = struct.unpack_from(
        "<qqI4xQQI4xQII", packed
    )
    assert (process_time, job_time) == (0, 50_000_000)  # 100 ns
    assert flags == 0x2000 | 0x0400 | 0x0100 | 0x0008 | 0x0004
    assert (least, most, processes, affinity, priority, scheduling) == (0, 0, 1, 0, 0, 0)
    assert struct.unpack_from("<6Q", packed, 64) == (0,) * 6
    assert struct.unpack_from("<4Q", packed, 112) == (320 << 20, 0, 0, 0)
    assert len(packed) == 144


@pytest.mark.requirement("SBX-43")
def test_every_member_lies_at_its_documented_place() -> None:
    basic = ExtendedLimits.BasicLimitInformation
    assert (basic.offset, basic.size) == (0, 64)
    assert (ExtendedLimits.IoInfo.offset, ExtendedLimits.IoInfo.size) == (64, 48)
    assert [
        getattr(ExtendedLimits, name).offset
        for name in ("ProcessMemoryLimit", "JobMemoryLimit", "PeakProcessMemoryUsed", "PeakJobMemoryUsed")
    ] == [112, 120, 128, 136]


@pytest.mark.skipif(sys.platform == "win32", reason="there it works")
@pytest.mark.requirement("SBX-43")
def test_elsewhere_a_job_is_refused_and_not_pretended() -> None:
    with pytest.raises(OSError, match="Windows only"):
        confine(1, 1, 1)
