// What a person reads on a page beside its controls: texts in blocks, rows of tables by their cells, items of lists,
// messages. Made of what the survey passed, so that nothing is asked of the page twice.

const MAX_BLOCK = 200;
const MAX_CELL = 80;
const MAX_CELLS = 40;
/** Rows of a table and items of a list that are shown; what can be operated in the others is listed all the same. */
const MAX_ALIKE = 20;
/** Listed nodes before and after a text that may say the same: a label and its field. */
const NEAR = 3;
const SPEAKING = new Set(['heading', 'alert', 'status', 'columnheader', 'row', 'listitem']);
const MUTE = new Set(['textarea', 'select', 'canvas', 'video', 'audio', 'object', 'iframe', 'frame', 'br']);
const LABELS = /(?:^|[-_\s])(?:label|term|key|lbl|caption)(?:$|[-_\s])/i;
const ALERTS = /^(?:el-form-item__error|ant-form-item-explain(?:-error)?|invalid-feedback|error-(?:message|msg|tips?)|(?:field|form)-error|vxe-form--item-valid|help-block-error)$/;
const TOASTS = /^(?:el-message|el-notification|ant-message-notice|ant-notification-notice|layui-layer-(?:msg|tips)|toast|vxe-message|ivu-message-notice|n-message|van-toast)$/;

const spaceless = (text) => text.replace(/\s+/g, '').toLowerCase();
const labelLess = (text) => spaceless(text).replace(/^[*＊]+|[:：*＊]+$/g, '');
const isSeenText = ({ up }) => (up.contents ? up.up !== null && up.up.seen : up.seen && up.size > 4) && !unread(up);

/** Role of what a page shows for a moment or beside a field, by the names component libraries give it. */
function messageRole(item) {
  if (!item.bare) return '';
  const names = classesOf(item.el);
  if (names.some((name) => ALERTS.test(name))) return 'alert';
  return names.some((name) => TOASTS.test(name)) ? 'status' : '';
}

/** Pieces of text as they stand: a space only where the page has one, or where a block ends. */
function joinedPieces(pieces) {
  let text = '';
  let before = null;
  for (const piece of pieces) {
    text += (before && (piece.gap || piece.up.block !== before.up.block) ? ' ' : '') + piece.text;
    before = piece;
  }
  return plain(text);
}

/** The texts of one snapshot on their way to nodes. */
class Reader {
  constructor(survey, snap) {
    Object.assign(this, { texts: survey.texts, survey, snap, next: 0, run: [], into: null, label: null, counts: new Map(), drawn: new Map() });
    this.left = Math.max(0, Math.min(snap.most / 2, snap.most - 1.5 * survey.items.filter((item) => item.op).length));
    this.lost = false;
  }

  /** Take the texts that stand before an item; `open` are the nodes around. */
  before(item, open, top) {
    while (this.next < this.texts.length && (item === null || this.texts[this.next].at <= item.at)) {
      const piece = this.texts[this.next];
      this.next += 1;
      if (!isSeenText(piece)) continue;
      while (open.length && piece.up.depth < open[open.length - 1].depth) open.pop();
      const around = open.length ? open[open.length - 1] : null;
      if (around && around.mute) continue;
      const into = around ? around.into : top;
      if (this.run.length && (this.into !== into || this.run[0].up.block !== piece.up.block)) this.flush();
      if (!this.run.length) Object.assign(this, { into, around: open.map((entry) => entry.node).filter(Boolean) });
      this.run.push(piece);
    }
  }

  /** End the text that is being put together: a listed node or another block follows. */
  flush() {
    if (!this.run.length) return;
    const [first] = this.run;
    const text = cut(joinedPieces(this.run), MAX_BLOCK);
    this.run = [];
    if (!/[\p{L}\p{N}]/u.test(text) || this.isSaid(text)) return;
    if (this.follows(text)) return;
    if (this.left < 1) {
      this.lost = true;
      return;
    }
    this.left -= 1;
    this.snap.made += 1;
    const node = { role: 'text', name: text, children: [] };
    const { el } = first.up.block || first.up;
    this.label = text.length <= MAX_BESIDE_NAME && (/[:：]$/.test(text) || tagOf(el) === 'dt' || LABELS.test(classOf(el))) ? node : null;
    this.into.push(node);
  }

  /** A value right after its label is one text with it. */
  follows(text) {
    const { label } = this;
    if (!label || this.into[this.into.length - 1] !== label) return false;
    label.name = cut(`${label.name.replace(/\s*[:：]$/, '')}: ${text}`, MAX_BLOCK);
    this.label = null;
    return true;
  }

