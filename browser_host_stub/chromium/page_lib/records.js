// The record a control belongs to where no row and no layer says it: a card, a pane of details, the page's main block.

const SECTIONS = 'article, section, main, nav, aside, header, footer, [role="article"], [role="main"], [role="region"], ' +
  '[role="navigation"], [role="banner"], [role="contentinfo"], [role="complementary"]';
/** What stands around the main block of every page and says nothing of a record. */
const FRAMING = 'nav, header, footer, aside, [role="navigation"], [role="banner"], [role="contentinfo"], [role="complementary"]';
/** What changes by itself: clocks, counters, messages for a moment. */
const VOLATILE = 'time, progress, meter, [role="timer"], [role="status"], [role="log"], [role="alert"], [role="marquee"], [role="progressbar"], ' +
  '[aria-live]:not([aria-live="off"])';
const SILENT = new Set(['script', 'style', 'noscript', 'template', 'textarea', 'select', 'option', 'datalist', 'iframe', 'frame', 'canvas', 'svg']);
const CLOCK = /\d{1,2}:\d{2}:\d{2}/g;
const COUNT = /[（(]\s*\d+\s*[）)]/g;
/** Boxes of fields: what is filled in, counted and found wrong there is work in progress and no other record. */
const FIELD_BOX = /(?:^|[-_\s])(?:form-?-?item|form-group|input|field)(?:$|[-_\s])/i;
const WORK = /(?:^|[-_\s])(?:select|picker|cascader|upload|error|count|counter|tips?|toast)(?:$|[-_\s])/i;
const FILLED = 'input:not([type="hidden"]), select, textarea, [contenteditable]:not([contenteditable="false"])';
const HEADINGS = 'h1, h2, h3';
const MANY = 'tr, li, [role="row"], [role="listitem"]';
const MAX_RECORD = 2000;
/** A place with more text than this says something of its own. */
const MAX_TELLING = 200;
const MAX_RECORD_NODES = 1000;
const MAX_BLOCK_NODES = 40000;
const MAX_HEADINGS = 5;
const BESIDE = 3;

/** Text in the flat tree without what `skips`; null when it is longer or has more nodes than asked for. */
function walkedText(top, skips, most, mostNodes) {
  const stack = [top];
  const parts = [];
  let length = 0;
  for (let nodes = 0; stack.length; nodes += 1) {
    if (nodes > mostNodes || length > most) return null;
    const node = stack.pop();
    if (nodeTypeOf(node) === Node.TEXT_NODE) {
      parts.push(node.data);
      length += node.data.trim().length;
    } else if (nodeTypeOf(node) === Node.ELEMENT_NODE && (node === top || !skips(node))) {
      const inside = childNodesOf(node);
      for (let at = inside.length - 1; at >= 0; at -= 1) stack.push(inside[at]);
      parts.push(' ');
    }
  }
  return squeeze(parts.join('').replace(CLOCK, ''));
}

const isSilent = (el) => SILENT.has(tagOf(el)) || matches(el, VOLATILE);

function isPassing(el) {
  if (isSilent(el) || matches(el, '[role="combobox"], [role="listbox"]')) return true;
  const names = attr(el, 'class') || '';
  return names !== '' && (WORK.test(names) || (FIELD_BOX.test(names) && within(el, FILLED).length > 0));
}

const isControl = (el) => matches(el, SENDERS);

/** Text that lasts while a page is worked on; null where there is too much for one record. */
const lastingText = (place) => walkedText(place, isPassing, MAX_RECORD, MAX_RECORD_NODES);
/** The same of a whole block, at any length. */
const blockText = (place) => walkedText(place, isPassing, Infinity, MAX_BLOCK_NODES) || '';
/** Whether a place says which record it is: more than what its controls are called. */
function tellsRecord(place, own) {
  const text = walkedText(place, (el) => el === own || isPassing(el) || isControl(el), MAX_TELLING, MAX_RECORD_NODES);
  const link = own === null ? within(place, 'a, [onclick]')[0] : null; // the one control there may be a link
  return text !== '' && !(link && squeeze(textContentOf(link)) === text);
}

const firstClass = (el) => squeeze(attr(el, 'class')).split(' ')[0];

function isAlike(el, other) {
  if (tagOf(other) !== tagOf(el) || firstClass(other) !== firstClass(el)) return false;
  return firstClass(el) !== '' || (attr(el, 'id') === null && attr(other, 'id') === null);
}

/** Those of its kind that stand near it. */
function alikeBeside(el) {
  const found = [];
  for (const step of [previousElementOf, nextElementOf]) {
    let other = step(el);
    for (let at = 0; at < BESIDE && other; at += 1, other = step(other)) if (isAlike(el, other)) found.push(other);
  }
  return found;
}

/** A card among cards, or an article: not a column of the page, not a list of such. */
function isRecord(node, own) {
  if (matches(node, BUTTONS) || isPassing(node)) return false;
  if (!matches(node, 'article, [role="article"]') && !alikeBeside(node).length) return false;
  return within(node, MANY).length <= BESIDE && lastingText(node) !== null && tellsRecord(node, own);
}

