"""A Windows Job Object around a worker: what resource limits and process groups are elsewhere.

The layout of the structures is tested on every system; the calls themselves have not been run on Windows yet.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Final

_JOB_TIME: Final = 0x0004
_ACTIVE_PROCESS: Final = 0x0008
_PROCESS_MEMORY: Final = 0x0100
_DIE_ON_UNHANDLED_EXCEPTION: Final = 0x0400  # no dialogue that keeps a crashed worker alive
_KILL_ON_JOB_CLOSE: Final = 0x2000
LIMIT_FLAGS: Final = _JOB_TIME | _ACTIVE_PROCESS | _PROCESS_MEMORY | _DIE_ON_UNHANDLED_EXCEPTION | _KILL_ON_JOB_CLOSE
_EXTENDED_LIMITS: Final = 9
_PROCESS_SET_QUOTA_AND_TERMINATE: Final = 0x0101
_TICKS_PER_MS: Final = 10_000


class _BasicLimits(ctypes.Structure):
    """JOBOBJECT_BASIC_LIMIT_INFORMATION."""

    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    )


class _IoCounters(ctypes.Structure):
    """IO_COUNTERS: read only, never looked at."""

    _fields_ = (("counters", ctypes.c_uint64 * 6),)


class ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

    _fields_ = (
        ("BasicLimitInformation", _BasicLimits),
        ("IoInfo", _IoCounters),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


def limits_of(memory_bytes: int, cpu_ms: int) -> ExtendedLimits:
    """The limits of one worker: its memory, its processor time, no second process, dead with its job."""
    limits = ExtendedLimits()
    basic = limits.BasicLimitInformation
    basic.PerJobUserTimeLimit = cpu_ms * _TICKS_PER_MS
    basic.LimitFlags = LIMIT_FLAGS
    basic.ActiveProcessLimit = 1
    limits.ProcessMemoryLimit = memory_bytes
    return limits


def confine(pid: int, memory_bytes: int, cpu_ms: int) -> Callable[[], None]:
    """Put a process into a job of its own; the returned function closes the job, which kills what is in it.

    The job also closes, and kills, when our process ends in any way. Raises `OSError` when Windows refuses.
    """
    return _confined(pid, limits_of(memory_bytes, cpu_ms))


if sys.platform == "win32":

    def _confined(pid: int, limits: ExtendedLimits) -> Callable[[], None]:
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.CreateJobObjectW.restype = kernel.OpenProcess.restype = ctypes.c_void_p
        job = ctypes.c_void_p(_checked(kernel.CreateJobObjectW(None, None)))
        try:
            size = ctypes.sizeof(limits)
            _checked(kernel.SetInformationJobObject(job, _EXTENDED_LIMITS, ctypes.byref(limits), size))
            process = ctypes.c_void_p(_checked(kernel.OpenProcess(_PROCESS_SET_QUOTA_AND_TERMINATE, False, pid)))
            try:
                _checked(kernel.AssignProcessToJobObject(job, process))
            finally:
                kernel.CloseHandle(process)
        except OSError:
            kernel.CloseHandle(job)
            raise
        return lambda: kernel.CloseHandle(job)

    def _checked(answer: int | None) -> int:
        if not answer:
            raise ctypes.WinError(ctypes.get_last_error())
        return answer

else:

    def _confined(pid: int, limits: ExtendedLimits) -> Callable[[], None]:
        raise OSError("job objects exist on Windows only")
