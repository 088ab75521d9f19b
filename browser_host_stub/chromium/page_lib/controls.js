// What an act sets off, and every text that says what that does.

const ACTING_ROLES = ['button', 'link', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'tab', 'option', 'switch', 'checkbox',
  'radio', 'treeitem'];
const ACTING = 'button, a[href], a, summary, option, [onclick], ' + ACTING_ROLES.map((role) => `[role="${role}"]`).join(', ');
/** What acts as a whole, so that a field inside it acts with it. */
const BUTTONS = 'button, a[href], summary, [role="button"], [role="menuitem"], [role="link"]';
const SENDERS = 'button, input[type="submit"], input[type="button"], input[type="image"], [role="button"]';

/** Whether an element is something that acts, by its markup or by what it tells the browser alone. */
const acts = (el) => matches(el, ACTING) || ACTING_ROLES.includes(toldBy(el, 'role'));
const isButton = (el) => matches(el, BUTTONS) || (attr(el, 'role') === null && ['button', 'menuitem', 'link'].includes(toldBy(el, 'role')));
const isButtonInput = (el) => tagOf(el) === 'input' && BUTTON_TYPES.has(el.type);
const isTicked = (el) => tagOf(el) === 'input' && ['checkbox', 'radio'].includes(el.type);

/** A place to write in and nothing else. */
function isPlainField(el) {
  if (isButton(el)) return false;
  return hasValue(el) || (el.isContentEditable === true && !acts(el));
}

function buttonAround(el) {
  for (let node = el; node; node = flatParent(node)) if (isButton(node)) return node;
  return null;
}

function firstUp(el, selector) {
  for (let node = el; node; node = flatParent(node)) if (matches(node, selector)) return node;
  return null;
}

/** The control a click on `hit` sets off: the closest button or link, else the clickable region, else the target. */
function controlAt(hit, target) {
  for (let node = hit; node; node = flatParent(node)) {
    if (acts(node) || ['input', 'select', 'textarea'].includes(tagOf(node))) return node;
  }
  if (getComputedStyle(hit).cursor !== 'pointer') return target;
  let region = hit;
  for (let node = flatParent(hit); node && getComputedStyle(node).cursor === 'pointer'; node = flatParent(node)) region = node;
  return encloses(region, target) ? region : target;
}

/** Everything a click on `hit` sets off: its control, what a label there belongs to, the button around a field. */
function clickedAt(hit, target) {
  const control = controlAt(hit, target);
  const label = closest(hit, 'label') || closest(target, 'label');
  const around = ['input', 'select', 'textarea'].includes(tagOf(control)) ? buttonAround(control) : null;
  return [...new Set([control, label && label.control, around].filter(Boolean))];
}

/** The button that stands next behind a field: what Enter mostly presses where a script does it. */
function nextButton(el) {
  let node = el;
  for (let level = 0; node && level < 4; level += 1) {
    node = flatParent(node);
    if (!node || tagOf(node) === 'html') return null;
    const behind = [...within(node, '*')].find((item) => isSender(item) && item !== el && follows(el, item) && visible(item));
    if (behind) return behind;
  }
  return null;
}

const isSender = (item) => matches(item, SENDERS) || (tagOf(item).includes('-') && isCustomButton(item));
const follows = (el, item) => Boolean(el.compareDocumentPosition(item) & Node.DOCUMENT_POSITION_FOLLOWING);

/** What Enter in this field would press: the form's own button, and the custom ones before it, which scripts press. */
function defaultButtons(el) {
  const form = formAround(el);
  if (!form) return [];
  const isSubmit = (item) => ['submit', 'image'].includes(item.type) && ['input', 'button'].includes(tagOf(item));
  const listed = [...formElementsOf(form)];
  const at = listed.findIndex(isSubmit);
  const native = at >= 0 ? listed[at] : within(form, 'input[type="image"]')[0];
  const customs = listed.slice(0, at >= 0 ? at : listed.length).filter((item) => !encloses(item, el) && sendsForm(item));
  return [native, ...customs.flatMap(withParts)].filter(Boolean);
}

/** The element itself when Enter or Space would press it; a place to write in is never pressed. */
function pressed(el) {
  if (isPlainField(el)) return null;
  return isButtonInput(el) || isTicked(el) || acts(el) ? el : null;
}