const isRoot = (node) => ['body', 'html'].includes(tagOf(node));

const CONTROLS = `${SENDERS}, a, [onclick], input[type="checkbox"], input[type="radio"]`;

/** Whether those beside a place have controls too; else it may be one line of a record and not the whole. */
const isOneOfRecords = (place) => matches(place, 'article') || alikeBeside(place).some((other) => within(other, CONTROLS).length > 0);

/** The record that a place is a line of, where that is small, else the place. */
function wholeRecord(place) {
  const parent = parentOf(place);
  const isLine = parent && nodeTypeOf(parent) === Node.ELEMENT_NODE && !isRoot(parent) && firstClass(place) !== '' && !isOneOfRecords(place);
  return isLine && lastingText(parent) !== null ? parent : place;
}

/** The record around an element, else null. */
function recordAround(el) {
  for (let node = flatParent(el); node && !isRoot(node); node = flatParent(node)) if (isRecord(node, el)) return node;
  return null;
}

/** A part of the page that says something. */
const isBlock = (node, own) => matches(node, SECTIONS) && tellsRecord(node, own);
const pageOf = (el) => docOf(el).body || docOf(el).documentElement;

/** The part of the page around an element: the nearest section that says something, else the page. */
function blockAround(el) {
  for (let node = flatParent(el); node && !isRoot(node); node = flatParent(node)) if (isBlock(node, el)) return node;
  return pageOf(el);
}

/** What the description of a list's entry is of stands before it. */
function termOf(place) {
  let node = tagOf(place) === 'dd' ? previousElementOf(place) : null;
  while (node && tagOf(node) === 'dd') node = previousElementOf(node);
  return node ? squeeze(textContentOf(node)) : '';
}

/** Text of a row without that of rows in it: branches open and close. */
function rowTextOf(row) {
  return within(row, MANY).length ? walkedText(row, (el) => isSilent(el) || matches(el, MANY), Infinity, MAX_RECORD_NODES) || '' : squeeze(textContentOf(row));
}

/** Text of a layer; of one that is worked in, only what it is called. */
function layerTextOf(layer) {
  if (!within(layer, FILLED).length && within(layer, MANY).length <= BESIDE) return blockText(layer);
  const titles = [...within(layer, 'h1, h2, h3, h4, [class*="title"]')].slice(0, MAX_HEADINGS).map(headingText);
  return [squeeze(attr(layer, 'aria-label')), referenced(layer, 'aria-labelledby'), ...titles].join(' ');
}

/** Whether the row or the layer of an element tells which record it acts on. */
function isPlaced(el) {
  const row = rowOf(el);
  const layer = layerOf(el);
  return Boolean((row && row !== el && tellsRecord(row, el)) || (layer && tellsRecord(layer, el)));
}

const headingsIn = (place) => [...within(place, HEADINGS)].slice(0, 4 * MAX_HEADINGS);
const headingText = (el) => squeeze(textContentOf(el)).replace(COUNT, '').replace(CLOCK, '');

/** Places whose text tells the record of an act that no row and no layer tells: the record, else the block. */
function recordPlaces(el) {
  if (isPlaced(el)) return [];
  const record = recordAround(el);
  if (!record) return [blockAround(el)];
  const outer = recordAround(record) || (isOneOfRecords(record) ? null : blockAround(el)); // lines of one card are alike too
  return outer ? [outer, record] : [record];
}

/** Seen text of a record without what changes by itself, without the control itself. */
function seenIn(place, skips) {
  const framed = isRoot(place) ? (node) => matches(node, FRAMING) : () => false;
  const skipped = (node) => skips(node) || isSilent(node) || !isRendered(node, { visibilityProperty: true }) || framed(node);
  return [termOf(place), walkedText(place, skipped, Infinity, MAX_BLOCK_NODES) || ''].filter(Boolean).join(' ');
}

const pageHeadings = (el) => headingsIn(docOf(el).documentElement).filter(visible).slice(0, MAX_HEADINGS).map(headingText).filter(Boolean);

/** All a yes is bound to beside rows, layers and fields. */
function recordState(el) {
  const places = recordPlaces(el);
  return places.length ? [places.map((place) => seenIn(place, (node) => node === el)), pageHeadings(el)] : [];
}

/** What a person sees of it: the headings, and the record by both ends. */
function recordContext(el, most) {
  const [place] = recordPlaces(el);
  if (!place) return [];
  const isField = (node) => tagOf(node) === 'label' && within(node, FIELDS).length > 0;
  const text = bothEnds(seenIn(place, (node) => isControl(node) || isField(node)), most);
  const headings = pageHeadings(el).filter((heading) => !text.includes(heading));
  return [cut(headings.join(' / '), most / 2), text];
}

const previousElementOf = getter(Element.prototype, 'previousElementSibling');
