// Names for what a person sees and the page does not name: from labels, neighbours, pictures, tables, markup. Each names
// where it comes from, because a guess must be recognised as one.

const MAX_NAME = 80;
const MAX_BESIDE_NAME = 40;
const MAX_KEY = 24;
const TOOLTIPS = ['title', 'data-original-title', 'data-bs-original-title', 'data-title', 'data-tooltip', 'data-tip', 'data-tips', 'data-content',
  'lay-tips', 'tooltip', 'data-hint', 'aria-description', 'data-text', 'data-label'];
const PRIVATE = /[\ue000-\uf8ff\u{f0000}-\u{ffffd}\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/gu;

const plain = (text) => squeeze((text || '').replace(PRIVATE, ''));

/** Text of an item without that of the operable items in it. */
function spokenText(item, survey) {
  if (item.below === 0) return plain(textOf(item.el));
  const parts = [];
  const stack = [item.el];
  while (stack.length && parts.length < 60) {
    const node = stack.pop();
    if (node.nodeType === Node.TEXT_NODE) parts.push(node.data);
    if (node.nodeType !== Node.ELEMENT_NODE) continue;
    const known = survey.of.get(node);
    if (node !== item.el && (!known || known.op || !known.seen && known.size > 0)) continue;
    const kids = [];
    for (let child = firstChildOf(shadowOf(node) || node); child; child = nextSiblingOf(child)) kids.push(child);
    stack.push(...kids.reverse());
  }
  return plain(parts.join(' '));
}

/** What the page itself calls it. */
function statedName(item, survey) {
  const { el } = item;
  const own = item.native || el;
  const field = isField(own) && !isFieldButton(own);
  const labels = [el, own].map((node) => plain(referenced(node, 'aria-labelledby')) || (matches(node, ICON_PARTS) ? '' : plain(attr(node, 'aria-label')))).find(Boolean);
  if (labels || toldName(el)) return labels || cut(plain(toldName(el)), MAX_NAME);
  const label = labelsOf(own) ? [...labelsOf(own)].map((node) => plain(labelText(node, own))).find(Boolean) : '';
  if (label) return label;
  if (field) return '';
  return plain(buttonValue(el)) || signless(spokenText(item, survey)) || (item.below > 0 && item.kind ? signless(plain(textOf(el))) : '') || plain(attr(el, 'alt')) || plain(altTexts(el)) || tooltipOf(item);
}

const isFieldButton = (el) => tagOf(el) === 'input' && BUTTON_TYPES.has(el.type);

/** A label without the field it may be drawn around. */
const labelText = (label, own) => (encloses(label, own) && tagOf(own) === 'select' ? ownTextOf(label) : textOf(label));

function ownTextOf(el) {
  let text = '';
  for (let node = firstChildOf(el); node; node = nextSiblingOf(node)) if (node.nodeType === Node.TEXT_NODE) text += ` ${node.data}`;
  return text;
}

/** Text that says something: no lone sign, no ornament. */
const signless = (text) => (text.length <= 3 && (SIGN_WORDS.has(text) || !/[\p{L}\p{N}]/u.test(text)) ? '' : text);

const ICON_PARTS = '[role="img"], svg, .anticon, i';

function tooltipOf(item) {
  const below = [...within(item.el, '[title], [data-original-title], [aria-label], title')].slice(0, 3);
  for (const node of [item.el, item.native, ...below].filter(Boolean)) {
    if (tagOf(node) === 'title') return plain(textContentOf(node));
    const names = matches(node, ICON_PARTS) ? TOOLTIPS : TOOLTIPS.concat('aria-label');
    const found = names.map((name) => plain(attr(node, name))).find(Boolean);
    if (found) return found;
  }
  return '';
}

/** What is written on a box drawn around this one control. */
function tooltipAround(item) {
  for (let node = item.up, level = 0; node && node.below === 1 && level < 3; node = node.up, level += 1) {
    const found = TOOLTIPS.map((name) => plain(attr(node.el, name))).find(Boolean);
    if (found) return found;
  }
  return '';
}

/** The short text that stands before a field, in its own box or one of those around it. */
function textBefore(item, survey) {
  let node = item.el;
  for (let level = 0; node && level < 6; level += 1) {
    let beside = previousSiblingOf(node);
    for (let steps = 0; beside && steps < 4; steps += 1, beside = previousSiblingOf(beside)) {
      if (beside.nodeType !== Node.TEXT_NODE && beside.nodeType !== Node.ELEMENT_NODE) continue;
      if (beside.nodeType === Node.ELEMENT_NODE && holdsField(beside, survey)) return '';
      const text = plain(beside.nodeType === Node.TEXT_NODE ? beside.data : seenText(beside, survey)).replace(/^[*＊]\s*|[\s:：*＊]+$/g, '');
      if (signless(text) && text.length <= MAX_BESIDE_NAME) return TOTAL.test(text) || /^Total \d/.test(text) ? '' : text;
    }
    node = flatParent(node);
    if (!node || ['body', 'form', 'table', 'tr', 'html'].includes(tagOf(node))) break;
  }
  return '';
}

const seenText = (el, survey) => ((survey.of.get(el) || {}).seen ? textOf(el) : '');
const holdsField = (el, survey) => {
  const known = survey.of.get(el);
  return known !== undefined && known.seen && (known.op || known.below > 0);
};

/** The text right after a box to tick. */
function textAfter(item, survey) {
  for (let node = nextSiblingOf(item.el), steps = 0; node && steps < 3; node = nextSiblingOf(node), steps += 1) {
    const text = node.nodeType === Node.TEXT_NODE ? plain(node.data) : node.nodeType === Node.ELEMENT_NODE ? plain(seenText(node, survey)) : '';
    if (signless(text) && text.length <= MAX_BESIDE_NAME) return text;
  }
  return '';
}

/** The label of the form item around: component libraries keep it beside or above. */
function itemLabel(item) {
  const around = closest(item.el, '.el-form-item, .ant-form-item, .layui-form-item, .vxe-form--item, .form-group, .form-item, .field, fieldset, .ant-row');
  if (!around) return '';
  const found = within(around, 'label, legend, [class*="label"], [class*="item--title"]');
  for (const node of [...found].slice(0, 3)) {
    const text = plain(textOf(node)).replace(/^[*＊]\s*|[\s:：*＊]+$/g, '');
    if (text && text.length <= MAX_BESIDE_NAME && !encloses(node, item.el)) return text;
  }
  return '';
}

const TICKS = new Set(['checkbox', 'radio', 'switch']);
const FIELD_ROLES = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton', 'slider', 'listbox']);

/** Guesses in the order of trust. */
function guessedName(item, role, survey, tables) {
  const { el } = item;
  const placeholder = () => plain(attr(item.native || el, 'placeholder')) || plain(attr((within(el, '[placeholder]')[0] || el), 'placeholder'));
  const fieldy = FIELD_ROLES.has(role) || role === 'switch';
  const ticks = TICKS.has(role);
  const tries = [
    () => (fieldy && /\d+\s*条?\s*\/\s*(?:页|page)/.test(textOf(el)) ? '每页条数' : ''),
    () => (ticks ? textAfter(item, survey) : ''),
    () => (fieldy || ticks ? cellName(item, role, tables) : ''),
    () => (fieldy || ticks ? textBefore(item, survey) : ''),
    () => (fieldy || ticks ? itemLabel(item) : ''),
    () => tooltipOf(item),
    () => tooltipAround(item),
    () => expanderName(item, survey),
    () => (fieldy ? placeholder() : ''),
    () => (fieldy ? '' : iconWord(el)),
    () => SIGN_WORDS.get(plain(textOf(el))) || '',
    () => (ticks || fieldy ? '' : cellName(item, role, tables)),
    () => wordsFromMarkup(el),
    () => (item.native ? wordsFromMarkup(item.native) : ''),
    () => SPECIAL[role] || iconWord(el),
    () => (item.up && item.up.below <= 3 ? signless(plain(textOf(item.up.el))).slice(0, MAX_BESIDE_NAME) : ''),
    () => (item.up ? wordsFromMarkup(item.up.el) : ''),
    () => plain(textOf(el)),
  ];
  for (const attempt of tries) {
    const found = attempt();
    if (found) return found;
  }
  return '';
}

const EXPANDER = /switch|expand|tree-hit|node-?btn|treeclick/i;

/** A sprite that opens a node of a tree is told by the node's text. */
function expanderName(item, survey) {
  if (item.bare || !EXPANDER.test(classOf(item.el))) return '';
  const text = textAfter(item, survey);
  return text ? `展开或收起 · ${text}` : '';
}

const SPECIAL = { checkbox: '选择', radio: '选择', switch: '开关', slider: '滑块', spinbutton: '数值', searchbox: '搜索', combobox: '下拉选择' };

/** {name, guessed}: of an operable item. */
function nameFor(item, role, survey, tables) {
  const stated = FIELD_ROLES.has(role) && !isField(item.native || item.el) && !isFieldButton(item.el) ? fieldName(item) : statedName(item, survey);
  if (stated) return { name: cut(stated, MAX_NAME), guessed: false };
  return { name: cut(guessedName(item, role, survey, tables), MAX_NAME), guessed: true };
}

/** A box drawn as a field is never named by what it holds. */
function fieldName(item) {
  const labels = [item.el, item.native].filter(Boolean).map((node) => plain(referenced(node, 'aria-labelledby')) || plain(attr(node, 'aria-label')) || (labelsOf(node) ? plain([...labelsOf(node)].map(textOf).join(' ')) : ''));
  return labels.find(Boolean) || '';
}

/** Column and row of a control in a cell that says nothing of itself. */
function cellName(item, role, tables) {
  const place = tables.placeOf(item.el);
  if (!place) return '';
  const word = TICKS.has(role) && !place.column ? '选择' : place.column;
  const header = place.header && TICKS.has(role);
  return header ? '全选' : [word, place.key].filter(Boolean).join(' · ');
}
