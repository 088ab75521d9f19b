"""The sandbox worker: one disposable process that runs one skill script.

Started as `python -I -S worker.py <folder of the engine>` with an empty environment and three pipes. It imports nothing
of sgclaw and, for the sake of its start, as little of the standard library as possible: text passes through to
`prelude.js` unparsed. Standard input carries lines: limits `<heap bytes> <address space bytes> <cpu milliseconds>`, the
job, then one answer for each call. Standard output carries the lines that the prelude makes; the last is
`result`, `threw` or `end`.

Order matters: what needs files (engine, prelude) comes first, then the powers go, then skill code runs. On Linux the
process gives up root, can neither open nor copy a descriptor, reach a file or an address, map new code or start a
process, nobody of its user can look into it, and the kernel kills it when its parent dies, whatever the engine is doing
then. Three walls say so, each alone (limits, Landlock, a filter of system calls), for an old kernel may lack one.
Elsewhere the end of standard input ends it.
"""

from __future__ import annotations

import os
import select
import sys
import time

if sys.platform != "win32":  # there, the parent's wall clock is the only limit on time
    import resource
if sys.platform == "linux":
    # Not later: once root is given up, the standard library may be out of reach.
    import ctypes
    import struct

_NOBODY = 65534
_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_SECCOMP = 22
_SECCOMP_MODE_FILTER = 2
_LANDLOCK_CREATE_RULESET, _LANDLOCK_RESTRICT_SELF = 444, 446  # the same on every machine
_LANDLOCK_FILE_RIGHTS = (13, 14, 15, 15, 16)  # how many each version knows; all later ones as many as the last
_PROT_EXEC = 4
_SIGKILL = 9
_CPU_GRACE_MS = 500
_STACK_BYTES = 1 << 20  # of the 8 MiB that a main thread has
_LAST_LINES_S = 0.1
_JOBS_PER_TURN = 256
_ENGINE_REASONS = (("out of memory", "memory"), ("interrupted", "cpu"))

# Machine -> (audit number of its system call table, the calls a running script needs, mmap and mprotect). The calls:
# read, write, select and waiting, memory, clocks, randomness, signals' return, exit. Every other one fails with EPERM,
# and so do the last two when they ask for memory that can be executed.
_SYSTEM_CALLS = {
    "x86_64": (
        0xC000003E,
        (0, 1, 23, 270, 202, 219, 24, 11, 12, 25, 28, 228, 98, 318, 13, 14, 15, 131, 60, 231),
        (9, 10),
    ),
    "aarch64": (
        0xC00000B7,
        (63, 64, 72, 98, 128, 124, 215, 214, 216, 233, 113, 165, 278, 134, 135, 139, 132, 93, 94),
        (222, 226),
    ),
}

_NOTHING_OF = ("CORE", "FSIZE", "MEMLOCK", "MSGQUEUE", "NOFILE")  # the three pipes stay open, nothing else can be


class _EndError(Exception):
    """The run ends here for a reason the prelude could not report itself."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def _script(name: str) -> str:
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), encoding="utf-8") as file:  # noqa: PTH100,PTH118,PTH120,PTH123 -- pathlib costs 5 ms
        return file.read()


class _Input:
    """Lines of standard input, waited for no longer than asked."""

    def __init__(self) -> None:
        self._held = bytearray()

    def line(self, timeout_s: float | None) -> str | None:
        """The next line, or None when there is none within the time. The end of the input ends the process."""
        seen = 0
        while (end := self._held.find(b"\n", seen)) < 0:
            seen = len(self._held)
            readable, _, _ = select.select([0], [], [], timeout_s)
            if not readable:
                return None
            chunk = os.read(0, 1 << 16)
            if not chunk:
                os._exit(0)
            self._held += chunk
        line = self._held[:end].decode("utf-8")
        del self._held[: end + 1]
        return line


class _Script:
    """The engine with the prelude in it, and the CPU time it may use."""

    def __init__(self, engine_folder: str) -> None:
        sys.path.append(engine_folder)
        self._context = __import__("_quickjs").Context()
        sys.path.remove(engine_folder)
        self._context.set_max_stack_size(_STACK_BYTES)
        self._host = self._context.eval(_script("prelude.js"))(self._context.eval(_script("globals.js")))
        self._cpu_end = 0.0

    def limit(self, heap_bytes: int, cpu_ms: int) -> None:
        self._context.set_memory_limit(heap_bytes)
        self._cpu_end = time.process_time() + cpu_ms / 1_000

    def call(self, operation: str, text: str = "") -> object:
        """One operation of the prelude, then the jobs it made, some at a time. True means that jobs are left."""
        self._arm()
        self._host(operation, text)
        return self.work()

    def work(self) -> bool:
        """Run jobs; the engine's limit counts anew for each, so it is set from what is left of the whole."""
        for _ in range(_JOBS_PER_TURN):
            self._arm()
            if not self._context.execute_pending_job():
                return False
        return True

    def drain(self) -> tuple[str, str, str]:
        """(state, milliseconds to the next timer or "-", lines to send)."""
        self._arm()
        head, _, lines = self._host("drain", "").partition("\n")
        state, _, timer = head.partition(" ")
        return state, timer, lines

    def last_lines(self, end: str) -> str:
        """Lines that no turn came to send, which an author needs to see of a script that never came back. The last of
        them is `end`, unless the run had ended before in a way of its own.
        """
        self._context.set_time_limit(_LAST_LINES_S)
        return str(self._host("last", end))

    def _arm(self) -> None:
        left = self._cpu_end - time.process_time()
        if left <= 0:
            raise _EndError("cpu")
        self._context.set_time_limit(left)


