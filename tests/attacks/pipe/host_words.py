"""The cases' words for what a browser says, as messages of ours; and which act a case's task waits for."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from typing import Any, Final

from sgclaw.protocol.actions import ACTIONS
from sgclaw.protocol.messages import FROM_HOST
from tests.attacks.corpus import Case
from tests.attacks.pipe.agent import APPROVAL, KEY, TASK, Seventh
from tests.attacks.pipe.raw import flat, may_pass, unsigned
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
    "query": {"value": "1"},
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
    error = body.get("error")
    if isinstance(error, str):  # cases give the sentence alone, ours has a code beside it
        body["error"] = {"code": error if re.fullmatch("[A-Z_]{2,64}", error) else "ACTION_FAILED", "message": error}
    taken = may_pass(case.data["must"]) and body.get("seq") == 7 and body.get("success") is True
    data = body.get("data") or (seventh.data if taken else body.get("data"))
    if body.get("seq") == 7 and isinstance(data, dict):
        names = _RENAMED.get(seventh.action, {})
        if seventh.action == "query" and len(data) == 1:
            names = dict.fromkeys(data, "value")
        body["data"] = data = {names.get(name, name): value for name, value in data.items()}
        if seventh.action == "navigate" and "url" in data:
            body.setdefault("page", {"id": "p1", "url": data["url"], "title": str(data.get("title", ""))})
    return body


def _responses(case: Case) -> list[Data]:
    """Every response of the case, raw ones that only lack a code included."""
    lines = list(flat(case.data["lines"]))
    messages = [line["msg"] for line in lines if isinstance(line.get("msg"), dict)]
    raw = [unsigned(line["text"].encode("utf-8", "surrogatepass")) for line in lines if "text" in line]
    raw += [unsigned(base64.b64decode(line["b64"])) for line in lines if "b64" in line]
    found = [*messages, *(message for message in raw if message is not None)]
    return [message for message in found if message.get("type") == "response"]


WAITS: Final = r"^(wait|sleep|pause)|clock|_timeout$"
_PAUSE_S: Final = 2.0


def pause_of(line: Data) -> float | None:
    """The seconds of a line that only pauses; None for one that outlasts what is awaited."""
    name = next(name for name in line if re.search(WAITS, name))
    number = re.search(r"\d+(?:\.\d+)?", str(line[name]))
    seconds = None if number is None else float(number[0]) / (1_000 if f"{name}{line[name]}".endswith("ms") else 1)
    return seconds if seconds is not None and seconds <= _PAUSE_S else None


def _seventh_action(case: Case) -> tuple[str, Json]:
    lines = list(flat(case.data["lines"]))
    asked = next((line["after_command"] for line in lines if "after_command" in line), None)
    if asked is not None:
        return str(asked["action"]), {name: value for name, value in asked.items() if name != "action"}
    fields = {name for message in _responses(case) if isinstance(message.get("data"), dict) for name in message["data"]}
    reads = fields & {"t", "text"} or any(re.search(r'\$RESP|"t(ext)?":', str(line.get("gen"))) for line in lines)
    one_value = len(fields - {"clicked"}) == 1 and may_pass(case.data["must"])
    waits = any(pause_of(line) is None for line in lines if any(re.search(WAITS, name) for name in line))
    acts: list[tuple[object, str, Json]] = [
        (waits, "waitForSelector", {"selector": "#btn", "timeout_ms": 1}),  # the shortest deadline a command can have
        (case.data["state"] == "confirming", "logout", {"site": "erp.example.com"}),
        (reads, "getText", {"selector": "#btn"}),
        (fields & {"url", "final_url"}, "navigate", {"url": f"{ERP}/go"}),
        (one_value, "query", {"selector": "#btn", "fact": "value"}),
        (True, "click", {"selector": "#btn"}),
    ]
    return next((action, params) for holds, action, params in acts if holds)


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
    "zero": bytes(32),
    "zeros": bytes(32),
    "all_zero": bytes(32),
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
