// Numbers of a snapshot: which element each stood for, and whether it still is that one.

const MAX_REMEMBERED = 20000;
const SEARCH_MS = 200;
/** What these show is a value: it changes, and they stay the same. */
const SHOWS_VALUE = new Set(['combobox', 'textbox', 'searchbox', 'listbox', 'spinbutton', 'slider']);
const LASTING = ['id', 'name', 'type', 'href', 'for', 'placeholder', 'alt', 'lay-event', 'onclick'];
/** Their value is what they stand for, not what somebody filled in. */
const VALUED = new Set(['checkbox', 'radio', 'button', 'submit', 'reset']);
const PASSING = /^data-(?:v-|state|focus|hover|active|selected|checked|open|expanded|highlighted|popper|side|align|placement)/;
const COUNTED = /\d{4,}|[0-9a-f]{8}|^(?:el-id|rc|radix|headlessui|:r)/;

/** Number → {ref, tag, role, name, own, full, route, block, since, round}; `own` is absent for what no snapshot listed.
 * `since` and `round` are the first and the last snapshot that listed it. The oldest goes first. */
const remembered = new Map();
let rounds = 0;

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
  const lasts = (name) => LASTING.includes(name) || (name === 'value' && VALUED.has(typeOf(el)));
  const names = namesOf(el).filter((name) => lasts(name) || (name.startsWith('data-') && !PASSING.test(name)));
  return names.sort().map((name) => [name, attr(el, name)]).filter(([name, value]) => name !== 'id' || !COUNTED.test(value));
}

/** Where a page of one document is: path and question, and the part behind # where that is a path. */
function routeNow() {
  const [path, inner] = addressOf(document).split('#');
  return /^[!/]/.test(inner || '') ? `${path}#${inner}` : path;
}

/** What elements are told apart by, with the texts and paths of what they stand in kept for one round. */
class Telling {
  constructor() {
    this.kept = new Map();
    this.hashed = new Map();
    this.paths = new Map();
    this.stands = new Map();
    this.route = routeNow();
  }

  /** What `ask` says of a place, asked once. */
  once(ask, place) {
    if (!this.kept.has(ask)) this.kept.set(ask, new Map());
    const known = this.kept.get(ask);
    if (!known.has(place)) known.set(place, ask(place));
    return known.get(place);
  }

  hash(read, place) {
    if (!this.hashed.has(read)) this.hashed.set(read, (from) => hashOf(read(from)));
    return this.once(this.hashed.get(read), place);
  }

  tells(place) {
    return place !== null && this.once(tellsAlone, place);
  }

  /** The nearest place around that `accepts`, else null; climbed to once for all that stand in it. */
  upTo(accepts, el) {
    if (!this.kept.has(accepts)) this.kept.set(accepts, new Map());
    const known = this.kept.get(accepts);
    const passed = [];
    let node = flatParent(el);
    for (; node && !isRoot(node) && !known.has(node); node = flatParent(node)) {
      passed.push(node);
      if (accepts(node, null)) break;
    }
    const found = node && !isRoot(node) ? (known.has(node) ? known.get(node) : node) : null;
    passed.forEach((place) => known.set(place, found));
    return found;
  }

  /** {row, layer, record, block}: where an element stands; a block only where nothing else tells. */
  around(el) {
    if (!this.stands.has(el)) this.stands.set(el, this.placed(el));
    return this.stands.get(el);
  }

