"""The words of the manifest: outcomes, and the fields that demand something."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sgclaw.errors import SandboxError, SgClawError, SkillError
from sgclaw.ports import SkillResult
from tests.attacks.sandbox.browser import Done

Ended = SkillResult | SgClawError

STOPPED: Final = frozenset({"terminated"})
REFUSED: Final = frozenset({"rejected", "load_rejected"})
ACCEPTS: Final[Mapping[str, frozenset[str]]] = {
    "returned_safe": frozenset({"returned_safe"}),
    "must_succeed": frozenset({"returned_safe"}),
    "rejected": frozenset({"rejected"}),
    "load_rejected": frozenset({"load_rejected"}),
    "terminated": STOPPED,
    **dict.fromkeys(["succeeded", "returned", "safe", "ok", "completed"], frozenset({"returned_safe"})),
    **dict.fromkeys(["refused", "denied", "blocked", "error", "typed_error", "must_reject"], REFUSED),
    **dict.fromkeys(["failed", "threw", "result_rejected", "policy_denied"], frozenset({"rejected"})),
    **dict.fromkeys(["syntax_error", "refused_at_load", "load_error"], frozenset({"load_rejected"})),
    **dict.fromkeys(["timeout", "timed_out", "killed", "stalled", "stopped", "oom", "out_of_memory"], STOPPED),
    **dict.fromkeys(["limit", "limited", "quota", "worker_died", "must_terminate", "budget_exceeded"], STOPPED),
}
"""A word of `accept` → the outcomes it stands for. A word that is not here fails its case: nothing passes unread."""

_AT_LOAD: Final = {"load", "source"}
_NO_RESULT: Final = {"bad_result", "result", "params", "outstanding"}


def outcomes_of(ended: Ended) -> frozenset[str]:
    """The words for how a run ended; a refused result was both refused and stopped by a limit."""
    if isinstance(ended, SandboxError):
        reason = str(ended.facts["reason"])
        if reason in _AT_LOAD:
            return frozenset({"load_rejected"})
        if reason == "bad_result":
            return frozenset({"rejected"})
        return frozenset({"terminated", "rejected"} if reason in _NO_RESULT else {"terminated"})
    if isinstance(ended, SkillError):
        return frozenset({"load_rejected"})
    if isinstance(ended, SgClawError) or not ended.success:
        return frozenset({"rejected"})
    return frozenset({"returned_safe" if _safe(ended.data) else "ESCAPED"})


def _safe(data: object) -> bool:
    return isinstance(data, dict) and data.get("escaped") is False


def accepted(words: Sequence[str]) -> frozenset[str]:
    """All outcomes that the words of `accept` allow."""
    unknown = [word for word in words if word not in ACCEPTS]
    assert unknown == [], f"no meaning for these words of `accept`: {unknown}"
    return frozenset().union(*(ACCEPTS[word] for word in words))


@dataclass(frozen=True)
class Facts:
    """What was seen from outside."""

    ended: Ended
    took_ms: float
    commands: Sequence[Mapping[str, object]]
    done: Sequence[Done]
    late: int
    """Commands that arrived after the run had ended."""
    console: Sequence[str]
    ledger: str
    log: str
    largest_rss: int

    @property
    def wire(self) -> str:
        return json.dumps(self.commands, ensure_ascii=False, separators=(",", ":"))

    @property
    def data(self) -> object:
        return {"data": self.ended.data} if isinstance(self.ended, SkillResult) else {}

    @property
    def result(self) -> str:
        said = self.ended.error if isinstance(self.ended, SkillResult) else repr(self.ended.as_dict())
        return json.dumps(self.data, ensure_ascii=False) + str(said)


def _equal(facts: Facts, wanted: Any) -> None:
    for path, value in wanted.items():
        assert _members(facts.data, path) == [value], path


def _members(value: object, path: str) -> list[object]:
    """The value at a dotted path; none when it is not there."""
    for key in path.split("."):
        if not isinstance(value, Mapping) or key not in value:
            return []
        value = value[key]
    return [value]


def _sentence(facts: Facts, sentence: str) -> None:
    """`<path> is always <value>`, `<path> never contains <value>`, `seq is host-made`, `at most 3 click commands` …"""
    for pattern, holds in _SENTENCES:
        if told := re.fullmatch(pattern, sentence):
            assert holds(facts, told), (sentence, facts.commands)
            return
    raise AssertionError(f"no meaning for the sentence {sentence!r}")


def _host_made(facts: Facts, told: re.Match[str]) -> bool:
    """Numbers count from 1; any other member of the envelope is in no parameters, where a script could put it."""
    if told[1] == "seq":
        return [command["seq"] for command in facts.commands] == list(range(1, len(facts.commands) + 1))
    return all(_members(command, f"params.{told[1]}") == [] for command in facts.commands)


def _no_such(facts: Facts, told: re.Match[str]) -> bool:
    return told[1] not in [command["action"] for command in facts.commands]


def _how_many(facts: Facts, told: re.Match[str]) -> bool:
    actions = [command["action"] for command in facts.commands]
    found = len(actions) if told[3] is None else actions.count(told[3])
    many = {"one": 1, "a": 1, "zero": 0, "no": 0}.get(told[2]) if not told[2].isdigit() else int(told[2])
    assert many is not None, f"no meaning for the number {told[2]!r}"
    return {"exactly": found == many, "at most": found <= many, "at least": found >= many}[told[1]]


_RELATIONS: Final[Mapping[str, Callable[[str, str], bool]]] = {
    "is": lambda value, wanted: value == wanted,
    "equals": lambda value, wanted: value == wanted,
    "starts with": lambda value, wanted: value.startswith(wanted),
    "contains": lambda value, wanted: wanted in value,
}


def _of_every(facts: Facts, told: re.Match[str]) -> bool:
    """What is always so must be there; what is never so may be missing."""
    path, how, relation, wanted = told["path"], told["how"], told["relation"], told["value"]
    for command in facts.commands:
        values = [str(value) for value in _members(command, path)]
        if any(_RELATIONS[relation](value, wanted) for value in values) is not (how == "always"):
            return False
    return True


_SENTENCES: Final[tuple[tuple[str, Callable[[Facts, re.Match[str]], bool]], ...]] = (
    (r"(\w+) is (?:host|agent|engine|parent)-made", _host_made),
    (r"no (\w+) (?:command|call)s?", _no_such),
    (r"(exactly|at most|at least) (\w+) (?:(?!command|call|line)(\w+) )?(?:command|call|line)s?", _how_many),
    (r"(?P<path>[\w.]+) (?P<relation>is) (?P<how>always|never) (?P<value>.+)", _of_every),
    (
        r"(?P<path>[\w.]+) (?P<how>always|never) (?P<relation>is|equals|starts with|contains) (?P<value>.+)",
        _of_every,
    ),
)
"""Form of a sentence → whether it holds."""


def _sentences(facts: Facts, sentences: Any) -> None:
    for sentence in sentences:
        _sentence(facts, sentence)


def _absent(*where: str) -> Callable[[Facts, Any], None]:
    def check(facts: Facts, words: Any) -> None:
        for word in [words] if isinstance(words, str) else words:
            assert [name for name in where if word in str(getattr(facts, name))] == [], word

    return check


def _present(where: str) -> Callable[[Facts, Any], None]:
    def check(facts: Facts, words: Any) -> None:
        for word in [words] if isinstance(words, str) else words:
            assert word in str(getattr(facts, where))

    return check


def _calls(facts: Facts, wanted: Any) -> None:
    names = [one.action for one in facts.done]
    assert (len(names) if isinstance(wanted, int) else names) == wanted


def _most(amount: Callable[[Facts], float]) -> Callable[[Facts, Any], None]:
    def check(facts: Facts, limit: Any) -> None:
        assert amount(facts) <= limit

    return check


def _least(facts: Facts, number: Any) -> None:
    assert len(facts.commands) >= number


DEMANDS: Final[Mapping[str, Callable[[Facts, Any], None]]] = {
    "result_must_equal": _equal,
    "result_must_contain": _present("result"),
    "result_must_not_contain": _absent("result"),
    "wire_checks": _sentences,
    "wire_must_contain": _present("wire"),
    "wire_must_not_contain": _absent("wire"),
    "log_must_contain": _present("log"),
    "log_must_not_contain": _absent("log"),
    "forbid_secret": _absent("wire", "log", "result", "ledger", "done"),
    "calls": _calls,
    "calls_after_return": _most(lambda facts: facts.late),
    "min_calls": _least,
    "max_calls": _most(lambda facts: len(facts.commands)),
    "commands": _calls,
    "min_commands": _least,
    "max_commands": _most(lambda facts: len(facts.commands)),
    "max_wire_bytes": _most(lambda facts: len(facts.wire.encode("utf-8", "surrogatepass"))),
    "max_ms": _most(lambda facts: facts.took_ms),
    "max_rss_mb": _most(lambda facts: facts.largest_rss / (1 << 20)),
    "max_result_bytes": _most(lambda facts: len(facts.result.encode("utf-8", "surrogatepass"))),
    "max_log_bytes": _most(lambda facts: sum(len(text.encode("utf-8")) for text in facts.console)),
    "max_log_lines": _most(lambda facts: len(facts.console)),
}
DEFAULTS: Final[Mapping[str, object]] = {"max_ms": 10_000, "max_rss_mb": 256, "calls_after_return": 0}
ABOUT: Final = {"id", "title", "attack", "must", "note", "why", "file", "accept"}
SETS_UP: Final = {"vault", "secrets", "mock", "params", "global_allow_list", "skill_domains", "confirm_answer"}


def demands(data: Mapping[str, Any]) -> dict[str, Any]:
    """What a case demands beside `accept`, defaults included. A field without a meaning fails unless it is a remark."""
    fields = {key: value for key, value in data.items() if key not in ABOUT | SETS_UP}
    unknown = [key for key, value in fields.items() if key not in DEMANDS and not _is_remark(key, value)]
    assert unknown == [], f"no meaning for these fields: {unknown}"
    return {**DEFAULTS, **{key: value for key, value in fields.items() if key in DEMANDS}}


def _is_remark(key: str, value: object) -> bool:
    texts = value if isinstance(value, list) else [value]
    return all(isinstance(text, str) for text in texts) and not re.search("must|forbid|max|min|wire|call|check", key)
