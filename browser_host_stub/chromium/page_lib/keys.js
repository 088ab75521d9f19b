// Keys go to the document that was looked at: not to one around its frame, and not to one in a frame of it.

const KEYED = ['keydown', 'keypress', 'beforeinput'];
let keyGuard = null;

function viewsAround(el) {
  const views = new Set([window]);
  for (let node = el; node; node = frameOf(node)) views.add(viewOf(node));
  return views;
}

function guardKeys(state, views, types, listen) {
  views.forEach((view) => types.forEach((type) => view.addEventListener(type, listen, true)));
  const before = state.release || (() => {});
  state.release = () => {
    before();
    views.forEach((view) => types.forEach((type) => view.removeEventListener(type, listen, true)));
  };
  keyGuard = state;
}

/** A frame that has the focus and that the library cannot enter: keys would go to its document. */
function foreignFocus() {
  const active = deepActive(document);
  return active && isFrame(active) && !innerDocument(active) ? active : null;
}

const blurOf = method(HTMLElement.prototype, 'blur');

/** Until `freeKeys`, a frame inside the element's document does not get the focus, and once one asked for it the rest
 * of the keys is stopped. Of a `single` key only the way to the element counts: what it sets off is its own work. */
function holdFocus(number, single) {
  freeKeys();
  const entry = again(number);
  if (entry.code) return entry;
  const views = viewsAround(entry.el);
  const state = { stray: false, seen: 0, stopped: 0, single };
  const onKey = (event) => {
    if (!event.isTrusted) return;
    if (state.stray) {
      state.stopped += 1;
      event.preventDefault();
      event.stopImmediatePropagation();
    } else if (event.type === 'keydown') {
      state.seen += 1;
    }
  };
  const onBlur = () => {
    if (arrived(state) || !foreignFocus()) return;
    state.stray = true;
    // The browser takes no other focus while it is moving it, and no key comes before this.
    queueMicrotask(() => {
      const frame = foreignFocus();
      if (frame) blurOf(frame);
    });
  };
  guardKeys(state, views, KEYED, onKey);
  guardKeys(state, views, ['blur'], onBlur);
  return {};
}

const arrived = (state) => state.single && state.seen > 0;
const FOCUS_LEFT = { why: '焦点被移到框架里，没有输入完' };

/** Between two keys: nothing has taken the focus into a frame. */
function focusHeld() {
  return foreignFocus() || (keyGuard && keyGuard.stray) ? refuse('ACTION_FAILED', FOCUS_LEFT) : {};
}

/** Before a key that sets something off: the field that was typed into still has the focus. */
function focusIsOn(number) {
  const refused = recheck(number);
  if (refused) return refused;
  if (foreignFocus() || keyGuard?.stray) return refuse('ACTION_FAILED', FOCUS_LEFT);
  const { el } = kept.get(number);
  const active = deepActive(docOf(el));
  const on = active && (encloses(active, el) || encloses(el, active)) && hasKeys(el) && tagOf(active) !== 'body';
  return on ? {} : refuse('ACTION_FAILED', { why: '输入之后焦点移到了别的元素，没有按回车' });
}

/** Until `freeKeys`, keys that come to the documents around the frame element of this number are stopped. */
function holdKeys(number) {
  freeKeys();
  const el = byToken(number);
  if (!el) return refuse('DETACHED_TARGET', { why: '框架已从页面上移除' });
  const views = viewsAround(el);
  const state = { stray: false };
  const listen = (event) => {
    if (!event.isTrusted) return;
    state.stray = state.stray || event.type !== 'keypress'; // one may follow a key that has done its work
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  guardKeys(state, views, KEYED, listen);
  return {};
}

/** Take the guard away and say whether keys would have gone to another document, or (`lost`) a single one did. */
function freeKeys() {
  const state = keyGuard;
  keyGuard = null;
  if (!state) return { stray: false };
  state.release();
  const lost = state.single === true && state.seen === 0 && state.stopped === 0;
  return { stray: state.stray || (state.single === false && foreignFocus() !== null), lost };
}
