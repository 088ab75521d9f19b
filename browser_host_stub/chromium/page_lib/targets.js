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

function matchesIn(root, selector) {
  const proto = nodeTypeOf(root) === Node.DOCUMENT_NODE ? Document.prototype : DocumentFragment.prototype;
  return Reflect.apply(proto.querySelectorAll, root, [selector]);
}

const queryAll = (root, selector) => [...matchesIn(root, selector)];

const FRAMES = new Set(['iframe', 'frame', 'object', 'embed', 'fencedframe', 'portal', 'webview']);
const isFrame = (el) => FRAMES.has(tagOf(el));

// Input given to a frame element goes to the document inside it, which may be of another origin: neither its origin nor
// its labels would have been checked.
const refuseFrame = () => refuse('ACTION_FAILED', { why: '这里是一个框架，请用 “ >>> ” 指到框架里面的元素' });

/** Past one step: the root inside, `INTO` with what is left for the host to follow into a frame, or why not. */
function stepInto(el, rest) {
  if (tagOf(el) === 'iframe' || tagOf(el) === 'frame') {
    const inner = innerDocument(el);
    if (inner === null && el.contentDocument && isBlankYet(el, el.contentDocument)) return refuse('NOT_FOUND', { why: '框架还没有加载出文档' });
    return inner ? { root: inner } : refuse('INTO', { frame: namedAs(el), rest });
  }
  const root = shadowOf(el);
  return root ? { root } : refuse('NOT_FOUND', { why: '路径中的元素没有影子根，也不是框架', step: written(el), at: namedAs(el) });
}

/** All matches of a selector whose ` >>> ` steps each match one element, or the refusal of a step. */
function findAll(selector) {
  const parts = selector.split(' >>> ');
  let root = document;
  for (let step = 0; step < parts.length - 1; step += 1) {
    const found = queryAll(root, parts[step]);
    if (found.length !== 1) return tooFewOrMany(found, parts[step]);
    const inside = stepInto(found[0], parts.slice(step + 1).join(' >>> '));
    if (inside.code) return inside;
    root = inside.root;
  }
  return queryAll(root, parts[parts.length - 1]);
}

function tooFewOrMany(found, selector) {
  if (found.length === 0) return refuse('NOT_FOUND', typeof selector === 'string' ? { selector } : {});
  const labels = found.slice(0, 5).map((el) => cut(nameOf(el) || tagOf(el), 40));
  return refuse('AMBIGUOUS_TARGET', { count: found.length, labels });
}

/** Matches of a selector, of the number of a ref, or why there are none. */
function findSafely(target) {
  if (typeof target === 'number') {
    const found = byRef(target);
    return found.code ? found : [found.el];
  }
  try {
    return findAll(target);
  } catch (error) {
    return refuse('BAD_PARAMS', { why: '选择器写法不对' });
  }
}

/** The one element a target names; null names what has the focus. */
function findOne(target) {
  if (target === null) return { el: deepActive(document) || document.documentElement };
  const found = findSafely(target);
  if (!Array.isArray(found)) return found;
  return found.length === 1 ? { el: found[0] } : tooFewOrMany(found, target);
}

function deepHit(doc, x, y) {
  let hit = documentHit(doc, x, y);
  while (hit && shadowOf(hit)) {
    const inner = shadowHit(shadowOf(hit), x, y);
    if (!inner || inner === hit) return slottedHit(hit, x, y) || hit;
    hit = inner;
  }
  return hit;
}

/** Text in a host that a closed root shows in one of its slots: asked, the browser names the host. */
function slottedHit(host, x, y) {
  const root = closedRoots.get(host);
  const below = root ? [...shadowHits(root, x, y)] : [];
  return below.find((el) => rootOf(el) === root && within(el, 'slot').length > 0) || null;
}

const MAX_BOXES = 3;
/** Where in a box a person would click when the middle is taken: shares of its width and height. */
const SPOTS = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.2], [0.5, 0.8], [0.1, 0.5], [0.9, 0.5], [0.04, 0.2], [0.96, 0.2], [0.04, 0.8], [0.96, 0.8]];

/** Points of the element's boxes that lie in the viewport, in its frame's coordinates: the middle of the first one first. */
function pointsIn(el) {
  const view = viewOf(el);
  const boxes = [...rectsOf(el)].map((rect) => ({
    left: Math.max(rect.left, 0), top: Math.max(rect.top, 0), right: Math.min(rect.right, view.innerWidth), bottom: Math.min(rect.bottom, view.innerHeight),
  }));
  const inView = boxes.filter((box) => box.right - box.left > 0 && box.bottom - box.top > 0).slice(0, MAX_BOXES);
  return inView.flatMap(({ left, top, right, bottom }) => SPOTS.map(([across, down]) => ({ x: left + (right - left) * across, y: top + (bottom - top) * down })));
}

