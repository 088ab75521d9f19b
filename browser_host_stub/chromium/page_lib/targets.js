// From a selector to one operable element, and the guard that ties a real mouse event to it.

const KEPT_LIMIT = 64;
const kept = new Map();
let lastKept = 0;

function keep(entry) {
  lastKept += 1;
  kept.set(lastKept, entry);
  if (kept.size > KEPT_LIMIT) kept.delete(kept.keys().next().value);
  return lastKept;
}

const refuse = (code, extra) => ({ code, ...extra });

function queryAll(root, selector) {
  const proto = root.nodeType === Node.DOCUMENT_NODE ? Document.prototype : DocumentFragment.prototype;
  return [...Reflect.apply(proto.querySelectorAll, root, [selector])];
}

const FRAMES = new Set(['iframe', 'frame', 'object', 'embed', 'fencedframe', 'portal', 'webview']);
const isFrame = (el) => FRAMES.has(tagOf(el));

// Input given to a frame element goes to the document inside it, which may be of another origin: neither its origin nor
// its labels would have been checked.
const refuseFrame = () => refuse('ACTION_FAILED', { why: '这里是一个框架，请用 “ >>> ” 指到框架里面的元素' });

function stepInto(el) {
  if (tagOf(el) === 'iframe' || tagOf(el) === 'frame') {
    return el.contentDocument || refuse('NOT_IMPLEMENTED', { why: '还不能进入其它来源的框架' });
  }
  return shadowOf(el) || refuse('NOT_FOUND', { why: '路径中的元素没有开放的影子根，也不是框架' });
}

/** All matches of a selector whose ` >>> ` steps each match one element, or the refusal of a step. */
function findAll(selector) {
  const parts = selector.split(' >>> ');
  let root = document;
  for (const part of parts.slice(0, -1)) {
    const found = queryAll(root, part);
    if (found.length !== 1) return tooFewOrMany(found, part);
    root = stepInto(found[0]);
    if (root.code) return root;
  }
  return queryAll(root, parts[parts.length - 1]);
}

function tooFewOrMany(found, selector) {
  if (found.length === 0) return refuse('NOT_FOUND', { selector });
  const labels = found.slice(0, 5).map((el) => cut(nameOf(el) || tagOf(el), 40));
  return refuse('AMBIGUOUS_TARGET', { count: found.length, labels });
}

function findOne(selector) {
  let found;
  try {
    found = findAll(selector);
  } catch (error) {
    return refuse('BAD_PARAMS', { why: '选择器写法不对' });
  }
  if (!Array.isArray(found)) return found;
  return found.length === 1 ? { el: found[0] } : tooFewOrMany(found, selector);
}

