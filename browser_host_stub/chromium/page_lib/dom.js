// Reading the DOM without tripping over the page: a form field named "id", "action" or "children" shadows the form's
// own property in every world, so accessors are taken from the prototypes. Frames are other realms: no instanceof here.

const getter = (proto, name) => {
  const get = Object.getOwnPropertyDescriptor(proto, name).get;
  return (node) => Reflect.apply(get, node, []);
};
const method = (proto, name) => {
  const fn = proto[name];
  return (node, ...args) => Reflect.apply(fn, node, args);
};

const attr = method(Element.prototype, 'getAttribute');
const closest = method(Element.prototype, 'closest');
const matches = method(Element.prototype, 'matches');
const rectOf = method(Element.prototype, 'getBoundingClientRect');
const rectsOf = method(Element.prototype, 'getClientRects');
const within = method(Element.prototype, 'querySelectorAll');
const contains = method(Node.prototype, 'contains');
const isRendered = method(Element.prototype, 'checkVisibility');
const elementChildren = getter(Element.prototype, 'children');
const fragmentChildren = getter(DocumentFragment.prototype, 'children');
const childrenOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? elementChildren(node) : fragmentChildren(node));
const openRootOf = getter(Element.prototype, 'shadowRoot');
const openSlotOf = getter(Element.prototype, 'assignedSlot');
const hostOf = getter(ShadowRoot.prototype, 'host');
const parentOf = getter(Node.prototype, 'parentNode');
const rootOf = method(Node.prototype, 'getRootNode');
const nodeTypeOf = getter(Node.prototype, 'nodeType');
const docOf = getter(Node.prototype, 'ownerDocument');
const defaultViewOf = getter(Document.prototype, 'defaultView');
const viewOf = (el) => defaultViewOf(docOf(el));
const addressOf = getter(Document.prototype, 'URL');
const hasFocus = method(Document.prototype, 'hasFocus');
const documentHit = method(Document.prototype, 'elementFromPoint');
const shadowHit = method(ShadowRoot.prototype, 'elementFromPoint');
const shadowHits = method(ShadowRoot.prototype, 'elementsFromPoint');
const connected = getter(Node.prototype, 'isConnected');
const namesOf = method(Element.prototype, 'getAttributeNames');
const textContentOf = getter(Node.prototype, 'textContent');
const innerTextOf = getter(HTMLElement.prototype, 'innerText');
const titleOfPage = getter(Document.prototype, 'title');
const formActionOf = getter(HTMLFormElement.prototype, 'action');
const formElementsOf = getter(HTMLFormElement.prototype, 'elements');
const namespaceOf = getter(Element.prototype, 'namespaceURI');
const outerHtmlOf = getter(Element.prototype, 'outerHTML');
const scrollIntoView = method(Element.prototype, 'scrollIntoView');
const htmlFocus = method(HTMLElement.prototype, 'focus');
const svgFocus = method(SVGElement.prototype, 'focus');

const MAX_LABEL = 200;
/** Of all texts of a control: what is decided on must not be pushed out by a long first one. */
const MAX_TEXTS = 8000;
const MAX_VALUE = 80;
const MAX_TITLE = 500;
const TEXT_TYPES = new Set([
  'text', 'search', 'url', 'tel', 'email', 'password', 'number', 'date', 'month', 'week', 'time', 'datetime-local',
]);
const BUTTON_TYPES = new Set(['submit', 'button', 'reset', 'image']);

const tagOf = getter(Element.prototype, 'localName');
const typeOf = (el) => (tagOf(el) === 'input' || tagOf(el) === 'button' ? el.type : null);
const isTextInput = (el) => tagOf(el) === 'textarea' || (tagOf(el) === 'input' && TEXT_TYPES.has(el.type));
const isEditable = (el) => isTextInput(el) || el.isContentEditable === true;
const hasValue = (el) => isTextInput(el) || tagOf(el) === 'select';

const squeeze = (text) => (text || '').replace(/[\s\u00a0]+/g, ' ').trim();
/** A long text by its beginning and its end: the word that counts often stands last. */
const bothEnds = (text, length) =>
  text.length > length ? text.slice(0, length / 2) + '…' + text.slice(1 - length / 2) : text;
const cut = (text, length) => (text.length > length ? text.slice(0, length - 1) + '…' : text);
/** Title of the page at a bounded length: it goes with every answer. */
const titleNow = () => cut(titleOfPage(document), MAX_TITLE);

/** Texts read while a page is looked at as a whole: nothing changes meanwhile, and each costs the browser a walk. */
let textsRead = null;

/** What `look` answers; texts it asks for again and again are read once. */
function readingOnce(look) {
  textsRead = new Map();
  try {
    return look();
  } finally {
    textsRead = null;
  }
}

const isHtml = (el) => namespaceOf(el) === 'http://www.w3.org/1999/xhtml';

/** Of a form these two are fields of it that are called so. */
const formOf = (el) => (tagOf(el) === 'form' ? null : el.form);
const labelsOf = (el) => (tagOf(el) === 'form' ? null : el.labels);

function focusOn(el) {
  if (isHtml(el)) htmlFocus(el);
  else if (namespaceOf(el) === 'http://www.w3.org/2000/svg') svgFocus(el);
}

/** Visible text; SVG elements have no innerText. */
function textOf(el) {
  if (textsRead === null) return isHtml(el) ? innerTextOf(el) : textContentOf(el) || '';
  if (!textsRead.has(el)) textsRead.set(el, isHtml(el) && firstChildOf(el) !== null ? innerTextOf(el) : textContentOf(el) || '');
  return textsRead.get(el);
}

