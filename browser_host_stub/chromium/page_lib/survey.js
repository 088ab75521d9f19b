// One walk over the flat tree that notes what there is of each element: place, what clips it, cursor, listeners.

/** Elements below in the order the browser lists them for listeners: shadow root first, then children; frames apart. */
function* documentOrder(top) {
  const stack = [top];
  while (stack.length) {
    const el = stack.pop();
    yield el;
    const light = childrenOf(el);
    for (let i = light.length - 1; i >= 0; i -= 1) stack.push(light[i]);
    const shadow = shadowOf(el);
    const dark = shadow ? childrenOf(shadow) : [];
    for (let i = dark.length - 1; i >= 0; i -= 1) stack.push(dark[i]);
  }
}

/** Which elements listen, from places in document order; and the frames' own lists. False when the page has changed. */
function readMarks(doc, marks, into) {
  const wanted = new Map(marks.own.map(([place, tag, bits]) => [place, { tag, bits }]));
  const tells = new Map(marks.told.map(([at, tag, facts]) => [at, { tag, facts }]));
  const anyTells = tells.size > 0;
  let place = 0;
  let fits = true;
  for (const el of documentOrder(doc.documentElement)) {
    const mark = wanted.get(place);
    if (mark && mark.tag === tagOf(el).toLowerCase()) into.own.set(el, mark.bits);
    else if (mark) fits = false;
    const tale = anyTells ? tells.get(place) : undefined;
    if (tale && tale.tag === tagOf(el)) noteTold(el, tale.facts);
    if (marks.frames[place] && innerDocument(el)) into.frames.set(el, marks.frames[place]);
    into.places.set(el, place);
    place += 1;
  }
  return fits && place === marks.count;
}

/** Displays that go on in the line of what is around. */
const INLINE = /^inline$|^contents$|^ruby/;
const EVERYWHERE = { left: -1e9, top: -1e9, right: 1e9, bottom: 1e9 };

/** The area scrolling can bring into a box, in its own coordinates now. */
function reachOf(box, el) {
  const left = box.left - el.scrollLeft;
  const top = box.top - el.scrollTop;
  return { left, top, right: left + el.scrollWidth, bottom: top + el.scrollHeight };
}

const SCROLLING = /auto|scroll|overlay/;

/** Clips that hold for children: `soft` is what is seen now, `hard` what scrolling can show. */
function clipsInside(item, style, clips, flowing) {
  const { overflow, transform } = style;
  let flow = flowing;
  if (overflow !== 'visible' && item.display !== 'inline' && !item.contents) {
    const wheel = (item.own & OWN.wheel) !== 0;
    const free = SCROLLING.test(overflow) || wheel || LOCKED.test(classOf(item.el) + ' ' + (item.up ? classOf(item.up.el) : ''));
    item.scrolls = free && item.el.scrollHeight > item.el.clientHeight + 8;
    flow = { soft: meet(flow.soft, item.box), hard: free ? reachOf(item.box, item.el) : meet(flow.hard, item.box) };
  }
  const moved = transform !== 'none';
  if (flow === clips.flow && item.placed === 'static' && !moved) return clips;
  return { flow, abs: item.placed !== 'static' || moved ? flow : clips.abs, fix: moved ? flow : clips.fix };
}

const clipOf = (position, clips) => (position === 'fixed' ? clips.fix : position === 'absolute' ? clips.abs : clips.flow);

function rectIn(el, offset) {
  const rect = rectOf(el);
  return { left: rect.left + offset.x, top: rect.top + offset.y, right: rect.right + offset.x, bottom: rect.bottom + offset.y };
}

/** Children of an item in the order they are read: elements, and texts with what they are in. */
function belowOf(item, clips) {
  const below = [];
  const silent = MUTE.has(tagOf(item.el));
  let gap = item.gap || tagOf(item.el) === 'br';
  for (const node of childNodesOf(item.el)) {
    const type = nodeTypeOf(node);
    if (type === Node.ELEMENT_NODE) below.push({ el: node, up: item, clips, depth: item.depth + 1, gap });
    else if (type !== Node.TEXT_NODE) continue;
    else if (/\S/.test(node.data)) {
      item.words = true;
      if (!silent) below.push({ text: node.data, up: item, gap });
    } else {
      gap = true;
      continue;
    }
    gap = type === Node.ELEMENT_NODE && tagOf(node) === 'br';
  }
  return below;
}