  isSaid(text) {
    const bare = spaceless(text);
    return this.around.some(({ role, name, value, operable }) => {
      if (operable || SPEAKING.has(role)) return spaceless(name).includes(bare) || Boolean(value) && spaceless(value).includes(bare);
      return labelLess(name) === labelLess(text);
    });
  }

  /** Role of an item that is one of many alike and holds something to read: a row, an item of a list; else ''. */
  alikeRole(item) {
    const { el } = item;
    const tag = tagOf(el);
    if (matches(el, ROW)) return tag !== 'tr' || this.snap.isData(closest(el, 'table')) ? this.rowRole(item) : '';
    if (tag !== 'li' && attr(el, 'role') !== 'listitem') return '';
    return item.bare && within(el, 'li, table, [role="listitem"]').length === 0 ? 'listitem' : '';
  }

  rowRole(item) {
    const cells = cellsOf(item.el);
    const head = cells.length > 0 && cells.every((cell) => matches(cell, HEADS)) && tagOf(parentOf(item.el)) !== 'tfoot';
    return head || within(item.el, 'table, tr, [role="row"]').length ? '' : 'row';
  }

  /** The node of such an item; null when it is a copy or says nothing, and `mute` when enough are shown. */
  alikeNode(item, role, into) {
    const name = role === 'row' ? this.rowName(item) : cut(joinedPieces(this.piecesIn(item).filter(({ op }) => !op)), MAX_BLOCK);
    if (!/[\p{L}\p{N}]/u.test(name) || this.isCopy(item, name)) return null;
    const count = (this.counts.get(into) || 0) + 1;
    this.counts.set(into, count);
    if (count > MAX_ALIKE) return { mute: true };
    if (this.left < 1) {
      this.lost = true;
      return { mute: true };
    }
    this.left -= 1;
    this.snap.made += 1;
    return { role, name, children: [] };
  }

  /** Tables draw locked columns a second time at the same height. */
  isCopy(item, name) {
    const key = `${Math.round(item.box.top)}|${Math.round(item.box.bottom)}`;
    const drawn = this.drawn.get(key);
    if (drawn && name.split(' | ').every((cell) => drawn.includes(cell))) return true;
    this.drawn.set(key, drawn ? `${drawn} ${name}` : name);
    return false;
  }

  /** The texts below an item that stands next, each with the operable item it is in. */
  piecesIn(item) {
    const found = [];
    for (let at = this.next; at < this.texts.length; at += 1) {
      const piece = this.texts[at];
      let node = piece.up;
      let op = null;
      for (; node && node !== item; node = node.up) if (node.op) op = node;
      if (!node) break;
      if (isSeenText(piece)) found.push({ ...piece, op });
    }
    return found;
  }

  /** The texts of a row's cells with ` | ` between them; values of fields are told by the fields. */
  rowName(item) {
    const cells = cellsOf(item.el).slice(0, MAX_CELLS);
    const places = new Map(cells.map((cell, place) => [cell, place]));
    const parts = cells.map(() => []);
    for (const piece of this.piecesIn(item)) {
      if (piece.op && (piece.op.native || isField(piece.op.el))) continue;
      let node = piece.up;
      while (node !== item && !places.has(node.el)) node = node.up;
      if (node !== item) parts[places.get(node.el)].push(piece);
    }
    return parts.map((pieces) => cut(joinedPieces(pieces), MAX_CELL).replaceAll('|', '｜')).join(' | ').replace(/(?: \| )+$/, '');
  }

  /** Leave out texts that the nodes beside them are called: labels of fields and of boxes to tick. */
  withoutLabels(top) {
    const listed = [];
    const walk = (nodes) => nodes.forEach((node) => (listed.push(node), walk(node.children)));
    walk(top);
    const said = new Set();
    for (const [at, node] of listed.entries()) {
      if (node.role !== 'text') continue;
      const name = labelLess(node.name);
      const beside = listed.slice(Math.max(0, at - NEAR), at + NEAR + 1);
      if (beside.some((other) => other.role !== 'text' && labelLess(other.name || '') === name)) said.add(node);
    }
    const clean = (nodes) => nodes.filter((node) => !said.has(node)).map((node) => Object.assign(node, { children: clean(node.children) }));
    this.snap.made -= said.size;
    return clean(top);
  }
}