  placed(el) {
    const row = rowOf(el);
    const layer = layerOf(el);
    if (this.tells(row) || this.tells(layer)) return { row, layer, record: null, block: null };
    const near = this.upTo(isRecord, el);
    const record = near ? this.once(wholeRecord, near) : null;
    return { row, layer, record, block: record ? null : this.upTo(isBlock, el) || pageOf(el) };
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

  /** The element itself and its row, layer and record: an element that is reused for another one is another one. */
  own(el, role) {
    const { row, layer, record, block } = this.around(el);
    const name = SHOWS_VALUE.has(role) || SHOWS_VALUE.has(roleOf(el)) ? '' : nameOf(el);
    const places = [
      row ? this.hash(rowTextOf, row) : '', layer ? this.hash(layerTextOf, layer) : '',
      record ? this.hash(recordTextOf, record) : '', block ? this.hash(headingsOf, block) : '',
    ];
    return hashOf(JSON.stringify([tagOf(el), roleOf(el), name, lastingOf(el), places]));
  }

  /** With where it stands: what is drawn again looks the same and stands in the same place. */
  full(el, own) {
    const { row, record } = this.around(el);
    return hashOf(JSON.stringify([own, this.path(el), this.twins(row || record || el)]));
  }

  /** How many stand beside a place where one next to it says the same: the next one moves up when one is taken away. */
  twins(place) {
    const beside = [previousElementOf(place), nextElementOf(place)].filter((other) => other && tagOf(other) === tagOf(place));
    const text = this.hash(textContentOf, place);
    return beside.some((other) => this.hash(textContentOf, other) === text) ? childrenOf(parentOf(place)).length : 0;
  }

  /** The text of the block around what nothing else tells, else null. */
  blockHash(el) {
    const { block } = this.around(el);
    return block ? this.hash(blockText, block) : null;
  }
}

const tellsAlone = (place) => tellsRecord(place, null);
const recordTextOf = (record) => `${termOf(record)} ${lastingText(record)}`;
const headingsOf = (block) => headingsIn(block).slice(0, MAX_HEADINGS).map(headingText).join(' / ');

const frameAround = (doc) => (doc === document ? null : defaultViewOf(doc).frameElement);

/** What one snapshot lists: `add` gives each element its number and remembers which one it is. */
class Memory {
  constructor() {
    this.telling = new Telling();
    rounds += 1;
    this.round = rounds;
  }

  add(el, role, name) {
    const own = this.telling.own(el, role);
    const full = this.telling.full(el, own);
    const number = tokenOf(el);
    const { since = this.round } = remembered.get(number) || {};
    const seen = { route: this.telling.route, block: this.telling.blockHash(el), since, round: this.round };
    return enter(number, { ref: new WeakRef(el), tag: tagOf(el), role, name: cut(name, 60), own, full, ...seen });
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

/** Whether an element had a number of its own when the entry's was given: it is another one. */
function wasListed(el, entry) {
  const other = tokens.has(el) ? remembered.get(tokens.get(el)) : undefined;
  return other !== undefined && other.since <= entry.round;
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
      if (own === entry.own && telling.full(el, own) === entry.full && !wasListed(el, entry)) found.push(el);
    }
  }
  return performance.now() > until ? null : found;
}

const briefly = (el) => ({ role: roleOf(el), name: cut(nameOf(el), 60) });

/** Why an element that looks the same may be one of another record, else null. */
function movedOn(el, entry, telling) {
  if (entry.block === null || entry.route === telling.route || entry.block === telling.blockHash(el)) return null;
  return refuse('STALE_REF', { why: '页面在快照之后换了地址，元素周围的内容也变了', was: { role: entry.role, name: entry.name }, now: briefly(el) });
}

/** The element a ref names, or why it is not certain which one that is. */
function byRef(number) {
  const entry = remembered.get(number);
  if (!entry || entry.own === undefined) return refuse('STALE_REF', { why: '本页的快照里没有这个编号' });
  const was = { role: entry.role, name: entry.name };
  const el = entry.ref.deref();
  if (el && alive(el)) {
    const telling = new Telling();
    if (telling.own(el, entry.role) === entry.own) return movedOn(el, entry, telling) || { el };
    return refuse('STALE_REF', { why: '这个编号的元素或它所在的行、卡片、弹窗在快照之后变了', was, now: briefly(el) });
  }
  const found = alike(entry);
  if (found && found.length === 1) {
    const moved = movedOn(found[0], entry, new Telling());
    if (moved) return moved;
    entry.ref = new WeakRef(found[0]);
    return { el: found[0] };
  }
  if (found && found.length === 0) return refuse('DETACHED_TARGET', { why: '快照里的元素已从页面上移除', was });
  return refuse('STALE_REF', { why: '快照里的元素已移除，像它的不止一个', was, count: found ? found.length : null });
}
