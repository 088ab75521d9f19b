// A structural snapshot: landmarks, headings, tables, scrolled lists and everything operable, with selectors that match
// one element. What is operable is decided in operable.js, what it is called in naming.js.

const MAX_NESTING = 20;
/** Milliseconds of a page's time one snapshot may take. */
const MAX_MS = 3000;
/** The rest is for names and selectors. */
const SURVEY_SHARE = 0.6;
const STRUCTURE = new Set([
  'navigation', 'main', 'banner', 'contentinfo', 'complementary', 'dialog', 'alertdialog', 'alert', 'status', 'table', 'grid',
  'form', 'heading', 'group', 'tablist', 'menu', 'menubar', 'tree', 'iframe', 'region', 'search', 'toolbar', 'radiogroup',
]);
const NAMED_BY_TEXT = new Set(['heading', 'alert', 'status']);
const LAYER_CLASSES = /^(?:layui-layer|modal|el-drawer|ant-drawer|vxe-modal--wrapper|window|dialog)$/;
const MAX_NAMED_TEXT = 120;

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

function late(state) {
  state.late = state.late || performance.now() > state.until;
  return state.late;
}

/** Name of a container: what labels it, never its whole text. */
function titleOf(el) {
  const caption = within(el, 'caption, legend')[0];
  const heading = within(el, 'h1, h2, h3, h4, h5, h6, .layui-layer-title, [class*="__title"], [class*="modal-title"], [class*="dialog-title"]')[0];
  return cut(
    plain(referenced(el, 'aria-labelledby')) || plain(attr(el, 'aria-label')) || plain(attr(el, 'title')) ||
      (caption ? plain(textOf(caption)) : '') || (heading ? plain(textOf(heading)) : ''),
    MAX_NAME,
  );
}

/** Role of a container worth a node, or ''. */
function structureOf(item) {
  const { el } = item;
  const tag = tagOf(el);
  if (tag === 'th' || attr(el, 'role') === 'columnheader') return 'columnheader';
  const role = roleOf(el);
  if (role === 'table') return isDataTable(el) ? 'table' : '';
  if (STRUCTURE.has(role)) return role;
  if (classesOf(el).some((name) => LAYER_CLASSES.test(name)) && item.placed !== 'static') return 'dialog';
  return item.scrolls && !['html', 'body', 'textarea'].includes(tag) ? scrolledRole(item) : '';
}

/** A table of data has a header, or cells in several columns and no table inside. */
function isDataTable(el) {
  if (tagOf(el) !== 'table') return true;
  if (within(el, 'th').length) return true;
  return el.rows.length > 1 && el.rows[0].cells.length > 1 && within(el, 'table').length === 0;
}

const REPEATED = 'tr, li, [role="row"], [role="option"], [role="listitem"], [role="treeitem"], dd';

function rowsIn(el) {
  const rows = within(el, REPEATED);
  return rows.length ? rows : [];
}

function scrolledRole(item) {
  const rows = rowsIn(item.el);
  if (rows.length < 3) return '';
  return tagOf(rows[0]) === 'tr' || attr(rows[0], 'role') === 'row' ? 'grid' : 'list';
}

/** All rows, as far as the page lets them be counted: hidden ones too, and those of a virtual list by its height. */
function rowCountOf(item, role) {
  const stated = Number(attr(item.el, 'aria-rowcount'));
  if (stated > 0) return stated;
  if (tagOf(item.el) === 'table') return [...item.el.tBodies].reduce((sum, body) => sum + [...body.rows].filter((row) => attr(row, 'aria-hidden') !== 'true').length, 0) - leadingHeads(item.el);
  const rows = [...rowsIn(item.el)].filter((row) => !within(row, 'th').length);
  if (role === 'table' || role === 'menu' || role === 'tree' || rows.length === 0) return rows.length || null;
  const height = item.scrolls ? rectOf(rows[0]).height : 0;
  const byHeight = height > 0 ? Math.round(item.el.scrollHeight / height) : 0;
  return byHeight > rows.length + 2 ? byHeight : rows.length;
}

const leadingHeads = (table) => (table.tHead ? 0 : [...table.rows].filter(isHeader).length);

