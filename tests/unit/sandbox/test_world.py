"""What a script finds in its global scope, and what it does not find anywhere."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from sgclaw.ports import SkillResult
from tests.unit.sandbox.reach import walk
from tests.unit.sandbox.support import QUICK, Bench, verified

WORLD: Final[Mapping[str, str]] = json.loads(Path(__file__).with_name("world.json").read_text(encoding="utf-8"))
"""Every object a script can reach, by path, with its own property names; plain functions are leaves. A new version of
the engine that brings anything new fails here: read what it is before it is entered."""


async def value(sandbox: Bench, expression: str) -> object:
    """What an expression of a script is, as JSON."""
    result = await sandbox.run(f"return {{ success: true, data: {expression} }};")
    assert result.success
    return result.data


@pytest.mark.requirement("SBX-02")
async def test_what_can_be_reached_is_exactly_the_list(sandbox: Bench) -> None:
    result = await sandbox.run(walk())
    assert isinstance(result.data, dict)
    assert {path: names for path, names in result.data.items() if WORLD.get(path) != names} == {}
    assert sorted(WORLD.keys() - result.data.keys()) == []


@pytest.mark.requirement("SBX-02")
@pytest.mark.parametrize(
    "name",
    [
        "eval", "Function", "fetch", "require", "process", "fs", "std", "os", "scriptArgs", "print", "bjson", "Worker",
        "Atomics", "SharedArrayBuffer", "WeakRef", "FinalizationRegistry", "performance", "queueMicrotask", "navigator",
        "DOMException", "InternalError", "escape", "unescape", "gc", "global", "window", "self", "XMLHttpRequest",
    ],
)  # fmt: skip
async def test_a_name_of_another_world_means_nothing(sandbox: Bench, name: str) -> None:
    assert await value(sandbox, f"[typeof {name}, {name!r} in globalThis]") == ["undefined", False]


@pytest.mark.requirement("SBX-02")
async def test_the_hosted_functions_hold_nothing_but_themselves(sandbox: Bench) -> None:
    found = """Object.fromEntries(['browserAction', 'setTimeout', 'setInterval', 'clearTimeout', 'clearInterval']
      .map((name) => [name, [globalThis[name].fileName, globalThis[name].length]]))"""
    assert await value(sandbox, found) == {
        "browserAction": ["<input>", 0],
        "setTimeout": ["<input>", 0],
        "setInterval": ["<input>", 0],
        "clearTimeout": ["<input>", 1],
        "clearInterval": ["<input>", 1],
    }


@pytest.mark.requirement("SBX-02")
async def test_nothing_of_the_host_hangs_on_the_prototype_of_the_global_object(sandbox: Bench) -> None:
    members = await value(sandbox, "Reflect.ownKeys(Object.getPrototypeOf(globalThis)).map(String).sort()")
    ordinary = await value(sandbox, "Reflect.ownKeys(Object.getPrototypeOf({})).map(String).sort()")
    assert members == ordinary


@pytest.mark.requirement("SBX-03")
@pytest.mark.parametrize(
    "maker",
    ["function () {}", "async function () {}", "function* () {}", "async function* () {}", "() => {}", "class {}"],
)
async def test_no_function_leads_to_a_constructor_that_compiles_text(sandbox: Bench, maker: str) -> None:
    body = f"""
      const found = [];
      const start = Object.getPrototypeOf({maker});
      for (let at = start; at !== null; at = Object.getPrototypeOf(at)) {{
        for (const key of Reflect.ownKeys(at)) {{
          const own = Object.getOwnPropertyDescriptor(at, key);
          for (const candidate of [own.value, own.get, own.set]) {{
            if (typeof candidate !== 'function') continue;
            for (const call of [() => candidate('return 42')(), () => new candidate('return 42')()]) {{
              try {{ if (await call() === 42) found.push(String(key)); }} catch {{ }}
            }}
          }}
        }}
      }}
      const descriptor = Object.getOwnPropertyDescriptor(start, 'constructor');
      return {{ success: true, data: [found, descriptor.writable, descriptor.configurable] }};
    """
    assert await sandbox.run(body) == SkillResult(success=True, data=[[], False, False])


@pytest.mark.requirement("SBX-03")
async def test_a_dynamic_import_loads_nothing(sandbox: Bench) -> None:
    body = """
      const ends = [];
      for (const name of ['std', 'os', './x.js', 'data:text/javascript,export default 1']) {
        ends.push(await import(name).then(() => 'loaded', () => 'refused'));
      }
      return { success: true, data: ends };
    """
    assert await sandbox.run(body) == SkillResult(success=True, data=["refused"] * 4)


@pytest.mark.requirement("SBX-04")
async def test_a_stack_trace_never_hands_out_a_host_function(sandbox: Bench) -> None:
    body = """
      let handed = 0;
      Error.prepareStackTrace = (error, sites) => { handed++; return sites; };
      Error.stackTraceLimit = 100;
      const plain = new Error('x').stack;
      const refused = await browserAction('navigate', 'https://evil.example/').catch((error) => error.stack);
      const hooks = ['captureStackTrace'].filter((name) => name in Error);
      return { success: true, data: [handed, typeof plain, typeof refused, hooks] };
    """
    assert await sandbox.run(body) == SkillResult(success=True, data=[0, "string", "string", []])


@pytest.mark.requirement("SBX-04")
async def test_prototypes_that_were_poisoned_do_not_reach_the_bridge(sandbox: Bench) -> None:
    body = """
      let touched = 0;
      for (const shared of [Object.prototype, Array.prototype]) {
        for (const key of ['0', '1', 'id', 'ok', 'next', 'line', 'value', 'resolve', 'due', 'get', 'set']) {
          Object.defineProperty(shared, key, {
            __proto__: null, configurable: true, get() { return undefined; }, set() { touched++; },
          });
        }
      }
      for (const shared of [Object.prototype, Array.prototype, String.prototype]) {
        shared.toJSON = function () { touched++; return 'https://evil.example/'; };
      }
      String.prototype.slice = Array.prototype.join = WeakMap.prototype.get = () => { touched++; return 'x'; };
      JSON.stringify = () => { touched++; return '{}'; };
      const text = await browserAction('getText', '#total');
      await new Promise((resolve) => setTimeout(resolve, 5));
      const seen = touched;
      for (const shared of [Object.prototype, Array.prototype, String.prototype]) delete shared.toJSON;
      return { success: true, data: { text, seen } };
    """
    assert await sandbox.run(body) == SkillResult(success=True, data={"text": "<getText>", "seen": 0})
    assert [dict(act.params) for act in sandbox.browser.acts] == [{"selector": "#total"}]


@pytest.mark.requirement("SBX-05")
async def test_timers_run_in_order_and_repeat_until_cleared(sandbox: Bench) -> None:
    body = """
      const order = [];
      setTimeout(() => order.push('b'), 20);
      setTimeout((x, y) => order.push(x + y), 1, 'a', '!');
      clearTimeout(setTimeout(() => order.push('never'), 5));
      await new Promise((resolve) => {
        let n = 0;
        const id = setInterval(() => { order.push(++n); if (n === 2) { clearInterval(id); resolve(); } }, 30);
      });
      await new Promise((resolve) => setTimeout(resolve, 40));
      return { success: true, data: order };
    """
    assert await sandbox.run(body) == SkillResult(success=True, data=["a!", "b", 1, 2])


@pytest.mark.requirement("SBX-05")
async def test_a_legal_wait_of_thirty_seconds_is_accepted_and_a_longer_one_is_not(sandbox: Bench) -> None:
    body = """
      const failures = [];
      for (const make of [setTimeout, setInterval]) {
        clearTimeout(make(() => {}, 30000));
        try { make(() => {}, 30001); } catch (error) { failures.push([error.name, error.code]); }
      }
      return { success: true, data: failures };
    """
    assert await sandbox.run(body) == SkillResult(success=True, data=[["RangeError", "BAD_TIMER"]] * 2)


@pytest.mark.requirement("SBX-05")
async def test_an_exception_in_a_timer_is_logged_and_the_run_goes_on(sandbox: Bench) -> None:
    body = """
      setTimeout(() => { throw new Error('in a timer'); }, 0);
      await new Promise((resolve) => setTimeout(resolve, 10));
      return { success: true };
    """
    assert await sandbox.run(body) == SkillResult(success=True)
    assert sandbox.log.named("console") == [{"skill": "probe", "text": "定时器中的异常：in a timer"}]


@pytest.mark.requirement("SBX-06")
@pytest.mark.parametrize(
    "source",
    [
        "const x = ;",
        "import fs from 'fs'; async function execute() {}",
        "export async function execute() {}",
        "const execute = { success: true };",
        "throw new Error('at load'); async function execute() {}",
        "throw { toString() { throw 1; } }",
        "async function run() {}",
    ],
)
async def test_a_file_that_cannot_be_loaded_ends_as_load(sandbox: Bench, source: str) -> None:
    header = "/**\n * @skill probe\n * @version 1.0.0\n * @description x\n * @domains erp.example.com\n */\n"
    assert await sandbox.reason(verified(header + source + "\n")) == "load"


@pytest.mark.requirement("SBX-06")
@pytest.mark.parametrize("declared", ["async function execute(p) {", "const execute = async (p) => {"])
@pytest.mark.parametrize("mode", ["", "'use strict';\n"])
async def test_a_file_may_be_strict_and_keep_state_beside_execute(sandbox: Bench, mode: str, declared: str) -> None:
    header = "/**\n * @skill probe\n * @version 1.0.0\n * @description x\n * @domains erp.example.com\n */\n"
    source = mode + "const LIMIT = 3;\nlet n = 0;\nclass Counter { #at = 1; next() { return (n += this.#at); } }\n"
    source += declared + " return { success: new Counter().next() < LIMIT, data: n }; } // no newline at the end"
    assert await sandbox.run(verified(header + source)) == SkillResult(success=True, data=1)


@pytest.mark.requirement("SBX-28")
@pytest.mark.parametrize(
    ("fails", "name", "code"),
    [
        ("await browserAction('navigate', 'https://evil.example/')", "BrowserActionError", "POLICY_DENIED"),
        ("await browserAction('eval', '1')", "BrowserActionError", "UNKNOWN_ACTION"),
        ("await browserAction()", "TypeError", "BAD_PARAMS"),
        ("setTimeout('x')", "TypeError", "BAD_TIMER"),
        ("setTimeout(() => 0, 30001)", "RangeError", "BAD_TIMER"),
        ("(() => {}).constructor('1')", "TypeError", "NO_DYNAMIC_CODE"),
        ("new (async () => {}).constructor('1')", "TypeError", "NO_DYNAMIC_CODE"),
    ],
)
async def test_an_error_the_script_sees_has_name_code_and_chinese_text_and_nothing_of_the_host(
    sandbox: Bench, fails: str, name: str, code: str
) -> None:
    body = f"""
      let error = null;
      try {{ {fails}; }} catch (caught) {{ error = caught; }}
      const prototype = Object.getPrototypeOf(error);
      const own = [Error.prototype, TypeError.prototype, RangeError.prototype].includes(prototype);
      return {{ success: true, data: [own, error.name, error.code, error.message, String(error.stack)] }};
    """
    result = await sandbox.run(body)
    assert isinstance(result.data, list)
    *told, message, stack = result.data
    assert told == [True, name, code]
    assert re.search("[一-龥]", message)
    assert not re.search(r"[/\\]|\.py|\.js|Traceback|0x", stack + message)


HOSTILE_ERRORS: Final = {
    "an endless stack": "throw Object.defineProperty(new Error('x'), 'stack', { get() { for (;;) {} } });",
    "an endless message": "throw { get message() { for (;;) {} } };",
    "an endless toString": "throw { toString() { for (;;) {} }, name: 1, message: { toString() { for (;;) {} } } };",
    "a stack that throws": "throw Object.defineProperty(new Error('x'), 'stack', { get() { throw 1; } });",
    "a stack that is no text": "throw Object.defineProperty(new Error('x'), 'stack', { value: { a: 1 } });",
    "a stack of a megabyte": "throw Object.defineProperty(new Error('x'), 'stack', { value: 'y'.repeat(1 << 20) });",
    "a message of a megabyte": "throw new Error('y'.repeat(1 << 20));",
    "a proxy": "throw new Proxy({}, new Proxy({}, { get() { throw 1; } }));",
    "a proxy of an error": "throw new Proxy(new Error('x'), { get() { throw 1; }, getPrototypeOf() { throw 2; } });",
    "a revoked proxy": "const r = Proxy.revocable({}, {}); r.revoke(); throw r.proxy;",
    "an endless proxy": "throw new Proxy({}, { getPrototypeOf() { for (;;) {} } });",
    "a thrown promise": "throw Promise.reject(new Error('x'));",
    "nothing": "throw undefined;",
    "null": "throw null;",
    "a symbol": "throw Symbol('x');",
    "a big number": "throw 10n ** 30n;",
    "a function": "throw browserAction;",
    "the global object": "throw globalThis;",
    "an engine error that was changed": (
        "try { null.x } catch (e) { e.name = e.message = { get length() { for (;;) {} } }; throw e; }"
    ),
    "a thenable that throws": "return { then() { throw { get message() { throw 1; } }; } };",
    "a thenable that never answers": "return { then() {} };",
    "half a surrogate pair": "throw new Error('\\ud800');",
    "a stack hook": "Error.prepareStackTrace = () => { for (;;) {} }; throw new Error('x');",
    "a stack accessor of the prototype": (
        "Object.defineProperty(Error.prototype, 'stack', { get() { for (;;) {} } }); throw new Error('x');"
    ),
}


@pytest.mark.requirement("SBX-29")
@pytest.mark.parametrize("kind", HOSTILE_ERRORS)
async def test_whatever_a_script_throws_the_run_ends_typed_and_the_next_is_fine(sandbox: Bench, kind: str) -> None:
    ended = await sandbox.ended(HOSTILE_ERRORS[kind])
    if isinstance(ended, SkillResult):
        assert not ended.success
        assert ended.error is not None
        assert 0 < len(ended.error) <= 2_000
        ended.error.encode("utf-8")
    else:
        assert ended.facts["reason"] in {"cpu", "memory", "stuck"}
    assert len(sandbox.log.named("run_ended")) == 1
    assert await sandbox.run("return { success: true };", budgets=QUICK) == SkillResult(success=True)


@pytest.mark.requirement("SBX-29")
@pytest.mark.parametrize("over", ["Object.prototype", "Error.prototype", "Object.getPrototypeOf(tooLong)"])
async def test_a_getter_on_a_prototype_does_not_answer_when_the_engine_reports_its_own_error(
    sandbox: Bench, over: str
) -> None:
    body = f"""
      console.log('up');
      let tooLong = null;
      try {{ for (let text = 'x'; ; text += text); }} catch (error) {{ tooLong = error; }}
      for (const key of ['stack', 'message', 'name', 'toString', 'valueOf', Symbol.toPrimitive]) {{
        try {{ Object.defineProperty({over}, key, {{ get() {{ for (;;) {{}} }} }}); }} catch {{ }}
      }}
      for (;;) {{}}
    """
    assert await sandbox.reason(body) == "cpu"
    assert [data["text"] for data in sandbox.log.named("console")] == ["up"]  # the engine's limit, not the kernel's
