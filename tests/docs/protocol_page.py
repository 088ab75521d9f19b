"""The text of `docs/protocol.md`: prose from the template, everything that can be wrong from the code."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from browser_host_stub.ends import _REFUSALS as REFUSED_SESSIONS
from browser_host_stub.people import MAX_ASKED_A_TASK, MAX_WAITING
from sgclaw.agent import states
from sgclaw.errors import (
    ACTION_NEXT_STEPS,
    FATAL_WIRE_CODES,
    AuditUnavailableError,
    BadPolicyError,
    ConfigError,
    LedgerBrokenError,
    NeedsApprovalError,
    NeedsHumanError,
    PolicyDeniedError,
)
from sgclaw.gateway.queue import MAX_QUEUED
from sgclaw.host.session import HEAD_EVERY_RECORDS
from sgclaw.policy import decide, origins
from sgclaw.policy.explain import RULES
from sgclaw.policy.labels import IRREVERSIBLE_LABELS
from sgclaw.protocol import PROTOCOL, limits
from sgclaw.protocol.actions import ACTIONS, ActionSpec, Compare
from sgclaw.protocol.messages import FROM_AGENT, FROM_HOST, Message
from sgclaw.protocol.params import WaitForSelector
from sgclaw.protocol.parts import State
from sgclaw.protocol.session import TRANSITIONS, Phase
from sgclaw.protocol.signing import Role
from tests.docs import example
from tests.docs.markdown import code, fields_phrase, fields_table, table
from tests.docs.meanings import (
    ACTION_CODES,
    APPROVAL_FACTS,
    ENDS,
    ENTRY_KEYS,
    HEADER_KEYS,
    REFUSALS,
    WIRE_CODES,
)
from tests.docs.meanings_of_actions import ACTION_MEANINGS
from tests.docs.schemas import objects, schema_of
from tests.wire.compare import KEPT_FACTS, OWN
from tests.wire.make import FILES
from tests.wire.transcript import Transcript

_TEMPLATE: Final = Path(__file__).parent / "templates" / "protocol.md"
_ARROWS: Final = {Role.HOST: "host → sgclaw", Role.AGENT: "sgclaw → host"}

UNCOVERED: Final = ("approval.unknown", "approval.expired", "approval.other_act")
"""What the reference host says of an approval that does not cover an act."""
_ALWAYS: Final = {State.ABORTED, State.FAILED, State.UNVERIFIED}
_COMPARES: Final[Mapping[Compare, str]] = {
    Compare.TARGET_URL: "the address in `params.url`, and again the one where the navigation lands",
    Compare.PAGE: "the committed origin of the page",
    Compare.FRAME: "the committed origin of the frame the element is in",
    Compare.NOTHING: "nothing; entries of unlisted origins are left out of the result",
}


def protocol_page() -> str:
    """The whole page."""
    return _TEMPLATE.read_text(encoding="utf-8").format(
        protocol=PROTOCOL,
        domain=example.DOMAIN,
        policy=example.full_policy(),
        **_figures(),
        **_worked_example(),
        **_tables(),
        **_transcripts(),
    )


def _figures() -> Mapping[str, object]:
    wait = ACTIONS["waitForSelector"].deadline_for(WaitForSelector(selector="x", timeout_ms=0))
    return {
        "approval_seconds": limits.APPROVAL_SECONDS,
        "shutdown_seconds": f"{limits.SHUTDOWN_SECONDS:g}",
        "outstanding": limits.MAX_OUTSTANDING,
        "wait_margin": f"{wait:,}",
        "bad_macs": limits.MAX_BAD_HMACS,
        "asked": MAX_ASKED_A_TASK,
        "waiting": MAX_WAITING,
        "queued": MAX_QUEUED,
        "heads": HEAD_EVERY_RECORDS,
    }


def _worked_example() -> Mapping[str, str]:
    lines = example.session()
    return {
        "derivation": table(("what", "bytes in hex, or text"), example.derivation()),
        "signed": table(("what", "bytes"), example.signed_ping()),
        "session": "\n\n".join(f"{_ARROWS[line.sender]}:\n\n```json\n{line.text}\n```" for line in lines),
        "mac": next(line.mac for line in lines if line.mac),
    }


def _tables() -> Mapping[str, str]:
    return {
        "caps": _caps(),
        "security": _security(),
        "compares": table(("compared", "with"), [(code(key.value), text) for key, text in _COMPARES.items()]),
        "byes": _byes(),
        "rules": _listed(rule_words()),
        "landed": _listed(rule for rule in RULES if rule.startswith("landed.")),
        "stopped": _listed(rule for rule in RULES if rule.startswith("stopped.")),
        "uncovered": _listed(UNCOVERED),
        "labels": "、".join(IRREVERSIBLE_LABELS),
        "facts": _meanings("fact", APPROVAL_FACTS),
        "states": _states(),
        "from_host": _messages(FROM_HOST),
        "from_agent": _messages(FROM_AGENT),
        "objects": _objects(),
        "actions": _actions(),
        "parameters": "\n\n".join(_parameters(row) for row in ACTIONS.values()),
        "wire_codes": _wire_codes(),
        "action_codes": _action_codes(),
        "phases": _phases(),
        "ends": table(("what happens", "what sgclaw says before it leaves"), ENDS),
        "header": _meanings("member", HEADER_KEYS),
        "entry": _meanings("member", ENTRY_KEYS),
    }


def _transcripts() -> Mapping[str, object]:
    """Which golden sessions a host can replay, and what of its lines must be as they are there."""
    found = {name: Transcript.load(text()) for name, text in FILES.items()}
    unreplayable = [
        (f"[{Path(name).stem}](../{name})", each.title) for name, each in found.items() if each.host == "channel"
    ]
    own = [(code(kind) if kind else "every line", _listed(paths)) for kind, paths in OWN.items()]
    return {
        "transcripts": len(found),
        "replayable": len(found) - len(unreplayable),
        "channel": len(unreplayable),
        "unreplayable": table(("file", "what it shows"), unreplayable),
        "own": table(("line", "your own"), own),
        "kept_facts": " and ".join(map(code, KEPT_FACTS)),
    }


def _byes() -> str:
    """The codes of a `bye` instead of `ready`, with what a host shows."""
    classes = (BadPolicyError, LedgerBrokenError, AuditUnavailableError, ConfigError)
    return table(
        ("`reason`", "what it says", "next step"),
        [(code(cls.code), REFUSED_SESSIONS[cls.code], cls.default_next_step) for cls in classes],
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(code, names))


def rule_words() -> list[str]:
    """The words `facts.rule` can hold, as the policy's own source writes them."""
    source = "".join(map(inspect.getsource, (decide, origins)))
    words = set(re.findall(r'_(?:deny|refuse)\(\s*"([a-z0-9.]+)"', source))
    return sorted(words)


