"""The `.d.ts` files under `docs/schema/`: what a script can call, for editors and the TypeScript compiler."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from pydantic import BaseModel

from sgclaw.errors import ActionCode, NeedsApprovalError, NeedsHumanError, PolicyDeniedError
from sgclaw.protocol.actions import ACTIONS, ActionSpec, Risk
from sgclaw.protocol.params import OptionalTarget, Target
from tests.docs.meanings_of_actions import ACTION_MEANINGS
from tests.docs.schemas import schema_of

Schema = Mapping[str, Any]

_WIDTH: Final = 110
_TARGET: Final = ("selector", "ref")
_CODES: Final = (
    *(code.value for code in ActionCode),
    *(cls.code for cls in (PolicyDeniedError, NeedsApprovalError, NeedsHumanError)),
    "TOO_MANY_OUTSTANDING",
)
_HEAD: Final = """\
// Types for script skills of sgClaw: the functions a script can call.
// Written by `./dev docs` from the action table; a change by hand is lost.
//
// A jsconfig.json beside the skills turns checking on in editors; `tsc -p jsconfig.json` checks on the command line:
//   {"compilerOptions": {"lib": ["ES2023"], "types": [], "checkJs": true, "noEmit": true},
//    "files": ["sgclaw-skill.d.ts"], "include": ["custom/*.js"]}
// Parameters of functions need their type: async function execute(params, /** @type {BrowserAction} */ browserAction)
// The world has no DOM, network, files, modules or eval: leave "DOM" out of `lib`.
/// <reference path="sgclaw-shapes.d.ts" />

"""
_SHAPES_HEAD: Final = """\
// Types for script skills of sgClaw: what goes into the acts and comes out of them.
// Written by `./dev docs` from the action table; a change by hand is lost.

/** Any JSON value. */
type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** The checked inputs, by the names in `@params`; defaults are filled in. */
type SkillParams = Record<string, any>;

/** What `execute` returns. `data.message` is the sentence the person reads. */
type SkillResult =
  | { success: true; data?: { message?: string; [name: string]: Json | undefined } | Json }
  | { success: false; error: string; data?: Json };

/** An element is named by a CSS selector or by its number in a snapshot, never by both. */
type Target =
  | {
      /** CSS; ` >>> ` steps into an open shadow root or a frame. */
      selector: string;
      ref?: undefined;
    }
  | {
      /** Number of the element in a snapshot. */
      ref: string;
      selector?: undefined;
    };

/** The one function a skill file must have, under the name `execute`. */
type SkillExecute = (params: SkillParams, browserAction: BrowserAction) => Promise<SkillResult>;

"""
_TAIL: Final = """
/** The same function that `execute` gets. */
declare const browserAction: BrowserAction;

/** Goes to sgclaw's log. */
declare const console: {
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
};