def _give_up_powers() -> None:
    """Everything that does not depend on the job. What this kernel does not offer is not there to give up."""
    if sys.platform == "win32":
        return
    os.closerange(3, 1 << 16)
    os.umask(0o777)
    if os.geteuid() == 0:
        try:
            os.setgroups([])
            os.setresgid(_NOBODY, _NOBODY, _NOBODY)
            os.setresuid(_NOBODY, _NOBODY, _NOBODY)
        except OSError:
            pass  # a container that maps no other user: what is below holds for root too
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        # After the change of user, which clears it. If the parent is gone already, standard input has ended.
        libc.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
        libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        _lock_out(libc)
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    for name in _NOTHING_OF:
        limit = getattr(resource, "RLIMIT_" + name, None)
        if limit is not None:
            resource.setrlimit(limit, (0, 0))


def _lock_out(libc: ctypes.CDLL) -> None:
    """Landlock: a set of rules over every right of files, network, signals that the kernel knows, which grants none."""
    version = libc.syscall(_LANDLOCK_CREATE_RULESET, None, 0, 1)
    if version < 1:
        return
    files = (1 << _LANDLOCK_FILE_RIGHTS[min(version, len(_LANDLOCK_FILE_RIGHTS)) - 1]) - 1
    network = 3 if version >= 4 else 0  # bind, connect
    scopes = 3 if version >= 6 else 0  # abstract sockets, signals to processes outside
    rules = libc.syscall(_LANDLOCK_CREATE_RULESET, struct.pack("QQQ", files, network, scopes), 24, 0)
    libc.syscall(_LANDLOCK_RESTRICT_SELF, rules, 0)
    os.close(rules)


def _limit_job(address_space: int, cpu_ms: int) -> None:
    """The kernel's limits stand behind the engine's own: they end what the engine cannot interrupt."""
    if sys.platform == "win32":
        return
    seconds = int(time.process_time() + (cpu_ms + _CPU_GRACE_MS) / 1_000 + 0.999)  # rounded up
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
        _filter_system_calls()


def _filter_system_calls() -> None:
    """A classic BPF program; a machine that is not in the table, or a kernel without filters, goes without."""
    if os.uname().machine not in _SYSTEM_CALLS:
        return
    table, plain, mapping = _SYSTEM_CALLS[os.uname().machine]
    load, jump_if_equal, jump_if_set, give = 0x20, 0x15, 0x45, 0x06
    allow, eperm = 0x7FFF0000, 0x00050001
    count = len(plain) + len(mapping)
    program = [(load, 0, 0, 4), (jump_if_equal, 0, count + 1, table), (load, 0, 0, 0)]
    program += [(jump_if_equal, count + 2 - at, 0, number) for at, number in enumerate(plain)]
    program += [(jump_if_equal, len(mapping) - at, 0, number) for at, number in enumerate(mapping)]
    program += [(give, 0, 0, eperm), (load, 0, 0, 32), (jump_if_set, 1, 0, _PROT_EXEC)]  # 32: the third argument
    program += [(give, 0, 0, allow), (give, 0, 0, eperm)]
    code = b"".join(struct.pack("HBBI", *step) for step in program)
    held = ctypes.create_string_buffer(code)
    header = struct.pack("HP", len(program), ctypes.addressof(held))
    ctypes.CDLL(None).prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, header, 0, 0)


def _send(lines: str) -> None:
    data = memoryview(lines.encode("utf-8"))
    while data:
        data = data[os.write(1, data) :]


def _run(script: _Script, lines: _Input) -> None:
    heap, address_space, cpu_ms = (int(number) for number in (lines.line(None) or "").split())
    job = lines.line(None) or ""
    _limit_job(address_space, cpu_ms)
    script.limit(heap, cpu_ms)
    busy = script.call("start", job)
    while True:
        state, timer, out = script.drain()
        if out:
            _send(out)
        if state == "d":
            return
        if busy:
            busy = bool(script.work())
        elif state == "i" and timer == "-":
            raise _EndError("stuck")
        else:
            busy = _wait(script, lines, state, timer)


def _wait(script: _Script, lines: _Input, state: str, timer: str) -> bool:
    """Sleep until an answer or a timer, and hand it in. Nothing comes in while no call is out."""
    pause = None if timer == "-" else max(0.0, float(timer) / 1_000)
    if state == "c":
        answer = lines.line(pause)
        if answer is not None:
            return bool(script.call("settle", answer))
    elif pause is not None:
        lines.line(pause)
    return bool(script.call("tick"))


def _reason_of(error: Exception) -> str:
    if isinstance(error, _EndError):
        return error.reason
    if isinstance(error, MemoryError):
        return "memory"
    return next((reason for text, reason in _ENGINE_REASONS if text in str(error)), "worker_died")


def _send_end(script: _Script, reason: str) -> None:
    end = f'{{"type":"end","reason":"{reason}","detail":""}}\n'
    try:
        _send(script.last_lines(end))
    except Exception:  # an engine that is out of memory or broken: the reason alone
        _send(end)


def main() -> None:
    """Run one job and leave without clean-up: the engine's state is not to be trusted with any."""
    script = _Script(sys.argv[1])
    _give_up_powers()
    try:
        _run(script, _Input())
    except Exception as error:
        _send_end(script, _reason_of(error))
    os._exit(0)


if __name__ == "__main__":
    main()