/** Elements of the same root that an attribute names. */
function namedBy(el, name) {
  const root = el.getRootNode();
  const ids = squeeze(attr(el, name)).split(' ').filter(Boolean);
  return ids.map((id) => (root.getElementById ? root.getElementById(id) : null)).filter(Boolean);
}

const COMPOSITES = '[role="menu"], [role="menubar"], [role="listbox"], [role="tree"], [role="treegrid"], [role="grid"]';
const ITEMS = '[role="menuitem"], [role="menuitemcheckbox"], [role="menuitemradio"], [role="option"], [role="treeitem"], [role="row"], li, tr';
const MAX_ITEMS = 300;

/** What a widget that keeps the focus itself chooses by a key: its active item, else any of its items. */
function keyChoice(el) {
  const active = [...namedBy(el, 'aria-activedescendant'), el.ariaActiveDescendantElement].filter(Boolean);
  if (active.length) return [...new Set(active)];
  const opens = matches(el, '[role="combobox"]');
  if (!opens && !matches(el, COMPOSITES)) return [];
  const places = [el, ...namedBy(el, 'aria-controls'), ...namedBy(el, 'aria-owns')];
  const items = [...new Set(places.flatMap((place) => [...within(place, ITEMS)]))];
  return items.filter((item) => !opens || visible(item)).slice(0, MAX_ITEMS);
}

function enteredFrom(el) {
  const self = pressed(el);
  const chosen = keyChoice(el);
  if (self && !isTicked(el)) return [self, ...chosen];
  const inField = hasValue(el) || isTicked(el) || tagOf(el) === 'input' || el.isContentEditable === true;
  const sent = defaultButtons(el);
  const next = sent.length === 0 && inField ? nextButton(el) : null;
  return [self, ...chosen, ...sent, ...(next ? withParts(next) : [])].filter(Boolean);
}

/** Radio buttons of the group: arrow keys choose among them. */
function groupOf(el) {
  if (tagOf(el) !== 'input' || el.type !== 'radio') return [];
  const root = formOf(el) ? [...formElementsOf(formOf(el))] : queryAll(docOf(el), 'input[type="radio"]');
  return root.filter((item) => item.type === 'radio' && attr(item, 'name') === attr(el, 'name'));
}

/** Elements a key with Alt presses wherever the focus is. */
function keyedBy(el, key) {
  const hasKey = (item) => squeeze(attr(item, 'accesskey')).toLowerCase().split(' ').includes(key);
  return key ? queryAll(docOf(el), '[accesskey]').filter(hasKey) : [];
}

/** Every control the act sets off. `hit` is what the mouse would meet, null where no mouse is used. */
function setOff(el, needs, hit) {
  switch (needs.sets_off) {
    case 'hit': return clickedAt(hit || el, el);
    case 'tick': return [...new Set([...(hit ? clickedAt(hit, el) : []), el])];
    case 'field': {
      const met = clickedAt(hit || el, el).filter((control) => !isPlainField(control));
      return needs.enter ? [...met, ...enteredFrom(el)] : met;
    }
    case 'enter': return enteredFrom(el);
    case 'space': return [pressed(el), ...(isPlainField(el) && attr(el, 'aria-activedescendant') === null ? [] : keyChoice(el))].filter(Boolean);
    case 'key': return [...keyedBy(el, needs.access), ...groupOf(el)];
    case 'choice': return [el];
    default: return [];
  }
}

function slotTexts(el) {
  return squeeze([...within(el, 'slot')].flatMap((slot) => slot.assignedNodes({ flatten: true })).map(textContentOf).join(' '));
}

/** What CSS writes into an element that says nothing else: icons now and then carry a word. */
function drawnTexts(el) {
  const drawn = [el, ...[...within(el, '*')].slice(0, 4)].flatMap((node) => ['::before', '::after'].map((part) =>
    getComputedStyle(node, part).content));
  return squeeze(drawn.map((text) => (text.match(/^"(.*)"$/) || [])[1] || '').join(' '));
}

function buttonLike(el) {
  return hasValue(el) && matches(el, BUTTONS) ? squeeze(isPassword(el) ? '' : el.value) : '';
}

