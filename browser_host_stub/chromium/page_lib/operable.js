// What a person can operate, decided from the leaves up over what survey.js has noted: a container is judged by what it
// holds.

const WIDGETS = new Set(['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio',
  'option', 'combobox', 'textbox', 'searchbox', 'slider', 'spinbutton', 'treeitem']);
/** Where a script listens once for many: the parts are what a person operates. */
const HOLDERS = new Set(['ul', 'ol', 'dl', 'table', 'tbody', 'thead', 'tfoot', 'nav', 'main', 'section', 'article', 'form', 'body',
  'html', 'colgroup', 'fieldset', 'iframe', 'frame', 'frameset']);
const SKIPPED = new Set(['head', 'script', 'style', 'template', 'noscript', 'link', 'meta', 'title', 'option', 'optgroup',
  'datalist', 'col', 'colgroup', 'source', 'track', 'param']);
const NOT_FOCUSED = new Set(['tabpanel', 'dialog', 'alertdialog', 'document', 'application', 'region', 'main', 'grid', 'table', 'tree',
  'listbox', 'menu', 'menubar', 'tablist', 'toolbar', 'radiogroup', 'group', 'list', 'presentation', 'none', 'tooltip', 'status', 'alert',
  'log', 'feed', 'figure', 'img', 'row', 'rowgroup', 'treegrid']);
const HANDLES = /resiz|scroll-?bar|scroll-?thumb|__thumb\b|splitter|splitbar|gutter|drag-?handle/i;
/** Locked parts of a table are clipped and moved with the part that scrolls. */
const LOCKED = /fixed|frozen|locked/i;
const OWN = { press: 1, wheel: 2, twice: 4 };
const MAX_DEPTH = 400;
const MAX_HIDDEN = 3;

const area = (box) => Math.max(0, box.right - box.left) * Math.max(0, box.bottom - box.top);
const meet = (a, b) => ({
  left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom),
});
const inside = (box, x, y) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
const isField = (el) => isTextInput(el) || tagOf(el) === 'select' || isEditingHost(el);
const isEditingHost = (el) => ['', 'true', 'plaintext-only'].includes(attr(el, 'contenteditable'));
const isNative = (el) => ['input', 'select', 'textarea', 'button'].includes(tagOf(el)) && el.type !== 'hidden';
const classOf = (el) => attr(el, 'class') || '';

/** The strongest thing the page itself says about an element. */
function kindOf(item, el) {
  const tag = tagOf(el);
  const role = squeeze(attr(el, 'role')).split(' ')[0] || toldBy(el, 'role');
  if (tag === 'input' || tag === 'select' || tag === 'textarea' || tag === 'button' || tag === 'summary') return 'native';
  if (isEditingHost(el)) return 'native';
  if ((tag === 'a' || tag === 'area') && (attr(el, 'href') !== null || item.own & OWN.press)) return 'native';
  if ((tag === 'video' || tag === 'audio') && attr(el, 'controls') !== null) return 'native';
  if (WIDGETS.has(role)) return 'role';
  if (tag === 'label') return 'label';
  return '';
}

/** A listener, the hand or a place in the order of the Tab key: weaker, judged by what is around. */
function weakKindOf(item, el) {
  const role = squeeze(attr(el, 'role')).split(' ')[0];
  const hand = item.cursor === 'pointer' && !(item.up && item.up.cursor === 'pointer');
  if (item.own & (OWN.press | OWN.twice) && !HOLDERS.has(tagOf(el))) {
    if (item.cursor === 'pointer') return 'both';
    if (LIBRARY_ROW.test(classOf(el))) return '';
    return tagOf(el) === 'label' || (CELLS.has(tagOf(el)) && listensLikeAll(el, item.survey)) ? '' : 'listens';
  }
  if (hand) return 'hand';
  const tab = attr(el, 'tabindex');
  if (tab !== null && Number(tab) >= 0 && !NOT_FOCUSED.has(role) && !HOLDERS.has(tagOf(el))) return 'focus';
  return item.repeated ? 'hand' : '';
}

const CELLS = new Set(['td', 'th']);
/** Rows of libraries that listen for the page's sake, whether it wants to know or not; one that may be clicked shows the hand. */
const LIBRARY_ROW = /\b(?:el-table__row|ant-table-row|vxe-body--row)\b/;
const FIELDLIKE = new Set(['combobox', 'spinbutton', 'searchbox', 'textbox']);

const isWritten = (el) => CELLS.has(tagOf(el)) && (/edit/i.test(classOf(el)) || attr(el, 'data-edit') !== null);
const inRows = (el) => tagOf(el) === 'tr' || CELLS.has(tagOf(el));

