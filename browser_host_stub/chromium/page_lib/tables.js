// Tables as columns and rows, and the total the page itself states. What is one table to a person may be several to the
// page: its header and its body apart, its locked columns as tables of their own, a table for each row, boxes in a grid,
// rows that exist only while they are in view.

const TOTAL = /(?:共|总计|合计|总共)\s*(?:有|计)?\s*[:：]?\s*(\d[\d,]*)\s*(?:条|项|行|笔|个|件|张|份|人|款|rows?|records?|items?)/;
const TOTALS = [TOTAL, /(?:^|\s)Total\s+(\d[\d,]*)(?:\s+items?)?(?:\s|$)/i, /\bof\s+(\d[\d,]*)\s+(?:entries|items|rows|records)/i,
  /显示第?\s*\d+\s*[到至-]\s*\d+\s*(?:条|项)?[^\d]{0,6}共\s*(\d[\d,]*)/];
const MAX_SCROLLS = 400;
const MAX_SCROLL_MS = 6000;
const MAX_GRID_ROWS = 5000;

function cellText(cell) {
  const field = within(cell, 'input:not([type="hidden"]), select, textarea')[0];
  const text = squeeze(textOf(cell));
  if (text || !field) return text;
  return isTicked(field) ? (field.checked ? '✓' : '') : squeeze(valueOf(field) || '');
}

const spanOf = (cell, name) => Math.min(Math.max(1, Number(attr(cell, name)) || 1), 1000);

/** Rows of cells as a grid: a spanning cell fills each place it covers, as a person reads it. */
function gridOf(rows) {
  const grid = rows.map(() => []);
  rows.forEach((row, y) => {
    let x = 0;
    for (const cell of cellsOf(row)) {
      while (grid[y][x] !== undefined) x += 1;
      const stated = attr(cell, 'rowspan') === '0' ? rows.length - y : spanOf(cell, 'rowspan');
      const down = Math.min(stated, rows.length - y);
      const across = spanOf(cell, 'colspan');
      const text = cellText(cell);
      for (let dy = 0; dy < down; dy += 1) for (let dx = 0; dx < across; dx += 1) grid[y + dy][x + dx] = text;
      x += across;
    }
  });
  return grid.map((row) => Array.from(row, (text) => text || ''));
}

const isHeader = (row) => row.cells.length > 0 && [...row.cells].every((cell) => tagOf(cell) === 'th');

/** A row that is there: not one that only measures widths or says that there is none. */
const isRow = (row) => shown(row) && attr(row, 'aria-hidden') !== 'true' && !/measure|placeholder|empty-row|expanded-row/.test(attr(row, 'class') || '');

/** Header rows and body rows of one table; without thead, leading rows of `th` only are the header. */
function partsOf(table) {
  const rows = [...table.rows].filter(isRow);
  const inHead = (row) => tagOf(parentOf(row)) === 'thead';
  let head = rows.filter(inHead);
  let body = rows.filter((row) => !inHead(row) && tagOf(parentOf(row)) !== 'tfoot');
  if (head.length === 0) {
    const first = body.findIndex((row) => !isHeader(row));
    head = body.slice(0, first < 0 ? body.length : first);
    body = body.slice(head.length);
  }
  return { table, head, body };
}

const GRIDS = '[role="grid"], [role="treegrid"], [role="table"], .el-table-v2, .vxe-table, .ant-table, .el-table, .layui-table-view, .datagrid-view';
const GRID_ROW = '[role="row"], .el-table-v2__row, .el-table-v2__header-row, .ant-table-row, .vxe-body--row';

/** A grid of boxes as the parts of a table, or null. */
function boxesIn(el) {
  const rows = [...within(el, GRID_ROW)].filter((row) => tagOf(row) !== 'tr' && isRow(row)).slice(0, MAX_GRID_ROWS);
  if (rows.length === 0) return null;
  const heads = rows.filter((row) => within(row, '[role="columnheader"], .el-table-v2__header-cell').length > 0);
  const body = rows.filter((row) => !heads.includes(row));
  return { table: el, head: heads, body };
}

/** A table below the body that holds sums. */
const SUMS = /total|footer|summary/i;
const widthOf = (rows) => Math.max(0, ...rows.slice(0, 3).map((row) => cellsOf(row).reduce((sum, cell) => sum + spanOf(cell, 'colspan'), 0)));
const isHeadOnly = (part) => part.head.length > 0 && part.body.length === 0;
const hasHeadless = (part) => part.head.length === 0 && part.body.length > 0;

