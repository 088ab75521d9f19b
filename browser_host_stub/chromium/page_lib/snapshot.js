// A structural snapshot: landmarks, headings, tables, scrolled lists and everything operable, with selectors that match
// one element. What is operable is decided in operable.js, what it is called in naming.js.

const MAX_NESTING = 20;
/** Milliseconds of a page's time one snapshot may take. */
const MAX_MS = 3000;
/** The rest is for names and selectors. */
const SURVEY_SHARE = 0.6;
function childElements(el) {
  if (isFrame(el)) {
    const inner = innerDocument(el);
    return inner && inner.documentElement ? [inner.documentElement] : [];
  }
  if (tagOf(el) === 'slot') {
    const assigned = el.assignedElements();
    return assigned.length ? assigned : [...childrenOf(el)];
  }
  return [...childrenOf(shadowOf(el) || el)];
}

/** Children in the flat tree with the texts between them; a frame's document is not among them. */
function childNodesOf(el) {
  if (isSecretEditor(el)) return [];
  const assigned = tagOf(el) === 'slot' ? el.assignedNodes() : [];
  return assigned.length ? assigned : nodesOf(shadowOf(el) || el);
}

function late(state) {
  state.asked += 1;
  if (state.asked % 8 === 0) state.late = state.late || performance.now() > state.until;
  return state.late;
}

function roleFor(item) {
  const { el, native } = item;
  if (native && tagOf(native) === 'select') return { role: 'combobox', guessed: false };
  if (native && isTicked(native) && /switch/i.test(classOf(el))) return { role: 'switch', guessed: false };
  const own = roleOf(el);
  const outer = item.outer ? roleOf(item.outer.el) : '';
  if (outer && (own === '' || own === 'link' || own === 'button' || own === 'textbox')) return { role: outer === 'button' || outer === 'link' ? own || outer : outer, guessed: false };
  if (own === 'link' && leadsNowhere(el)) {
    const role = linkRole(item);
    return { role, guessed: role !== 'link' };
  }
  if ((WIDGETS.has(own) || own === 'listbox') && tagOf(el) !== 'label') return { role: own, guessed: false };
  if (native) {
    const role = roleOf(native);
    return { role: role === 'listbox' || (role === 'button' && native.type === 'file') ? 'button' : role, guessed: false };
  }
  return { role: guessedRole(item), guessed: true };
}

const saysText = (item) => item.bare;
const isWhole = (item) => item.below === 0;
const ROLE_WORDS = [
  ['switch', /\bswitch(?!er)/i, (item) => item.below === 0 && !item.bare && item.box.right - item.box.left >= 28], ['checkbox', /check-?box|\bchk\b/i, isWhole],
  ['radio', /\bradio/i, isWhole], ['tab', /(?:^|[-_ ])tabs?(?:$|[-_ ](?:item|title|pane)?)/i, saysText], ['menuitem', /menu|nav-item|dropdown-item|layui-nav/i, saysText],
  ['treeitem', /tree/i, saysText], ['option', /option|select-item/i, saysText],
];

