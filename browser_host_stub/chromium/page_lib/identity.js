// The facts by which an element is found again on a later visit: the page's own, without those of a state.

const MAX_FACT = 120;
const MAX_DATA = 8;
const KEPT_ATTRIBUTES = ['name', 'type', 'href', 'title', 'placeholder', 'alt', 'aria-label', 'role', 'for', 'src', 'lay-event', 'lay-filter', 'lay-id', 'lay-value'];
const PASSING_DATA = /^data-(?:v-|reactid|index$|row-?key|popper|headlessui|radix)|selected|active|checked|open|expanded/i;

function attributesOf(el) {
  const kept = {};
  for (const name of KEPT_ATTRIBUTES) {
    const value = toldAttribute(el, name);
    if (value && !GENERATED.test(value) || name === 'href' && value) kept[name] = cut(value, MAX_FACT);
  }
  if (['checkbox', 'radio', 'submit', 'button', 'reset'].includes(typeOf(el)) && toldAttribute(el, 'value')) kept.value = cut(toldAttribute(el, 'value'), MAX_FACT);
  const data = attributeNames(el).filter((name) => name.startsWith('data-') && !PASSING_DATA.test(name)).slice(0, MAX_DATA);
  for (const name of data) if (toldAttribute(el, name)) kept[name] = cut(toldAttribute(el, name), MAX_FACT);
  return kept;
}

function siblingsOf(node) {
  const parent = parentOf(node);
  if (!parent) return [];
  return parent.nodeType === Node.DOCUMENT_NODE ? [node] : childrenOf(parent);
}

/** Position in the document or shadow root, by tags alone. */
function xpathOf(el) {
  const steps = [];
  for (let node = el; node && node.nodeType === Node.ELEMENT_NODE; node = parentOf(node)) {
    const tag = tagOf(node);
    let same = 0;
    let place = 0;
    for (const sibling of siblingsOf(node)) {
      if (tagOf(sibling) !== tag) continue;
      same += 1;
      if (sibling === node) place = same;
    }
    steps.unshift(same > 1 ? `${tag}[${place}]` : tag);
  }
  return '/' + steps.join('/');
}

function nearOf(item, survey, tables) {
  const place = tables.placeOf(item.el);
  if (place && place.row) return cut(plain(place.row), MAX_FACT);
  const before = textBefore(item, survey) || itemLabel(item);
  if (before) return cut(before, MAX_FACT);
  const around = item.up && item.up.up ? item.up.up.el : null;
  return around && !HOLDERS.has(tagOf(around)) ? cut(plain(openText(around)).slice(0, MAX_FACT * 2), MAX_FACT) : '';
}

function identityOf(item, survey, tables) {
  const { el } = item;
  return {
    tag: tagOf(el),
    id: ownId(el),
    classes: stableClasses(el).slice(0, 12),
    text: isField(el) ? '' : cut(plain(openText(el)), MAX_FACT),
    near: nearOf(item, survey, tables),
    xpath: xpathOf(el),
    attributes: attributesOf(el),
    within: withinOf(el),
  };
}
