/*
 * The global scope a skill script sees. Evaluated by worker.py before any skill code; its value puts the hosted functions
 * there and removes everything that is not on the list, the ways to compile text included. A test compares all that can
 * be reached afterwards with a list of its own.
 */
(function closeWorld(hosted) {
  'use strict';

  const ALLOWED = [
    'browserAction', 'console', 'JSON', 'Promise', 'setTimeout', 'setInterval', 'clearTimeout', 'clearInterval',
    'globalThis', 'undefined', 'NaN', 'Infinity', 'isNaN', 'isFinite', 'parseInt', 'parseFloat', 'encodeURI',
    'encodeURIComponent', 'decodeURI', 'decodeURIComponent', 'Math', 'Reflect', 'Object', 'Array', 'String', 'Number',
    'Boolean', 'Symbol', 'BigInt', 'Date', 'RegExp', 'Proxy', 'Iterator', 'Map', 'Set', 'WeakMap', 'WeakSet', 'Error',
    'AggregateError', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError',
    'ArrayBuffer', 'DataView', 'Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array',
    'Int32Array', 'Uint32Array', 'BigInt64Array', 'BigUint64Array', 'Float32Array', 'Float64Array',
  ];
  const world = globalThis;
  const { Error, JSON, TypeError } = world;
  const { defineProperty, deleteProperty, getPrototypeOf, ownKeys } = Reflect;
  const { create, freeze, getOwnPropertyDescriptor } = Object;

  function tameFunctions() {
    const gone = function Function() {
      const error = new TypeError('不允许用字符串生成代码');
      defineProperty(error, 'code', { __proto__: null, value: 'NO_DYNAMIC_CODE' });
      throw error;
    };
    const kinds = [function () {}, async function () {}, function* () {}, async function* () {}];
    defineProperty(gone, 'prototype', { value: getPrototypeOf(kinds[0]), writable: false });
    freeze(gone);
    for (let i = 0; i < kinds.length; i++) {
      const at = getPrototypeOf(kinds[i]);
      defineProperty(at, 'constructor', { value: gone, writable: false, enumerable: false, configurable: false });
    }
  }

  // The engine's own errors (interrupted, out of memory) do reach the Python binding, which reads these members of theirs
  // with no limit on time: a getter that a skill put on a prototype above must not answer.
  function shieldEngineErrors() {
    const shielded = world.InternalError.prototype;
    const stack = getOwnPropertyDescriptor(Error.prototype, 'stack');
    defineProperty(shielded, 'stack', { get: stack.get, set: stack.set, enumerable: false, configurable: false });
    defineProperty(shielded, 'toString', { value: Error.prototype.toString, enumerable: false });
    defineProperty(shielded, world.Symbol.toPrimitive, { value: undefined, enumerable: false });
    freeze(shielded);
  }

  function installGlobals() {
    const names = ownKeys(hosted);
    for (let i = 0; i < names.length; i++) {
      const value = hosted[names[i]];
      defineProperty(world, names[i], { value, writable: true, enumerable: false, configurable: true });
    }
  }

  function removeTheRest() {
    const allowed = create(null);
    for (let i = 0; i < ALLOWED.length; i++) allowed[ALLOWED[i]] = true;
    const names = ownKeys(world);
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      if (typeof name === 'string' && allowed[name] === true) continue;
      if (!deleteProperty(world, name)) throw new TypeError('a global cannot be removed');
    }
    // Hooks that hand out call sites, and JSON text that is not checked by `stringify`.
    const hooks = ['prepareStackTrace', 'captureStackTrace', 'stackTraceLimit'];
    for (let i = 0; i < hooks.length; i++) deleteProperty(Error, hooks[i]);
    deleteProperty(JSON, 'rawJSON');
    deleteProperty(JSON, 'isRawJSON');
  }

  tameFunctions();
  shieldEngineErrors();
  installGlobals();
  removeTheRest();
})