/** Whether a press on `hit` is one on `el` itself and not on another control that stands in it. */
function isOwn(el, hit) {
  if (!encloses(el, hit) || matches(el, WHOLE)) return true;
  for (let node = hit; node && node !== el; node = flatParent(node)) if (matches(node, PARTS) && !isDrawnFor(el, node)) return false;
  return true;
}

const WHOLE = 'button, a, label, summary, select, input, textarea, [role="button"], [role="link"], [role="checkbox"], [role="radio"], [role="switch"], [role="combobox"]';
const PARTS = 'button, a[href], input, select, textarea, summary, label, [onclick], [role="button"], [role="link"], [role="checkbox"], [role="switch"], .layui-form-checkbox, .layui-form-radio, .layui-form-switch';
/** The one field of a box that is drawn as a field is the box. */
const isDrawnFor = (el, part) => within(el, PARTS).length === 1 && rectOf(part).width > 0.4 * rectOf(el).width;

/** The point of an element to press: its middle, or a spot beside the controls in it; and what lies there. */
function spotOf(el) {
  const points = pointsIn(el);
  if (!points.length) return null;
  const tried = points.map((point, index) => (index === 0 || mayMove(el) ? { point, hit: deepHit(docOf(el), point.x, point.y) } : null)).filter(Boolean);
  return tried.find(({ hit }) => hit && reaches(el, hit) && isOwn(el, hit)) || tried[0];
}

/** A control that is a whole is pressed in its middle. */
const mayMove = (el) => !matches(el, WHOLE) && within(el, PARTS).length > 0;

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

const covered = (hit) => refuse('COVERED_TARGET', { covered_by: hit ? describe(hit) : null });
const outOfSight = () => refuse('HIDDEN_TARGET', { why: '滚动后仍在可视区域之外' });

/** Where a click would go: a point of the library's document and the element under it, or why it would not arrive. */
function aimAt(el) {
  const spot = spotOf(el);
  if (!spot) return outOfSight();
  const { point: local, hit } = spot;
  if (!hit || !reaches(el, hit)) return covered(hit);
  if (isFrame(hit)) return refuseFrame();
  let point = local;
  for (let frame = frameOf(el); frame; frame = frameOf(frame)) {
    point = outward(frame, point);
    const over = deepHit(docOf(frame), point.x, point.y);
    if (over !== frame) return covered(over);
  }
  return { point, hit };
}

/** Whether the mouse at a point goes into the frame element of this number; `arms` the guard for what does not. */
function passes(number, x, y, arms) {
  const el = byToken(number);
  if (!el) return refuse('DETACHED_TARGET', { why: '框架已从页面上移除' });
  const frames = [];
  for (let frame = el; frame; frame = frameOf(frame)) frames.unshift(frame);
  let point = { x, y };
  for (const frame of frames) {
    const over = deepHit(docOf(frame), point.x, point.y);
    if (!over) return outOfSight();
    if (over !== frame) return covered(over);
    point = inward(frame, point);
  }
  if (arms) arm(el);
  return {};
}

const viewport = () => ({ width: window.innerWidth, height: window.innerHeight, scale: window.devicePixelRatio });

function scrollIntoSight(el) {
  const rect = rectOf(el);
  const view = viewOf(el);
  const inside = rect.top >= 0 && rect.left >= 0 && rect.bottom <= view.innerHeight && rect.right <= view.innerWidth;
  if (!inside || aimAt(el).code) scrollIntoView(el, { block: 'center', inline: 'center', behavior: 'instant' });
}

/** Why an element is not shown: the outermost reason, and the element it lies with. */
function hiddenBecause(el) {
  let why = '没有显示在页面上';
  let by = null;
  for (let node = el; node; node = flatParent(node) || frameOf(node)) {
    const style = getComputedStyle(node);
    if (style.display === 'none') [why, by] = ['没有显示在页面上（display: none）', node];
    else if (tagOf(node) === 'details' && attr(node, 'open') === null && node !== el) [why, by] = ['在收起的区域里', node];
    else if (by === null && ['hidden', 'collapse'].includes(style.visibility)) [why, by] = ['没有显示在页面上（visibility: hidden）', node];
  }
  return refuse('HIDDEN_TARGET', by === null || by === el ? { why } : { why, hidden_by: written(by) });
}

