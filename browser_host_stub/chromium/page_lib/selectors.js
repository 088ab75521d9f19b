// Selectors that match one element each: the page's own ids and names first, never what a library counts up.

const GENERATED = new RegExp([
  '\\d{4,}', '[0-9a-f]{8}', '^:?r[0-9a-z]{1,4}:?$', '^(?:el-id|el-popper|rc|radix|headlessui|reka|v-|mui|react-select|ui-id|select2|ext-gen|yui|gwt|mce|vxe|xid|mat-input|cdk)[-_]',
  '^_easyui_', '^el-[a-z-]+-\\d+$', '^el-table_\\d+', '^layui-(?:layer|table|laypage)[-\\w]*\\d+$', '^datagrid-(?:row|td)', '^(?:uid|uuid|guid|comp|ember|downshift|dijit)[-_]?\\d',
].join('|'), 'i');
/** Classes that say how an element is now, not which one it is. */
const STATE = new RegExp('^(?:is|has|not)-|^(?:on|hover|focus|active|current|cur\\w*|open|opened|show|shown|in|fade|show-\\w+|hide|hidden|selected|checked|disabled|' +
  'expanded|collapsed|loading|visible|invisible|error|success|warning|sel|over|this|layui-this|layui-show|layui-unselect)$|' +
  '[-_](?:active|current|checked|selected|disabled|focus(?:ed)?|hover|open(?:ed)?|expanded|collapsed|loading|show|hide|hidden|this|over|' +
  'enter|leave|enter-active|leave-active|indeterminate|on|visited|itemed)$', 'i');
const NAMED = ['data-testid', 'data-test', 'data-id', 'data-name', 'data-field', 'data-key', 'lay-event', 'lay-id', 'lay-value', 'lay-filter', 'name', 'aria-label',
  'placeholder', 'title', 'href', 'value'];
const MAX_NAMED = 60;
const MAX_ESCAPES = 5000;

const escapes = new Map();

/** Names come again and again on a page. */
function escaped(name) {
  let found = escapes.get(name);
  if (found === undefined) {
    if (escapes.size > MAX_ESCAPES) escapes.clear();
    found = CSS.escape(name);
    escapes.set(name, found);
  }
  return found;
}

const classesOf = (el) => classOf(el).split(/\s+/).filter(Boolean);
const stableClasses = (el) => classesOf(el).filter((name) => !STATE.test(name) && !GENERATED.test(name));
const ownId = (el) => {
  const id = attr(el, 'id');
  return id && !GENERATED.test(id) ? id : null;
};

const NAMED_ORDER = new Map(NAMED.map((name, at) => [name, at]));

/** Short selectors of one element, best first. Most elements have few attributes: only those are looked at. */
function shortSteps(el, classes = stableClasses(el).slice(0, 3)) {
  const tag = escaped(tagOf(el));
  const names = namesOf(el);
  if (names.length === 0) return [tag];
  const id = ownId(el);
  const steps = id ? [idStep(el, id)] : [];
  const telling = names.filter((name) => NAMED_ORDER.has(name)).sort((a, b) => NAMED_ORDER.get(a) - NAMED_ORDER.get(b));
  for (const name of telling) {
    const value = attr(el, name);
    if (value && value.length <= MAX_NAMED && !(name === 'value' && isTextInput(el)) && toldAttribute(el, name) === value) steps.push(`${tag}[${name}="${escaped(value)}"]`);
  }
  for (const name of classes) steps.push(`${tag}.${escaped(name)}`);
  steps.push(tag);
  return steps;
}

/** Ids that differ in case only are the same to a page in quirks mode. */
const idStep = (el, id) => '#' + escaped(docOf(el).compatMode === 'BackCompat' ? id.toLowerCase() : id);

/** How many elements each short selector matches, and the place of each element among its siblings: both counted once
 * for a whole root, so that a page of any size costs one walk. */
class Index {
  constructor() {
    this.counts = new Map();
    this.places = new Map();
    this.steps = new Map();
  }

  /** Selectors differ from what they match by letter case in quirks mode alone; counted as written they are unique. */
  countsOf(root) {
    if (!this.counts.has(root)) {
      const counted = new Map();
      for (const el of queryAll(root, '*')) for (const step of shortSteps(el, classesOf(el))) counted.set(step, (counted.get(step) || 0) + 1);
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

  /** The step of an element, remembered: those below build on it. */
  stepOf(root, el) {
    if (!this.steps.has(el)) this.steps.set(el, stepIn(root, el, this));
    return this.steps.get(el);
  }
}

function stepIn(root, el, index) {
  const counts = index.countsOf(root);
  const short = shortSteps(el).find((step) => counts.get(step) === 1);
  if (short) return short;
  const parent = parentOf(el);
  const tag = escaped(tagOf(el));
  if (parent.nodeType === Node.DOCUMENT_NODE) return tag;
  const { totals, place } = index.placesIn(parent);
  const step = totals.get(tagOf(el)) > 1 ? `${tag}:nth-of-type(${place.get(el)})` : tag;
  if (parent === root) return parent.nodeType === Node.DOCUMENT_FRAGMENT_NODE ? rooted(el, step, parent) : step;
  return `${index.stepOf(root, parent)} > ${step}`;
}

/** A top element of a shadow root has no parent to be named from: `:host` steps do not match in scripts. */
const rooted = (el, step, root) => (queryAll(root, step).length === 1 ? step : `:not(* > *)${step.replace(/^[^:]+/, '')}:is(${escaped(tagOf(el))})`);

/** A selector that matches exactly this element now, with ` >>> ` into shadow roots and frames. */
function selectorOf(el, index) {
  const root = el.getRootNode();
  const host = root.nodeType === Node.DOCUMENT_NODE ? frameOf(el) : root.host;
  const step = index.stepOf(root, el);
  return host ? `${selectorOf(host, index)} >>> ${step}` : step;
}
