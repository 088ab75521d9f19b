"""How an element of a snapshot is written on the wire: `<version>:<n>`, in a frame `<version>:<f>.<n>`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from browser_host_stub.chromium.faults import refusal
from sgclaw.errors import ActionCode

_WRITTEN = re.compile(r"(?P<version>[0-9]{1,9}):(?:(?P<frame>[0-9]{1,9})\.)?(?P<number>[0-9]{1,9})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Ref:
    """One element: `number` in its document, which is the page's main one or that of frame number `frame`."""

    version: int
    frame: int | None
    number: int

    @classmethod
    def read(cls, text: str) -> Ref:
        """Raises `BAD_PARAMS` for what no snapshot wrote."""
        found = _WRITTEN.fullmatch(text)
        if found is None:
            raise refusal({"code": ActionCode.BAD_PARAMS, "why": "快照编号的写法不对", "ref": text})
        frame = found["frame"]
        return cls(int(found["version"]), None if frame is None else int(frame), int(found["number"]))

    def __str__(self) -> str:
        inside = f"{self.number}" if self.frame is None else f"{self.frame}.{self.number}"
        return f"{self.version}:{inside}"

    def check_version(self, now: int) -> None:
        """Raise `STALE_REF` when the page has navigated since the snapshot."""
        if self.version != now:
            why = f"编号出自页面的第 {self.version} 版，页面现在是第 {now} 版"
            raise refusal(
                {"code": ActionCode.STALE_REF, "why": why, "ref": str(self), "version": self.version, "now": now}
            )
