// Puts a snapshot together, within its budget.
function snapshot(options) {
  memory = new Map();
  tablesKnown = new Map();
  kindsKnown = new Map();
  const walk = new Walk(options);
  const top = D.body(page) || D.top(page);
  if (top) {
    walk.node(top, START, { element: top, entry: null, shown: true, inText: true, cursor: 'auto',
      whiteSpace: 'normal', transform: 'none', fontSize: 16 });
    walk.endRun();
  }
  const found = walk.found;
  const kept = options.interactive ? found.filter(isOfInterest) : found;
  const chosen = withinBudget(kept, options.elements);
  const columns = new Columns(), focused = focusedNow();
  for (const entry of chosen) if (entry.element) complete(entry, options, focused);
  findAdjacent(options.interactive ? found : chosen);
  for (const entry of chosen) {
    entry.row = rowOf(entry);
    entry.column = entry.cellOf && entry.role !== 'columnheader' ? columns.of(entry.cellOf) : '';
    entry.element = entry.rowOf = entry.cellOf = entry.marks = undefined;
  }
  memory = new Map();
  const scroller = page.scrollingElement || D.top(page);
  return plainly({
    token, url: view.location.href, title: squeezed(String(D.title(page) || '')), elements: chosen,
    left: (options.interactive ? kept.length : found.length) - chosen.length + Math.max(0, walk.visited - options.nodes),
    scroll: [view.scrollX, view.scrollY, scroller ? scroller.scrollHeight : 0, view.innerHeight, view.innerWidth],
  });
}
const isOfInterest = (entry) => entry.interactive || entry.marks || entry.role === 'iframe' ||
  entry.visible && ['heading', 'dialog', 'alertdialog', 'alert', 'status'].includes(entry.role);
// Which are left out first: the hidden, then what is outside of the viewport, then mere structure.
function importance(entry) {
  const kind = entry.interactive ? 0 : entry.role === 'text' || entry.role === 'heading' ? 1 : 2;
  return (entry.visible ? 0 : 6) + (entry.in ? 0 : 3) + kind;
}
function withinBudget(found, most) {
  if (found.length <= most) return found;
  const counts = new Array(12).fill(0);
  for (const entry of found) counts[importance(entry)]++;
  let limit = 0, sum = 0;
  while (limit < 12 && sum + counts[limit] <= most) sum += counts[limit++];
  let rest = most - sum;
  return found.filter((entry) => {
    const place = importance(entry);
    return place < limit || (place === limit && rest-- > 0);
  });
}
// Pages that give arrays or texts a `toJSON` of their own do not change what is told.
function plainly(value) {
  const kept = [];
  for (const prototype of [Array.prototype, Object.prototype, String.prototype, Number.prototype, Boolean.prototype]) {
    const found = Object.getOwnPropertyDescriptor(prototype, 'toJSON');
    if (found && found.configurable) { delete prototype.toJSON; kept.push([prototype, found]); }
  }
  try { return stringify(value); } finally {
    for (const [prototype, found] of kept) Object.defineProperty(prototype, 'toJSON', found);
  }
}
