// Numbers of a snapshot: which element each stood for, and whether it still is that one.

const MAX_REMEMBERED = 20000;
const MAX_ROW = 300;
const SEARCH_MS = 200;
/** What these show is a value: it changes, and they stay the same. */
const SHOWS_VALUE = new Set(['combobox', 'textbox', 'searchbox', 'listbox', 'spinbutton', 'slider']);
const LASTING = ['id', 'name', 'type', 'href', 'for', 'placeholder', 'alt'];
const PASSING = /^data-(?:v-|state|focus|hover|active|selected|checked|open|expanded|highlighted|popper|side|align|placement)/;
const COUNTED = /\d{4,}|[0-9a-f]{8}|^(?:el-id|rc|radix|headlessui|:r)/;

/** Number → {ref, tag, role, name, own, full}; `own` is absent for what no snapshot listed. The oldest goes first. */
const remembered = new Map();

/** 53 bits of a text: two different ones meet in one by accident only. */
function hashOf(text) {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}

function enter(number, entry) {
  remembered.delete(number);
  remembered.set(number, entry);
  if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value);
  return number;
}

/** Number by which the host names an element in its next calls. */
function namedAs(el) {
  const number = tokenOf(el);
  return remembered.has(number) ? number : enter(number, { ref: new WeakRef(el) });
}

/** The element of a number while it is on the page, else null. */
function byToken(number) {
  const entry = remembered.get(number);
  const el = entry ? entry.ref.deref() : undefined;
  return el && alive(el) ? el : null;
}

function lastingOf(el) {
  const names = namesOf(el).filter((name) => LASTING.includes(name) || (name.startsWith('data-') && !PASSING.test(name)));
  return names.sort().map((name) => [name, attr(el, name)]).filter(([name, value]) => name !== 'id' || !COUNTED.test(value));
}

/** What elements are told apart by, with the texts and paths of what they stand in kept for one round. */
class Telling {
  constructor() {
    this.texts = new Map();
    this.paths = new Map();
  }

  text(place) {
    if (!place) return '';
    if (!this.texts.has(place)) this.texts.set(place, squeeze(textContentOf(place)));
    return this.texts.get(place);
  }

  /** Places among the children from the page's root down, through shadow roots and frames. */
  path(node) {
    if (!this.paths.has(node)) this.place(node);
    return this.paths.get(node);
  }

  place(node) {
    const parent = parentOf(node);
    if (!parent) {
      const around = nodeTypeOf(node) === Node.DOCUMENT_NODE ? defaultViewOf(node) && frameAround(node) : node.host;
      this.paths.set(node, around ? `${this.path(around)}/` : '');
      return;
    }
    const before = this.path(parent);
    const children = nodeTypeOf(parent) === Node.DOCUMENT_NODE ? [node] : childrenOf(parent);
    [...children].forEach((child, index) => this.paths.set(child, `${before}.${index}`));
  }

  /** The element itself and its row: an element that is reused for another row is another one. */
  own(el, role) {
    const row = this.text(rowOf(el));
    const name = SHOWS_VALUE.has(role) || SHOWS_VALUE.has(roleOf(el)) ? '' : nameOf(el);
    return hashOf(JSON.stringify([tagOf(el), roleOf(el), name, lastingOf(el), row.length <= MAX_ROW ? row : '']));
  }

  /** With where it stands: what is drawn again looks the same and stands in the same place. */
  full(el, own) {
    return hashOf(JSON.stringify([own, this.text(layerOf(el)).slice(0, MAX_ROW), this.path(el)]));
  }
}

const frameAround = (doc) => (doc === document ? null : defaultViewOf(doc).frameElement);

/** What one snapshot lists: `add` gives each element its number and remembers which one it is. */
class Memory {
  constructor() {
    this.telling = new Telling();
  }

  add(el, role, name) {
    const own = this.telling.own(el, role);
    const full = this.telling.full(el, own);
    return enter(tokenOf(el), { ref: new WeakRef(el), tag: tagOf(el), role, name: cut(name, 60), own, full });
  }
}

/** The document and every open shadow root and frame of the same origin in it. */
function everyRoot(until) {
  const roots = [document];
  for (let at = 0; at < roots.length && performance.now() < until; at += 1) {
    for (const el of queryAll(roots[at], '*')) {
      const inner = shadowOf(el) || innerDocument(el);
      if (inner) roots.push(inner);
    }
  }
  return roots;
}

/** Elements that are all that a remembered one was; null when time was too short to be sure. */
function alike(entry) {
  const until = performance.now() + SEARCH_MS;
  const telling = new Telling();
  const found = [];
  for (const root of everyRoot(until)) {
    for (const el of queryAll(root, CSS.escape(entry.tag))) {
      if (performance.now() > until) return null;
      const own = telling.own(el, entry.role);
      if (own === entry.own && telling.full(el, own) === entry.full) found.push(el);
    }
  }
  return performance.now() > until ? null : found;
}

const briefly = (el) => ({ role: roleOf(el), name: cut(nameOf(el), 60) });

/** The element a ref names, or why it is not certain which one that is. */
function byRef(number) {
  const entry = remembered.get(number);
  if (!entry || entry.own === undefined) return refuse('STALE_REF', { why: '本页的快照里没有这个编号' });
  const was = { role: entry.role, name: entry.name };
  const el = entry.ref.deref();
  if (el && alive(el)) {
    if (new Telling().own(el, entry.role) === entry.own) return { el };
    return refuse('STALE_REF', { why: '这个编号的元素或它所在的行在快照之后变了', was, now: briefly(el) });
  }
  const found = alike(entry);
  if (found && found.length === 1) {
    entry.ref = new WeakRef(found[0]);
    return { el: found[0] };
  }
  if (found && found.length === 0) return refuse('DETACHED_TARGET', { why: '快照里的元素已从页面上移除', was });
  return refuse('STALE_REF', { why: '快照里的元素已移除，像它的不止一个', was, count: found ? found.length : null });
}
