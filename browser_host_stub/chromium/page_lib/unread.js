// Texts that are there and that no eye can read: too small, without colour, of the colour of what they stand on, moved
// out of their own box, clipped away, in something closed. Asked only of elements that have text of their own.

const SMALLEST_READ = 4;
/** Pixels a first line is moved by pages that put pictures in the place of words. */
const MOVED_OUT = -500;
const CLIPPED = /^rect\(0px,? 0px,? 0px,? 0px\)$/;
const CLIPPED_PATH = /^(?:inset\((?:5\d|[6-9]\d|100)%|circle\(0(?:px|%)?(?: |\)))/;
const CLEAR = /^(?:transparent|rgba\(.*, 0(?:\.0\d*)?\))$/;

/** Whether an element, or one around it, hides everything in it, texts and all. */
function closed(item) {
  if (item.closed === null) item.closed = closesIn(item) || (Boolean(item.up) && closed(item.up));
  return item.closed;
}

function closesIn({ el, up, placed }) {
  const style = getComputedStyle(el);
  if (CLIPPED.test(style.clip) && /absolute|fixed/.test(placed)) return true;
  if (CLIPPED_PATH.test(style.clipPath)) return true;
  return Boolean(up) && tagOf(up.el) === 'details' && tagOf(el) !== 'summary' && attr(up.el, 'open') === null;
}

/** The colour an element's text stands on; '' where it cannot be told without painting the page. */
function groundOf(item) {
  if (item.ground === null) item.ground = groundIn(item);
  return item.ground;
}

function groundIn({ el, up, placed }) {
  const { backgroundColor, backgroundImage, float } = getComputedStyle(el);
  if (backgroundImage !== 'none') return '';
  if (/^rgb\(/.test(backgroundColor)) return backgroundColor;
  if (!CLEAR.test(backgroundColor) || placed !== 'static' || float !== 'none') return '';
  return up ? groundOf(up) : 'rgb(255, 255, 255)';
}

function isUnread(item) {
  const style = getComputedStyle(item.el);
  if (parseFloat(style.fontSize) < SMALLEST_READ || parseFloat(style.textIndent) <= MOVED_OUT) return true;
  const colour = style.webkitTextFillColor;
  if (CLEAR.test(colour)) return style.backgroundClip !== 'text' && style.textShadow === 'none';
  if (style.textShadow === 'none' && colour === groundOf(item)) return true;
  return closed(item);
}

/** Whether no eye can read the text right inside an element. */
function unread(item) {
  if (item.unread === null) item.unread = isUnread(item);
  return item.unread;
}
