// A structural snapshot: landmarks, headings, tables and everything operable, with selectors that match one element.

const MAX_NODES = 2000;
const MAX_NESTING = 20;
/** Milliseconds of a page's time one snapshot may take; half of it again for the count. */
const MAX_MS = 3000;
const OPERABLE = 'a[href], button, input:not([type="hidden"]), select, textarea, summary, [contenteditable=""], ' +
  '[contenteditable="true"], [onclick], [tabindex]:not([tabindex="-1"]), ' +
  ['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'option', 'combobox', 'textbox', 'searchbox',
    'slider', 'spinbutton', 'treeitem'].map((role) => `[role="${role}"]`).join(', ');
const STRUCTURE = new Set([
  'navigation', 'main', 'banner', 'contentinfo', 'complementary', 'dialog', 'alertdialog', 'alert', 'status', 'table', 'grid',
  'form', 'heading', 'group', 'tablist', 'menu', 'tree', 'iframe', 'region',
]);

/** Operable by markup, or the outermost element of a region that shows the hand. */
function isOperable(el) {
  if (matches(el, OPERABLE)) return true;
  if (getComputedStyle(el).cursor !== 'pointer') return false;
  const parent = flatParent(el);
  return !parent || (getComputedStyle(parent).cursor !== 'pointer' && !closest(el, 'label'));
}

function childElements(el) {
  if (tagOf(el) === 'iframe' || tagOf(el) === 'frame') {
    const inner = el.contentDocument && el.contentDocument.documentElement;
    return inner ? [inner] : [];
  }
  if (tagOf(el) === 'slot') {
    const assigned = el.assignedElements();
    return assigned.length ? assigned : [...childrenOf(el)];
  }
  return [...childrenOf(shadowOf(el) || el)];
}

const GENERATED = /\d{4,}|[0-9a-f]{8}|^(?:el-id|rc|radix|headlessui|:r)/;

const NAMED = ['data-testid', 'data-id', 'name', 'aria-label', 'placeholder', 'title'];

/** Short selectors of one element, best first. */
function shortSteps(el) {
  const tag = CSS.escape(tagOf(el));
  const byAttribute = NAMED.filter((n) => attr(el, n)).map((n) => `${tag}[${n}="${CSS.escape(attr(el, n))}"]`);
  const id = attr(el, 'id');
  return id && !GENERATED.test(id) ? [idStep(el, id), ...byAttribute, tag] : [...byAttribute, tag];
}

/** Ids that differ in case only are the same to a page in quirks mode. */
const idStep = (el, id) => '#' + CSS.escape(docOf(el).compatMode === 'BackCompat' ? id.toLowerCase() : id);

/** How many elements each short selector matches, and the place of each element among its siblings: both counted once
 * for a whole root, so that a page of any size costs one walk. */
class Index {
  constructor() {
    this.counts = new Map();
    this.places = new Map();
  }

  countsOf(root) {
    if (!this.counts.has(root)) {
      const counted = new Map();
      for (const el of queryAll(root, '*')) for (const step of shortSteps(el)) counted.set(step, (counted.get(step) || 0) + 1);
      this.counts.set(root, counted);
    }
    return this.counts.get(root);
  }

  placesIn(parent) {
    if (!this.places.has(parent)) {
      const totals = new Map();
      const place = new Map();
      for (const child of childrenOf(parent)) {
        const number = (totals.get(tagOf(child)) || 0) + 1;
        totals.set(tagOf(child), number);
        place.set(child, number);
      }
      this.places.set(parent, { totals, place });
    }
    return this.places.get(parent);
  }
}

function stepIn(root, el, index) {
  const counts = index.countsOf(root);
  const short = shortSteps(el).find((step) => counts.get(step) === 1);
  if (short) return short;
  const parent = parentOf(el);
  const tag = CSS.escape(tagOf(el));
  if (parent.nodeType === Node.DOCUMENT_NODE) return tag;
  const { totals, place } = index.placesIn(parent);
  const step = totals.get(tagOf(el)) > 1 ? `${tag}:nth-of-type(${place.get(el)})` : tag;
  return parent === root ? step : `${stepIn(root, parent, index)} > ${step}`;
}

/** A selector that matches exactly this element now, with ` >>> ` into shadow roots and frames. */
function selectorOf(el, index) {
  const root = el.getRootNode();
  const host = root.nodeType === Node.DOCUMENT_NODE ? frameOf(el) : root.host;
  const step = stepIn(root, el, index);
  return host ? `${selectorOf(host, index)} >>> ${step}` : step;
}