function deepHit(doc, x, y) {
  let hit = doc.elementFromPoint(x, y);
  while (hit && shadowOf(hit)) {
    const inner = shadowOf(hit).elementFromPoint(x, y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  return hit;
}

/** The middle of the first box of the element that lies in the viewport, in its frame's coordinates. */
function pointIn(el) {
  const view = docOf(el).defaultView;
  for (const rect of rectsOf(el)) {
    const left = Math.max(rect.left, 0);
    const top = Math.max(rect.top, 0);
    const right = Math.min(rect.right, view.innerWidth);
    const bottom = Math.min(rect.bottom, view.innerHeight);
    if (right - left > 0 && bottom - top > 0) return { x: (left + right) / 2, y: (top + bottom) / 2 };
  }
  return null;
}

/** Whether an event on `hit` counts as one on `el`: inside it, or on the label that belongs to it. */
function reaches(el, hit) {
  if (encloses(el, hit)) return true;
  const label = closest(hit, 'label');
  return label !== null && (label.control === el || encloses(label, el));
}

function describe(el) {
  const cls = squeeze(attr(el, 'class')).split(' ').filter(Boolean).slice(0, 3).map((c) => '.' + c).join('');
  const id = attr(el, 'id');
  return { element: cut(tagOf(el) + (id ? '#' + id : '') + cls, 120), text: cut(squeeze(textOf(el)), 60) };
}

/** Where a click would go: a point of the page and the element under it, or why it would not arrive. */
function aimAt(el) {
  const local = pointIn(el);
  if (!local) return refuse('HIDDEN_TARGET', { why: '滚动后仍在可视区域之外' });
  const hit = deepHit(docOf(el), local.x, local.y);
  if (!hit || !reaches(el, hit)) return refuse('COVERED_TARGET', { covered_by: hit ? describe(hit) : null });
  if (isFrame(hit)) return refuseFrame();
  const offset = offsetOf(el);
  const point = { x: local.x + offset.x, y: local.y + offset.y };
  for (let frame = frameOf(el); frame; frame = frameOf(frame)) {
    const around = offsetOf(frame);
    const over = deepHit(docOf(frame), point.x - around.x, point.y - around.y);
    if (over !== frame) return refuse('COVERED_TARGET', { covered_by: over ? describe(over) : null });
  }
  return { point, hit };
}

function scrollIntoSight(el) {
  const rect = rectOf(el);
  const view = docOf(el).defaultView;
  const inside = rect.top >= 0 && rect.left >= 0 && rect.bottom <= view.innerHeight && rect.right <= view.innerWidth;
  if (!inside || aimAt(el).code) el.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
}

function obstacle(el, needs) {
  if (needs.shown && !shown(el)) return refuse('HIDDEN_TARGET', { why: '没有显示在页面上' });
  if (needs.box && !hasBox(el)) return refuse('HIDDEN_TARGET', { why: '没有大小' });
  if (!needs.enabled) return null;
  const why = disabledBecause(el) || (needs.writable && readOnly(el) ? '是只读的' : null);
  return why ? refuse('DISABLED_TARGET', { why }) : null;
}

/** A hidden native checkbox or radio is operated through its visible label, as a person would. */
function standIn(el, needs) {
  if (!needs.checkable || visible(el) || !el.labels) return el;
  return [...el.labels].find(visible) || el;
}

const originOf = (el) => docOf(el).defaultView.origin;

/** Find, check and keep one element. `needs` are those of targets.py. */
function resolve(selector, needs) {
  const found = selector === null ? { el: deepActive(document) || document.documentElement } : findOne(selector);
  if (found.code) return found;
  const el = found.el;
  if (needs.enabled && isFrame(el)) return refuseFrame();
  const hand = standIn(el, needs);
  const refused = obstacle(hand, needs) || (hand === el ? null : obstacle(el, { enabled: needs.enabled }));
  if (refused) return refused;
  let hit = null;
  if (needs.aim) {
    scrollIntoSight(hand);
    const aim = aimAt(hand);
    if (aim.code) return aim;
    hit = aim.hit;
  }
  const facts = factsFor(el, needs, hit);
  return { element: keep({ el, hand, needs, facts, hit }), facts, origin: originOf(el), title: titleNow() };
}

const FIXED = ['tag', 'label', 'type', 'href', 'form_action'];

/** The kept element once more, or why it is not what was checked. */
function again(number) {
  const entry = kept.get(number);
  if (!entry || !alive(entry.el) || !alive(entry.hand)) return refuse('STALE_REF', { why: '元素已不在页面上' });
  return entry;
}

function changedSince(entry, hit) {
  const now = factsFor(entry.el, entry.needs, hit);
  const field = FIXED.find((name) => now[name] !== entry.facts[name]);
  if (field) return refuse('STALE_REF', { why: '元素在检查之后变了', field, was: entry.facts[field], now: now[field] });
  const seen = entry.state;
  entry.state = undefined; // what follows is the act's own work
  const moved = seen !== undefined && seen !== stateAround(entry.el);
  return moved ? refuse('STALE_REF', { why: '元素所在的行、表单或本页已填的内容在确认之后变了' }) : null;
}

const nextFrame = () =>
  new Promise((done) => {
    const timer = setTimeout(done, 100); // hidden pages draw no frames
    requestAnimationFrame(() => {
      clearTimeout(timer);
      done();
    });
  });

/** Wait until the element stands still, check everything again, and arm the guard for the next mouse events. */
async function aim(number) {
  const entry = again(number);
  if (entry.code) return entry;
  scrollIntoSight(entry.hand);
  let before = boundsOf(entry.hand);
  for (let tries = 0; tries < 60; tries += 1) {
    await nextFrame();
    if (!alive(entry.hand)) break;
    const now = boundsOf(entry.hand);
    if (now.every((side, index) => side === before[index])) break;
    before = now;
  }
  const gone = again(number);
  const refused = gone.code ? gone : obstacle(entry.hand, entry.needs);
  if (refused) return refused;
  const target = aimAt(entry.hand);
  if (target.code) return target;
  const changed = changedSince(entry, target.hit);
  if (changed) return changed;
  entry.hit = target.hit;
  arm(entry.hand);
  return { point: target.point };
}

/** Null when the kept element is still what it was, for acts that need no mouse. */
function recheck(number) {
  const entry = again(number);
  if (entry.code) return entry;
  const hit = entry.hit && alive(entry.hit) ? entry.hit : null;
  return obstacle(entry.hand, entry.needs) || changedSince(entry, hit);
}

const GUARDED = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu'];
let guard = null;

/** Until `disarm`, mouse events that do not reach `el` are stopped before the page sees them. */
function arm(el) {
  disarm();
  const views = new Set([window, docOf(el).defaultView]);
  const state = { verdict: null, element: null };
  const listen = (event) => {
    const hit = event.composedPath()[0];
    if (!event.isTrusted || !hit || hit.nodeType !== Node.ELEMENT_NODE) return;
    const onFrame = event.view !== docOf(el).defaultView && encloses(hit, frameOf(el) || hit);
    // After the press the page may rebuild the element; only the press decides.
    if (state.verdict === null) {
      state.verdict = reaches(el, hit) || onFrame ? 'hit' : 'missed';
      state.element = state.verdict === 'missed' ? describe(hit) : null;
    }
    if (state.verdict === 'missed') {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  };
  views.forEach((view) => GUARDED.forEach((type) => view.addEventListener(type, listen, true)));
  state.release = () => views.forEach((view) => GUARDED.forEach((type) => view.removeEventListener(type, listen, true)));
  guard = state;
}

/** Take the guard away and say where the mouse went: hit, missed (with what), or nothing seen. */
function disarm() {
  const state = guard;
  guard = null;
  if (!state) return { verdict: null, element: null };
  state.release();
  return { verdict: state.verdict, element: state.element };
}
