"""Code that escaped the engine, as a worker program: gives up what a worker gives up, then tries everything else.

It is started in the place of `worker.py`; its job's inputs name the walls to put up. The result names every attempt
with the error it met, or "worked".
"""

from __future__ import annotations

import ctypes
import errno
import importlib
import json
import os
import platform
import resource
import socket
import sys
from collections.abc import Callable
from functools import partial

sys.path.insert(0, os.path.join(os.path.dirname(__file__), *[os.pardir] * 3, "sgclaw", "sandbox"))  # noqa: PTH118,PTH120
worker = importlib.import_module("worker")
LIBC = ctypes.CDLL(None, use_errno=True)
PARENT = os.getppid()
MACHINE = platform.machine()
EXECUTABLE, ANONYMOUS = 5, 0x22


def call(answer: int) -> None:
    """Raise what a C function reported."""
    if answer == -1:
        raise OSError(ctypes.get_errno(), "refused")


def raw(*number: object) -> None:
    call(LIBC.syscall(*number))


def connect() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as one:
        one.connect(("127.0.0.1", 9))


def instead_of_a_pipe() -> None:
    os.close(2)
    os.open("/etc/hostname", os.O_RDONLY)


def fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def new_code() -> None:
    LIBC.mmap.restype = ctypes.c_ssize_t
    call(LIBC.mmap(None, ctypes.c_size_t(4096), EXECUTABLE, ANONYMOUS, -1, ctypes.c_long(0)))


def changed_code() -> None:
    page = ctypes.c_void_p(id(page_of_data) & ~4095)
    call(LIBC.mprotect(page, ctypes.c_size_t(4096), EXECUTABLE | 2))


page_of_data = bytearray(1 << 16)

ATTEMPTS: dict[str, Callable[[], object]] = {
    "open": lambda: os.open("/etc/hostname", os.O_RDONLY),
    "open its own memory": lambda: os.open("/proc/self/mem", os.O_RDWR),
    "open in the place of a pipe": instead_of_a_pipe,
    "create": lambda: os.open("/tmp/sandbox-probe", os.O_CREAT | os.O_WRONLY),
    "make a folder": lambda: os.mkdir(f"/tmp/sandbox-probe-{os.getpid()}"),  # noqa: PTH102
    "remove": lambda: os.unlink("/tmp/nothing-of-this-name"),  # noqa: PTH108
    "list": lambda: os.listdir("/"),  # noqa: PTH208
    "look at a file": lambda: os.stat("/etc/hostname"),  # noqa: PTH116
    "change folder": lambda: os.chdir("/tmp"),
    "connect": connect,
    "local socket": lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM),
    "raw socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW),
    "pipe": os.pipe,
    "dup": lambda: os.dup(0),
    "fork": fork,
    "execve": lambda: os.execve("/bin/true", ["true"], {}),  # noqa: S606
    "signal the parent": lambda: os.kill(PARENT, 0),
    "signal a group": lambda: os.killpg(os.getpgid(PARENT), 0),
    "trace the parent": lambda: call(LIBC.ptrace(16, PARENT, 0, 0)),
    "read the parent's memory": lambda: call(LIBC.process_vm_readv(PARENT, 0, 0, 0, 0, 0)),
    "be root": lambda: os.setuid(0),
    "more files": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (9, 9)),
    "a priority": lambda: os.setpriority(os.PRIO_PROCESS, 0, -1),
    "map new code": new_code,
    "make data code": changed_code,
}

RAW = {
    "memfd_create": (319, b"x", 0),
    "io_uring_setup": (425, 1, ctypes.create_string_buffer(120)),
    "execveat": (322, -100, b"/bin/true", None, None, 0),
    "clone": (56, 0x11, 0, 0, 0, 0),
    "clone3": (435, None, 0),
    "socket": (41, 2, 1, 0),
    "socketpair": (53, 1, 1, 0, ctypes.create_string_buffer(8)),
    "socket of the x32 table": (0x40000000 | 41, 2, 1, 0),
    "openat": (257, -100, b"/etc/hostname", 0),
    "openat2": (437, -100, b"/etc/hostname", ctypes.create_string_buffer(24), 24),
    "bpf": (321, 0, None, 0),
    "userfaultfd": (323, 1),
    "perf_event_open": (298, None, 0, -1, -1, 0),
    "process_vm_writev": (311, PARENT, None, 0, None, 0, 0),
    "pidfd_open": (434, PARENT, 0),
    "tgkill": (234, PARENT, PARENT, 0),
    "keyctl": (250, 0, -3, 1),
    "unshare": (272, 0x10000000),
    "mount": (165, b"a", b"/", b"tmpfs", 0, None),
    "chroot": (161, b"/"),
    "prctl": (157, 4, 1, 0, 0, 0),
    "seccomp": (317, 1, 0, None),
    "shmget": (29, 0, 4096, 0o1600),
    "mq_open": (240, b"x", 0o102, 0o600, None),
    "eventfd": (290, 0, 0),
    "timerfd_create": (283, 0, 0),
    "inotify_init": (253,),
    "pkey_mprotect": (329, 0, 4096, 5, -1),
    "remap_file_pages": (216, 0, 4096, 0, 0, 0),
    "personality": (135, 0xFFFFFFFF),
    "ioctl on a pipe": (16, 0, 0x541B, ctypes.create_string_buffer(4)),
    "fcntl": (72, 0, 0, 3),
    "sendmsg": (46, 1, None, 0),
    "splice": (275, 0, None, 1, None, 1, 0),
}
"""System calls by number, x86-64."""


def limits() -> None:
    """What a worker gives up first: root, resources, the right to be looked into (and Landlock, where there is one)."""
    worker._give_up_powers()


def landlock() -> None:
    LIBC.prctl(38, 1, 0, 0, 0)
    worker._lock_out(LIBC)


def filtered() -> None:
    LIBC.prctl(38, 1, 0, 0, 0)
    worker._filter_system_calls()


def everything() -> None:
    worker._give_up_powers()
    worker._limit_job(1 << 30, 1_000)


WALLS: dict[str, Callable[[], None]] = {
    "everything": everything,
    "landlock": landlock,
    "filter": filtered,
    "limits": limits,
}


def met(attempt: Callable[[], object]) -> str:
    """The name of the error an attempt met."""
    try:
        attempt()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, type(error).__name__)
    except ValueError as error:
        return type(error).__name__
    return "worked"


def main() -> None:
    lines = b""
    while lines.count(b"\n") < 2:
        lines += os.read(0, 1 << 16)
    inputs = json.loads(lines.split(b"\n")[1])["params"]
    WALLS[inputs["wall"]]()
    names = inputs.get("attempts", list(ATTEMPTS))
    found = {name: met(ATTEMPTS[name]) for name in names}
    if MACHINE == "x86_64" and "attempts" not in inputs:
        found |= {name: met(partial(raw, *number)) for name, number in RAW.items()}
    text = json.dumps({"success": True, "data": found})
    os.write(1, json.dumps({"type": "result", "value": text, "dropped": 0}).encode() + b"\n")
    os.read(0, 1)


if __name__ == "__main__":
    main()
