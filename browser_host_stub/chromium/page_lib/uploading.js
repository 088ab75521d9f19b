// Which file input an upload is for: pages hide it behind a button or a drop zone.

const FILE_INPUT = 'input[type="file"]';
const isFileInput = (el) => tagOf(el) === 'input' && el.type === 'file';

function labelledInput(el) {
  const label = closest(el, 'label');
  return label && label.control && isFileInput(label.control) ? label.control : null;
}

/** File inputs in an element and in the open shadow root it may host. */
function fileInputsIn(el) {
  const inner = shadowOf(el);
  return [...within(el, FILE_INPUT), ...(inner ? queryAll(inner, FILE_INPUT) : [])];
}

/** Those right beside an element: in its parent, else one step further out, never past a form or the page. */
function fileInputsBeside(el) {
  let around = flatParent(el);
  for (let level = 0; around && level < 2 && !['form', 'body', 'html'].includes(tagOf(around)); level += 1) {
    const found = fileInputsIn(around);
    if (found.length > 0) return found.length === 1 ? found : [];
    around = flatParent(around);
  }
  return around && tagOf(around) === 'form' && parentOf(el) === around ? [...elementChildren(around)].filter(isFileInput).slice(0, 2) : [];
}

/** Number of the input that takes the file, kept like a target; null when only a click can tell. */
function fileInputFor(number) {
  const refused = recheck(number);
  if (refused) return refused;
  const { el } = kept.get(number);
  const inside = fileInputsIn(el);
  const own = isFileInput(el) ? el : labelledInput(el);
  if (!own && inside.length > 1) return refuse('AMBIGUOUS_TARGET', { count: inside.length, why: '其中有多个文件输入框' });
  const beside = own || inside.length ? [] : fileInputsBeside(el);
  const input = own || inside[0] || (beside.length === 1 ? beside[0] : null);
  if (!input) return { element: null };
  if (matches(input, ':disabled')) return refuse('DISABLED_TARGET', { why: '文件输入框已被禁用' });
  return { element: keep({ el: input, hand: input, needs: {}, facts: {}, hit: null }) };
}

/** The element itself, for the browser's own commands. */
const elementOf = (number) => (kept.has(number) && alive(kept.get(number).el) ? kept.get(number).el : null);

const MESSAGE = /(?:^|[-_\s])(?:message|toast|notification|notice|error|alert|tips?|msg)(?:$|[-_\s])/i;

/** Whether a text is part of what the page says for a moment, not of what it lists. */
function inMessage(el) {
  for (let node = el; node && !['body', 'html'].includes(tagOf(node)); node = flatParent(node)) {
    if (['alert', 'status', 'alertdialog'].includes(attr(node, 'role')) || MESSAGE.test(attr(node, 'class') || '')) return true;
  }
  return false;
}

/** How often the document shows a file's name outside of messages. */
function showsName(name) {
  const texts = makeWalker(document, document, NodeFilter.SHOW_TEXT);
  let times = 0;
  while (texts.nextNode()) {
    const around = parentOf(texts.currentNode);
    if (textContentOf(texts.currentNode).includes(name) && !['script', 'style'].includes(tagOf(around)) && !inMessage(around)) times += 1;
  }
  return { times };
}
const makeWalker = method(Document.prototype, 'createTreeWalker');
