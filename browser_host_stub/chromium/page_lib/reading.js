// Reading facts of kept elements and of the page.

const MAX_TEXT = 2_000_000;

/** Page texts can hold lone surrogates, which no strict peer accepts. */
const bounded = (text) => (text.length > MAX_TEXT ? refuse('ACTION_FAILED', { why: '内容过长', length: text.length }) : { text });

function fresh(number) {
  const entry = again(number);
  return entry.code ? entry : { el: entry.el };
}

function readText(number) {
  const { el, ...refused } = fresh(number);
  if (!el) return refused;
  const value = valueOf(el);
  return bounded(value === null ? (isPassword(el) ? '' : toldText(el)) : value);
}

const implementationOf = getter(Document.prototype, 'implementation');
const makeDocument = method(DOMImplementation.prototype, 'createHTMLDocument');
const importInto = method(Document.prototype, 'importNode');
const removeAttribute = method(Element.prototype, 'removeAttribute');
const setAttribute = method(Element.prototype, 'setAttribute');
const templateContentOf = getter(HTMLTemplateElement.prototype, 'content');
const setTextContent = (node, text) => Reflect.apply(Object.getOwnPropertyDescriptor(Node.prototype, 'textContent').set, node, [text]);

/** Outer HTML without secrets. The copy lives in an inert document: custom elements and images of it do not run. */
function readHtml(number) {
  const { el, ...refused } = fresh(number);
  if (!el) return refused;
  const copy = importInto(makeDocument(implementationOf(document), ''), el, true);
  const originals = [el, ...within(el, '*')];
  const secrets = secretsNear(el);
  [copy, ...within(copy, '*')].forEach((node, index) => scrub(node, originals[index], secrets));
  return bounded(outerHtmlOf(copy));
}

/** Takes secrets and scripts out of one element of a copy; only the one it was copied from knows how it is shown. */
function scrub(node, original, secrets) {
  if (tagOf(node) === 'script' || (isPassword(original) && tagOf(node) !== 'input')) setTextContent(node, '');
  for (const name of namesOf(node)) {
    const open = name.startsWith('on') ? null : toldAttribute(original, name);
    const told = open === null ? null : without(open, secrets);
    if (told === null) removeAttribute(node, name);
    else if (told !== attr(node, name)) setAttribute(node, name, told);
  }
  if (secrets.length) for (const text of nodesOf(node)) if (nodeTypeOf(text) === Node.TEXT_NODE) scrubText(text, secrets);
  if (tagOf(node) !== 'template' || !isHtml(node)) return;
  for (const inner of queryAll(templateContentOf(node), '*')) scrub(inner, inner, secrets);
}

function scrubText(text, secrets) {
  const told = without(textContentOf(text), secrets);
  if (told !== textContentOf(text)) setTextContent(text, told);
}

function countOf(target) {
  const found = findSafely(target);
  if (Array.isArray(found)) return { count: found.length };
  return typeof target === 'number' && found.code === 'DETACHED_TARGET' ? { count: 0 } : found;
}

const FACTS = {
  visible: (el) => visible(el),
  enabled: (el) => disabledBecause(el) === null && !readOnly(el),
  value: (el) => (isPassword(el) ? null : 'value' in el ? String(el.value) : toldValue(el)),
  attribute: (el, name) => toldAttribute(el, name.toLowerCase()),
};

function readFact(number, fact, name) {
  const { el, ...refused } = fresh(number);
  return el ? { value: FACTS[fact](el, name) } : refused;
}

/** Whether a wait is over: {done}, or {now} with what is in the way. A step into a frame is the host's. */
function waitState(target, state) {
  const seen = waitedFor(target, state);
  if (seen.code === 'INTO') return seen;
  return { done: seen.done === true, now: seen.code ? seen : null };
}

function waitedFor(target, state) {
  let found = findSafely(target);
  if (found.code === 'DETACHED_TARGET' && typeof target === 'number') found = [];
  if (!Array.isArray(found)) return found;
  if (state === 'detached') return { done: found.length === 0 };
  if (state === 'hidden') return { done: !found.some(visible) };
  if (found.length !== 1) return tooFewOrMany(found, target);
  if (state === 'attached' || visible(found[0])) return { done: true };
  return shown(found[0]) ? refuse('HIDDEN_TARGET', { why: '没有大小' }) : hiddenBecause(found[0]);
}

function scrollPage(x, y) {
  window.scrollTo({ left: x, top: y, behavior: 'instant' });
  return { x: Math.round(window.scrollX), y: Math.round(window.scrollY) };
}

function scrollToKept(number) {
  const { el, ...refused } = fresh(number);
  if (!el) return refused;
  scrollIntoView(el, { block: 'center', inline: 'nearest', behavior: 'instant' });
  return { x: Math.round(window.scrollX), y: Math.round(window.scrollY) };
}

/** Box of the element in the viewport after scrolling to it, for a picture of it. */
function boxOfKept(number) {
  const { el, ...refused } = fresh(number);
  if (!el) return refused;
  scrollIntoSight(el);
  const [x, y, width, height] = boundsOf(el);
  return width > 0 && height > 0 ? { x, y, width, height } : refuse('HIDDEN_TARGET', { why: '没有大小' });
}

const pageState = () => ({ origin: window.origin, title: titleNow() });
