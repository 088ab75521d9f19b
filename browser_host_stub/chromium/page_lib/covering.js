// What would take a click instead of an item.

/** Where the middle of what is in view lies, in the coordinates of the element's own document; null out of view. */
function middleOf(item) {
  const rect = [...rectsOf(item.el)].find((each) => each.width > 0 && each.height > 0);
  if (!rect) return null;
  const { x, y } = item.offset;
  const part = meet({ left: rect.left + x, top: rect.top + y, right: rect.right + x, bottom: rect.bottom + y }, item.soft);
  return area(part) > 0 ? { x: (part.left + part.right) / 2 - x, y: (part.top + part.bottom) / 2 - y } : null;
}

/** Null out of view, else what would take a click instead of the item, or false. */
function coverOf(item, at = middleOf(item)) {
  if (!at) return null;
  const hit = deepHit(docOf(item.el), at.x, at.y);
  if (!hit) return false;
  if (reaches(item.el, hit) || (item.native && reaches(item.native, hit))) return frameCover(item, at);
  return hit;
}

function frameCover(item, at) {
  const frame = frameOf(item.el);
  if (!frame) return false;
  const around = offsetOf(frame);
  const hit = deepHit(docOf(frame), at.x + item.offset.x - around.x, at.y + item.offset.y - around.y);
  return hit && hit !== frame ? hit : false;
}

const ON_TOP = ':modal, :popover-open, :fullscreen';

/** What covers items. Asking the browser what lies at a point costs far more than seeing that nothing else can. */
class Covering {
  constructor(survey, marks, state) {
    this.items = survey.all || survey.items;
    const sure = marks && marks.drawn && !state.late && within(document.documentElement, ON_TOP).length === 0;
    this.drawn = sure ? marks.drawn.map(([x, y, width, height]) => ({ left: x - window.scrollX, top: y - window.scrollY, right: x + width - window.scrollX, bottom: y + height - window.scrollY })) : null;
  }

  /** See `coverOf`. */
  of(item) {
    const at = middleOf(item);
    if (!at) return null;
    if (this.drawn !== null && docOf(item.el) === document && isHtml(item.el) && this.isAlone(item, at)) return false;
    return coverOf(item, at);
  }

  /** Whether neither another element nor anything a style sheet draws is where the item is to be pressed. */
  isAlone(item, { x, y }) {
    const around = new Set();
    for (let node = item.up; node; node = node.up) around.add(node);
    if (this.drawn.some((box) => inside(box, x, y))) return false;
    let within = false;
    for (const other of this.items) {
      within = other === item || (within && other.depth > item.depth);
      if (!within && inside(other.box, x, y) && !around.has(other)) return false;
    }
    return true;
  }
}