/** A survey: `items` in reading order, each knowing the one above. Bounded by time, depth and what can be listed. */
class Survey {
  constructor(state, most) {
    this.items = [];
    /** Texts in reading order: `at` is the place of the item that follows. */
    this.texts = [];
    this.of = new Map();
    this.own = new Map();
    this.places = new Map();
    this.state = state;
    this.fits = true;
    this.most = most;
    this.controls = 0;
  }

  /** Everything below one element, in `marks` of its document. */
  read(top, marks, frame) {
    const into = { own: this.own, frames: new Map(), places: this.places };
    if (marks.count >= 0) this.fits = readMarks(docOf(top), marks, into) && this.fits;
    const offset = offsetOf(top);
    const stack = [{ el: top, up: frame, clips: this.clipsOfView(docOf(top), offset, frame), depth: frame ? frame.depth + 1 : 0 }];
    while (stack.length) {
      if (this.controls > this.most || late(this.state)) return;
      const next = stack.pop();
      if (next.text) {
        this.texts.push({ at: this.items.length, text: next.text, gap: next.gap, up: next.up });
        continue;
      }
      const below = this.note(next, offset, into.frames);
      for (let i = below.length - 1; i >= 0; i -= 1) stack.push(below[i]);
    }
  }

  clipsOfView(doc, offset, frame) {
    const view = doc.defaultView;
    const page = doc.scrollingElement || doc.documentElement;
    const soft = { left: offset.x, top: offset.y, right: offset.x + view.innerWidth, bottom: offset.y + view.innerHeight };
    const root = { left: offset.x - view.scrollX, top: offset.y - view.scrollY, right: 0, bottom: 0 };
    root.right = root.left + Math.max(page.scrollWidth, view.innerWidth);
    root.bottom = root.top + Math.max(page.scrollHeight, view.innerHeight);
    const seen = frame ? meet(soft, frame.soft) : soft;
    const flow = { soft: seen, hard: frame && area(frame.box) === 0 ? meet(root, frame.box) : root };
    return { flow, abs: flow, fix: { soft: seen, hard: soft } };
  }

  /** Note one element; answers what is to be noted next. */
  note({ el, up, clips, depth, gap }, offset, frames) {
    const tag = tagOf(el);
    if (SKIPPED.has(tag)) return [];
    const style = getComputedStyle(el);
    if (style.display === 'none') {
      if (up && isNative(el)) this.hide(up, el);
      return [];
    }
    const item = this.itemOf(el, up, style, clips, offset, depth);
    item.gap = gap;
    item.at = this.items.length;
    this.items.push(item);
    this.of.set(el, item);
    const faint = (up ? up.faint : false) || parseFloat(style.opacity) < 0.02;
    item.faint = faint;
    item.seen = !faint && style.visibility === 'visible' && item.size > 0 && area(meet(item.box, item.hard)) > 0;
    if (item.seen && (isNative(el) || tag === 'a')) this.controls += 1;
    if (up && isNative(el) && !item.seen) this.hide(up, el);
    if (item.seen && isField(el)) this.fieldIn(item);
    if (tag === 'select' || depth > MAX_DEPTH) return this.deep(item, depth);
    if (frames.has(el)) this.enter(el, item, frames.get(el));
    if (isFrame(el)) return [];
    const inner = clipsInside(item, style, clips, clipOf(item.placed, clips));
    return belowOf(item, inner);
  }

  deep(item, depth) {
    if (depth > MAX_DEPTH) this.state.deep = true;
    return [];
  }

  enter(el, item, marks) {
    if (!item.seen) return;
    const top = childElements(el)[0];
    if (top) this.read(top, marks, item);
  }

  itemOf(el, up, style, clips, offset, depth) {
    const box = rectIn(el, offset);
    const { display, position } = style;
    const clip = clipOf(position, clips);
    const item = {
      el, up, depth, box, size: area(box), soft: clip.soft, hard: clip.hard, offset, own: this.own.get(el) || 0, cursor: style.cursor,
      placed: position, display, inert: style.pointerEvents === 'none', scrolls: false, below: 0, bare: false, op: false, native: null, outer: null, only: null, hidden: [], field: null, kind: '', words: false, at: 0, gap: false,
      block: null, contents: display === 'contents', unread: null, closed: null, ground: null,
    };
    item.block = up && INLINE.test(display) ? up.block : item;
    return item;
  }

  /** A native control nobody sees: something visible nearby stands for it. */
  hide(up, el) {
    for (let node = up, level = 0; node && level < 5; node = node.up, level += 1) {
      if (node.hidden.length < MAX_HIDDEN) node.hidden.push(el);
    }
  }

  fieldIn(item) {
    for (let node = item.up, level = 0; node && level < 4; node = node.up, level += 1) node.field = node.field || item;
  }
}