/** Tables that listen on every cell mean the row; a cell to write in says so. */
function listensLikeAll(el, survey) {
  if (tagOf(el) === 'th') return true;
  if (isWritten(el)) return false;
  const cells = [...parentOf(el).cells];
  return cells.length > 1 && cells.every((cell) => (survey.own.get(cell) || 0) & (OWN.press | OWN.twice));
}

/** The parts of a region that shows the hand as a whole: rows of a table, items of a list, equal parts of a box. */
function partsOfHand(item, survey) {
  const kids = childElements(item.el).map((child) => survey.of.get(child)).filter((kid) => kid && kid.seen);
  if (HOLDERS.has(tagOf(item.el))) return kids;
  if (kids.length < 2 || item.own || tagOf(item.el) === 'tr') return [];
  const [first] = kids;
  const alike = classOf(first.el) !== '' && kids.every((kid) => tagOf(kid.el) === tagOf(first.el) && classOf(kid.el).split(' ')[0] === classOf(first.el).split(' ')[0]);
  return alike && kids.every((kid) => squeeze(textContentOf(kid.el)) !== '') ? kids : [];
}

function spreadHands(survey) {
  for (const item of survey.items) {
    const region = item.repeated || (item.cursor === 'pointer' && !(item.up && item.up.cursor === 'pointer'));
    if (!region || !item.seen || kindOf(item, item.el)) continue;
    const parts = partsOfHand(item, survey);
    if (parts.length) item.spread = true;
    parts.forEach((part) => (part.repeated = true));
  }
}

const FACTS_OF_KIND = {
  native: (item) => nativeOperable(item),
  role: (item) => roleOperable(item),
  label: (item) => adopts(item),
  both: (item) => adopts(item) || (item.below === 0 ? hasContent(item) : (item.bare || isTrack(item)) && !wrapsField(item) && !tooLarge(item, 0.5)),
  listens: (item) => adopts(item) || (item.below === 0 ? hasContent(item) && !tooLarge(item, 0.5) : tagOf(item.el) === 'tr' && item.bare || isWritten(item.el)),
  hand: (item) => adopts(item) || (!item.spread && !partOfControl(item) && !partOfField(item) && (item.below === 0 ? hasContent(item) : item.bare && !wrapsField(item))),
  focus: (item) => adopts(item) || (item.below === 0 && !item.scrolls && hasContent(item) && !tooLarge(item, 0.5)),
};

/** A bar with a knob: a press anywhere on it counts. */
const isTrack = (item) => item.below <= 2 && item.only !== null && item.only.size < 0.3 * item.size && item.box.bottom - item.box.top <= 40;

function nativeOperable(item) {
  if (item.el.type === 'hidden') return false;
  return !(tagOf(item.el) === 'a' && item.below > 0 && !item.bare && attr(item.el, 'href') === null);
}

/** A role around one control that fills it is that control's: a menu item around its link, a combobox around its field. */
function roleOperable(item) {
  const only = item.below === 1 ? item.only : null;
  const same = only && only.size > 0.4 * item.size;
  if (only && isField(only.el) ? FIELDLIKE.has(attr(item.el, 'role')) : same && !item.bare && (only.kind || !(item.own & OWN.press))) {
    only.outer = only.outer || item;
    return false;
  }
  adopts(item);
  return true;
}

/** Takes over the one hidden native control below that nothing else stands for. */
function adopts(item) {
  const { el } = item;
  if (tagOf(el) === 'label') return adoptsByLabel(item);
  if (inRows(el)) return false;
  const free = item.hidden.filter((native) => !item.survey.taken.has(native) && encloses(el, native));
  if (free.length !== 1 || (item.field && item.field.op)) return false;
  return take(item, free[0]);
}

function adoptsByLabel(item) {
  const { control } = item.el;
  if (!control) return item.own !== 0 && item.below === 0;
  const seen = item.survey.of.get(control);
  if (seen && seen.seen) return false;
  if (item.survey.taken.has(control)) return false;
  return ['checkbox', 'radio', 'file'].includes(control.type) || encloses(item.el, control) ? take(item, control) : false;
}

function take(item, native) {
  item.survey.taken.add(native);
  item.native = native;
  return true;
}

/** The visible neighbour of a native control that a script has hidden, as layui draws them. */
function standsBeside(item) {
  const before = item.el.previousElementSibling;
  if (!before || !isNative(before) || item.survey.taken.has(before)) return null;
  const seen = item.survey.of.get(before);
  return seen && seen.seen ? null : before;
}

const tooLarge = (item, share) => item.size > share * window.innerWidth * window.innerHeight && tagOf(item.el) !== 'tr';