/** What stands between an element and an act. `brief` is what waiting hardly changes. */
function obstacle(el, needs) {
  if (needs.shown && !shown(el)) return hiddenBecause(el);
  if (needs.box && !hasBox(el)) return refuse('HIDDEN_TARGET', { why: '没有大小' });
  if (!needs.enabled) return null;
  const why = disabledBecause(el);
  if (why) return refuse('DISABLED_TARGET', { why });
  return needs.writable && readOnly(el) ? refuse('DISABLED_TARGET', { why: '是只读的', brief: true }) : null;
}

/** A refusal about a control, with what a component library is recognised by where the act asks for it. */
function explained(refused, el, needs) {
  if (!needs.tells) return refused;
  const native = ['input', 'select', 'textarea'].includes(tagOf(el));
  const stand = native && refused.code === 'HIDDEN_TARGET' ? nextElementOf(el) : null;
  const told = { ...refused, within: withinOf(el) };
  return stand ? { ...told, next: nextOf(el), brief: visible(stand) } : told;
}

/** A hidden native checkbox or radio is operated through its visible label, as a person would. */
function standIn(el, needs) {
  if (!needs.checkable || visible(el) || !labelsOf(el)) return el;
  return [...labelsOf(el)].find(visible) || el;
}

/** Whether keys go to the document of an element: another frame of the page may have them. */
const hasKeys = (el) => hasFocus(docOf(el));

const originOf = (el) => viewOf(el).origin;

function refusedFor(el, hand, needs) {
  if (needs.enabled && isFrame(el)) return refuseFrame();
  if (needs.sets_off === 'choice' && tagOf(el) !== 'select') {
    return refuse('UNSUPPORTED_WIDGET', { why: '不是原生下拉框', element: describe(el).element });
  }
  return obstacle(hand, needs) || (hand === el ? null : obstacle(el, { enabled: needs.enabled }));
}

/** Find, check and keep one element by selector, number of a ref, or focus (null). `needs` are those of targets.py. */
function resolve(target, needs) {
  const found = findOne(target);
  if (found.code) return found;
  const el = found.el;
  const hand = standIn(el, needs);
  const refused = refusedFor(el, hand, needs);
  if (refused) return explained(refused, el, needs);
  let aim = { point: null, hit: null };
  if (needs.aim) {
    scrollIntoSight(hand);
    aim = aimAt(hand);
    if (aim.code) return explained(aim, el, needs);
  }
  const controls = setOff(el, needs, aim.hit);
  const facts = factsFrom(el, needs, controls);
  const element = keep({ el, hand, needs, facts, hit: aim.hit });
  const asks = { customs: customsOf(el, aim.hit, controls, needs), hosts: needs.sets_off === 'nothing' ? [] : hostsAround(aim.hit || el, needs) };
  return { element, facts, ...asks, origin: originOf(el), title: titleNow(), point: aim.point };
}

const FIXED = ['tag', 'label', 'type', 'href', 'form_action'];

/** The kept element once more, or why it is not what was checked. */
function again(number) {
  const entry = kept.get(number);
  if (!entry) return refuse('STALE_REF', { why: '元素的记录已经过期' });
  if (!alive(entry.el) || !alive(entry.hand)) return refuse('DETACHED_TARGET', { why: '检查时还在，现在已不在页面上' });
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

/** Scroll to a kept element through every document around it, also those of another origin. */
function scrollFar(number) {
  const entry = again(number);
  if (entry.code) return entry;
  scrollIntoView(entry.hand, { block: 'center', inline: 'center', behavior: 'instant' });
  return {};
}

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
  entry.point = target.point;
  entry.looks = looksOf(target.hit);
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

/** What an event is about. Of one in a closed root the window hears that it is about the host. */
function pressedIn(event) {
  const [hit] = event.composedPath();
  if (!hit || !closedRoots.has(hit)) return hit;
  const inner = deepHit(docOf(hit), event.clientX, event.clientY);
  return inner && encloses(hit, inner) ? inner : hit;
}

/** Until `disarm`, mouse events that do not reach `el` are stopped before the page sees them. */
function arm(el) {
  disarm();
  const own = viewOf(el);
  const views = new Set([window, own]);
  for (let frame = frameOf(el); frame; frame = frameOf(frame)) views.add(viewOf(frame));
  const state = { verdict: null, element: null, el };
  const listen = (event) => {
    const hit = pressedIn(event);
    if (!event.isTrusted || !hit || hit.nodeType !== Node.ELEMENT_NODE) return;
    const onFrame = event.view !== own && encloses(hit, frameOf(el) || hit);
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

/** Take the guard away and say where the mouse went: hit, missed (with what; `gone` when the page had removed the
 * element by then), or nothing seen. */
function disarm() {
  const state = guard;
  guard = null;
  if (!state) return { verdict: null, element: null };
  state.release();
  return { verdict: state.verdict, element: state.element, gone: state.verdict === 'missed' && !alive(state.el) };
}
