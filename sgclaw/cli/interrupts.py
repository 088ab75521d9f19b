"""Ctrl-C where it must wait: neither half an import nor half a printed result can be made good."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(slots=True)
class Held:
    """Whether Ctrl-C was pressed in the block."""

    asked: bool = False


@contextlib.contextmanager
def interrupts_held() -> Iterator[Held]:
    """Within the block Ctrl-C is only noted; where it is ignored already, or on another thread, nothing changes."""
    held = Held()
    here = threading.current_thread() is threading.main_thread()
    if not here or signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        yield held
        return

    def note(_number: int, _frame: object) -> None:
        held.asked = True

    before = signal.signal(signal.SIGINT, note)
    try:
        yield held
    finally:
        signal.signal(signal.SIGINT, before)