function roleFor(item) {
  const { el, native } = item;
  if (native && tagOf(native) === 'select') return { role: 'combobox', guessed: false };
  if (native && isTicked(native) && /switch/i.test(classOf(el))) return { role: 'switch', guessed: false };
  const own = roleOf(el);
  const outer = item.outer ? roleOf(item.outer.el) : '';
  if (outer && (own === '' || own === 'link' || own === 'button' || own === 'textbox')) return { role: outer === 'button' || outer === 'link' ? own || outer : outer, guessed: false };
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

function guessedRole(item) {
  const { el } = item;
  const tag = tagOf(el);
  if (tag === 'tr') return 'row';
  if (tag === 'a') return 'link';
  if (item.up && /pager|paginat|laypage/i.test(classOf(item.up.el))) return 'button';
  if (tag === 'dd' && firstUp(el, 'dl.layui-anim, .layui-form-select')) return 'option';
  const names = `${classOf(el)} ${item.up ? classOf(item.up.el) : ''}`;
  const found = ROLE_WORDS.find(([, pattern, fits]) => pattern.test(names) && fits(item));
  if (found) return found[0];
  return tag === 'li' && item.bare ? 'menuitem' : 'button';
}

const TICKED_CLASS = /(?:^|[-_ ])(?:checked|is-checked|checkbox_true_full|checkbox_true_full_focus|radio_true_full)(?:$|[-_ ])|-checked\b/;
const CHOSEN_CLASS = /(?:^|\s)(?:is-active|active|layui-this|current|selected|curSelectedNode|is-selected|on|\S+-(?:active|selected))(?:\s|$)/;

function checkedOf(item, role) {
  const own = item.native || item.el;
  if (isTicked(own)) return own.checked;
  const marked = attr(own, 'aria-checked') || attr(item.el, 'aria-checked');
  if (marked !== null) return marked === 'true';
  return TICKS.has(role) || role.startsWith('menuitemc') ? TICKED_CLASS.test(classOf(item.el)) : null;
}

const CHOSEN_ROLES = new Set(['tab', 'option', 'treeitem', 'row', 'menuitem']);

function selectedOf(item, role) {
  const marked = [item.el, item.outer && item.outer.el].filter(Boolean).map((node) => attr(node, 'aria-selected')).find((value) => value !== null);
  if (marked !== undefined) return marked === 'true' ? true : null;
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
  if (tagOf(item.el) === 'summary') return parentOf(item.el).open === true;
  if (/roots?_open|_open\b|layui-form-selected|tree-expanded/.test(classOf(item.el))) return true;
  return /roots?_close|_close\b|tree-collapsed/.test(classOf(item.el)) && /switch|tree-hit/.test(classOf(item.el)) ? false : null;
}

/** Value of a field; of a box that stands for a select, the choice it shows. */
function shownValue(item, role) {
  const own = item.native && tagOf(item.native) === 'input' && !isTextInput(item.el) ? item.native : item.el;
  if (isPassword(own) || isPassword(item.el)) return null;
  if (isField(item.el) || tagOf(item.el) === 'input') return valueOf(item.el) === null ? rangeValue(item.el) : cut(valueOf(item.el), MAX_VALUE);
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

/** Where the middle of what is in view lies, in the coordinates of the element's own document; null out of view. */
function middleOf(item) {
  const rect = [...rectsOf(item.el)].find((each) => each.width > 0 && each.height > 0);
  if (!rect) return null;
  const { x, y } = item.offset;
  const part = meet({ left: rect.left + x, top: rect.top + y, right: rect.right + x, bottom: rect.bottom + y }, item.soft);
  return area(part) > 0 ? { x: (part.left + part.right) / 2 - x, y: (part.top + part.bottom) / 2 - y } : null;
}

/** Null out of view, else what would take a click instead of the item, or false. */
function coverOf(item) {
  const at = middleOf(item);
  if (!at) return null;
  const hit = deepHit(docOf(item.el), at.x, at.y);
  if (!hit) return false;
  if (reaches(item.el, hit) || (item.native && reaches(item.native, hit))) return frameCover(item, at);
  return hit;
}

function frameCover(item, at) {
  const frame = frameOf(item.el);
  if (!frame) return false;
  const around = offsetOf(frame);
  const hit = deepHit(docOf(frame), at.x + item.offset.x - around.x, at.y + item.offset.y - around.y);
  return hit && hit !== frame ? hit : false;
}

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
  }

  /** Nodes of all items, nested as the elements are. */
  build() {
    const top = [];
    const open = [];
    for (const item of this.survey.items) {
      while (open.length && item.depth <= open[open.length - 1].depth) open.pop();
      const into = open.length ? open[open.length - 1].into : top;
      const structure = item.seen && !item.op ? structureOf(item) : item.op && item.seen ? headOf(item) : '';
      if (!item.op && !structure) continue;
      if (this.made >= this.most || late(this.state)) break;
      const made = this.nodesFor(item, structure);
      into.push(made.outer);
      if (open.length < MAX_NESTING && tagOf(item.el) !== 'select') open.push({ depth: item.depth, into: made.inner.children });
    }
    return top;
  }

  nodesFor(item, structure) {
    if (!item.op) {
      const node = this.structureNode(item, structure);
      return { outer: node, inner: node };
    }
    const node = this.operableNode(item);
    if (structure !== 'columnheader') return { outer: node, inner: node };
    const head = { role: 'columnheader', name: node.name, bounds: node.bounds, children: [node] };
    Object.assign(node, { role: 'button', name: `排序：${node.name}`, inferred: ['role', 'name'] });
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
    const covered = coverOf(item);
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
  const why = snap.made >= most ? `只列出前 ${most} 个元素` : snap.state.deep ? '嵌套过深' : `只在 ${MAX_MS / 1000} 秒内列出了 ${snap.made} 个元素`;
  return { role: 'note', name: `快照不完整：${why}` };
}

const NO_MARKS = { own: [], frames: {}, count: -1 };

/** `options`: full, max_nodes, marks (listeners by document order, see snapshot.py). */
function snapshot(number, options) {
  const entry = number === null ? { el: document.documentElement } : fresh(number);
  if (!entry.el) return entry;
  const start = performance.now();
  const state = { until: start + MAX_MS * SURVEY_SHARE, late: false, deep: false };
  const survey = new Survey(state, options.max_nodes);
  survey.read(document.documentElement, options.marks || NO_MARKS, null);
  decideAll(survey);
  dropTwins(survey);
  const left = state.late;
  Object.assign(state, { until: start + MAX_MS, late: false });
  const scope = { items: number === null ? survey.items : survey.items.filter((item) => encloses(entry.el, item.el) || scopedFrame(entry.el, item.el)), of: survey.of, places: survey.places };
  const snap = new Snapshot(scope, state, options);
  const nodes = snap.build();
  const cutShort = snap.made >= options.max_nodes || left || state.late || state.deep;
  if (cutShort) nodes.push(cutNode(snap, options.max_nodes));
  return { nodes, made: snap.made, cut: cutShort, fits: survey.fits, scope: scopeOf(entry.el, survey) };
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
