"""A bounded queue and the one thread that empties it: what writes must never make its caller wait."""

from __future__ import annotations

import atexit
from collections import deque
from collections.abc import Callable, Sequence
from threading import Condition, Thread
from typing import Final, Generic, TypeVar

MAX_HELD_BYTES: Final = 1 << 20
"""What waits for a slow writer, at most: a minute of the chattiest task."""
FLUSH_SECONDS: Final = 0.5
"""What the end of the process waits for a writer: a quarter of the time in which it must have ended."""

Item = TypeVar("Item")


class Outbox(Generic[Item]):
    """Items on their way to `take`, which gets them in order, many at once, in a thread of its own.

    `pause_s` lets items gather before the thread wakes: every wake costs the callers a turn of the interpreter.
    The end of the process waits `FLUSH_SECONDS` for the last items. `take` must not raise.
    """

    def __init__(self, name: str, take: Callable[[Sequence[Item]], None], pause_s: float = 0.0) -> None:
        self._take = take
        self._pause_s = pause_s
        self._waiting: deque[tuple[Item, int]] = deque()
        self._held = 0
        self._hurry = False
        self._changed = Condition()
        Thread(target=self._empty_for_ever, name=name, daemon=True).start()
        atexit.register(self.flush)

    def put(self, item: Item, size: int) -> bool:
        """Queue one item of so many bytes, without waiting; False when the queue is full."""
        with self._changed:
            if self._held + size > MAX_HELD_BYTES:
                return False
            was_urgent, is_first = self._is_urgent(), not self._waiting
            self._held += size
            self._waiting.append((item, size))
            if is_first or self._is_urgent() != was_urgent:
                self._changed.notify_all()
        return True

    def flush(self, seconds: float = FLUSH_SECONDS) -> bool:
        """Wait until everything put so far is taken; False when the writer did not keep up."""
        with self._changed:
            self._hurry = True
            self._changed.notify_all()
            return self._changed.wait_for(lambda: not self._held, seconds)

    def _empty_for_ever(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                if self._pause_s:
                    self._changed.wait_for(self._is_urgent, self._pause_s)
                items = list(self._waiting)
                self._waiting.clear()
            self._take([item for item, _ in items])
            with self._changed:
                self._held -= sum(size for _, size in items)
                self._hurry = self._hurry and self._held > 0
                self._changed.notify_all()

    def _is_urgent(self) -> bool:
        return self._hurry or self._held > MAX_HELD_BYTES // 2
