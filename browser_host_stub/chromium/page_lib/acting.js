// What input events cannot do alone: selections, native selects, pickers, focus.

const SET_DIRECTLY = new Set(['date', 'month', 'week', 'time', 'datetime-local', 'range', 'color']);
const setInputValue = (el, value) =>
  Reflect.apply(Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set, el, [value]);

function announce(el) {
  el.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  el.dispatchEvent(new Event('change', { bubbles: true }));
}

/** For errors about widgets: what it is, and what it stands in. */
const standing = (el) => ({ element: describe(el).element, within: withinOf(el) });

/** How text gets into the element: by `keys`, or `set` for pickers whose keys depend on the locale. */
function fieldKind(number) {
  const { el, ...refused } = fresh(number);
  if (!el) return refused;
  if (tagOf(el) === 'input' && SET_DIRECTLY.has(el.type)) return { kind: 'set' };
  if (!isEditable(el)) return refuse('UNSUPPORTED_WIDGET', { why: '不是输入框', ...standing(el) });
  return { kind: 'keys', one_line: tagOf(el) === 'input' };
}

function setField(number, value) {
  const refused = recheck(number);
  if (refused) return refused;
  const el = kept.get(number).el;
  const before = el.value;
  setInputValue(el, value);
  if (el.value !== value) {
    setInputValue(el, before);
    return refuse('BAD_PARAMS', { why: '值的写法不适合这种输入框', type: el.type });
  }
  focusOn(el);
  announce(el);
  blurOf(el);
  return {};
}

/** Ends when the document has stood still for two frames, after `least` ms at the soonest and `most` at the latest. */
function standsStill(least, most) {
  const start = performance.now();
  return new Promise((done) => {
    let still = 0;
    const watch = new MutationObserver(() => { still = 0; });
    const end = () => {
      watch.disconnect();
      done({});
    };
    const drawn = () => {
      still += 1;
      if (still > 1 && performance.now() - start >= least) end();
      else if (performance.now() - start < most) requestAnimationFrame(drawn);
    };
    watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    requestAnimationFrame(drawn);
    setTimeout(end, most); // a page that is not drawn has no frames
  });
}

/** What has the focus, through open shadow roots and frames of the same origin. */
function deepActive(doc) {
  let active = doc.activeElement;
  while (active) {
    const root = shadowOf(active) || innerDocument(active);
    if (!root || !root.activeElement) break;
    active = root.activeElement;
  }
  return active;
}

function selectAll(el) {
  if (isTextInput(el)) el.select();
  else docOf(el).getSelection().selectAllChildren(el);
}

/** Focus the field and select its content, or put the caret behind it. */
function enterField(number, clear) {
  const refused = recheck(number);
  if (refused) return refused;
  const el = kept.get(number).el;
  if (deepActive(docOf(el)) !== el || !hasKeys(el)) focusOn(el);
  const active = deepActive(docOf(el));
  if (!active || !encloses(active, el) || !hasKeys(el)) return refuse('ACTION_FAILED', { why: '无法聚焦到输入框' });
  if (clear) selectAll(el);
  else if (!isTextInput(el)) {
    selectAll(el);
    docOf(el).getSelection().collapseToEnd();
  }
  return {};
}

function fieldValue(number) {
  const { el, ...refused } = fresh(number);
  if (!el) return refused;
  const within = withinOf(el);
  const input = isTextInput(el) || tagOf(el) === 'input';
  const value = input ? el.value : textOf(el);
  const told = { length: value.length, maxlength: input && el.maxLength >= 0 ? el.maxLength : null, within };
  if (isPassword(el)) return { value: null, ...told };
  if (input && el.validity.badInput) return refuse('BAD_PARAMS', { why: '输入框不接受这样的内容', type: el.type, within });
  return { value, ...told };
}

function focusKept(number) {
  const refused = recheck(number);
  if (refused) return refused;
  const el = kept.get(number).el;
  focusOn(el);
  const active = deepActive(docOf(el));
  return active && encloses(el, active) && hasKeys(el) ? {} : refuse('ACTION_FAILED', { why: '元素不能获得焦点' });
}

/** For keys that go to whatever has the focus: it must still be the element that was checked. */
function focusStays(number) {
  const refused = recheck(number);
  if (refused) return refused;
  const now = deepActive(document) || document.documentElement;
  return now === kept.get(number).el ? {} : refuse('STALE_REF', { why: '焦点已经移到别的元素' });
}

/** Choose one option of a native select, by value first, then by label. */
function choose(number, wanted) {
  const refused = recheck(number);
  if (refused) return refused;
  const el = kept.get(number).el;
  if (tagOf(el) !== 'select') return refuse('UNSUPPORTED_WIDGET', { why: '不是原生下拉框', ...standing(el) });
  const options = [...el.options];
  const labels = () => options.slice(0, 50).map((o) => squeeze(o.label));
  const found = optionsFor(el, wanted);
  if (found.length === 0) return refuse('NOT_FOUND', { why: '下拉框中没有这一项', options: labels() });
  if (found.length > 1) return refuse('AMBIGUOUS_TARGET', { count: found.length, labels: labels() });
  if (matches(found[0], ':disabled')) return refuse('DISABLED_TARGET', { why: '这一项不可选' });
  focusOn(el);
  const own = optionsChosen(el);
  if (own.length !== 1 || own[0] !== found[0]) {
    for (const option of own) if (option !== found[0]) option.selected = false;
    found[0].selected = true;
    announce(el);
  }
  return { value: found[0].value, label: squeeze(found[0].label) };
}

const optionsChosen = (el) => [...within(el, 'option')].filter((option) => option.selected);

/** What a select shows once the page has had its turn: `kept` when it is exactly the option of this value and label. */
function chosenNow(number, value, label) {
  const { el, ...refused } = fresh(number);
  if (!el) return refused;
  const now = optionsChosen(el).slice(0, 50).map((option) => ({ value: option.value, label: squeeze(option.label) }));
  const told = isPassword(el) ? [] : now;
  return { kept: now.length === 1 && now[0].value === value && now[0].label === label, now: told, within: withinOf(el) };
}

/** What is left in a field that was emptied. */
function remaining(number) {
  const { el, ...refused } = fresh(number);
  if (!el) return refused;
  const left = tagOf(el) === 'input' || isTextInput(el) ? el.value : squeeze(textOf(el));
  return { empty: left === '', left: isPassword(el) ? null : cut(left, MAX_VALUE), within: withinOf(el) };
}

const TICKABLE = ['checkbox', 'switch', 'radio', 'menuitemcheckbox', 'menuitemradio', 'option', 'treeitem'];

/** The state of what can be ticked: a native box, also through its label, or one that says its state by ARIA. */
function checkedState(number) {
  const { el, ...refused } = fresh(number);
  if (!el) return refused;
  const within = withinOf(el);
  const native = [el, tagOf(el) === 'label' ? el.control : null].find((item) => item && isTicked(item));
  if (native) return { checked: native.checked, radio: native.type === 'radio', within };
  const marked = attr(el, 'aria-checked');
  const role = roleOf(el);
  const said = marked === null ? toldBy(el, 'checked') : marked === 'true';
  if (!TICKABLE.includes(role) || (said === null && !['checkbox', 'switch'].includes(role))) {
    return refuse('UNSUPPORTED_WIDGET', { why: '不是可勾选的元素', ...standing(el) });
  }
  return { checked: said === true, radio: ['radio', 'menuitemradio'].includes(role), within };
}
