"""Everything a script can reach without calling anything, and everything only syntax leads to."""

from __future__ import annotations

from typing import Final

HIDDEN: Final = {
    "AsyncFunction": "async function () {}",
    "GeneratorFunction": "function* () {}",
    "AsyncGeneratorFunction": "async function* () {}",
    "generator": "(function* () {})()",
    "asyncGenerator": "(async function* () {})()",
    "ArrayIterator": "[][Symbol.iterator]()",
    "MapIterator": "new Map().entries()",
    "SetIterator": "new Set().values()",
    "StringIterator": "''[Symbol.iterator]()",
    "RegExpStringIterator": "'a'.matchAll(/a/g)",
    "IteratorHelper": "[].values().map((x) => x)",
    "IteratorConcat": "Iterator.concat([])",
    "WrappedIterator": "Iterator.from({ next() { return { done: true }; } })",
    "ThrowTypeError": "Object.getOwnPropertyDescriptor("
    "(function () { 'use strict'; return arguments; })(), 'callee').get",
    "Arguments": "(function () { return arguments; })()",
    "MatchArray": "/a(?<b>b)?/d.exec('a')",
    "Template": "((parts) => parts)`a`",
    "Resolvers": "Promise.withResolvers()",
    "Revocable": "Proxy.revocable({}, {}).revoke",
    "CaughtEngineError": "(() => { try { null.x; } catch (error) { return error; } })()",
    "CaughtOverflow": "(() => { const f = () => f() + 1; try { f(); } catch (error) { return error; } })()",
    "CaughtTooLong": "(() => { try { let s = 'x'; for (;;) s += s; } catch (error) { return error; } })()",
    "RefusedByHost": "refused",
    "RefusedTimer": "(() => { try { setTimeout('x'); } catch (error) { return error; } })()",
}
"""Objects that no property of the global object leads to, by the syntax that does."""

WALK: Final = """
  const refused = await browserAction('navigate', 'https://evil.example/').catch((error) => error);
  const found = {}, seen = new Map(), queue = [];
  const visit = (value, path) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return;
    seen.set(value, path);
    queue.push(value);
  };
  const plain = (value, keys) => typeof value === 'function' && keys.join() === 'length,name'
    && Object.getPrototypeOf(value) === Object.getPrototypeOf(visit);
  visit(globalThis, 'globalThis');
  const hidden = { HIDDEN };
  for (const name of Object.keys(hidden)) visit(hidden[name], '%' + name + '%');
  for (const value of queue) {
    const path = seen.get(value);
    const keys = Reflect.ownKeys(value).map(String).sort();
    if (!plain(value, keys)) found[path] = keys.join(' ');
    const under = path === 'globalThis' ? '' : path + '.';
    for (const key of Reflect.ownKeys(value)) {
      const own = Object.getOwnPropertyDescriptor(value, key);
      for (const [part, mark] of [[own.value, ''], [own.get, ':get'], [own.set, ':set']]) {
        visit(part, under + String(key) + mark);
      }
    }
    visit(Object.getPrototypeOf(value), path + '.[[Prototype]]');
  }
  return { success: true, data: found };
"""


def walk() -> str:
    """The body of an `execute` that reports own property names by path, breadth first. Plain functions are leaves."""
    return WALK.replace("HIDDEN", ", ".join(f"{name}: {expression}" for name, expression in HIDDEN.items()))
