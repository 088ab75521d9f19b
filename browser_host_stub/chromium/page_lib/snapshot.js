// A structural snapshot: landmarks, headings, tables and everything operable, with selectors that match one element.

const MAX_NODES = 2000;
const MAX_NESTING = 20;
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

function shortSteps(el) {
  const tag = CSS.escape(tagOf(el));
  const named = ['data-testid', 'data-id', 'name', 'aria-label', 'placeholder', 'title'];
  const byAttribute = named.filter((n) => attr(el, n)).map((n) => `${tag}[${n}="${CSS.escape(attr(el, n))}"]`);
  const id = attr(el, 'id');
  return id && !GENERATED.test(id) ? ['#' + CSS.escape(id), ...byAttribute, tag] : [...byAttribute, tag];
}

function stepIn(root, el) {
  const unique = (selector) => {
    const found = queryAll(root, selector);
    return found.length === 1 && found[0] === el;
  };
  const short = shortSteps(el).find(unique);
  if (short) return short;
  const parent = parentOf(el);
  const around = parent.nodeType === Node.DOCUMENT_NODE ? [el] : childrenOf(parent);
  const siblings = [...around].filter((other) => tagOf(other) === tagOf(el));
  const tag = CSS.escape(tagOf(el));
  const step = siblings.length > 1 ? `${tag}:nth-of-type(${siblings.indexOf(el) + 1})` : tag;
  return parent === root ? step : `${stepIn(root, parent)} > ${step}`;
}

/** A selector that matches exactly this element now, with ` >>> ` into shadow roots and frames. */
function selectorOf(el) {
  const root = el.getRootNode();
  const host = root.nodeType === Node.DOCUMENT_NODE ? frameOf(el) : root.host;
  const step = stepIn(root, el);
  return host ? `${selectorOf(host)} >>> ${step}` : step;
}

function checkedOf(el) {
  if (tagOf(el) === 'input' && ['checkbox', 'radio'].includes(el.type)) return el.checked;
  const marked = attr(el, 'aria-checked');
  return marked === null ? null : marked === 'true';
}

function nodeOf(el, operable) {
  const role = roleOf(el) || (operable ? 'generic' : '');
  const node = { role, name: STRUCTURE.has(role) && role !== 'heading' && role !== 'alert' && role !== 'status' ? titleOf(el) : nameOf(el), bounds: boundsOf(el), selector: selectorOf(el) };
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

function walk(el, into, state) {
  const style = getComputedStyle(el);
  if (style.display === 'none' || state.nodes >= MAX_NODES) return;
  const operable = isOperable(el);
  const wanted = operable || STRUCTURE.has(roleOf(el)) || tagOf(el) === 'th';
  let children = into;
  if (wanted && visible(el)) {
    const node = nodeOf(el, operable);
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
function countOperable(root) {
  let total = isOperable(root) && visible(root) ? 1 : 0;
  for (const el of everyElement(root)) if (tagOf(el) !== 'option' && isOperable(el) && visible(el)) total += 1;
  return total;
}

function isBlank(root, total) {
  const pictures = [...within(root, 'img, canvas, svg, video, iframe, frame')];
  return total === 0 && squeeze(textOf(root)) === '' && !pictures.some(visible);
}

function snapshot(number) {
  const entry = number === null ? { el: document.documentElement } : fresh(number);
  if (!entry.el) return entry;
  const nodes = [];
  walk(entry.el, nodes, { nodes: 0, depth: 0 });
  const total = countOperable(entry.el);
  return { nodes, interactive_total: total, blank: isBlank(entry.el, total) };
}
