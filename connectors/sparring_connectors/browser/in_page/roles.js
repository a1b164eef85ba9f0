// ARIA roles, explicit (WAI-ARIA 1.2) or implied by HTML (HTML-AAM 1.0).
const ROLES = new Set(('alert alertdialog application article banner blockquote button caption cell ' +
  'checkbox code columnheader combobox complementary contentinfo definition deletion dialog directory ' +
  'document emphasis feed figure form generic grid gridcell group heading img insertion link list ' +
  'listbox listitem log main marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter ' +
  'navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup ' +
  'rowheader scrollbar search searchbox separator slider spinbutton status strong subscript superscript ' +
  'suggestion switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid ' +
  'treeitem image mark').split(' '));
const INPUTS = {
  button: 'button', image: 'button', reset: 'button', submit: 'button', file: 'button', color: 'button',
  checkbox: 'checkbox', radio: 'radio', number: 'spinbutton', range: 'slider', search: 'searchbox',
};
const PLAIN = {
  article: 'article', aside: 'complementary', blockquote: 'blockquote', button: 'button',
  caption: 'caption', datalist: 'listbox', dd: 'definition', details: 'group', dialog: 'dialog',
  dt: 'term', fieldset: 'group', figure: 'figure', h1: 'heading', h2: 'heading', h3: 'heading',
  h4: 'heading', h5: 'heading', h6: 'heading', hr: 'separator', iframe: 'iframe', frame: 'iframe',
  main: 'main', math: 'math', menu: 'list', meter: 'meter', nav: 'navigation', ol: 'list',
  optgroup: 'group', option: 'option', output: 'status', p: 'paragraph', progress: 'progressbar',
  search: 'search', summary: 'button', svg: 'img', table: 'table', tbody: 'rowgroup',
  textarea: 'textbox', tfoot: 'rowgroup', thead: 'rowgroup', tr: 'row', ul: 'list', canvas: 'img',
  object: 'document', embed: 'document',
};
const WIDGETS = new Set(('button checkbox combobox gridcell link listbox menuitem menuitemcheckbox ' +
  'menuitemradio option radio scrollbar searchbox slider spinbutton switch tab textbox treeitem').split(' '));
const BY_CONTENT = new Set(('button cell checkbox columnheader gridcell heading link menuitem ' +
  'menuitemcheckbox menuitemradio option radio row rowheader switch tab tooltip treeitem').split(' '));
const SECTIONING = new Set(['article', 'aside', 'main', 'nav', 'section']);
const GLOBAL_ARIA = ['atomic', 'busy', 'controls', 'describedby', 'description', 'details', 'dropeffect',
  'flowto', 'hidden', 'label', 'labelledby', 'live', 'owns', 'roledescription'].map((n) => 'aria-' + n);

const inputType = (element) => (P.tag(element) === 'input' ? element.type || 'text' : null);
const isFocusable = (element) => {
  if (P.has(element, 'tabindex')) return true;
  const tag = P.tag(element);
  if (tag === 'a' || tag === 'area') return P.has(element, 'href');
  if (tag === 'input') return element.type !== 'hidden' && !P.matches(element, ':disabled');
  return ['button', 'select', 'textarea'].includes(tag) && !P.matches(element, ':disabled');
};
const inSectioning = (element) => {
  for (let at = parentOf(element); isElement(at); at = parentOf(at)) {
    if (SECTIONING.has(P.tag(at))) return true;
  }
  return false;
};
function explicitRole(element) {
  if (!P.has(element, 'role')) return null;
  for (const word of attribute(element, 'role').toLowerCase().split(/\s+/)) {
    if (!ROLES.has(word)) continue;
    if (word !== 'none' && word !== 'presentation') return word === 'image' ? 'img' : word;
    if (isFocusable(element) || GLOBAL_ARIA.some((name) => P.has(element, name))) return null;
    return 'none';
  }
  return null;
}
// The handle of a slider that its author did not call one: it takes keys, and its class says so.
const HANDLE = /(slider|range)\w*[-_]+(handle|thumb)/i;
const isSliderHandle = (element) => P.has(element, 'tabindex') && HANDLE.test(attribute(element, 'class'));
function impliedRole(element) {
  const tag = P.tag(element);
  switch (tag) {
    case 'a': case 'area': return P.has(element, 'href') ? 'link' : 'generic';
    case 'footer': return inSectioning(element) ? 'generic' : 'contentinfo';
    case 'header': return inSectioning(element) ? 'generic' : 'banner';
    case 'form': return 'form';  // also unnamed: a test case says that the page has a form
    case 'section': return isNamed(element) ? 'region' : 'generic';
    case 'img': return P.attribute(element, 'alt') === '' && !isNamed(element) ? 'none' : 'img';
    case 'input': return inputRole(element);
    case 'li': return isElement(parentOf(element)) ? 'listitem' : 'generic';
    case 'select': return element.multiple || element.size > 1 ? 'listbox' : 'combobox';
    case 'svg': return isNamed(element) || P.one(element, 'title') ? 'img' : 'none';
    case 'td': case 'th': return cellRole(element, tag);
    default: return PLAIN[tag] || (isEditable(element) ? 'textbox' : isSliderHandle(element) ? 'slider' : 'generic');
  }
}
function inputRole(element) {
  const type = element.type;
  if (type === 'hidden') return 'none';
  if (INPUTS[type] && type !== 'search') return INPUTS[type];
  if (P.has(element, 'list')) return 'combobox';
  return INPUTS[type] || 'textbox';
}
// What the tables are that cells lie in; known for one snapshot.
let tablesKnown = new Map();
function tableRole(cell) {
  const table = P.closest(cell, 'table');
  if (!table) return '';
  if (!tablesKnown.has(table)) tablesKnown.set(table, attribute(table, 'role').trim().toLowerCase());
  return tablesKnown.get(table);
}
function cellRole(element, tag) {
  const table = tableRole(element);
  if (table === 'none' || table === 'presentation') return 'generic';
  if (tag === 'td') return table === 'grid' || table === 'treegrid' ? 'gridcell' : 'cell';
  const scope = attribute(element, 'scope').toLowerCase();
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
  if (scope === 'col' || scope === 'colgroup') return 'columnheader';
  const row = P.parent(element);
  if (!isElement(row) || P.closest(row, 'thead')) return 'columnheader';
  let heads = 0, cells = 0;
  for (const one of siblings(P.first(row))) {
    if (isElement(one)) { if (P.tag(one) === 'td') cells++; else heads++; }
  }
  return cells && (cells >= heads || !isFirstRow(row)) ? 'rowheader' : 'columnheader';
}
const isFirstRow = (row) => {
  const table = P.closest(row, 'table');
  return !!table && P.one(table, 'tr') === row;
};
const isNamed = (element) => !!(attribute(element, 'aria-label').trim() ||
  attribute(element, 'aria-labelledby').trim() || attribute(element, 'title').trim());
const PARTS = { row: 'table', rowgroup: 'table', listitem: 'ul,ol,menu' };
function roleOf(element) {
  const role = explicitRole(element) || impliedRole(element);
  const whole = PARTS[role];
  if (!whole || P.has(element, 'role')) return role;
  const found = P.closest(element, whole);
  return found && P.has(found, 'role') && explicitRole(found) === 'none' ? 'generic' : role;
}