/** Every text of a control: a title may say what the icon does. */
function ownTexts(el) {
  const field = hasValue(el);
  const texts = [
    field ? '' : squeeze(textOf(el)), referenced(el, 'aria-labelledby'), squeeze(attr(el, 'aria-label')), labelTexts(el),
    buttonValue(el), buttonLike(el), field ? '' : altTexts(el), squeeze(attr(el, 'alt')), squeeze(attr(el, 'title')),
    referenced(el, 'aria-describedby'), slotTexts(el), toldName(el),
  ];
  const found = [...new Set(texts.filter(Boolean))];
  return found.length || field ? found : [drawnTexts(el)].filter(Boolean);
}

const BARE = new Set([
  '确定', '是', '是的', '好', '好的', '行', '可以', '继续', '没错', '执行', 'ok', 'okay', 'yes', 'y', 'continue', 'proceed', 'sure', 'go',
]);
const isBare = (text) => BARE.has(text.normalize('NFKC').toLowerCase().replace(/[\s!,.。，！…]+/g, ''));
const LAYERS = 'dialog, [role="dialog"], [role="alertdialog"], [role="tooltip"], [aria-modal="true"], [popover]';
const MAX_QUESTION = 2000;
const MAX_BESIDE = 200;

function isLayer(el) {
  return matches(el, LAYERS) || ['fixed', 'absolute'].includes(getComputedStyle(el).position);
}

/** Text of a container without that of its buttons, with its own label. */
function textBeside(node) {
  let text = squeeze(textOf(node));
  for (const name of [...within(node, SENDERS)].map((button) => squeeze(textOf(button))).reverse()) {
    const at = name ? text.lastIndexOf(name) : -1; // the question may hold it too, and stands first
    if (at >= 0) text = `${text.slice(0, at)} ${text.slice(at + name.length)}`;
  }
  return squeeze([squeeze(attr(node, 'aria-label')), referenced(node, 'aria-labelledby'), text].join(' '));
}

/** The question that a bare yes answers: the layer it stands in, else a question right beside it. */
function questionAround(el) {
  let beside = '';
  let node = flatParent(el);
  for (let level = 0; node && level < 14 && !['body', 'html'].includes(tagOf(node)); level += 1) {
    const text = textBeside(node);
    if (text.length > MAX_QUESTION) break;
    if (text && isLayer(node)) return text;
    if (!beside && text.length <= MAX_BESIDE) beside = text;
    node = flatParent(node);
  }
  return /[?？吗]|确定要|是否|不可恢复|无法恢复/.test(beside) ? beside : '';
}

function labelOf(el) {
  const texts = ownTexts(el);
  if (hasValue(el) && !buttonLike(el)) return [];
  return texts.length && texts.every(isBare) ? [questionAround(el), ...texts].filter(Boolean) : texts;
}

/** Texts of the option that would be chosen, or of all where keys choose; and what the select is called. */
function choiceTexts(el, wanted) {
  if (tagOf(el) !== 'select') return labelOf(el);
  const chosen = wanted === null ? [...el.options] : optionsFor(el, wanted);
  const groups = chosen.map((option) => parentOf(option)).filter((group) => tagOf(group) === 'optgroup');
  return [...chosen.map((option) => squeeze(option.label)), ...new Set(groups.map((group) => squeeze(attr(group, 'label')))), ...ownTexts(el)];
}

/** Options of this value, else of this label. */
function optionsFor(el, wanted) {
  const options = [...el.options];
  const byValue = options.filter((option) => option.value === wanted);
  return byValue.length ? byValue : options.filter((option) => squeeze(option.label) === squeeze(wanted));
}

/** What the act sets off and all its texts, for the decision whether a person must be asked. */
function factsFor(el, needs, hit) {
  return factsFrom(el, needs, setOff(el, needs, hit));
}

function factsFrom(el, needs, controls) {
  const chooses = needs.sets_off === 'choice' || (needs.sets_off === 'key' && tagOf(el) === 'select');
  const texts = [...controls.flatMap(labelOf), ...(controls.length ? [toldName(el)] : []), ...(chooses ? choiceTexts(el, needs.choice) : [])];
  return factsOf(el, controls, bothEnds([...new Set(texts.filter(Boolean))].join(' · '), MAX_TEXTS));
}