/** The hand over a part of a button is that button. */
function partOfControl(item) {
  for (let node = item.up; node; node = node.up) {
    if (node.kind === 'native' && node.seen && !isEditingHost(node.el)) return true;
    if (node.kind === 'role' && node.seen) return true;
    if (node.kind === 'label') return node.el.control !== null;
  }
  return false;
}

/** An arrow or calendar in the box of a field opens what the field opens. */
function partOfField(item) {
  if (item.bare || item.size > 2500) return false;
  for (let node = item.up, level = 0; node && level < 4; node = node.up, level += 1) {
    if (node.field) return node.box.bottom - node.box.top <= 64 && inside(node.box, item.box.left, item.box.top);
  }
  return false;
}

const WHOLES = new Set(['slider', 'switch', 'checkbox', 'radio', 'button', 'link', 'combobox', 'option']);

/** A bare knob or arrow of a control that is listed as a whole. */
function partOfWhole(item) {
  if (item.kind || item.native) return false;
  for (let node = item.up, level = 0; node && level < 5; node = node.up, level += 1) {
    if (!node.op) continue;
    if (item.bare && attr(node.el, 'role') !== 'button') return false;
    const opens = OPENS.test(classOf(item.el));
    if (node.native || attr(node.el, 'role') === 'combobox') return opens || node.below === 1 && node.native !== null && isTicked(node.native);
    const role = squeeze(attr(node.el, 'role'));
    return role === 'button' || (node.below === 1 && WHOLES.has(role));
  }
  return false;
}

/** A box drawn around one field is that field. */
function wrapsField(item) {
  return item.below === 1 && item.field !== null && item.field.op && item.box.bottom - item.box.top <= 64;
}

/** Something to see: text, a picture, or a small place that a background fills. */
function hasContent(item) {
  if (item.size === 0) return false;
  if (item.bare) return true;
  const { el } = item;
  if (within(el, 'img, svg, i, canvas, video').length || ['img', 'svg', 'i', 'canvas', 'path', 'g', 'rect', 'circle'].includes(tagOf(el))) return !tooLarge(item, 0.5);
  return item.size <= 10000;
}

const isHandle = (item) => /resize$/.test(item.cursor) || HANDLES.test(classOf(item.el)) ||
  (['move', 'grab', 'grabbing', 'all-scroll'].includes(item.cursor) && !(item.own & OWN.twice));

function decide(item) {
  const { el } = item;
  if (!item.seen || item.inert || HOLDERS.has(tagOf(el)) && !item.repeated) return false;
  const strong = item.kind;
  const kind = strong === 'label' && !el.control ? weakKindOf(item, el) : strong || weakKindOf(item, el);
  const yes = Boolean(kind) && !(strong === '' && (isHandle(item) || (OPENS.test(classOf(el)) && partOfField(item)) || (LISTENING.has(kind) && insideButton(item)))) && FACTS_OF_KIND[kind](item);
  if (strong !== 'native' && (yes || item.field)) carryState(item, yes);
  return yes;
}

const OPENS = /edge|caret|arrow|trigger|-down|dropdown|calendar|picker|input__(?:icon|prefix|suffix)|date|clock/i;
const LISTENING = new Set(['both', 'listens']);

/** A box after its hidden native control: the box itself, or the one field in it, carries the state. */
function carryState(item, yes) {
  const native = standsBeside(item);
  const holder = yes ? item : item.field && item.field.op ? item.field : null;
  if (!native || !holder || holder.native) return;
  take(holder, native);
}

const insideButton = (item) => {
  for (let node = item.up, level = 0; node && level < 4; node = node.up, level += 1) {
    if (node.kind === 'native' && ['button', 'summary'].includes(tagOf(node.el))) return !(item.own & OWN.press) || item.size > 0.6 * node.size;
  }
  return false;
};

/** Decide about every element of a survey, from the leaves up. */
function decideAll(survey) {
  survey.taken = new Set();
  spreadHands(survey);
  for (const item of survey.items) {
    item.survey = survey;
    item.kind = kindOf(item, item.el);
  }
  for (let i = survey.items.length - 1; i >= 0; i -= 1) {
    const item = survey.items[i];
    item.bare = item.bare || (item.seen && item.words);
    item.op = decide(item);
    if (!item.up) continue;
    item.up.below += item.op ? 1 + item.below : item.below;
    item.up.only = item.op ? item : item.only || item.up.only;
    item.up.bare = item.up.bare || (item.bare && !item.op);
  }
  for (const item of survey.items) if (item.op && partOfWhole(item)) item.op = false;
}
