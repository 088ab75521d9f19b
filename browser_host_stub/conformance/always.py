"""What must hold of every line a host sends, watched over the whole run and judged at its end."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from pydantic import ValidationError

from browser_host_stub.conformance.site import Site
from sgclaw.errors import WireError
from sgclaw.protocol.actions import ACTIONS
from sgclaw.protocol.channel import Received
from sgclaw.protocol.messages import Command, PageEvent, ProtocolError, Response
from sgclaw.protocol.results import PageInfo

ALWAYS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "always.lines": ("每一行都合规：编码、签名、序号、字段、阶段", "3–5, 13"),
        "always.response": ("每个操作至多一个回应，只回应发出过的操作", "6"),
        "always.re": ("每个回应的 re 都是所回应操作的 MAC", "4"),
        "always.data": ("成功的回应带 data 且符合操作表，失败的带 error", "6, 11"),
        "always.page": ("回应里的 page 只在成功时出现，并且在策略列出的来源内", "6"),
        "always.event": ("page_event 不涉及未列出的来源（空白的新窗口除外）", "9"),
        "always.key": ("每个进程的会话密钥和 trace_id 都是新的", "2, 15"),
        "always.chinese": ("错误的 message 是写给人看的中文", "6"),
    }
)
"""Row → what it promises, and where."""
_CHINESE: Final = re.compile("[\u4e00-\u9fff]")
_SEQ: Final = re.compile(rb'"seq":([0-9]{1,15})[,}]')


class Always:
    """Collects the first breach of each promise, over all sessions of a run."""

    def __init__(self) -> None:
        self.breaches: dict[str, str] = {}
        self.lines = 0
        self._begun: set[str] = set()

    def breach(self, row: str, what: str) -> None:
        """A promise was broken; only the first time is told."""
        self.breaches.setdefault(row, what)

    def begun(self, session_key: str, trace_id: str) -> None:
        """A session has begun with these."""
        if {session_key, trace_id} & self._begun:
            self.breach("always.key", "两个进程用了同一个 session_key 或 trace_id")
        self._begun |= {session_key, trace_id}

    def watch(self, site: Site) -> Watch:
        """The watch of one session."""
        return Watch(self, site)


class Watch:
    """Looks at every line of one session."""

    def __init__(self, always: Always, site: Site) -> None:
        self._always, self._site = always, site
        self._commands: dict[int, tuple[Command, str]] = {}
        self._answered: set[int] = set()

    def asked(self, command: Command, mac: str) -> None:
        """A command is about to be sent."""
        self._commands[command.seq] = (command, mac)

    def look(self, received: Received) -> None:
        """Look at a line that is in order by itself."""
        self._always.lines += 1
        message = received.message
        if isinstance(message, Response):
            self._response(message, received.re)
        elif isinstance(message, ProtocolError) and not _CHINESE.search(message.message):
            self._always.breach("always.chinese", f"protocol_error {message.code} 的 message 不是中文")
        elif isinstance(message, PageEvent) and not (_shows_nothing(message.page) or self._listed(message.page)):
            self._always.breach("always.event", f"事件 {message.event} 涉及 {message.page.url[:100]}")

    def ended(self, faults: Sequence[tuple[WireError, bytes]]) -> None:
        """The session is over; these lines were not in order."""
        for error, line in faults:
            self._always.breach("always.lines", f"{error.code}：{line[:80].decode('utf-8', 'replace')}…")

    def fault_of(self, seq: int, faults: Sequence[tuple[WireError, bytes]]) -> str | None:
        """Why the response to this command was refused, if a refused line claims to be it."""
        for error, line in reversed(faults):
            claimed = _SEQ.search(line)
            if claimed is not None and int(claimed[1]) == seq and b'"response"' in line[:60]:
                return error.code
        return None

    def _response(self, response: Response, re_: str | None) -> None:
        known = self._commands.get(response.seq)
        if known is None or response.seq in self._answered:
            self._always.breach("always.response", f"seq {response.seq} 的回应重复，或没有这个操作")
            return
        self._answered.add(response.seq)
        command, mac = known
        if re_ != mac:
            self._always.breach("always.re", f"{command.action}（seq {response.seq}）的回应")
        if response.success:
            self._data(command, response)
        else:
            self._error(command, response)
        page = response.page
        if page is not None and not (response.success and self._listed(page)):
            self._always.breach("always.page", f"{command.action} 的回应带有 {page.url[:100]}")

    def _data(self, command: Command, response: Response) -> None:
        row = ACTIONS.get(command.action)
        try:
            if row is None or response.error is not None:
                raise ValueError
            row.result.model_validate(response.data)
        except (ValidationError, ValueError):
            self._always.breach("always.data", f"{command.action} 的 data 不符合操作表")

    def _error(self, command: Command, response: Response) -> None:
        if response.error is None:
            self._always.breach("always.data", f"{command.action} 失败，却没有 error")
        elif not _CHINESE.search(response.error.message):
            self._always.breach("always.chinese", f"{response.error.code} 的 message 不是中文")

    def _listed(self, page: PageInfo) -> bool:
        return any(page.url == origin.base or page.url.startswith(f"{origin.base}/") for origin in self._site.listed)


def _shows_nothing(page: PageInfo) -> bool:
    """A new window before its first document: the one address of no origin that may be told."""
    return page.url == "about:blank" and not page.title
