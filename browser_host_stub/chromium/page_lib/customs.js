// Custom elements: what they tell the browser alone (`ElementInternals`), as far as the host has asked the browser, and
// which elements it must ask about before an act is judged.

/** Custom element → role, name, value and states it tells the browser alone. Its attributes come first. */
const told = new WeakMap();
let anyTold = false;
const toldBy = (el, fact) => (anyTold && told.has(el) && told.get(el)[fact] !== undefined ? told.get(el)[fact] : null);
/** The name it tells the browser alone; empty for none. */
const toldName = (el) => (anyTold ? squeeze(toldBy(el, 'name')) : '');

function noteTold(el, said) {
  told.set(el, said.name ? { ...said, name: nameWithoutSecrets(el, said.name) } : said);
  anyTold = true;
}

/** The browser puts what is filled in below an element into a name it makes from content. */
function nameWithoutSecrets(el, name) {
  const roots = [el];
  let text = name;
  for (let at = 0; at < roots.length; at += 1) {
    const below = at === 0 ? [el, ...within(el, '*')] : [...queryAll(roots[at], '*')];
    for (const node of below) {
      if (shadowOf(node)) roots.push(shadowOf(node));
      const secret = isPassword(node) ? (hasValue(node) ? node.value : textContentOf(node)) : '';
      if (secret) text = text.split(secret).join(' ');
    }
  }
  return text;
}

/** One whose class has run: others have told nothing yet. */
const isCustom = (el) => tagOf(el).includes('-') && isHtml(el) && matches(el, ':defined');

/** A value that a custom element tells, unless it is called like a secret. */
function toldValue(el) {
  const names = [idAndName(el), attr(el, 'aria-label') || '', toldName(el)];
  return names.some((name) => SECRET_NAME.test(name)) ? null : toldBy(el, 'value');
}

/** Facts of custom elements by number; whether one is new. */
function tell(facts) {
  let anew = false;
  for (const [number, said] of facts) {
    const el = byToken(number);
    if (!el || JSON.stringify(told.get(el) || {}) === JSON.stringify(said)) continue;
    noteTold(el, said);
    anew = true;
  }
  return { anew };
}

const byTokens = (numbers) => numbers.map(byToken);

const SEARCH_CUSTOMS_MS = 200;

/** Which of these names belong to elements whose class has run, anywhere in the document. */
function definedAmong(names) {
  const wanted = names.map((name) => `${CSS.escape(name)}:defined`).join(', ');
  const roots = everyRoot(performance.now() + SEARCH_CUSTOMS_MS);
  return { names: [...new Set(roots.flatMap((root) => queryAll(root, wanted)).filter(isHtml).map(tagOf))] };
}

/** Whether a custom element is a button: by its role, else because its shadow tree holds one and nothing to fill in. */
function isCustomButton(el) {
  if (!isCustom(el)) return false;
  const role = squeeze(attr(el, 'role')).split(' ')[0] || toldBy(el, 'role');
  if (role) return role === 'button';
  const root = shadowOf(el);
  return attr(el, 'type') === 'submit' || (root !== null && queryAll(root, SENDERS).length > 0 && queryAll(root, FIELDS).length === 0);
}

/** A custom element that may send the form it stands in. */
const sendsForm = (el) => isCustomButton(el) && !['button', 'reset'].includes(squeeze(attr(el, 'type')).toLowerCase());

/** A custom button with the buttons it is made of. */
const withParts = (el) => [el, ...(isCustom(el) && shadowOf(el) ? queryAll(shadowOf(el), SENDERS) : [])];

const customsInForm = (form) => (form ? [...formElementsOf(form)].filter(isCustom) : []);

/** The form around a field, also where the field is a part of a custom element. */
function formAround(el) {
  for (let node = el; node; ) {
    const form = formOf(node) || closest(node, 'form');
    if (form) return form;
    const root = rootOf(node);
    node = nodeTypeOf(root) === Node.DOCUMENT_FRAGMENT_NODE ? root.host : null;
  }
  return null;
}

/** Custom elements where `nextButton` looks. */
function customsBehind(el) {
  const found = new Set();
  for (let node = flatParent(el), level = 0; node && level < 4 && tagOf(node) !== 'html'; node = flatParent(node), level += 1) {
    for (const item of within(node, '*')) if (found.size < MAX_CHAIN && isCustom(item) && follows(el, item)) found.add(item);
  }
  return found;
}

/** Custom elements that Enter in a field may press. */
const entered = (el, needs) => (needs.sets_off === 'enter' || needs.enter ? [...customsInForm(formAround(el)), ...customsBehind(el)] : []);

const MAX_CUSTOMS = 32;
/** On one way up. */
const MAX_CHAIN = 8;

/** Numbers of the custom elements that an act may turn on: what it sets off, what that stands in, those of its form. */
function customsOf(el, hit, controls, needs) {
  if (needs.sets_off === 'nothing') return isCustom(el) ? [namedAs(el)] : [];
  const found = new Set();
  for (const start of new Set([el, hit, ...controls].filter(Boolean))) {
    let met = 0;
    for (let node = start; node && met < MAX_CHAIN; node = flatParent(node)) {
      if (!isCustom(node)) continue;
      found.add(node);
      met += 1;
    }
  }
  [...customsInForm(formAround(el)), ...entered(el, needs)].forEach((item) => found.add(item));
  return [...found].slice(0, MAX_CUSTOMS).map(namedAs);
}

/** Elements that can have a shadow root of their own, next to custom ones. */
const HOSTS = new Set(['article', 'aside', 'blockquote', 'body', 'div', 'footer', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'main', 'nav', 'p', 'section', 'span']);
const MAX_HOSTS = 8;

/** Numbers of elements that may have a closed root nobody has looked into: up to the control, and senders of the form. */
function hostsAround(el, needs) {
  const found = [];
  for (let node = el, level = 0; node && level < MAX_HOSTS && !['body', 'html'].includes(tagOf(node)); node = flatParent(node), level += 1) {
    if (mayBeDark(node)) found.push(node);
    if (matches(node, WHOLE)) break;
  }
  return [...new Set([...found, ...entered(el, needs).filter(mayBeDark)])].slice(0, MAX_CUSTOMS).map(namedAs);
}

const mayBeDark = (el) => (HOSTS.has(tagOf(el)) || tagOf(el).includes('-')) && isHtml(el) && !shadowOf(el);
