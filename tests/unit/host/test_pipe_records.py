"""What the pipe class of records keeps of a session's lines."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from sgclaw.errors import ActionError
from sgclaw.host.pipe_records import pipe_record, refused_record
from sgclaw.ports import Act, RecordKind
from sgclaw.protocol.messages import Bye, Message, Ping, ProtocolError
from tests.support.wire import wired

SHA = hashlib.sha256(b"line").hexdigest()


@pytest.mark.requirement("HOST-29")
async def test_every_line_leaves_one_record_in_order_that_says_nothing_of_its_content(tmp_path: Path) -> None:
    async with wired(tmp_path) as both:
        browser = both.browser()
        await browser.act(Act("type", {"selector": "#name", "text": "Canary-7731"}))
        with pytest.raises(ActionError):
            await browser.act(Act("click", {"selector": "#nowhere"}))
    kept = [data for kind, data in both.records.kept if kind is RecordKind.PIPE]
    shown = [{key: value for key, value in data.items() if key not in ("sha256", "bytes")} for data in kept]
    assert shown == [
        {"direction": "out", "type": "ready", "n": 1},
        {"direction": "out", "type": "command", "seq": 1, "action": "type"},
        {"direction": "in", "type": "response", "seq": 1, "success": True},
        {"direction": "out", "type": "command", "seq": 2, "action": "click"},
        {"direction": "in", "type": "response", "seq": 2, "success": False, "code": "NOT_FOUND"},
    ]
    assert all(len(str(data["sha256"])) == 64 and data["bytes"] for data in kept)
    assert "Canary" not in repr(kept)


@pytest.mark.requirement("HOST-29")
@pytest.mark.parametrize(
    ("message", "facts"),
    [
        (Ping(id="x"), {"type": "ping", "n": 7}),
        (Bye(reason="eof"), {"type": "bye", "n": 7, "code": "eof"}),
        (
            ProtocolError(code="BAD_JSON", message="……", line_sha256=SHA, line_bytes=4),
            {"type": "protocol_error", "n": 7, "code": "BAD_JSON"},
        ),
    ],
)
def test_other_messages_are_told_by_their_number_and_why_they_say_something_ended(
    message: Message, facts: dict[str, object]
) -> None:
    assert pipe_record("in", message, b"line", 7) == {"direction": "in", "bytes": 4, "sha256": SHA, **facts}


@pytest.mark.requirement("HOST-29")
def test_a_refused_line_is_told_by_its_code() -> None:
    assert refused_record(b"line", "BAD_HMAC") == {
        "direction": "in",
        "type": "refused",
        "bytes": 4,
        "sha256": SHA,
        "success": False,
        "code": "BAD_HMAC",
    }
