// Columns of tables, and the text beside fields that have no label.
const CELLS = 'td,th,[role=cell],[role=gridcell],[role=columnheader],[role=rowheader]';
const SORTING = /\b(sort\w*|ascending|descending)\b/i;
class Columns {
  constructor() { this.tables = new Map(); }
  of(cell) {
    const row = P.closest(cell, 'tr,[role=row]');
    const table = row && P.closest(row, 'table,[role=table],[role=grid],[role=treegrid]');
    if (!table) return '';
    if (!this.tables.has(table)) this.tables.set(table, this.headers(table));
    const headers = this.tables.get(table);
    return headers ? headers[this.place(cell, row)] || '' : '';
  }
  headers(table) {
    const rows = [...P.all(table, 'tr,[role=row]')].slice(0, 5);
    for (const row of rows) {
      const cells = this.cells(row);
      const heading = cells.filter((cell) => roleOf(cell) === 'columnheader' || P.closest(cell, 'thead'));
      if (!heading.length || heading.length < cells.length - 1) continue;
      const found = [];
      for (const cell of cells) {
        const text = this.heading(cell);
        for (let span = 0; span < Math.min(cell.colSpan || 1, 100); span++) found.push(text);
      }
      return found;
    }
    return null;
  }
  // 'Status' of the name 'Status: Activate to sort': the hint is for those who cannot see the arrow.
  heading(cell) {
    const name = cut(nameOf(cell, 'columnheader'), 120), shown = cut(cell.innerText || '', 120);
    // 'Paid' of the name 'Sort by paid ascending', which is that of the button in the heading.
    if (shown && SORTING.test(name) && !SORTING.test(shown) && name.toLowerCase().includes(shown.toLowerCase())) return shown;
    const begins = shown && name.toLowerCase().startsWith(shown.toLowerCase());
    return begins && /^[:;,.(-]/.test(name.slice(shown.length).trim()) ? name.slice(0, shown.length) : name;
  }
  cells(row) {
    return [...P.all(row, CELLS)].filter((cell) => P.closest(cell, 'tr,[role=row]') === row);
  }
  place(cell, row) {
    let place = 0;
    for (const one of this.cells(row)) {
      if (one === cell) return place;
      place += Math.min(one.colSpan || 1, 100);
    }
    return place;
  }
}
// The text before a field, on its line or just above it; for boxes to tick the text behind.
function findAdjacent(found) {
  for (let index = 0; index < found.length; index++) {
    const field = found[index];
    const ticks = ['checkbox', 'radio', 'switch'].includes(field.role);
    const types = ['combobox', 'listbox', 'slider', 'spinbutton', 'textbox', 'searchbox'].includes(field.role);
    if (!field.interactive || !(ticks || types) || field.label) continue;
    const before = neighbour(found, index, -1), after = neighbour(found, index, 1);
    const chosen = ticks ? after || before : captionBelow(found, index) || before || after;
    if (chosen) field.adjacent = cut(chosen.text, 200);
  }
}
// The only text of a field's own block, right below it: the text above belongs to the block before.
function captionBelow(found, index) {
  const field = found[index], row = rowAround(field);
  const next = found.slice(index + 1).find((one) => one.parent !== field.n);
  if (!row || !next || next.role !== 'text' || !next.visible || rowAround(next) !== row) return null;
  const [x, y, width, height] = field.box, [left, top, wide] = next.box;
  const gap = top - y - height, sameColumn = Math.min(x + width, left + wide) - Math.max(x, left) > 0;
  return squeezed(next.text) === row.text && sameColumn && gap > -3 && gap < 40 ? next : null;
}
function neighbour(found, index, step) {
  const field = found[index];
  for (let at = index + step, left = 8; at >= 0 && at < found.length && left > 0; at += step) {
    const one = found[at];
    if (one.role !== 'text') {
      if (one.interactive && one.role !== 'link' && one.tag !== 'label' && one.parent !== field.n) return null;
      continue;
    }
    left--;
    if (one.parent === field.n || !one.visible) continue;
    return isBeside(field, one, step) ? one : null;
  }
  return null;
}
function isBeside(field, text, step) {
  const [x, y, width, height] = field.box;
  if (!field.visible && (!width || !height)) return field.parent === text.parent;
  const [left, top, wide, high] = text.box;
  const sameLine = Math.min(y + height, top + high) - Math.max(y, top) > 0;
  if (sameLine) return step < 0 ? left <= x + 2 && x - left - wide < 400 : left >= x - 2 && left - x - width < 200;
  const sameColumn = Math.min(x + width, left + wide) - Math.max(x, left) > 0;
  return step < 0 && sameColumn && y - top - high < 40 && top < y;
}
