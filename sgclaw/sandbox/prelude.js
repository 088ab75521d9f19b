/*
 * The world a skill script sees. Evaluated by worker.py before any skill code; its value is the driver function
 * `host(op, text)`, which the worker holds and no global names.
 *
 * Rules of this file
 *  1. Everything used after skill code has run is captured here first. No global, no method of a shared prototype, no
 *     iterator protocol (so: no spread, no array destructuring, no for-of) afterwards: a skill may have replaced them.
 *  2. Own records have a null prototype and all their fields from the start: a setter or a `toJSON` that a skill puts on
 *     a shared prototype never meets them.
 *  3. A skill's value is read once, by `stringify`, and crosses only as text inside a line whose other parts are made
 *     here. No skill value, no skill exception and no object reaches the Python binding: text out, text in.
 *  4. Whatever can run skill code (getters, toJSON, Proxy traps, toString) runs here, inside the worker's limits, in a `try`.
 *  5. One call is handed out at a time: the next leaves after the answer to the last has come in.
 *  6. The first end of a run is its end: what comes later neither changes it nor leaves any more.
 * Lines that `drain` gives out: {"type":"log"|"call"|"result"|"threw"|"end", ...}; the parent believes none of them.
 */
(function install() {
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
  const MAX_DELAY_MS = 30000;
  const MIN_INTERVAL_MS = 4;
  const MAX_TIMERS = 1000;
  const MAX_CALL_CHARS = 400000;
  const MAX_TEXT_CHARS = 2000;
  const LOG_ENTRY_CHARS = 16; // what an empty log entry counts for

  const world = globalThis;
  const evaluate = world.eval;
  const { Error, Number, Promise, RangeError, String, TypeError, WeakMap } = world;
  const { apply, defineProperty, deleteProperty, getPrototypeOf, ownKeys } = Reflect;
  const { create, freeze, getOwnPropertyDescriptor } = Object;
  const { parse, stringify } = JSON;
  const { ceil } = Math;
  const isError = Error.isError;
  const engineErrors = InternalError.prototype;
  const clock = performance, readClock = clock.now;
  const arrayJoin = Array.prototype.join;
  const { slice: stringSlice, toWellFormed } = String.prototype;
  const { get: mapGet, set: mapSet } = WeakMap.prototype;

  const now = () => apply(readClock, clock, []);
  const join = (parts) => apply(arrayJoin, parts, ['']); // always a flat string: ropes do not cross the binding
  const wellFormed = (text) => apply(toWellFormed, text, []); // half a surrogate pair is no text to the parent
  const cut = (text) => wellFormed(apply(stringSlice, text, [0, MAX_TEXT_CHARS]));

  // --- the run's state ------------------------------------------------------------------------------------------------
  let ended = null; // the line that says how the run ended
  let lines = ''; // finished log lines
  let logLeft = 0;
  let callsLeft = 0;
  let resultLimit = 0;
  let lastId = 0; // of a call: the parent expects 1, 2, 3 ...
  let lastTimer = 0;
  let firstCall = null; // queue of {id, line, resolve, reject, next}
  let lastCall = null;
  let waiting = false; // firstCall was handed out
  let queued = 0;
  let firstTimer = null; // sorted list of {id, due, every, callback, args, next}
  let timers = 0;
  const callOfError = new WeakMap();

  const MEMORY_END = '{"type":"end","reason":"memory","detail":""}\n'; // made while there is memory

  function end(reason, detail) {
    if (ended !== null) return;
    if (reason === 'memory') ended = MEMORY_END;
    else ended = join(['{"type":"end","reason":"', reason, '","detail":', stringify(cut(detail)), '}\n']);
  }

  // A loop that never waits gives the worker no turn: thrown out of it, the end comes now and not with the CPU limit.
  function stopIfEnded() {
    if (ended !== null) throw new Error('脚本已结束');
  }

  // --- text for values that may be hostile ----------------------------------------------------------------------------
  function ranOutOfMemory(error) {
    if (typeof error !== 'object' || error === null || getPrototypeOf(error) !== engineErrors) return false;
    const own = getOwnPropertyDescriptor(error, 'message');
    return own !== undefined && own.value === 'out of memory';
  }

  function describe(error) {
    try {
      if (error === null) return '抛出了 null（可能是内存不足）'; // what the engine throws when no error object fits
      if (typeof error !== 'object') return cut(String(error));
      const { name, message } = error;
      const text = typeof message === 'string' ? message : '';
      return cut(typeof name !== 'string' || name === 'Error' ? text || 'Error' : name + ': ' + text);
    } catch {
      return '（无法读取的异常）';
    }
  }

  function stackOf(error) {
    try {
      const stack = isError(error) ? error.stack : '';
      return typeof stack === 'string' ? cut(stack) : '';
    } catch {
      return '';
    }
  }

  function show(value) {
    try {
      if (typeof value === 'string') return value;
      if (isError(value)) return describe(value);
      const text = typeof value === 'object' ? stringify(value) : undefined;
      return typeof text === 'string' ? text : String(value);
    } catch {
      return '（无法显示的值）';
    }
  }

  // --- console --------------------------------------------------------------------------------------------------------
  function log(level, text) {
    if (ended !== null) return;
    logLeft -= text.length + LOG_ENTRY_CHARS;
    if (logLeft < 0) end('log', '');
    else lines += join(['{"type":"log","level":"', level, '","text":', stringify(wellFormed(text)), '}\n']);
  }

  function logger(level) {
    return (...values) => {
      let text = '';
      for (let i = 0; i < values.length; i++) text += (i === 0 ? '' : ' ') + show(values[i]);
      log(level, text);
      stopIfEnded();
    };
  }

  // --- browserAction --------------------------------------------------------------------------------------------------
  function refuse(message) {
    const error = new TypeError(message);
    define(error, 'code', 'BAD_PARAMS');
    define(error, 'facts', {});
    return new Promise((_, reject) => reject(error));
  }

  function argumentsAsText(values) {
    let text = '';
    for (let i = 1; i < values.length; i++) {
      const one = stringify(values[i]);
      text += (i === 1 ? '' : ',') + (typeof one === 'string' ? one : 'null');
    }
    return '[' + text + ']';
  }

  function browserAction(...values) {
    stopIfEnded();
    const action = values.length > 0 ? values[0] : undefined;
    if (typeof action !== 'string') return refuse('browserAction 的第一个参数必须是操作名');
    let text;
    try {
      text = argumentsAsText(values);
    } catch (error) {
      return refuse('操作参数无法转成 JSON：' + describe(error));
    }
    if (text.length + action.length > MAX_CALL_CHARS) return refuse('操作参数太大');
    const answer = new Promise((resolve, reject) => enqueue(action, text, resolve, reject));
    stopIfEnded();
    return answer;
  }

  function enqueue(action, text, resolve, reject) {
    if (--callsLeft < 0) return void end('calls', '');
    const id = ++lastId;
    const name = stringify(wellFormed(action));
    const line = join(['{"type":"call","id":', id, ',"action":', name, ',"args":', stringify(text), '}\n']);
    const call = { __proto__: null, id, line, resolve, reject, next: null };
    if (lastCall === null) firstCall = call;
    else lastCall.next = call;
    lastCall = call;
    queued++;
  }

  function define(target, key, value) {
    defineProperty(target, key, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
  }

  function settle(text) {
    const answer = parse(text); // an object of the parent: every field read below is its own
    const call = firstCall;
    if (!waiting || answer.id !== call.id) return;
    waiting = false;
    firstCall = call.next;
    if (firstCall === null) lastCall = null;
    queued--;
    if (answer.ok) return void apply(call.resolve, undefined, [answer.value]);
    const error = new Error(answer.message);
    define(error, 'name', 'BrowserActionError');
    define(error, 'code', answer.code);
    define(error, 'facts', answer.facts);
    apply(mapSet, callOfError, [error, call.id]);
    apply(call.reject, undefined, [error]);
  }

  // --- timers ---------------------------------------------------------------------------------------------------------
  function place(timer) {
    if (firstTimer === null || timer.due < firstTimer.due) {
      timer.next = firstTimer;
      firstTimer = timer;
      return;
    }
    let before = firstTimer;
    while (before.next !== null && before.next.due <= timer.due) before = before.next;
    timer.next = before.next;
    before.next = timer;
  }

  function addTimer(repeats, values) {
    const callback = values.length > 0 ? values[0] : undefined;
    if (typeof callback !== 'function') throw new TypeError('定时器的第一个参数必须是函数');
    const asked = values.length > 1 ? Number(values[1]) : 0;
    if (asked > MAX_DELAY_MS) throw new RangeError('定时器最长 30 秒');
    if (timers >= MAX_TIMERS) throw new RangeError('定时器太多');
    const least = repeats ? MIN_INTERVAL_MS : 0;
    const delay = asked > least ? asked : least; // NaN and negative numbers mean "at once"
    const args = [];
    for (let i = 2; i < values.length; i++) define(args, i - 2, values[i]);
    const id = ++lastTimer;
    timers++;
    place({ __proto__: null, id, due: now() + delay, every: repeats ? delay : 0, callback, args, next: null });
    return id;
  }

  function clearTimer(id) {
    let before = null;
    for (let timer = firstTimer; timer !== null; before = timer, timer = timer.next) {
      if (timer.id !== id) continue;
      if (before === null) firstTimer = timer.next;
      else before.next = timer.next;
      timers--;
      return;
    }
  }

  // One callback a tick: the worker runs the jobs it made before the next.
  function tick() {
    const timer = firstTimer;
    if (ended !== null || timer === null || timer.due > now()) return;
    firstTimer = timer.next;
    if (timer.every > 0) {
      timer.due = now() + timer.every;
      place(timer);
    } else {
      timers--;
    }
    try {
      apply(timer.callback, undefined, timer.args);
    } catch (error) {
      if (ranOutOfMemory(error)) end('memory', '');
      log('error', '定时器中的异常：' + describe(error));
    }
  }

  // --- start and end --------------------------------------------------------------------------------------------------
  function start(text) {
    const job = parse(text);
    callsLeft = job.calls;
    logLeft = job.log;
    resultLimit = job.result;
    let execute;
    try {
      // An indirect eval: global scope. Its value names `execute` however the file declares it, 'use strict' or not.
      execute = apply(evaluate, undefined, [job.source + '\n;typeof execute === "function" ? execute : undefined']);
    } catch (error) {
      return void failed('load', error);
    }
    if (typeof execute !== 'function') end('load', '没有 async function execute(params, browserAction)');
    else if (job.load_only) finish('{"success":true}');
    else run(execute, job.params);
  }

  async function run(execute, params) {
    let value;
    try {
      value = await execute(params, browserAction);
    } catch (error) {
      return void threw(error);
    }
    if (ended !== null) return;
    try {
      finish(stringify(value));
    } catch (error) {
      failed('bad_result', error);
    }
  }

  function failed(reason, error) {
    if (ranOutOfMemory(error)) end('memory', '');
    else end(reason, describe(error) + '\n' + stackOf(error)); // the line of a syntax error is in its stack only
  }

  function finish(text) {
    if (typeof text !== 'string') end('bad_result', '');
    else if (text.length > resultLimit) end('result', '');
    else if (ended === null) ended = join(['{"type":"result","value":', stringify(text), ',"dropped":', queued, '}\n']);
  }

  function threw(error) {
    if (ended !== null) return;
    let call = 0, memory = false;
    try {
      memory = ranOutOfMemory(error);
      if (typeof error === 'object' && error !== null) call = apply(mapGet, callOfError, [error]) || 0;
    } catch {
      call = 0; // a hostile Proxy: an ordinary throw
    }
    const said = describe(error);
    const stack = stackOf(error);
    if (memory) end('memory', '');
    else if (ended === null) {
      ended = join(['{"type":"threw","text":', stringify(said), ',"stack":', stringify(stack), ',"call":', call, '}\n']);
    }
  }

  // First line: "<state> <ms to the next timer or ->"; the state is d(one), c(all handed out), i(dle).
  function drain() {
    const timer = firstTimer === null ? '-' : ceil(firstTimer.due - now());
    let out = lines;
    let state = waiting ? 'c' : 'i';
    lines = '';
    if (ended !== null) {
      state = 'd';
      out += ended;
    } else if (!waiting && firstCall !== null) {
      waiting = true;
      state = 'c';
      out += firstCall.line;
    }
    return join([state, ' ', timer, '\n', out]);
  }

  // --- the globals ----------------------------------------------------------------------------------------------------
  function tameFunctions() {
    const gone = function Function() {
      throw new TypeError('不允许用字符串生成代码');
    };
    const kinds = [function () {}, async function () {}, function* () {}, async function* () {}];
    defineProperty(gone, 'prototype', { value: getPrototypeOf(kinds[0]), writable: false });
    freeze(gone);
    for (let i = 0; i < kinds.length; i++) {
      const at = getPrototypeOf(kinds[i]);
      defineProperty(at, 'constructor', { value: gone, writable: false, enumerable: false, configurable: false });
    }
  }

  function installGlobals() {
    const hosted = {
      __proto__: null,
      browserAction,
      console: freeze({ log: logger('info'), info: logger('info'), warn: logger('warn'), error: logger('error') }),
      setTimeout: (...values) => addTimer(false, values),
      setInterval: (...values) => addTimer(true, values),
      clearTimeout: (id) => clearTimer(id),
      clearInterval: (id) => clearTimer(id),
    };
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
  installGlobals();
  removeTheRest();

  // All that is left to send of a script that never came back, ending with `text` when nothing ended it before.
  const last = (text) => join([lines, ended === null ? text : ended]);
  const operations = { __proto__: null, start, settle, tick, drain, last };
  return function host(op, text) {
    return operations[op](text);
  };
})();
