// What of a page is a secret: fields by their type, autocomplete words, masking or label, attributes by name or looks.

const SECRET_NAME = /passw|pwd|secret|token|csrf|xsrf|captcha|otp|密码|口令/i;
const SECRET_FIELD = /(?:^|[^a-z])(?:otp|passw(?:or)?d|pwd)(?![a-z])/i;
const SECRET_WORDS = new Set(['one-time-code', 'current-password', 'new-password']);
const SECRET_ASSIGNED = /(?:passw|pwd|secret|token|csrf|xsrf|otp|密码|口令)[\w-]*["']?\s*[:=]/i;
const SIGNED_TOKEN = /\beyJ[\w-]{8,}\.[\w-]+/;
const ADDRESS_PART = /([?&#;]([^?&#;=]*)=)[^&#;]*/g;
const ADDRESSES = new Set(['href', 'src', 'action', 'formaction']);
const NAMED_BY = ['aria-label', 'title', 'placeholder', 'name', 'id'];

/** Fields that were password fields once: an eye icon shows their content to the person, not to us. */
const masked = new WeakSet();
new MutationObserver((records) => {
  for (const record of records) if ((record.oldValue || '').toLowerCase() === 'password') masked.add(record.target);
}).observe(document, { subtree: true, attributes: true, attributeFilter: ['type'], attributeOldValue: true });

/** Visible text of what holds no secret that shows as text. */
const openText = (el) => ([...within(el, 'select, [contenteditable]')].some(isPassword) ? '' : textOf(el));

const idAndName = (el) => (attr(el, 'name') || '') + ' ' + (attr(el, 'id') || '');
const secretWords = (el) => squeeze(attr(el, 'autocomplete')).toLowerCase().split(' ').some((word) => SECRET_WORDS.has(word));
const hidesText = (el) => viewOf(el) !== null && !['none', '', undefined].includes(getComputedStyle(el).webkitTextSecurity);

function isSecretInput(el) {
  if (el.type === 'password') masked.add(el);
  return masked.has(el) || secretWords(el) || (TEXT_TYPES.has(el.type) && (SECRET_FIELD.test(idAndName(el)) || hidesText(el)));
}

/** An editable area, or what is in one, that is labelled as a secret or shown as dots. */
function isSecretEditor(el) {
  if (el.isContentEditable !== true) return false;
  const host = closest(el, '[contenteditable]') || el;
  return NAMED_BY.some((name) => SECRET_NAME.test(attr(host, name) || '')) || SECRET_NAME.test(referenced(host, 'aria-labelledby')) || hidesText(el);
}

/** Whether the content of a field is a secret, however it is shown at the moment. */
function isPassword(el) {
  const tag = tagOf(el);
  if (tag === 'input') return isSecretInput(el);
  if (tag === 'select') return secretWords(el);
  return tag === 'textarea' ? secretWords(el) || hidesText(el) : isSecretEditor(el);
}

const secretlyNamed = (el) => SECRET_NAME.test(idAndName(el));

/** An attribute as it may be told: null when it is a secret, addresses without the values of secret parameters. */
function toldAttribute(el, name) {
  const value = attr(el, name);
  if (value === null) return null;
  if (name === 'value') return isPassword(el) || (tagOf(el) === 'input' && secretlyNamed(el)) ? null : value;
  if (name === 'content') return secretlyNamed(el) ? null : value;
  if (name === 'srcdoc' || (name.startsWith('data-') && SECRET_NAME.test(name))) return null;
  if (ADDRESSES.has(name)) return value.replace(ADDRESS_PART, (part, kept, word) => (SECRET_NAME.test(word) ? kept : part));
  return SECRET_ASSIGNED.test(value) || SIGNED_TOKEN.test(value) ? null : value;
}

const TAKEN_OUT = '\u2039密码\u203a';
/** Shorter secrets are parts of ordinary words; only in the field itself they are withheld. */
const SHORTEST_MIRRORED = 4;

/** What the secret fields around an element hold: pages write it beside them as well, in texts and attributes. */
function secretsNear(el) {
  const roots = [...new Set([docOf(el) || el, el.getRootNode()])];
  const fields = roots.flatMap((root) => queryAll(root, 'input, textarea, [contenteditable]'));
  const texts = fields.map((field) => (isPassword(field) ? (tagOf(field) === 'input' || isTextInput(field) ? field.value : textOf(field).trim()) : ''));
  return [...new Set(texts)].filter((text) => text.length >= SHORTEST_MIRRORED).sort((one, other) => other.length - one.length);
}

const without = (text, secrets) => secrets.reduce((left, secret) => left.replaceAll(secret, TAKEN_OUT), text);

/** Visible text of an element without that of the secret fields in it and without what they hold; '' when in doubt. */
function toldText(el, secrets = secretsNear(el)) {
  let text = textOf(el);
  for (const field of within(el, 'select, [contenteditable]')) {
    if (!isPassword(field)) continue;
    for (const line of textOf(field).split('\n').map((part) => part.trim()).filter(Boolean)) {
      if (!textOf(el).includes(line)) return '';
      text = text.replaceAll(line, TAKEN_OUT);
    }
  }
  return without(text, secrets);
}

/** Take mirrored secrets out of what listed nodes are called and hold. */
function withoutSecrets(nodes, secrets) {
  if (secrets.length === 0) return nodes;
  for (const node of nodes) {
    for (const key of ['name', 'value', 'text', 'description']) if (typeof node[key] === 'string') node[key] = without(node[key], secrets);
    withoutSecrets(node.children || [], secrets);
  }
  return nodes;
}
