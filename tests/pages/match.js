// Which judged elements the listed selectors leave out. A listed element stands for a judged one when it is that element,
// when it is in it and takes the click on its middle, or when the two lie on the same place.
({ judged, selectors }) => {
  const step = (root, part) => root.querySelectorAll(part);
  function find(selector) {
    let root = document;
    const parts = selector.split(' >>> ');
    for (const part of parts.slice(0, -1)) {
      const found = step(root, part);
      if (found.length !== 1) return [];
      root = found[0].shadowRoot || found[0].contentDocument;
      if (!root) return [];
    }
    return [...step(root, parts[parts.length - 1])];
  }
  const listed = new Set();
  const wrong = [];
  for (const selector of selectors) {
    const found = find(selector);
    if (found.length === 1) listed.add(found[0]);
    else wrong.push(`${selector} matches ${found.length}`);
  }
  const overlap = (a, b) => {
    const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (width <= 0 || height <= 0) return 0;
    return (width * height) / (a.width * a.height + b.width * b.height - width * height);
  };
  function standsFor(el, other) {
    if (other === el) return true;
    const label = el.closest('label') || other.closest('label');
    if (label && (label.control === el || label.contains(el)) && (label === other || label.control === other || label.contains(other))) return true;
    if (!el.contains(other) && !other.contains(el)) return false;
    if (overlap(el.getBoundingClientRect(), other.getBoundingClientRect()) >= 0.5) return true;
    if (!el.contains(other)) return false;
    el.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    const rect = el.getBoundingClientRect();
    return other.contains(el.ownerDocument.elementFromPoint(rect.left + rect.width / 2, rect.top + rect.height / 2));
  }
  // The arrow or calendar drawn into a listed field opens what the field opens; what empties it is a thing of its own.
  const APART = /clear|close|reset|eye|password|search|plus|minus|increase|decrease|handler/i;
  function partOfField(el, other) {
    if (!el.matches('i, span, div, svg') || el.textContent.trim() || APART.test(el.outerHTML)) return false;
    if (!other.matches('input, [role=combobox], [class*=select], [class*=picker], [class*=cascader]')) return false;
    const a = el.getBoundingClientRect();
    const b = other.getBoundingClientRect();
    return a.width * a.height <= 2500 && a.top >= b.top - 8 && a.bottom <= b.bottom + 8 && a.left >= b.left - 32 && a.right <= b.right + 32;
  }
  // Of a cell that only listens the row may stand for it: whether a click does more there is tried out.
  const weak = (why) => why.every((reason) => reason === 'listener' || reason === 'delegated');
  const inRow = (el, why) => weak(why) && el.matches('td, th') && listed.has(el.parentElement);
  const told = (el) => el.outerHTML.slice(0, 160).replace(/\s+/g, ' ');
  const missed = judged.filter(([el, why]) => ![...listed].some((other) => standsFor(el, other) || (!why.includes('native') && partOfField(el, other))));
  const tries = missed.map(([el, why]) => ({ el, told: `${why.join('+')} ${told(el)}`, weak: weak(why), by_row: inRow(el, why) }));
  return { judged: judged.length, listed: listed.size, wrong, tries };
}
