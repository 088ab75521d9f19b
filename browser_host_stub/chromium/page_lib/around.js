// What stands around a control whose act needs a person: which row, which form, with which data.

const ROWS = 'tr, [role="row"], li, [role="listitem"]';
const FIELDS = 'input, select, textarea';
const MAX_FIELDS = 2000;
const MAX_STATE = 200000;
const MAX_CONTEXT = 400;

const tokens = new WeakMap();
let lastToken = 0;

/** The same number for the same element, never given to another one of this document. */
function tokenOf(el) {
  if (!tokens.has(el)) {
    lastToken += 1;
    tokens.set(el, lastToken);
  }
  return tokens.get(el);
}

const rowOf = (el) => firstUp(el, ROWS);
const layerOf = (el) => firstUp(el, LAYERS);

function nearFields(el) {
  const layer = layerOf(el);
  return layer ? [...within(layer, FIELDS)] : queryAll(docOf(el), FIELDS);
}

function fieldsAround(el) {
  const form = formAround(el);
  const listed = form ? [...formElementsOf(form)].filter((item) => matches(item, FIELDS) || isCustom(item)) : nearFields(el);
  return listed.slice(0, MAX_FIELDS);
}

function dataOf(field) {
  const name = attr(field, 'name') || attr(field, 'id') || '';
  if (tagOf(field) === 'select') return [name, ...[...field.selectedOptions].map((option) => option.value)];
  if (isCustom(field)) return [name, ...['value', 'checked', 'selected'].map((fact) => toldBy(field, fact))];
  return isTicked(field) ? [name, field.value, field.checked] : [name, field.value];
}

/** Everything the act may depend on as one text: data of the form, text of the row and of the layer, else the record. */
function stateAround(el) {
  const places = [rowOf(el), layerOf(el)].map((place) => (place ? squeeze(textContentOf(place)) : null));
  const text = JSON.stringify([fieldsAround(el).map(dataOf), places, recordState(el)]);
  return text.length > MAX_STATE ? `${text.length}:${hashOf(text)}:${bothEnds(text, MAX_STATE)}` : text;
}

/** The cells of a row with the names of their columns where the table has some. */
function rowText(row) {
  if (tagOf(row) !== 'tr') return squeeze(textOf(row));
  const table = closest(row, 'table');
  const head = table && table.rows[0] !== row && isHeader(table.rows[0]) ? [...table.rows[0].cells] : [];
  const cells = [...row.cells].map((cell) => [head[cell.cellIndex] ? squeeze(textOf(head[cell.cellIndex])) : '', cellText(cell)]);
  return cells.filter(([, text]) => text).map((pair) => pair.filter(Boolean).join('：')).join(' | ');
}

function fieldText(field) {
  const ticked = isTicked(field) ? field.checked : isCustom(field) ? toldBy(field, 'checked') : null;
  const value = ticked !== null ? (ticked ? '✓' : '') : isCustom(field) ? toldValue(field) : valueOf(field);
  const name = nameOf(field);
  return value ? [name, squeeze(value)].filter(Boolean).join('：') : '';
}

/** What a person needs to see to know which one it is: row, layer or record, filled fields of the form. Never a password. */
function contextOf(el) {
  const row = rowOf(el);
  const layer = layerOf(el);
  const shows = (field) => !isButtonInput(field) && !isPassword(field);
  const fields = fieldsAround(el).filter(shows).map(fieldText).filter(Boolean).join('；');
  const texts = [row ? rowText(row) : '', layer ? textBeside(layer) : '', ...recordContext(el, MAX_CONTEXT), fields];
  return [...new Set(texts.filter(Boolean))].map((text) => cut(text, MAX_CONTEXT)).join('；');
}

/** Of a kept element whose act is being asked for; `recheck` and `aim` then hold it to this state once. */
function around(number) {
  const entry = again(number);
  if (entry.code) return entry;
  entry.state = stateAround(entry.el);
  return { element: tokenOf(entry.el), state: entry.state, context: contextOf(entry.el) };
}
