// Rows, columns and cells of everything that is a table to a person: tables, tables split into parts, grids of boxes.

const ROW = 'tr, [role="row"], .vxe-body--row, .el-table-v2__row, .ant-table-row, .datagrid-row, .jqgrow';
const HEADS = 'th, [role="columnheader"]';
const CELL = 'td, th, [role="gridcell"], [role="cell"], [role="columnheader"], [role="rowheader"]';
const MAX_AROUND = 8;

/** Cells of a row: those of a table row, else its boxes with a cell role, else its children. */
function cellsOf(row) {
  if (tagOf(row) === 'tr') return [...row.cells];
  const marked = [...within(row, CELL)].filter((cell) => firstUp(flatParent(cell), ROW) === row);
  return marked.length ? marked : [...childElements(row)];
}

/** Names of columns and keys of rows, each table looked at once. */
class Tables {
  constructor() {
    this.heads = new Map();
    this.keys = new Map();
    this.places = new Map();
    this.cells = new Map();
  }

  cellsIn(row) {
    if (!this.cells.has(row)) this.cells.set(row, cellsOf(row));
    return this.cells.get(row);
  }

  /** {column, key, row, header} of the cell an element is in, or null. */
  placeOf(el) {
    if (!this.places.has(el)) this.places.set(el, this.found(el));
    return this.places.get(el);
  }

  found(el) {
    const row = firstUp(el, ROW);
    if (!row || row === el) return null;
    const cells = this.cellsIn(row);
    let at = -1;
    for (let node = el; node !== row && at < 0; node = flatParent(node)) at = cells.indexOf(node);
    if (at < 0) return null;
    const header = matches(cells[at], HEADS) && cells.every((cell) => matches(cell, HEADS));
    if (header) return { column: plain(textOf(cells[at])), key: '', row: '', header };
    return { column: this.columnsFor(row, cells.length)[at] || '', ...this.keyOf(row, cells, at), header };
  }

  /** Names of the columns a row has: those of the nearest header row with as many cells. */
  columnsFor(row, count) {
    let around = flatParent(row);
    for (let level = 0; around && level < MAX_AROUND && tagOf(around) !== 'body'; level += 1) {
      const found = this.headsIn(around).find((names) => names.length === count);
      if (found) return found;
      if (this.headsIn(around).length > 4) break;
      around = flatParent(around);
    }
    return [];
  }

  headsIn(el) {
    if (!this.heads.has(el)) {
      const rows = new Set([...within(el, HEADS)].slice(0, 400).map((cell) => firstUp(cell, 'tr, [role="row"], thead')).filter(Boolean));
      const names = [...rows].slice(0, 6).map((row) => cellsOf(row).filter((cell) => matches(cell, HEADS)).map((cell) => plain(textOf(cell))));
      this.heads.set(el, names.filter((list) => list.some(Boolean)));
    }
    return this.heads.get(el);
  }

  /** The first text of a row that tells it from others; a row of a locked part takes that of its twin. */
  keyOf(row, cells) {
    if (!this.keys.has(row)) {
      const texts = cells.map((cell) => plain(textOf(cell))).filter(Boolean);
      const good = texts.find((text) => text.length > 1 && text.length <= MAX_KEY && !/^\d{1,3}$/.test(text) && signless(text));
      const text = texts.join(' | ');
      const own = { key: cut(good || texts[0] || '', MAX_KEY), row: text };
      this.keys.set(row, good && cells.length > 2 ? own : this.twinKey(row) || own);
    }
    return this.keys.get(row);
  }

  twinKey(row) {
    const index = attr(row, 'data-index') || attr(row, 'data-rowindex') || attr(row, 'rowid') || attr(row, 'data-row-key') || attr(row, 'datagrid-row-index');
    if (index === null) return null;
    const name = ['data-index', 'data-rowindex', 'rowid', 'data-row-key', 'datagrid-row-index'].find((each) => attr(row, each));
    let around = flatParent(row);
    for (let level = 0; around && level < MAX_AROUND && tagOf(around) !== 'body'; level += 1) {
      const twin = [...within(around, `[${name}="${CSS.escape(index)}"]`)].find((other) => other !== row && matches(other, ROW) && cellsOf(other).length > cellsOf(row).length);
      if (twin) return this.keyOf(twin, cellsOf(twin));
      around = flatParent(around);
    }
    return null;
  }
}