/** Header tables given to the body tables of the same width that follow them. */
function joined(parts) {
  const made = [];
  const heads = [];
  for (const part of parts) {
    if (isHeadOnly(part)) heads.push(part);
    else if (hasHeadless(part)) {
      const fits = heads.findIndex((head) => widthOf(head.head) === widthOf(part.body));
      const near = fits >= 0 ? fits : heads.findIndex((head) => Math.abs(widthOf(head.head) - widthOf(part.body)) === 1);
      made.push(near >= 0 ? { ...part, head: heads.splice(near, 1)[0].head } : part);
    } else made.push(part);
  }
  return made.length || heads.length === 0 ? made : [heads[0]];
}

const sameHead = (a, b) => JSON.stringify(gridOf(a.head)) === JSON.stringify(gridOf(b.head));

/** Tables that each hold one row, as some grids draw them, are rows of one. */
function rowsAsOne(parts) {
  const single = parts.filter((part) => part.body.length === 1);
  if (single.length < 3 || single.length < parts.length - 2) return parts;
  const width = widthOf(single[0].body);
  if (!single.every((part) => widthOf(part.body) === width)) return parts;
  const head = parts.find((part) => part.head.length > 0);
  return [{ table: single[0].table, head: head ? head.head : [], body: single.map((part) => part.body[0]) }];
}

/** Locked columns drawn as tables of their own: columns of the widest one, or columns beside it. */
function withoutCopies(parts) {
  if (parts.length < 2) return parts;
  const [main, ...others] = [...parts].sort((a, b) => widthOf(b.body) - widthOf(a.body));
  const tall = (part) => part.body.length === main.body.length || part.body.length === 0;
  const placed = [main, ...others];
  if (!others.every((part) => tall(part) && LOCKED.test(withinOf(part.table).join(' ')))) return parts;
  const names = gridOf(main.head).pop() || [];
  const copies = others.every((part) => (gridOf(part.head).pop() || []).every((name) => names.includes(name)) && widthOf(part.body) <= widthOf(main.body));
  const same = others.every((part) => part.body.every((row, at) => gridOf([row])[0].every((text) => gridOf([main.body[at]])[0].includes(text))));
  if (copies && same) return [main];
  placed.sort((a, b) => rectOf(a.table).left - rectOf(b.table).left);
  return [{ table: main.table, beside: placed, head: main.head, body: main.body }];
}

/** The table(s) meant by an element: itself, those inside it put together, or a grid of boxes. */
function tablesIn(el) {
  if (tagOf(el) === 'table') return [headedAround(el)];
  const found = [...within(el, 'table')].filter((table) => shown(table) && !(flatParent(table) && closest(flatParent(table), 'table') && encloses(el, closest(flatParent(table), 'table'))));
  const filled = found.map(partsOf).filter((part) => part.head.length + part.body.length > 0);
  const parts = filled.length > 1 ? filled.filter((part) => part.head.length > 0 || !SUMS.test(withinOf(part.table).slice(1, 3).join(' '))) : filled;
  const boxes = boxesIn(el);
  if (boxes && (parts.length === 0 || parts.every((part) => part.body.length === 0))) return [boxes.head.length ? boxes : { ...boxes, head: parts.flatMap((part) => part.head) }];
  return withoutCopies(rowsAsOne(joined(parts)));
}

/** A body table whose header is another table of the same grid. */
function headedAround(el) {
  const part = partsOf(el);
  const grid = closest(flatParent(el), GRIDS);
  if (part.head.length > 0 || !grid) return part;
  const heads = [...within(grid, 'table')].map(partsOf).filter(isHeadOnly);
  const fits = heads.find((head) => widthOf(head.head) === widthOf(part.body)) || heads.find((head) => Math.abs(widthOf(head.head) - widthOf(part.body)) === 1);
  return fits ? { ...part, head: fits.head } : part;
}

function totalIn(text) {
  for (const pattern of TOTALS) {
    const match = pattern.exec(text);
    if (match) return Number(match[1].replaceAll(',', ''));
  }
  return null;
}

const isOutside = (node) => !closest(node, 'table, [role="row"]') && within(node, 'table, [role="row"]').length === 0;

/** The total written near the table (共 N 条), outside of it; null when the page states none, or several. */
function statedTotal(el) {
  for (let around = tagOf(el) === 'table' ? flatParent(el) : el, level = 0; around && level < 6; around = flatParent(around), level += 1) {
    if (tagOf(around) === 'html') break;
    const short = [...within(around, '*')].filter((node) => textContentOf(node).length < 200 && isOutside(node) && shown(node));
    const totals = new Set(short.map((node) => totalIn(squeeze(textOf(node)))).filter((total) => total !== null));
    if (totals.size === 1) return [...totals][0];
    if (totals.size > 1) return null;
  }
  return null;
}

