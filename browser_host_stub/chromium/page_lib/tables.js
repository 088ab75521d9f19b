// Tables as columns and rows, and the total the page itself states.

const TOTAL = /(?:共|总计|合计|总共)\s*(?:有|计)?\s*[:：]?\s*(\d[\d,]*)\s*(?:条|项|行|笔|个|件|张|份|人|款|rows?|records?|items?)/;

function cellText(cell) {
  const field = within(cell, 'input, select, textarea')[0];
  const text = squeeze(textOf(cell));
  return text || !field ? text : squeeze(valueOf(field) || '');
}

/** Rows of cells as a grid: a spanning cell fills each place it covers, as a person reads it. */
function gridOf(rows) {
  const grid = rows.map(() => []);
  rows.forEach((row, y) => {
    let x = 0;
    for (const cell of row.cells) {
      while (grid[y][x] !== undefined) x += 1;
      const down = Math.min(cell.rowSpan || rows.length - y, rows.length - y);
      const text = cellText(cell);
      for (let dy = 0; dy < down; dy += 1) for (let dx = 0; dx < cell.colSpan; dx += 1) grid[y + dy][x + dx] = text;
      x += cell.colSpan;
    }
  });
  return grid.map((row) => Array.from(row, (text) => text || ''));
}

const isHeader = (row) => row.cells.length > 0 && [...row.cells].every((cell) => tagOf(cell) === 'th');

/** Header rows and body rows of one table; without thead, leading rows of `th` only are the header. */
function partsOf(table) {
  const rows = [...table.rows].filter((row) => shown(row));
  const inHead = (row) => tagOf(parentOf(row)) === 'thead';
  let head = rows.filter(inHead);
  let body = rows.filter((row) => !inHead(row) && tagOf(parentOf(row)) !== 'tfoot');
  if (head.length === 0) {
    const first = body.findIndex((row) => !isHeader(row));
    head = body.slice(0, first < 0 ? body.length : first);
    body = body.slice(head.length);
  }
  return { head, body };
}

/** The table(s) meant by an element: itself, the one inside it, or a header table with its body table. */
function tablesIn(el) {
  if (tagOf(el) === 'table') return [partsOf(el)];
  const found = [...within(el, 'table')].filter((t) => shown(t) && !closest(flatParent(t), 'table'));
  const parts = found.map(partsOf);
  if (parts.length !== 2) return parts;
  const [first, second] = parts;
  const split = first.head.length > 0 && first.body.length === 0 && second.head.length === 0;
  return split ? [{ head: first.head, body: second.body }] : parts;
}

/** The total written near the table (共 N 条), outside of it; null when the page states none, or several. */
function statedTotal(el) {
  let around = el;
  for (let level = 0; level < 4; level += 1) {
    around = flatParent(around);
    if (!around || tagOf(around) === 'body') break;
    const outside = [...within(around, '*')].filter((n) => !contains(el, n) && !contains(n, el) && shown(n));
    const totals = outside.map((n) => TOTAL.exec(squeeze(textOf(n)))).filter(Boolean).map((m) => m[1].replaceAll(',', ''));
    const different = new Set(totals);
    if (different.size === 1) return Number([...different][0]);
    if (different.size > 1) return null;
  }
  return null;
}

function extract(number, limit) {
  const { el, ...refused } = fresh(number);
  if (!el) return refused;
  const found = tablesIn(el);
  if (found.length === 0) return refuse('NOT_FOUND', { why: '其中没有表格' });
  if (found.length > 1) return refuse('AMBIGUOUS_TARGET', { count: found.length, labels: found.map((p) => cut(p.head.map(textOf).join(' '), 40)) });
  const { head, body } = found[0];
  const header = gridOf(head).pop() || [];
  const grid = gridOf(body).filter((row) => row.length > 0);
  const width = Math.max(header.length, ...grid.map((row) => row.length), 0);
  const pad = (row) => Array.from({ length: width }, (_, i) => row[i] || '');
  const rows = grid.slice(0, limit).map(pad);
  const total = statedTotal(el);
  return {
    columns: pad(header), rows, row_count: rows.length, page_total: total,
    complete: rows.length === grid.length && (total === null || total === rows.length),
  };
}
