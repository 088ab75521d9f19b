/*
 * The two sides of a script: the functions it calls, and the operations the worker drives it with. Its value takes what
 * globals.js is and gives the driver function `host(op, text)`, which the worker holds and no global names.
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
(function install(closeWorld) {
  'use strict';

  const MAX_DELAY_MS = 30000;
  const MIN_INTERVAL_MS = 4;
  const MAX_TEXT_CHARS = 2000;
  const LOG_ENTRY_CHARS = 16; // what an empty log entry counts for

  const world = globalThis;
  const evaluate = world.eval;
  const { Error, Number, Promise, RangeError, String, TypeError, WeakMap } = world;
  const { apply, defineProperty, getPrototypeOf } = Reflect;
  const { freeze, getOwnPropertyDescriptor } = Object;
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
  let limits = null; // the job: parsed from text of the parent, so all its fields are its own
  let lastId = 0; // of a call: the parent expects 1, 2, 3 ...
  let lastTimer = 0;
  let firstCall = null; // queue of {id, line, resolve, reject, next}
  let lastCall = null;
  let waiting = false; // firstCall was handed out
  let queued = 0;
  let firstTimer = null; // sorted list of {id, due, every, callback, args, next}
  let timers = 0;
  const callOfError = new WeakMap();
  const reasonOfError = new WeakMap(); // of refusals by a limit: what the run ends with when nobody catches one

  // Made while there is memory. The engine throws null when no error object fits any more; a script's own null reads so too.
  const MEMORY_END = '{"type":"end","reason":"memory","detail":""}\n';
  const NULL_END = '{"type":"end","reason":"memory","detail":"抛出了 null"}\n';

  function end(reason, detail) {
    if (ended === null) ended = join(['{"type":"end","reason":"', reason, '","detail":', stringify(cut(detail)), '}\n']);
  }

  function outOfMemory(error) {
    if (ended === null) ended = error === null ? NULL_END : MEMORY_END;
  }

  // A loop that never waits gives the worker no turn: thrown out of it, the end comes now and not with the CPU limit.
  function stopIfEnded() {
    if (ended !== null) throw refusal(Error, 'RUN_ENDED', '脚本已结束');
  }

  // --- text for values that may be hostile ----------------------------------------------------------------------------
  function ranOutOfMemory(error) {
    if (error === null) return true;
    if (typeof error !== 'object' || getPrototypeOf(error) !== engineErrors) return false;
    const own = getOwnPropertyDescriptor(error, 'message');
    return own !== undefined && own.value === 'out of memory';
  }

  function describe(error) {
    try {
      if (typeof error !== 'object' || error === null) return cut(String(error));
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

  // --- refusals -------------------------------------------------------------------------------------------------------
  function refusal(Kind, code, message, reason) {
    const error = new Kind(message);
    define(error, 'code', code);
    define(error, 'facts', {});
    if (reason !== undefined) apply(mapSet, reasonOfError, [error, reason]);
    return error;
  }

  function rejected(error) {
    return new Promise((_, reject) => reject(error));
  }

  // --- browserAction --------------------------------------------------------------------------------------------------
  function argumentsAsText(values) {
    let text = '';
    for (let i = 1; i < values.length; i++) {
      const one = stringify(values[i]);
      text += (i === 1 ? '' : ',') + (typeof one === 'string' ? one : 'null');
    }
    return '[' + text + ']';
  }

  function browserAction(...values) {
    if (--callsLeft < 0) end('calls', '');
    stopIfEnded();
    const action = values.length > 0 ? values[0] : undefined;
    if (typeof action !== 'string') {
      return rejected(refusal(TypeError, 'BAD_PARAMS', 'browserAction 的第一个参数必须是操作名'));
    }
    let text;
    try {
      text = argumentsAsText(values);
    } catch (error) {
      return rejected(refusal(TypeError, 'BAD_PARAMS', '操作参数无法转成 JSON：' + describe(error)));
    }
    if (text.length + action.length > limits.call) {
      return rejected(refusal(RangeError, 'BAD_PARAMS', '操作参数超过大小上限', 'params'));
    }
    if (queued >= limits.outstanding) {
      const message = '同时等待的操作太多，请先用 await 等待前面的操作';
      return rejected(refusal(RangeError, 'TOO_MANY_OUTSTANDING', message, 'outstanding'));
    }
    return new Promise((resolve, reject) => enqueue(action, text, resolve, reject));
  }

  function enqueue(action, text, resolve, reject) {
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
    defineProperty(error, 'stack', { __proto__: null, value: '', writable: true, configurable: true }); // frames of ours
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
    if (typeof callback !== 'function') throw refusal(TypeError, 'BAD_TIMER', '定时器的第一个参数必须是函数');
    const asked = values.length > 1 ? Number(values[1]) : 0;
    if (asked > MAX_DELAY_MS) throw refusal(RangeError, 'BAD_TIMER', '定时器最长 30 秒');
    if (timers >= limits.timers) throw refusal(RangeError, 'TOO_MANY_TIMERS', '同时设置的定时器太多', 'timers');
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
      if (reasonOf(error, '') === 'memory') outOfMemory(error);
      log('error', '定时器中的异常：' + describe(error));
    }
  }

  // --- start and end --------------------------------------------------------------------------------------------------
  function start(text) {
    const job = parse(text);
    callsLeft = job.calls;
    logLeft = job.log;
    limits = job;
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

  // The limit behind an exception, or `otherwise`.
  function reasonOf(error, otherwise) {
    try {
      if (ranOutOfMemory(error)) return 'memory';
      return apply(mapGet, reasonOfError, [error]) || otherwise;
    } catch {
      return otherwise; // a hostile Proxy: an ordinary throw
    }
  }

  function failed(otherwise, error) {
    const reason = reasonOf(error, otherwise);
    if (reason === 'memory') outOfMemory(error);
    else end(reason, describe(error) + '\n' + stackOf(error)); // the line of a syntax error is in its stack only
  }

  function finish(text) {
    if (typeof text !== 'string') end('bad_result', '');
    else if (text.length > limits.result) end('result', '');
    else if (ended === null) ended = join(['{"type":"result","value":', stringify(text), ',"dropped":', queued, '}\n']);
  }

  function threw(error) {
    if (ended !== null) return;
    const reason = reasonOf(error, '');
    const call = reason === '' ? apply(mapGet, callOfError, [error]) || 0 : 0;
    const said = describe(error);
    const stack = stackOf(error);
    if (reason === 'memory') outOfMemory(error);
    else if (reason !== '') end(reason, said + '\n' + stack);
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

  closeWorld({
    __proto__: null,
    browserAction,
    console: freeze({ log: logger('info'), info: logger('info'), warn: logger('warn'), error: logger('error') }),
    setTimeout: (...values) => addTimer(false, values),
    setInterval: (...values) => addTimer(true, values),
    clearTimeout: (id) => clearTimer(id),
    clearInterval: (id) => clearTimer(id),
  });

  // All that is left to send of a script that never came back, ending with `text` when nothing ended it before.
  const last = (text) => join([lines, ended === null ? text : ended]);
  const operations = { __proto__: null, start, settle, tick, drain, last };
  return function host(op, text) {
    return operations[op](text);
  };
})
