"""Cut a byte stream into lines at 0x0A, bounded."""

from __future__ import annotations

from collections.abc import Iterator

from sgclaw.errors import WireCode, WireError


class LineFramer:
    r"""Collects chunks and yields whole lines without their newline.

    Only `\n` ends a line: U+2028, U+0085 and `\r` are content. A line over `cap` bytes (newline included) raises
    `LINE_TOO_LONG` as soon as the cap is passed, so memory stays below the cap plus one chunk. A rest without a newline
    is never a line.
    """

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._parts: list[bytes] = []
        self._size = 0

    @property
    def partial(self) -> bool:
        """Whether bytes of an unfinished line are held."""
        return self._size > 0

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield every line completed by `chunk`."""
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            self._take(chunk[start:end], extra=1)
            yield b"".join(self._parts)
            self._parts.clear()
            self._size = 0
            start = end + 1
        if start < len(chunk):
            self._take(chunk[start:], extra=0)

    def _take(self, part: bytes, *, extra: int) -> None:
        if self._size + len(part) + extra > self._cap:
            raise WireError(WireCode.LINE_TOO_LONG, f"一行超过 {self._cap} 字节")
        self._parts.append(part)
        self._size += len(part)