/** Host → closed shadow root, as far as the browser has handed one over: scripts find none by themselves. */
const closedRoots = new WeakMap();
let anyClosed = false;

/** Look into this closed root from now on; one of another origin is none of ours. */
function enterClosed(root) {
  const host = hostOf(root);
  if (viewOf(host) && viewOf(host).origin === window.origin) {
    closedRoots.set(host, root);
    anyClosed = true;
  }
  return {};
}

const shadowOf = (el) => openRootOf(el) || (anyClosed ? closedRoots.get(el) || null : null);

/** The slot a node is shown in; a closed root tells it to nobody outside. */
function slotOf(el) {
  const open = openSlotOf(el);
  const root = anyClosed && !open ? closedRoots.get(parentOf(el)) : null;
  if (!root) return open;
  const name = attr(el, 'slot') || '';
  return [...rootSlots(root)].find((slot) => (attr(slot, 'name') || '') === name) || null;
}

const rootSlots = (root) => Reflect.apply(DocumentFragment.prototype.querySelectorAll, root, ['slot']);

/** Parent in the flat tree: through slots and shadow roots, up to the document element. */
function flatParent(el) {
  const slot = slotOf(el);
  if (slot) return slot;
  const parent = parentOf(el);
  if (!parent) return null;
  if (parent.nodeType === Node.DOCUMENT_FRAGMENT_NODE) return parent.host || null;
  return parent.nodeType === Node.ELEMENT_NODE ? parent : null;
}

/** Whether `outer` is `el` or an ancestor of it in the flat tree. */
function encloses(outer, el) {
  for (let node = el; node; node = flatParent(node)) if (node === outer) return true;
  return false;
}

function frameOf(el) {
  const view = viewOf(el);
  return view && view !== window ? view.frameElement : null;
}

function alive(el) {
  for (let node = el; node; node = frameOf(node)) if (!connected(node) || viewOf(node) === null) return false;
  return true;
}

/** Whether a frame still shows the blank page it was made with while its own is on the way. */
function isBlankYet(el, inner) {
  const wanted = attr(el, 'src');
  return addressOf(inner) === 'about:blank' && Boolean(wanted) && attr(el, 'srcdoc') === null && !/^\s*(about|javascript):/i.test(wanted);
}

/** The document inside a frame of the same origin, else null: `document.domain` lets pages of other origins in here. */
function innerDocument(el) {
  if (tagOf(el) !== 'iframe' && tagOf(el) !== 'frame') return null;
  const inner = el.contentDocument;
  const view = inner && defaultViewOf(inner);
  return view && view.origin === window.origin && !isBlankYet(el, inner) ? inner : null;
}

/** Rendered, in every frame around it; size does not matter. */
function shown(el) {
  for (let node = el; node; node = frameOf(node)) {
    if (!isRendered(node, { visibilityProperty: true, contentVisibilityAuto: true })) return false;
  }
  return true;
}

function hasBox(el) {
  return [...rectsOf(el)].some((rect) => rect.width > 0 && rect.height > 0);
}

const visible = (el) => shown(el) && hasBox(el);

/** Where the document inside a frame begins in the document around it, and how much larger it is shown there. */
function insideOf(frame) {
  const rect = rectOf(frame);
  const style = getComputedStyle(frame);
  const across = frame.offsetWidth ? rect.width / frame.offsetWidth : 1;
  const down = frame.offsetHeight ? rect.height / frame.offsetHeight : 1;
  const x = rect.left + (frame.clientLeft + parseFloat(style.paddingLeft)) * across;
  const y = rect.top + (frame.clientTop + parseFloat(style.paddingTop)) * down;
  return { x, y, across, down };
}

/** A point of the document inside a frame as one of the document around it, and back. */
function outward(frame, point) {
  const inside = insideOf(frame);
  return { x: inside.x + point.x * inside.across, y: inside.y + point.y * inside.down };
}
function inward(frame, point) {
  const inside = insideOf(frame);
  return { x: (point.x - inside.x) / inside.across, y: (point.y - inside.y) / inside.down };
}

/** Where the element's document begins in the viewport of the library's document. */
function offsetOf(el) {
  let point = { x: 0, y: 0 };
  for (let frame = frameOf(el); frame; frame = frameOf(frame)) point = outward(frame, point);
  return point;
}

/** [x, y, width, height] in the viewport of the library's document, whole numbers. */
function boundsOf(el) {
  const rect = rectOf(el);
  let from = { x: rect.left, y: rect.top };
  let to = { x: rect.right, y: rect.bottom };
  for (let frame = frameOf(el); frame; frame = frameOf(frame)) {
    from = outward(frame, from);
    to = outward(frame, to);
  }
  return [from.x, from.y, to.x - from.x, to.y - from.y].map(Math.round);
}

function disabledBecause(el) {
  if (matches(el, ':disabled')) return '已被禁用';
  const marked = closest(el, '[aria-disabled="true"]');
  return marked || toldBy(el, 'disabled') ? '标记为禁用' : null;
}

const readOnly = (el) => isTextInput(el) && (el.readOnly || attr(el, 'aria-readonly') === 'true');
const nodesOf = getter(Node.prototype, 'childNodes');
const firstChildOf = getter(Node.prototype, 'firstChild');
const nextSiblingOf = getter(Node.prototype, 'nextSibling');
const previousSiblingOf = getter(Node.prototype, 'previousSibling');
const attributeNames = method(Element.prototype, 'getAttributeNames');