/** At most 30 000 ms; more is a RangeError. Returns the timer's id. */
declare function setTimeout<A extends unknown[]>(callback: (...args: A) => void, ms?: number, ...args: A): number;
/** At least 4 ms, at most 30 000 ms. */
declare function setInterval<A extends unknown[]>(callback: (...args: A) => void, ms?: number, ...args: A): number;
declare function clearTimeout(id: number | undefined): void;
declare function clearInterval(id: number | undefined): void;
"""


def calls() -> str:
    """`sgclaw-skill.d.ts`: `browserAction` with an overload for each form of each action, and the other globals."""
    return _HEAD + _calls() + _TAIL


def shapes() -> str:
    """`sgclaw-shapes.d.ts`: parameters, results and errors."""
    found: dict[str, Schema] = {}
    declared = "".join(_shapes(row, found) for row in ACTIONS.values())
    objects = "".join(_interface(name, found[name], reading=True) for name in sorted(found))
    return _SHAPES_HEAD + _codes() + objects + declared.rstrip("\n") + "\n"


def _codes() -> str:
    known = " |\n  ".join(" | ".join(f"'{code}'" for code in _CODES[at : at + 5]) for at in range(0, len(_CODES), 5))
    return (
        "/** Why an act was refused or failed. Other codes end the task whatever the script does. */\n"
        f"type ActionCode =\n  {known};\n\n"
        "/** What the promise of a call rejects with. */\n"
        "interface BrowserActionError extends Error {\n"
        "  name: 'BrowserActionError';\n"
        "  code: ActionCode;\n"
        "  /** Details of the code, for example `problems` with the wrong fields. */\n"
        "  facts: Record<string, any>;\n"
        "}\n\n"
    )


def _shapes(row: ActionSpec, found: dict[str, Schema]) -> str:
    """The parameters of one action, and its result where a skill gets the whole object."""
    result = _schema(row.result, found)
    text = _params(row, _schema(row.params, found))
    return text if row.natural else text + _interface(_result_name(row), result, reading=True)


def _params(row: ActionSpec, schema: Schema) -> str:
    name = _params_name(row)
    if not issubclass(row.params, OptionalTarget):
        return _interface(name, schema, reading=False) if schema.get("properties") else ""
    own = {field: kind for field, kind in schema["properties"].items() if field not in _TARGET}
    target = "Target" if issubclass(row.params, Target) else "(Target | { selector?: undefined; ref?: undefined })"
    fields = _fields({**schema, "properties": own}, reading=False)
    return f"type {name} = {target}{f' & {{{chr(10)}{fields}}}' if own else ''};\n\n"


def _schema(model: type[BaseModel], found: dict[str, Schema]) -> Schema:
    schema, inner = schema_of(model)
    found |= inner
    return schema


def _params_name(row: ActionSpec) -> str:
    return f"{_capital(row.name)}Params"


def _result_name(row: ActionSpec) -> str:
    return f"{_capital(row.name)}Result"


def _capital(name: str) -> str:
    return name[0].upper() + name[1:]


def _interface(name: str, schema: Schema, *, reading: bool) -> str:
    """An object. `reading`: it comes from sgclaw, which leaves out only what is null."""
    return f"interface {name} {{\n{_fields(schema, reading=reading)}}}\n\n"


def _fields(schema: Schema, *, reading: bool) -> str:
    required = set(schema.get("required", ()))
    lines = []
    for field, kind in schema["properties"].items():
        there = field in required or (reading and kind.get("default") is not None)
        lines.append(_comment(kind.get("description", ""), "  "))
        lines.append(f"  {field}{'' if there else '?'}: {_type(kind)};\n")
    return "".join(lines)


def _type(schema: Schema) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " | ".join(_type(option) for option in schema["anyOf"] if option.get("type") != "null")
    if "enum" in schema:
        return " | ".join(f"'{value}'" for value in schema["enum"])
    if "prefixItems" in schema:
        return f"[{', '.join(_type(item) for item in schema['prefixItems'])}]"
    if schema.get("type") == "array":
        item = _type(schema["items"])
        return f"({item})[]" if " " in item else f"{item}[]"
    return {"integer": "number", "object": "Record<string, Json>"}.get(str(schema["type"]), str(schema["type"]))


def _calls() -> str:
    overloads = "".join("".join(_overloads(row)) for row in ACTIONS.values())
    return (
        "/**\n"
        " * Acts on the page. Acts are carried out one after the other, in the order of the calls. The arguments of\n"
        " * an action come in their order, or all as one object. A refused or failed act rejects: BrowserActionError.\n"
        " */\n"
        f"interface BrowserAction {{\n{overloads}}}\n"
    )


def _overloads(row: ActionSpec) -> Iterator[str]:
    yield _comment(f"{row.description}。\n{ACTION_MEANINGS[row.name]}\n{_facts(row)}", "  ")
    gives = f"Promise<{_gives(row)}>"
    yield f"  (action: '{row.name}'{_positional(row)}): {gives};\n"
    if row.params.model_fields:
        yield f"  (action: '{row.name}', params: {_params_name(row)}): {gives};\n"


def _facts(row: ActionSpec) -> str:
    needs = " A person has to agree." if row.risk in (Risk.IRREVERSIBLE, Risk.CREDENTIAL) else ""
    return f"Risk: {row.risk.value}. Default deadline: {row.deadline_ms // 1000} s.{needs}"


def _gives(row: ActionSpec) -> str:
    if row.natural is None:
        return _result_name(row)
    schema = schema_of(row.result)[0]
    kind = _type(schema["properties"][row.natural])
    return kind if row.natural in schema.get("required", ()) else f"{kind} | null"


def _positional(row: ActionSpec) -> str:
    """The arguments in their order: one that may be left out before one that may not takes null."""
    schema = schema_of(row.params)[0]
    needed = {*schema.get("required", ()), *(["selector"] if "oneOf" in schema else [])}
    last = max((at for at, name in enumerate(row.positional) if name in needed), default=-1)
    parts = []
    for at, name in enumerate(row.positional):
        kind = _type(schema["properties"][name])
        if at > last:
            parts.append(f"{name}?: {kind} | null")
        else:
            parts.append(f"{name}: {kind}" if name in needed else f"{name}: {kind} | null")
    return "".join(f", {part}" for part in parts)


def _comment(text: str, indent: str) -> str:
    if not text:
        return ""
    lines = [line for part in text.split("\n") for line in textwrap.wrap(part, _WIDTH) or [""]]
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    return f"{indent}/**\n" + "".join(f"{indent} * {line}\n" for line in lines) + f"{indent} */\n"


TYPINGS: Final[Mapping[str, Callable[[], str]]] = {
    "docs/schema/sgclaw-skill.d.ts": calls,
    "docs/schema/sgclaw-shapes.d.ts": shapes,
}
"""Path in the repository → text."""
