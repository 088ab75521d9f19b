// Roles, names and the facts of a target.

const ROLES = {
  a: 'link', button: 'button', textarea: 'textbox', nav: 'navigation', main: 'main', header: 'banner', footer: 'contentinfo',
  aside: 'complementary', dialog: 'dialog', table: 'table', form: 'form', summary: 'button', option: 'option', img: 'img',
  h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', fieldset: 'group', iframe: 'iframe',
};
const INPUT_ROLES = {
  checkbox: 'checkbox', radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox',
  submit: 'button', button: 'button', reset: 'button', image: 'button', file: 'button',
};
function roleOf(el) {
  const explicit = squeeze(attr(el, 'role')).split(' ')[0];
  if (explicit) return explicit;
  const tag = tagOf(el);
  if (WIDGETS.has(toldBy(el, 'role'))) return toldBy(el, 'role');
  if (tag === 'input') return INPUT_ROLES[el.type] || 'textbox';
  if (tag === 'select') return el.multiple || el.size > 1 ? 'listbox' : 'combobox';
  if (ROLES[tag]) return ROLES[tag];
  return el.isContentEditable ? 'textbox' : '';
}

function referenced(el, name) {
  const ids = squeeze(attr(el, name)).split(' ').filter(Boolean);
  const root = el.getRootNode();
  return squeeze(ids.map((id) => root.getElementById(id)).filter(Boolean).map(textContentOf).join(' '));
}

function labelTexts(el) {
  return labelsOf(el) ? squeeze([...labelsOf(el)].map(textOf).join(' ')) : '';
}

function altTexts(el) {
  return squeeze([...within(el, 'img[alt], svg title')].map((n) => attr(n, 'alt') || textContentOf(n)).join(' '));
}

function buttonValue(el) {
  if (tagOf(el) !== 'input' || !BUTTON_TYPES.has(el.type)) return '';
  if (el.type === 'image') return squeeze(attr(el, 'alt') || el.value);
  return squeeze(el.value) || { submit: '提交', reset: '重置' }[el.type] || '';
}

/** Accessible name, shortened. Fields are never named by their content. */
function nameOf(el) {
  const field = hasValue(el);
  const name =
    referenced(el, 'aria-labelledby') || squeeze(attr(el, 'aria-label')) || toldName(el) || labelTexts(el) || buttonValue(el) ||
    (field ? '' : squeeze(textOf(el))) || squeeze(attr(el, 'alt')) || altTexts(el) || squeeze(attr(el, 'title')) ||
    squeeze(attr(el, 'placeholder')) || (field ? squeeze(attr(el, 'name')) : '');
  return cut(name, MAX_LABEL);
}

function valueOf(el) {
  if (isPassword(el)) return null;
  if (tagOf(el) === 'select') return squeeze([...el.selectedOptions].map((o) => o.label).join('、'));
  return isTextInput(el) ? el.value : null;
}

function formActionFor(el) {
  const form = formOf(el) || closest(el, 'form');
  if (!form) return null;
  return attr(el, 'formaction') !== null ? el.formAction : formActionOf(form);
}

/** Facts of a target; `controls` are what the act sets off, the main one first; none when it sets nothing off. */
function factsOf(el, controls, label) {
  const main = controls[0] || el;
  const link = closest(main, 'a[href]');
  const value = valueOf(el);
  return {
    tag: tagOf(el),
    role: roleOf(el),
    label,
    name: nameOf(el),
    type: typeOf(main) || (sendsForm(main) && closest(main, 'form') ? 'submit' : null),
    href: link && link.href ? String(link.href) : null,
    form_action: formActionFor(main),
    value_preview: value === null ? null : cut(value, MAX_VALUE),
  };
}
