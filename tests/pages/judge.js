// What a person can operate on a page, judged in the page's own world by other means than the host's snapshot:
// native controls, roles, handlers of properties, listeners (given from outside), jQuery's delegated handlers, the hand
// cursor; and then whether a click on its middle would arrive. Shares no code with the host.
(listening) => {
  const NATIVE = 'button, a[href], input:not([type=hidden]), select, textarea, summary, [contenteditable=""], [contenteditable=true]';
  const ROLES = new Set(['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'option', 'combobox', 'textbox',
    'slider', 'spinbutton', 'treeitem', 'menuitemcheckbox', 'menuitemradio', 'searchbox']);
  const inner = (el) => { try { return el.contentDocument; } catch { return null; } };
  function* all(root) {
    for (const el of root.querySelectorAll('*')) {
      yield el;
      if (el.shadowRoot) yield* all(el.shadowRoot);
      if (/^i?frame$/.test(el.localName) && inner(el)) yield* all(inner(el));
    }
  }
  const pointer = (el) => el.ownerDocument.defaultView.getComputedStyle(el).cursor === 'pointer';
  const delegated = new Set();
  function delegate(doc) {
    const $ = doc.defaultView.jQuery || (doc.defaultView.layui && doc.defaultView.layui.$);
    if (!$ || !$._data) return;
    for (const el of [doc, ...doc.querySelectorAll('*')]) {
      const events = $._data(el, 'events') || {};
      for (const type of ['click', 'mousedown']) {
        for (const handler of events[type] || []) {
          if (!handler.selector) continue;
          $(el).find(handler.selector).each((_, hit) => delegated.add(hit));
        }
      }
    }
  }
  const reasons = (el) => {
    const found = [];
    if (el.matches(NATIVE)) found.push('native');
    if (ROLES.has((el.getAttribute('role') || '').trim())) found.push('role');
    if (el.onclick || el.onmousedown) found.push('handler');
    if (el.tabIndex >= 0 && el.hasAttribute('tabindex')) found.push('tabindex');
    if (listening.has(el)) found.push('listener');
    if (delegated.has(el)) found.push('delegated');
    const parent = el.parentElement;
    if (pointer(el) && !(parent && pointer(parent))) found.push('cursor');
    return found;
  };
  const disabled = (el) => el.matches(':disabled') || Boolean(el.closest('[aria-disabled=true], .layui-disabled, .disabled'));
  // What is wholly transparent appears under the hand alone; only native controls stay, for what is drawn in their place.
  const seen = (el) => el.checkVisibility({ visibilityProperty: true, opacityProperty: !el.matches(NATIVE) }) &&
    el.getBoundingClientRect().width >= 3 && el.getBoundingClientRect().height >= 3;
  // An edge that is dragged is nothing to click.
  const dragged = (el) => /resize$/.test(el.ownerDocument.defaultView.getComputedStyle(el).cursor);
  /** Whether a click in the middle of one of its boxes arrives, after scrolling there. */
  function arrives(el) {
    el.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    for (const rect of [...el.getClientRects()].slice(0, 3)) {
      const x = rect.left + rect.width / 2;
      const y = rect.top + rect.height / 2;
      let hit = el.ownerDocument.elementFromPoint(x, y);
      while (hit && hit.shadowRoot && hit.shadowRoot.elementFromPoint(x, y) && hit.shadowRoot.elementFromPoint(x, y) !== hit) {
        hit = hit.shadowRoot.elementFromPoint(x, y);
      }
      if (hit && (el.contains(hit) || (hit.closest('label') && hit.closest('label').control === el))) return true;
    }
    return false;
  }
  delegate(document);
  for (const el of all(document)) if (/^i?frame$/.test(el.localName) && inner(el)) delegate(inner(el));
  const judged = new Map();
  for (const el of all(document)) {
    if (['html', 'body', 'option', 'optgroup', 'iframe', 'frame', 'script', 'style', 'label'].includes(el.localName)) continue;
    const why = reasons(el);
    if (why.length && seen(el) && !disabled(el) && !dragged(el)) judged.set(el, why);
  }
  // A listener on a container of things to operate, or a place in the order of the Tab key, is mostly there for them.
  for (const [el, why] of [...judged].reverse()) {
    const only = why.every((reason) => reason === 'listener' || reason === 'tabindex');
    if (only && [...judged.keys()].some((other) => other !== el && el.contains(other))) judged.delete(el);
  }
  return [...judged].filter(([el]) => arrives(el));
}
