"""What holds for every case addressed to sgclaw, looked at after its process has ended."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from typing import Final

from sgclaw.audit.records import story
from tests.attacks.pipe.agent import AgentEnd, all_secrets, files_under

_EXCEPTION = re.compile(rb"Traceback|File \\?\"|\b[A-Z]\w+(?:Error|Exception)\b")
_NO_LINE: Final = hashlib.sha256(b"").hexdigest()
"""What stands for a line that was never read to its end."""
MAX_WRITTEN: Final = 1 << 20


def check_always(end: AgentEnd, forgotten: set[bytes]) -> None:
    """Nothing leaks, each refused line has one record, and what is written stays small."""
    stdout, log = bytes(end.stdout), end.log()
    assert not _EXCEPTION.search(stdout), stdout[-2_000:]
    assert b"Traceback" not in log, log[-2_000:]
    written = {path.name: path.read_bytes() for path in files_under(end.home.state)}
    everything = {"stdout": stdout, "stderr": log, **written}
    for place, content in everything.items():
        assert not [form for form in all_secrets(end.keys) if form in content], f"a key is in {place}"
        assert not [text for text in forgotten if text in content], f"a foreign page's text is in {place}"
    kept = [content for name, content in written.items() if not name.startswith("pipe-")]
    assert sum(map(len, (log, *kept))) < MAX_WRITTEN  # records of the pipe grow with its good lines alone
    _check_records(end)


def _check_records(end: AgentEnd) -> None:
    if not end.of("ready"):
        assert end.messages == [], "without a usable first line nothing is said"
        return
    records = [record for record in story(end.home.audit, end.keys.trace_id) if record.event == "line_refused"]
    kept = Counter((str(record.data["code"]), str(record.data["sha256"])) for record in records)
    told = Counter((item["code"], item["line_sha256"]) for item in end.of("protocol_error"))
    assert kept == told, "a refused line is recorded once, with the code that was told"
    sent = Counter([*end.sent, _NO_LINE])
    digests = Counter(str(record.data["sha256"]) for record in records)
    assert digests <= sent, "a record is about a line that was sent"
