"""What a script finds in its global scope, and what it does not find anywhere."""

from __future__ import annotations

import pytest

from sgclaw.ports import SkillResult
from tests.unit.sandbox.support import Bench, verified

GLOBALS = [
    "AggregateError",
    "Array",
    "ArrayBuffer",
    "BigInt",
    "BigInt64Array",
    "BigUint64Array",
    "Boolean",
    "DataView",
    "Date",
    "Error",
    "EvalError",
    "Float32Array",
    "Float64Array",
    "Infinity",
    "Int16Array",
    "Int32Array",
    "Int8Array",
    "Iterator",
    "JSON",
    "Map",
    "Math",
    "NaN",
    "Number",
    "Object",
    "Promise",
    "Proxy",
    "RangeError",
    "ReferenceError",
    "Reflect",
    "RegExp",
    "Set",
    "String",
    "Symbol",
    "SyntaxError",
    "TypeError",
    "URIError",
    "Uint16Array",
    "Uint32Array",
    "Uint8Array",
    "Uint8ClampedArray",
    "WeakMap",
    "WeakSet",
    "browserAction",
    "clearInterval",
    "clearTimeout",
    "console",
    "decodeURI",
    "decodeURIComponent",
    "encodeURI",
    "encodeURIComponent",
    "execute",
    "globalThis",
    "isFinite",
    "isNaN",
    "parseFloat",
    "parseInt",
    "setInterval",
    "setTimeout",
    "undefined",
]


async def value(sandbox: Bench, expression: str) -> object:
    """What an expression of a script is, as JSON."""
    result = await sandbox.run(f"return {{ success: true, data: {expression} }};")
    assert result.success
    return result.data


@pytest.mark.requirement("SBX-02")
async def test_the_globals_are_exactly_the_list(sandbox: Bench) -> None:
    assert await value(sandbox, "Reflect.ownKeys(globalThis).map(String).sort()") == sorted(GLOBALS)


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
