// Containers worth a node: landmarks, tables of data, scrolled lists, dialogs, messages; how they are called and counted.

const STRUCTURE = new Set([
  'navigation', 'main', 'banner', 'contentinfo', 'complementary', 'dialog', 'alertdialog', 'alert', 'status', 'table', 'grid',
  'form', 'heading', 'group', 'tablist', 'menu', 'menubar', 'tree', 'iframe', 'region', 'search', 'toolbar', 'radiogroup',
]);
const NAMED_BY_TEXT = new Set(['heading', 'alert', 'status']);
const LAYER_CLASSES = /^(?:layui-layer|modal|el-drawer|ant-drawer|vxe-modal--wrapper|window|dialog)$/;
const MAX_NAMED_TEXT = 120;

/** Name of a container: what labels it, never its whole text. */
function titleOf(el) {
  const caption = within(el, 'caption, legend')[0];
  const heading = within(el, 'h1, h2, h3, h4, h5, h6, .layui-layer-title, [class*="__title"], [class*="modal-title"], [class*="dialog-title"]')[0];
  return cut(
    plain(referenced(el, 'aria-labelledby')) || plain(attr(el, 'aria-label')) || plain(attr(el, 'title')) ||
      (caption ? plain(textOf(caption)) : '') || (heading ? plain(textOf(heading)) : ''),
    MAX_NAME,
  );
}

/** Role of a container worth a node, or ''. */
function structureOf(item) {
  const { el } = item;
  const tag = tagOf(el);
  const message = messageRole(item);
  if (message) return message;
  if (tag === 'th' || attr(el, 'role') === 'columnheader') return isRowHead(el) ? '' : 'columnheader';
  const role = roleOf(el);
  if (role === 'table') return isDataTable(el) ? 'table' : '';
  if (STRUCTURE.has(role)) return role;
  if (classesOf(el).some((name) => LAYER_CLASSES.test(name)) && item.placed !== 'static') return 'dialog';
  return item.scrolls && !['html', 'body', 'textarea'].includes(tag) ? scrolledRole(item) : '';
}

/** A table of data has a header, or cells in several columns and no table inside. */
function isDataTable(el) {
  if (tagOf(el) !== 'table') return true;
  if (within(el, 'th').length) return true;
  const enough = el.rows.length > 1 || (el.rows.length === 1 && closest(el, GRIDS) !== null);
  return enough && el.rows[0].cells.length > 1 && within(el, 'table').length === 0;
}

/** The head of a row among its cells, or of a column told a second time below the table. */
const isRowHead = (el) => {
  const row = parentOf(el);
  return tagOf(el) === 'th' && tagOf(row) === 'tr' && (row.cells.length > within(row, 'th').length || tagOf(parentOf(row)) === 'tfoot');
};

const REPEATED = 'tr, li, [role="row"], [role="option"], [role="listitem"], [role="treeitem"], dd';

function rowsIn(el) {
  const rows = within(el, REPEATED);
  return rows.length ? rows : [];
}

function scrolledRole(item) {
  const rows = rowsIn(item.el);
  if (rows.length < 3) return '';
  return tagOf(rows[0]) === 'tr' || attr(rows[0], 'role') === 'row' ? 'grid' : 'list';
}

/** All rows, as far as the page lets them be counted: hidden ones too, and those of a virtual list by its height. */
function rowCountOf(item, role) {
  const stated = Number(attr(item.el, 'aria-rowcount'));
  if (stated > 0) return stated;
  if (tagOf(item.el) === 'table') return [...item.el.tBodies].reduce((sum, body) => sum + [...body.rows].filter((row) => attr(row, 'aria-hidden') !== 'true').length, 0) - leadingHeads(item.el);
  const rows = [...rowsIn(item.el)].filter((row) => !within(row, 'th').length);
  if (role === 'table' || role === 'menu' || role === 'tree' || rows.length === 0) return rows.length || null;
  const height = item.scrolls ? rectOf(rows[0]).height : 0;
  const byHeight = height > 0 ? Math.round(item.el.scrollHeight / height) : 0;
  return byHeight > rows.length + 2 ? byHeight : rows.length;
}

const leadingHeads = (table) => (table.tHead ? 0 : [...table.rows].filter(isHeader).length);
