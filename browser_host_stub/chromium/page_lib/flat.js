// A count of what can be operated by markup and the hand alone, for pages too large to be taken apart.

const OPERABLE = 'a[href], button, input:not([type="hidden"]), select, textarea, summary, [contenteditable=""], ' +
  '[contenteditable="true"], [onclick], [tabindex]:not([tabindex="-1"]), ' + [...WIDGETS].map((role) => `[role="${role}"]`).join(', ');
const FLAT_MS = 600;

const MAX_LEVELS_SEEN = 600;

/** {count, deep}: how large the document is, and whether it is nested so deeply that the browser's own walks end badly. */
function elementsNow() {
  const all = queryAll(document, '*');
  let depth = 0;
  for (let at = 0, node = all[all.length - 1]; at < 3; at += 1, node = all[Math.floor(((at + 1) * all.length) / 4)]) {
    let levels = 0;
    for (let up = node; up; up = parentOf(up)) levels += 1;
    depth = Math.max(depth, levels);
  }
  return { count: all.length, deep: depth > MAX_LEVELS_SEEN };
}

function isFlatOperable(el) {
  if (matches(el, OPERABLE)) return true;
  if (getComputedStyle(el).cursor !== 'pointer') return false;
  const parent = flatParent(el);
  return !parent || (getComputedStyle(parent).cursor !== 'pointer' && !closest(el, 'label'));
}

/** {total, blank}: below a kept element, or of the whole document; counted as far as the time allows. */
function flatCount(number) {
  const entry = number === null ? { el: document.documentElement } : fresh(number);
  if (!entry.el) return entry;
  const until = performance.now() + FLAT_MS;
  let total = 0;
  for (const el of within(entry.el, '*')) {
    if (performance.now() > until) break;
    if (tagOf(el) !== 'option' && isFlatOperable(el) && visible(el)) total += 1;
  }
  return { total, blank: total === 0 && squeeze(textContentOf(entry.el)) === '' };
}