function checkedOf(el) {
  if (tagOf(el) === 'input' && ['checkbox', 'radio'].includes(el.type)) return el.checked;
  const marked = attr(el, 'aria-checked');
  return marked === null ? null : marked === 'true';
}

function nodeOf(el, operable, index) {
  const role = roleOf(el) || (operable ? 'generic' : '');
  const node = { role, name: STRUCTURE.has(role) && role !== 'heading' && role !== 'alert' && role !== 'status' ? titleOf(el) : nameOf(el), bounds: boundsOf(el), selector: selectorOf(el, index) };
  const expanded = attr(el, 'aria-expanded');
  const extra = {
    value: operable ? valueOf(el) : null,
    focused: deepActive(docOf(el)) === el && tagOf(el) !== 'body' ? true : null,
    disabled: operable && disabledBecause(el) ? true : null,
    checked: checkedOf(el),
    expanded: expanded === null ? null : expanded === 'true',
    row_count: tagOf(el) === 'table' ? partsOf(el).body.length : null,
  };
  for (const [name, value] of Object.entries(extra)) if (value !== null) node[name] = value;
  return node;
}

/** Name of a container: what labels it, never its whole text. */
function titleOf(el) {
  const caption = within(el, 'caption, legend')[0];
  const heading = within(el, 'h1, h2, h3, h4, h5, h6')[0];
  return cut(
    referenced(el, 'aria-labelledby') || squeeze(attr(el, 'aria-label')) || squeeze(attr(el, 'title')) ||
      (caption ? squeeze(textOf(caption)) : '') || (heading ? squeeze(textOf(heading)) : ''),
    MAX_LABEL,
  );
}

function late(state) {
  state.late = state.late || performance.now() > state.until;
  return state.late;
}

function walk(el, into, state) {
  if (state.nodes >= MAX_NODES || late(state)) return;
  if (getComputedStyle(el).display === 'none') return;
  const operable = isOperable(el);
  const wanted = operable || STRUCTURE.has(roleOf(el)) || tagOf(el) === 'th';
  let children = into;
  if (wanted && visible(el)) {
    const node = nodeOf(el, operable, state.index);
    if (tagOf(el) === 'th') node.role = 'columnheader';
    state.nodes += 1;
    into.push(node);
    if (state.depth < MAX_NESTING && tagOf(el) !== 'select') {
      node.children = [];
      children = node.children;
    }
  }
  state.depth += children === into ? 0 : 1;
  if (tagOf(el) !== 'select') childElements(el).forEach((child) => walk(child, children, state));
  state.depth -= children === into ? 0 : 1;
}

/** Every element below `root`, through open shadow roots and frames of the same origin. */
function* everyElement(root) {
  for (const el of within(root, '*')) {
    yield el;
    if (shadowOf(el)) for (const top of childrenOf(shadowOf(el))) yield* [top, ...everyElement(top)];
    const inner = tagOf(el) === 'iframe' || tagOf(el) === 'frame' ? childElements(el)[0] : null;
    if (inner) yield* everyElement(inner);
  }
}

/** Counted apart from the walk above, so that what the walk lost can be seen. */
function countOperable(root, state) {
  let total = isOperable(root) && visible(root) ? 1 : 0;
  for (const el of everyElement(root)) {
    if (late(state)) break;
    if (tagOf(el) !== 'option' && isOperable(el) && visible(el)) total += 1;
  }
  return total;
}

function isBlank(root, total) {
  const pictures = [...within(root, 'img, canvas, svg, video, iframe, frame')];
  return total === 0 && squeeze(textOf(root)) === '' && !pictures.some(visible);
}

/** The node that says a snapshot is not all of the page. */
function cutNode(state, total) {
  const most = state.nodes >= MAX_NODES ? `只列出前 ${MAX_NODES} 个元素` : `只在 ${MAX_MS / 1000} 秒内列出了 ${state.nodes} 个元素`;
  const count = state.late ? `至少 ${total}` : `${total}`;
  return { role: 'note', name: `快照不完整：${most}，页面可操作的元素有 ${count} 个` };
}

function snapshot(number) {
  const entry = number === null ? { el: document.documentElement } : fresh(number);
  if (!entry.el) return entry;
  const nodes = [];
  const state = { nodes: 0, depth: 0, index: new Index(), until: performance.now() + MAX_MS, late: false };
  walk(entry.el, nodes, state);
  const cutShort = state.nodes >= MAX_NODES || state.late;
  state.late = false;
  state.until = performance.now() + MAX_MS / 2;
  const total = countOperable(entry.el, state);
  if (cutShort || state.late) nodes.push(cutNode(state, total));
  return { nodes, interactive_total: total, blank: isBlank(entry.el, total) };
}