const PAGERS = '[class*="pagination"], [class*="laypage"], [class*="pager"]';

/** Whether a pager right around the table offers more than one page. */
function hasMorePages(el) {
  for (let around = el, level = 0; around && level < 5 && tagOf(around) !== 'body'; around = flatParent(around), level += 1) {
    const pager = [...within(around, PAGERS)].find((node) => shown(node) && !closest(node, 'table'));
    if (pager) return [...within(pager, 'li, a, button, span')].filter((node) => /^\d+$/.test(plain(textContentOf(node))) && shown(node) && !within(node, 'a, button').length).length > 1;
  }
  return false;
}

const TICK_COLUMN = (name, index, grid) => name === '' && grid.length > 0 && grid.every((row) => ['', '✓'].includes(row[index] || ''));

function gridWithHead(part) {
  if (!part.beside) return { header: gridOf(part.head).pop() || [], grid: gridOf(part.body) };
  const sides = part.beside.map((side) => ({ header: gridOf(side.head).pop() || [], grid: gridOf(side.body) }));
  return { header: sides.flatMap((side) => side.header), grid: sides[0].grid.map((_, at) => sides.flatMap((side) => side.grid[at] || [])) };
}

/** The box that scrolls rows in and out of existence: it is taller than the rows in it. */
function scrollerOf(part, el) {
  if (part.body.length === 0) return null;
  for (let node = flatParent(part.body[0]), level = 0; node && level < 8; node = flatParent(node), level += 1) {
    if (node.scrollHeight > node.clientHeight + 8 && ['auto', 'scroll', 'overlay', 'hidden'].includes(getComputedStyle(node).overflowY) && node.clientHeight > 0) {
      const height = part.body.reduce((sum, row) => sum + rectOf(row).height, 0);
      return node.scrollHeight > height * 1.05 + 40 ? node : null;
    }
    if (node === el && level > 3) return null;
  }
  return null;
}

const keyOfRow = (row, texts) => ['data-index', 'data-rowindex', 'rowid', 'data-row-key', 'aria-rowindex', 'data-key', 'data-id'].map((name) => attr(row, name)).find((value) => value !== null) || JSON.stringify(texts);

/** All rows of a virtual table, seen by scrolling through it; where it stood is restored. */
async function collected(el, part, scroller, limit) {
  const rows = new Map();
  const start = scroller.scrollTop;
  const until = performance.now() + MAX_SCROLL_MS;
  const look = () => {
    const now = tablesIn(el)[0];
    const { grid } = gridWithHead(now);
    now.body.forEach((row, at) => grid[at] && rows.set(keyOfRow(row, grid[at]), grid[at]));
  };
  let ended = false;
  scroller.scrollTop = 0;
  for (let step = 0; step < MAX_SCROLLS && performance.now() < until && rows.size < limit; step += 1) {
    await settled();
    look();
    const before = scroller.scrollTop;
    scroller.scrollTop = before + Math.max(20, scroller.clientHeight * 0.8);
    ended = scroller.scrollTop <= before + 1;
    if (ended) break;
  }
  scroller.scrollTop = start;
  await settled();
  return { rows: [...rows.values()], whole: ended };
}

/** Two frames: the first one runs what scrolling set off, the second one shows it. */
const settled = async () => {
  await nextFrame();
  await nextFrame();
};

async function extract(number, limit) {
  const { el, ...refused } = fresh(number);
  if (!el) return refused;
  const found = tablesIn(el);
  if (found.length === 0) return refuse('NOT_FOUND', { why: '其中没有表格' });
  if (found.length > 1) return refuse('AMBIGUOUS_TARGET', { count: found.length, labels: found.map((part) => cut(part.head.map(textOf).join(' '), 40)) });
  const scroller = scrollerOf(found[0], el);
  const { header, grid: seen } = gridWithHead(found[0]);
  const all = scroller ? await collected(el, found[0], scroller, limit) : { rows: seen, whole: true };
  const grid = all.rows.filter((row) => row.length > 0);
  const width = Math.max(header.length, ...grid.map((row) => row.length), 0);
  const kept = Array.from({ length: width }, (_, index) => index).filter((index) => !TICK_COLUMN(header[index] || '', index, grid) || width === 1);
  const pad = (row) => kept.map((index) => row[index] || '');
  const rows = grid.slice(0, limit).map(pad);
  const total = statedTotal(closest(el, GRIDS) || el);
  return {
    columns: pad(header), rows, row_count: rows.length, page_total: total,
    complete: rows.length === grid.length && (total === null ? all.whole && !hasMorePages(el) : total === rows.length),
  };
}
