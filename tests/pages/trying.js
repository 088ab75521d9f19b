// Whether a real click on an element does anything: what changes in its document between `watch` and `answer`.
({
  groups(tries) {
    const bare = (text) => text.replace(/\d+/g, '');
    return tries.map(({ el, told, weak, by_row }) => {
      const names = [el, el.parentElement].map((each) => `${each.localName}.${bare(each.getAttribute('class') || '')}`).join('<');
      const column = el.cellIndex === undefined ? '' : el.cellIndex;
      const marks = el.getAttributeNames().filter((name) => name !== 'data-content').join();
      const root = el.closest('table, form, section') ? [...el.ownerDocument.querySelectorAll('table, form, section')].indexOf(el.closest('table, form, section')) : '';
      return { told, weak, group: [names, column, marks, root, by_row].join('|') };
    });
  },
  /** A point of it that the mouse reaches and that is in no control inside it, null for none. */
  before({ el }) {
    if (!el.isConnected) return null;
    el.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    const CONTROLS = 'button, a[href], input, select, textarea, label, [role=button], [role=checkbox], .layui-form-checkbox, .layui-form-switch';
    const rect = el.getBoundingClientRect();
    let found = null;
    for (const [across, down] of [[0.5, 0.5], [0.2, 0.5], [0.8, 0.5], [0.5, 0.15], [0.5, 0.85], [0.03, 0.2], [0.97, 0.2]]) {
      const [x, y] = [rect.left + rect.width * across, rect.top + rect.height * down];
      const hit = el.ownerDocument.elementFromPoint(x, y);
      const control = hit && el.contains(hit) ? hit.closest(CONTROLS) : el;
      found = found || (hit && el.contains(hit) && (control === null || control.contains(el)) ? { x, y } : null);
    }
    for (let frame = el.ownerDocument.defaultView.frameElement; found && frame; frame = frame.ownerDocument.defaultView.frameElement) {
      found.x += frame.getBoundingClientRect().left + frame.clientLeft;
      found.y += frame.getBoundingClientRect().top + frame.clientTop;
    }
    return found;
  },
  watch(tried) {
    tried.changes = [];
    tried.observer = new MutationObserver((seen) => tried.changes.push(...seen));
    tried.observer.observe(tried.el.ownerDocument, { subtree: true, childList: true, attributes: true, attributeOldValue: true, characterData: true });
  },
  answer({ el, told, by_row, changes, observer }) {
    changes.push(...observer.takeRecords());
    observer.disconnect();
    // jQuery sets an id for the time of a query: what is as it was has not changed.
    const first = (change) => changes.find(({ target, attributeName }) => target === change.target && attributeName === change.attributeName);
    const back = (change) => change.type === 'attributes' && change.target.getAttribute(change.attributeName) === first(change).oldValue;
    const real = changes.filter((change) => !back(change)).filter(({ target, type }) => (by_row ? el.contains(target) && (type !== 'attributes' || target === el) : true));
    return real.length ? `${told} -> ${real[0].type} ${real[0].attributeName || ''} of ${real[0].target.localName || 'text'}.${real[0].target.className || ''}` : null;
  },
})