def _meanings(what: str, meanings: Mapping[str, str]) -> str:
    return table((what, "meaning"), [(code(name), text) for name, text in meanings.items()])


def _caps() -> str:
    rows = [
        ("bytes of one line sgclaw → host, newline included", f"{limits.MAX_LINE_FROM_AGENT:,}"),
        ("bytes of one line host → sgclaw, newline included", f"{limits.MAX_LINE_FROM_HOST:,}"),
        ("nesting of objects and arrays, the message itself included", f"{limits.MAX_DEPTH}"),
        ("values in one line (opening brackets and commas)", f"{limits.MAX_VALUES:,}"),
        ("commands in flight", f"{limits.MAX_OUTSTANDING}"),
        ("bad MACs that end a session", f"{limits.MAX_BAD_HMACS}"),
        ("refused lines in a row; the next one ends a session", f"{limits.MAX_REFUSED_IN_A_ROW}"),
        ("seconds a person has to approve", f"{limits.APPROVAL_SECONDS}"),
        ("seconds from the end of a session to the end of the process", f"{limits.SHUTDOWN_SECONDS:g}"),
    ]
    return table(("cap", "value"), rows)


def _security() -> str:
    return table(
        ("message", "members of `security`, the MAC last"),
        [
            ("`command`", "`expected_domain`, `hmac` (its number is `seq`)"),
            ("`response`", "`n`, `re` (the MAC of the command it answers), `hmac`"),
            ("every other", "`n`, `hmac`"),
        ],
    )


def _states() -> str:
    rows = []
    for state in State:
        following = [after for after in State if after in states.TRANSITIONS[state] - _ALWAYS]
        rows.append((code(state.value), ", ".join(code(after.value) for after in following) or "the end"))
    return table(("state", "then"), rows)


def _first_paragraph(model: type[BaseModel]) -> str:
    return " ".join((model.__doc__ or "").partition("\n\n")[0].split())


def _messages(models: Mapping[str, type[Message]]) -> str:
    return "\n\n".join(
        f"#### {code(kind)}\n\n{_first_paragraph(model)}\n\n{fields_table(schema_of(model)[0])}"
        for kind, model in models.items()
    )


def _objects() -> str:
    return "\n\n".join(
        f"#### {name}\n\n{schema.get('description', '')}\n\n{_values_or_fields(schema)}"
        for name, schema in objects().items()
    )


def _values_or_fields(schema: dict[str, object]) -> str:
    values = schema.get("enum")
    return ", ".join(code(str(value)) for value in values) if isinstance(values, list) else fields_table(schema)


def _actions() -> str:
    head = ("action", "risk", "compared", "deadline ms", "positional", "natural", "changes")
    return table(head, [_action(row) for row in ACTIONS.values()])


def _action(row: ActionSpec) -> Sequence[str]:
    return (
        f"[{row.name}](#{row.name.lower()})",
        row.risk.value,
        code(row.compares.value),
        f"{row.deadline_ms:,}",
        ", ".join(map(code, row.positional)),
        code(row.natural) if row.natural else "",
        "yes" if row.changes else "",
    )


def _parameters(row: ActionSpec) -> str:
    params, result = (schema_of(model)[0] for model in (row.params, row.result))
    told = f"{row.description}。 {ACTION_MEANINGS[row.name]}"
    return f"#### {row.name}\n\n{told}\n\n{fields_table(params)}\n\nResult: {fields_phrase(result)}."


def _phases() -> str:
    rows = []
    for phase in Phase:
        after: dict[Phase, list[str]] = {}
        for (before, kind), target in TRANSITIONS.items():
            if before is phase:
                after.setdefault(target, []).append(code(kind))
        rows += [(phase.value, ", ".join(sorted(kinds)), target.value) for target, kinds in after.items()]
    return table(("phase", "messages", "then"), rows)


def _wire_codes() -> str:
    return table(
        ("code", "meaning", "fatal"),
        [(code(item.value), text, "yes" if item in FATAL_WIRE_CODES else "") for item, text in WIRE_CODES.items()],
    )


def _action_codes() -> str:
    steps = {item.value: ACTION_NEXT_STEPS[item] for item in ACTION_CODES}
    steps |= {cls.code: cls.default_next_step for cls in (PolicyDeniedError, NeedsApprovalError, NeedsHumanError)}
    meanings = {**{item.value: text for item, text in ACTION_CODES.items()}, **REFUSALS}
    return table(
        ("code", "answer it when", "next step"), [(code(name), meanings[name], step) for name, step in steps.items()]
    )