/** A link without an address of its own in a menu or a row of tabs is an item of that. */
const leadsNowhere = (el) => tagOf(el) === 'a' && attr(el, 'role') === null && /^(?:#|javascript:.*)?$/i.test((attr(el, 'href') || '').trim());

function guessedRole(item) {
  const { el } = item;
  const tag = tagOf(el);
  if (tag === 'tr') return 'row';
  if (tag === 'a') return linkRole(item);
  if (item.up && /pager|paginat|laypage/i.test(classOf(item.up.el))) return 'button';
  if (tag === 'dd' && firstUp(el, 'dl.layui-anim, .layui-form-select')) return 'option';
  const names = `${classOf(el)} ${item.up ? classOf(item.up.el) : ''}`;
  const found = ROLE_WORDS.find(([, pattern, fits]) => pattern.test(names) && fits(item));
  if (found) return found[0];
  return tag === 'li' && item.bare ? 'menuitem' : 'button';
}

const MENU_AROUND = /(?:^|\s)(?:layui-nav|layui-menu|nav|navbar-nav|dropdown-menu|sidebar|menu)(?:$|[-\s])/;

function linkRole(item) {
  if (!leadsNowhere(item.el) || !item.bare) return 'link';
  const around = `${classOf(item.el)} ${item.up ? classOf(item.up.el) : ''} ${item.up && item.up.up ? classOf(item.up.up.el) : ''}`;
  return MENU_AROUND.test(around) ? 'menuitem' : 'link';
}

const TICKED_CLASS = /(?:^|[-_ ])(?:checked|is-checked|checkbox_true_full|checkbox_true_full_focus|radio_true_full)(?:$|[-_ ])|-checked\b/;
const CHOSEN_CLASS = /(?:^|\s)(?:is-active|active|layui-this|current|selected|curSelectedNode|is-selected|on|\S+-(?:active|selected))(?:\s|$)/;

function checkedOf(item, role) {
  const own = item.native || item.el;
  if (isTicked(own)) return own.checked;
  const marked = attr(own, 'aria-checked') || attr(item.el, 'aria-checked');
  if (marked !== null) return marked === 'true';
  if (toldBy(item.el, 'checked') !== null) return toldBy(item.el, 'checked');
  return TICKS.has(role) || role.startsWith('menuitemc') ? TICKED_CLASS.test(classOf(item.el)) : null;
}

const CHOSEN_ROLES = new Set(['tab', 'option', 'treeitem', 'row', 'menuitem']);

function selectedOf(item, role) {
  const marked = [item.el, item.outer && item.outer.el].filter(Boolean).map((node) => attr(node, 'aria-selected')).find((value) => value !== null);
  if (marked !== undefined) return marked === 'true' ? true : null;
  if (toldBy(item.el, 'selected') !== null) return toldBy(item.el, 'selected') || null;
  const current = attr(item.el, 'aria-current');
  if (current !== null && current !== 'false') return true;
  if (!CHOSEN_ROLES.has(role)) return null;
  const up = item.up && tagOf(item.up.el) === 'li' ? classOf(item.up.el) : '';
  return CHOSEN_CLASS.test(classOf(item.el)) || CHOSEN_CLASS.test(up) ? true : null;
}

function expandedOf(item) {
  const nodes = [item.el, item.native, item.outer && item.outer.el].filter(Boolean);
  const marked = nodes.map((node) => attr(node, 'aria-expanded')).find((value) => value !== null);
  if (marked !== undefined) return marked === 'true';
  if (toldBy(item.el, 'expanded') !== null) return toldBy(item.el, 'expanded');
  if (tagOf(item.el) === 'summary') return parentOf(item.el).open === true;
  if (/roots?_open|_open\b|layui-form-selected|tree-expanded/.test(classOf(item.el))) return true;
  return /roots?_close|_close\b|tree-collapsed/.test(classOf(item.el)) && /switch|tree-hit/.test(classOf(item.el)) ? false : null;
}

/** Value of a field; of a box that stands for a select, the choice it shows. */
function shownValue(item, role) {
  const own = item.native && tagOf(item.native) === 'input' && !isTextInput(item.el) ? item.native : item.el;
  if (isPassword(own) || isPassword(item.el)) return null;
  if (isField(item.el) || tagOf(item.el) === 'input') return valueOf(item.el) === null ? rangeValue(item.el) : cut(valueOf(item.el), MAX_VALUE);
  if (toldBy(item.el, 'value') !== null) return toldValue(item.el) && cut(toldValue(item.el), MAX_VALUE);
  if (!FIELD_ROLES.has(role)) return null;
  const text = plain(textOf(item.el));
  const shade = within(item.el, '.is-transparent, [class*="selection-placeholder"]')[0];
  const hint = shade ? plain(textOf(shade)) : attr(item.native || item.el, 'placeholder') || '';
  return text && text !== hint ? cut(text, MAX_VALUE) : attr(item.el, 'aria-valuetext') || attr(item.el, 'aria-valuenow') || (item.native && isTextInput(item.native) ? item.native.value : '');
}

const rangeValue = (el) => (['range', 'color'].includes(el.type) ? el.value : isEditingHost(el) ? cut(plain(textOf(el)), MAX_VALUE) : null);

function isDisabled(item) {
  const nodes = [item.el, item.native].filter(Boolean);
  if (nodes.some((node) => disabledBecause(node))) return true;
  return /(?:^|\s)(?:is-disabled|layui-disabled|layui-btn-disabled|disabled|\S+-disabled)(?:\s|$)/.test(classOf(item.el));
}

function isReadOnly(item) {
  const own = item.el;
  return isTextInput(own) && readOnly(own) ? true : null;
}

const wholeBounds = ({ box }) => [box.left, box.top, box.right - box.left, box.bottom - box.top].map(Math.round);

/** Second copies of one control: tables draw their locked columns twice. The copy that takes the click stays. */
function dropTwins(survey) {
  const places = new Map();
  for (const item of survey.items.filter((each) => each.op)) {
    const key = [tagOf(item.el), ...wholeBounds(item)].join('|');
    const twin = places.get(key);
    if (!twin || encloses(twin.el, item.el) || textContentOf(twin.el) !== textContentOf(item.el)) places.set(key, item);
    else {
      const lower = lowerOf(twin, item);
      lower.op = false;
      places.set(key, lower === twin ? item : twin);
    }
  }
}

function lowerOf(first, second) {
  const a = coverOf(first);
  const b = coverOf(second);
  if (a && !b) return first;
  if (b && !a) return second;
  return layered(first) && !layered(second) ? second : first;
}

const layered = (item) => {
  for (let node = item, level = 0; node && level < 8; node = node.up, level += 1) if (['absolute', 'fixed', 'sticky'].includes(node.placed)) return true;
  return false;
};

class Snapshot {
  constructor(survey, state, options) {
    Object.assign(this, { survey, state, full: options.full, most: options.max_nodes });
    this.index = new Index();
    this.memory = new Memory();
    this.tables = new Tables();
    this.active = new Set();
    this.made = 0;
    this.twins = new Map();
    this.dataTables = new Map();
    this.heads = new Set();
    this.reader = new Reader(survey, this);
    this.covering = new Covering(survey, options.marks, state);
  }

  isData(table) {
    if (!this.dataTables.has(table)) this.dataTables.set(table, isDataTable(table));
    return this.dataTables.get(table);
  }

  /** Nodes of all items, nested as the elements are, with the texts between them. */
  build() {
    const top = [];
    const open = [];
    let whole = true;
    for (const item of this.survey.items) {
      this.reader.before(item, open, top);
      while (open.length && item.depth <= open[open.length - 1].depth) open.pop();
      if (item.block === item || item.op) this.reader.flush();
      if (!item.seen) continue;
      const around = open.length ? open[open.length - 1] : { into: top, mute: false };
      const made = this.madeFor(item, around);
      if (made === null) continue;
      whole = made !== undefined;
      if (!whole) break;
      this.reader.flush();
      if (made.outer) around.into.push(made.outer);
      if (open.length < MAX_NESTING && tagOf(item.el) !== 'select') open.push({ depth: item.depth, into: made.inner, node: made.node, mute: made.mute });
    }
    if (whole) this.reader.before(null, open, top);
    this.reader.flush();
    return this.reader.withoutLabels(top);
  }

  /** What an item adds: its node and where what is in it goes; null for nothing, undefined when it is time to end. */
  madeFor(item, around) {
    const structure = item.op ? headOf(item) : structureOf(item);
    const alike = item.op || structure || around.mute ? '' : this.reader.alikeRole(item);
    if (!item.op && !structure && !alike) return null;
    if (this.made >= this.most || late(this.state)) return undefined;
    if (alike) {
      const node = this.reader.alikeNode(item, alike, around.into);
      if (node === null || node.mute) return { inner: around.into, mute: true };
      return { outer: node, inner: node.children, node, mute: true };
    }
    if (structure === 'columnheader' && this.isSecondHead(item) && !item.op) return { inner: around.into, mute: true };
    const made = this.nodesFor(item, structure);
    return { outer: made.outer, inner: made.inner.children, node: made.inner, mute: around.mute };
  }

  /** Locked columns are drawn with heads of their own, at the same place. */
  isSecondHead(item) {
    const key = [...wholeBounds(item), textContentOf(item.el)].join('|');
    const known = this.heads.has(key);
    this.heads.add(key);
    return known;
  }

  nodesFor(item, structure) {
    if (!item.op) {
      const node = this.structureNode(item, structure);
      return { outer: node, inner: node };
    }
    const node = this.operableNode(item);
    if (structure !== 'columnheader') return { outer: node, inner: node };
    const name = cut(plain(textOf(item.el)), MAX_NAME) || node.name;
    const head = { role: 'columnheader', name, bounds: node.bounds, children: [node] };
    Object.assign(node, { role: 'button', name: `排序：${name}`, inferred: ['role', 'name'] });
    this.made += 1;
    return { outer: head, inner: node };
  }

  base(item, role, name) {
    this.made += 1;
    const node = { role, name, bounds: wholeBounds(item), selector: selectorOf(item.el, this.index), token: this.memory.add(item.el, role, name), children: [] };
    if (this.full) node.identity = identityOf(item, this.survey, this.tables);
    return node;
  }

  structureNode(item, role) {
    const named = NAMED_BY_TEXT.has(role) || role === 'columnheader';
    const name = role === 'list' || role === 'grid' ? plain(attr(item.el, 'aria-label')) : named ? cut(plain(textOf(item.el)), MAX_NAMED_TEXT) : titleOf(item.el);
    const node = this.base(item, role, name);
    const counted = ['table', 'grid', 'list'].includes(role) ? rowCountOf(item, role) : null;
    if (counted !== null) node.row_count = counted;
    if (role === 'iframe') this.frameFacts(item, node);
    return node;
  }

  /** A frame of another origin is entered by the host, which asks the policy first. */
  frameFacts(item, node) {
    const inner = innerDocument(item.el);
    if (inner) node.origin = defaultViewOf(inner).origin;
    else Object.assign(node, { frame: node.token, path: scopeOf(item.el, this.survey) });
  }

  operableNode(item) {
    const { role, guessed } = roleFor(item);
    const { name, guessed: named } = nameFor(item, role, this.survey, this.tables);
    const node = this.base(item, role, name);
    const covered = this.covering.of(item);
    node.operable = true;
    const facts = {
      value: shownValue(item, role), focused: this.focused(item), disabled: isDisabled(item) || null, checked: checkedOf(item, role),
      selected: selectedOf(item, role), expanded: expandedOf(item), readonly: isReadOnly(item), covered: covered ? true : null,
    };
    for (const [fact, value] of Object.entries(facts)) if (value !== null) node[fact] = value;
    const inferred = [...(guessed ? ['role'] : []), ...(named ? ['name'] : [])];
    if (inferred.length) node.inferred = inferred;
    if (covered === null) node.away = true;
    this.toldApart(item, node);
    return node;
  }

  focused(item) {
    const active = deepActive(docOf(item.el));
    return active && (active === item.el || active === item.native) ? true : null;
  }

  /** The same word in many rows is told apart by the row. */
  toldApart(item, node) {
    if (!node.name || node.name.includes(' · ') || node.role === 'row') return;
    const place = this.tables.placeOf(item.el);
    if (!place || !place.key || place.header || place.key === node.name) return;
    const twin = this.twins.get(node.name);
    if (twin === undefined) this.twins.set(node.name, { node, key: place.key });
    else {
      if (twin) withKey(twin.node, twin.key);
      this.twins.set(node.name, null);
      withKey(node, place.key);
    }
  }
}

function withKey(node, key) {
  node.name = cut(`${node.name} · ${key}`, MAX_NAME);
  node.inferred = [...new Set([...(node.inferred || []), 'name'])];
}

const headOf = (item) => (tagOf(item.el) === 'th' || attr(item.el, 'role') === 'columnheader' ? 'columnheader' : '');

/** The node that says a snapshot is not all of the page. */
function cutNode(snap, most) {
  const why = snap.made >= most ? `只列出前 ${most} 个元素` : snap.state.deep ? '嵌套过深' : `只在 ${Math.round(snap.state.mostMs / 100) / 10} 秒内列出了 ${snap.made} 个元素`;
  return { role: 'note', name: `快照不完整：${why}` };
}

const NO_MARKS = { own: [], told: [], frames: {}, count: -1 };

/** `options`: full, max_nodes, marks (listeners by document order, see snapshot.py). */
function snapshot(number, options) {
  return readingOnce(() => snapshotNow(number, options));
}

function snapshotNow(number, options) {
  const entry = number === null ? { el: document.documentElement } : fresh(number);
  if (!entry.el) return entry;
  const start = performance.now();
  const mostMs = Math.min(MAX_MS, options.most_ms);
  const state = { until: start + mostMs * SURVEY_SHARE, mostMs, late: false, deep: false, asked: 0 };
  const survey = new Survey(state, options.max_nodes);
  survey.read(document.documentElement, options.marks || NO_MARKS, null);
  decideAll(survey);
  dropTwins(survey);
  const left = state.late;
  const scope = scoped(survey, number === null ? null : entry.el);
  const snap = new Snapshot(scope, state, options);
  Object.assign(state, { until: start + mostMs, late: false });
  const nodes = snap.build();
  const cutShort = snap.made >= options.max_nodes || left || state.late || state.deep;
  if (cutShort) nodes.push(cutNode(snap, options.max_nodes));
  else if (snap.reader.lost) nodes.push({ role: 'note', name: '页面文字太多，只列出了一部分' });
  withoutSecrets(nodes, secretsNear(entry.el));
  return { nodes, made: snap.made, cut: cutShort, fits: survey.fits, scope: scopeOf(entry.el, survey) };
}

/** The part of a survey below an element; all of it without one. */
function scoped(survey, top) {
  if (top === null) return survey;
  const items = survey.items.filter((item) => encloses(top, item.el) || scopedFrame(top, item.el));
  const kept = new Set(items);
  return { all: survey.items, items, texts: survey.texts.filter(({ up }) => kept.has(up)), of: survey.of, places: survey.places };
}

/** Whether an element lies in a frame inside the scope. */
function scopedFrame(outer, el) {
  for (let frame = frameOf(el); frame; frame = frameOf(frame)) if (encloses(outer, frame)) return true;
  return false;
}

/** The scope's place in document order, through frames: outermost first. */
function scopeOf(el, survey) {
  const path = [survey.places.get(el)];
  for (let frame = frameOf(el); frame; frame = frameOf(frame)) path.unshift(survey.places.get(frame));
  return path;
}


const scrolledTo = () => ({ x: Math.round(window.scrollX), y: Math.round(window.scrollY) });
