// Keys meant for a frame of another origin: a page that takes the focus must not get them.

const KEYED = ['keydown', 'keypress', 'beforeinput'];
let keyGuard = null;

/** Until `freeKeys`, keys that come to the documents around the frame element of this number are stopped. */
function holdKeys(number) {
  freeKeys();
  const el = byToken(number);
  if (!el) return refuse('DETACHED_TARGET', { why: '框架已从页面上移除' });
  const views = new Set([window]);
  for (let frame = el; frame; frame = frameOf(frame)) views.add(viewOf(frame));
  const state = { stray: false };
  const listen = (event) => {
    if (!event.isTrusted) return;
    state.stray = state.stray || event.type !== 'keypress'; // one may follow a key that has done its work
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  views.forEach((view) => KEYED.forEach((type) => view.addEventListener(type, listen, true)));
  state.release = () => views.forEach((view) => KEYED.forEach((type) => view.removeEventListener(type, listen, true)));
  keyGuard = state;
  return {};
}

/** Take the guard away and say whether a key came here instead of into the frame. */
function freeKeys() {
  const state = keyGuard;
  keyGuard = null;
  if (!state) return { stray: false };
  state.release();
  return { stray: state.stray };
}
