"""The cases' words for what a browser says, as messages of ours; and which act a case's task waits for."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Any, Final

from sgclaw.protocol.actions import ACTIONS
from sgclaw.protocol.messages import FROM_HOST
from tests.attacks.corpus import Case
from tests.attacks.pipe.agent import APPROVAL, KEY, TASK, Seventh
from tests.attacks.pipe.signs import Json
from tests.support.agent import TRACE
from tests.support.wire import ERP

Data = Mapping[str, Any]

TYPES: Final[Mapping[str, str]] = {
    "confirm_result": "approval",
    "confirmation": "approval",
    "stop_task": "cancel_task",
    "user_reply": "answer",
}
FIELDS: Final[Mapping[str, str]] = {"confirm_id": "approval_id"}
_DEFAULTS: Final[Mapping[str, Json]] = {
    "submit_task": {"task_id": "t2"},
    "cancel_task": {"task_id": TASK},
    "pause": {"task_id": TASK},
    "resume": {"task_id": TASK},
    "takeover": {"task_id": TASK},
    "approval": {"approval_id": APPROVAL},
}

_RESULTS: Final[Mapping[str, Json]] = {
    "click": {"clicked": True},
    "getText": {"text": "正文"},
    "navigate": {"url": f"{ERP}/go", "title": "t", "status": 200},
    "waitForSelector": {"found": True},
    "logout": {"logged_out": True},
    "type": {"typed": True, "value": "文字"},
    "select": {"value": "1"},
}
_RENAMED: Final[Mapping[str, Mapping[str, str]]] = {
    "getText": {"t": "text"},
    "navigate": {"final_url": "url"},
    "waitForSelector": {"clicked": "found"},
    "logout": {"clicked": "logged_out"},
}
"""Action → how the cases call fields of its result."""


def unnamed(message: Data, case: Case) -> Json:
    """The message with our names; the session id the cases have in every message is inside our keys."""
    named = {FIELDS.get(name, name): value for name, value in message.items() if name != "security"}
    if named.get("session_id") == case.file.get("session_id"):
        named.pop("session_id", None)
    if isinstance(named.get("type"), str):
        named["type"] = TYPES.get(named["type"], named["type"])
    return named


def counts(body: Data) -> bool:
    """Whether the `seq` of this message is the browser's own count, which is `n` in our `security`."""
    return body.get("type") != "response" and body.get("type") in FROM_HOST


def host_body(message: Data, case: Case, seventh: Seventh) -> Json:
    """A browser's message without its number, which is the caller's business; a response keeps `seq`."""
    body = unnamed(message, case)
    if counts(body):
        body.pop("seq", None)
        return {**_DEFAULTS.get(str(body["type"]), {}), **body}
    data = body.get("data")
    if body.get("seq") == 7 and isinstance(data, dict):
        names = _RENAMED.get(seventh.action, {})
        body["data"] = data = {names.get(name, name): value for name, value in data.items()}
        if seventh.action == "navigate" and "url" in data:
            body.setdefault("page", {"id": "p1", "url": data["url"], "title": str(data.get("title", ""))})
    return body


def _responses(case: Case) -> list[Data]:
    return [line["msg"] for line in case.data["lines"] if line.get("msg", {}).get("type") == "response"]


def _seventh_action(case: Case) -> tuple[str, Json]:
    lines = case.data["lines"]
    asked = next((line["after_command"] for line in lines if "after_command" in line), None)
    if asked is not None:
        return str(asked["action"]), {name: value for name, value in asked.items() if name != "action"}
    if any(line.get("wait") == "command_timeout" for line in lines):
        return "waitForSelector", {"selector": "#btn", "timeout_ms": 1}  # the shortest deadline a command can have
    if case.data["state"] == "confirming":
        return "logout", {"site": "erp.example.com"}
    fields = {name for message in _responses(case) if isinstance(message.get("data"), dict) for name in message["data"]}
    if fields & {"t", "text"} or any("$RESP" in str(line.get("gen")) for line in lines):
        return "getText", {"selector": "#btn"}
    if fields & {"url", "final_url"}:
        return "navigate", {"url": f"{ERP}/go"}
    return "click", {"selector": "#btn"}


def seventh_of(case: Case) -> Seventh:
    """The act that the cases call command 7: the one the responses of the case are answers to."""
    action, params = _seventh_action(case)
    data = _RESULTS[action]
    return Seventh(action, params, data, got_from(action, data))


def got_from(action: str, data: Data) -> object:
    """What the skill reports of a result: long texts by their length."""
    natural = ACTIONS[action].natural
    value = data.get(natural) if natural else dict(data)
    return len(value) if isinstance(value, str) and len(value) > 10_000 else value


_KEYS: Final[Mapping[str, bytes]] = {
    "valid": KEY,
    "same": KEY,
    "other": hashlib.sha256(b"another session key").digest(),
    "short": KEY[:16],
    "empty": b"",
    "long": KEY + KEY,
}


def init_body(fields: Data, right: Json) -> tuple[Json, bytes, str]:
    """An `init` with the case's changes; also the key and trace id a session with it would have."""
    changed = dict(fields)
    body = {**right}
    key = KEY
    if "key" in changed:
        name = changed.pop("key")
        body.pop("session_key")
        if name is not None and name != "missing":
            key = _KEYS.get(str(name), str(name).encode())
            body["session_key"] = base64.urlsafe_b64encode(key).decode().rstrip("=")
    body.update(changed)
    return body, key, str(body.get("trace_id", TRACE))
