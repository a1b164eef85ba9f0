// The snapshot: one walk over the flattened tree.
const SKIPPED = new Set(['script', 'style', 'noscript', 'template', 'head', 'meta', 'link', 'title', 'base', 'param', 'source', 'track', 'datalist']);
const LANDMARKS = new Set(('dialog alertdialog banner complementary contentinfo form main navigation region search ' +
  'group article tabpanel radiogroup toolbar menu menubar tree list table grid').split(' '));
const SCOPES = new Set(['dialog', 'alertdialog', 'article', 'complementary', 'navigation', 'region', 'form', 'group',
  'cell', 'gridcell', 'listitem', 'tabpanel', 'contentinfo', 'banner']);
const CONTAINERS = new Set(['main', 'form', 'region', 'table', 'grid', 'treegrid', 'list', 'rowgroup', 'navigation',
  'complementary', 'article', 'generic', 'search', 'feed', 'banner', 'contentinfo', 'tree', 'document', 'application']);
const KEPT = ['id', 'name', 'class', 'data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa', 'autocomplete',
  'target', 'accept', 'pattern', 'min', 'max', 'step', 'maxlength', 'for', 'download', 'aria-current', 'aria-live',
  'aria-haspopup', 'aria-label', 'aria-controls', 'aria-sort', 'aria-modal'];
const START = { opacity: 1, clip: EVERYWHERE, absolute: EVERYWHERE, own: EVERYWHERE, gone: false, hidden: false };

const HANDLERS = ['onclick', 'onmousedown', 'onpointerdown', 'ondblclick', 'oncontextmenu', 'ondrop', 'ontouchstart'];

// A listener on something above cannot be seen: <i class="icon-trash"> and <span data-test="cart-link">
// in a list with one listener say by their classes or test ids alone that they are pressed.
const PRESSED_IDS = ['data-testid', 'data-test', 'data-test-id', 'data-cy', 'data-action'];
const PRESSED_WORDS = /(?:^|[-_\s])(?:btn|button|link|toggle|toggler|trigger|clickable|close|menu-item)(?:$|[-_\s])/i;
const ICON_CLASS = /(?:^|\s)(?:fa|bi|icon|glyphicon|mdi|ti)-[a-z]/i;
function saysItIsPressed(element) {
  const says = PRESSED_IDS.some((name) => PRESSED_WORDS.test(attribute(element, name) || ''));
  const classes = attribute(element, 'class') || '';
  // An icon beside words only adorns them.
  const icon = ICON_CLASS.test(classes) && !P.first(element) && ![...siblings(P.first(P.parent(element)))].some(
    (one) => one.nodeType === 3 && /\S/.test(P.content(one)));
  const named = /(?:^|\s)(?:btn|button|clickable)(?:$|\s)/.test(classes);
  if (!says && !icon && !named) return false;
  const inner = 'a[href],button,input,select,textarea,[role=button],[role=link],[role=tab],[role=menuitem],label,summary';
  return !P.closest(element, inner) && !P.one(element, inner);
}

class Walk {
  constructor(options) {
    this.options = options;
    this.found = [];
    this.visited = 0;
    this.headings = [];
    this.regions = [];
    this.run = null;
    this.rowNow = null;
    this.cellNow = null;
  }
  // Walks a node; returns what can be seen of its text, with line feeds between blocks.
  node(node, sight, above) {
    if (++this.visited > this.options.nodes) return '';
    const type = P.type(node);
    if (type === TEXT) return this.text(node, sight, above);
    if (type !== ELEMENT || SKIPPED.has(P.tag(node))) return '';
    return this.element(node, sight, above);
  }
  text(node, sight, above) {
    const data = P.data(node);
    if (!data || !/\S/.test(data)) {
      if (data && this.run) this.run.text += ' ';
      return data ? ' ' : '';
    }
    const range = page.createRange();
    range.selectNodeContents(node);
    const rect = range.getBoundingClientRect();
    const visible = above.shown && canBeSeen(rect, sight) && above.fontSize > 0;
    const text = /^pre|break-spaces/.test(above.whiteSpace) ? data : data.replace(/\s+/g, ' ');
    const shown = above.transform === 'uppercase' ? text.toUpperCase() : above.transform === 'lowercase' ? text.toLowerCase()
      : above.transform === 'capitalize' ? text.replace(/(^|[\s(\[-])(\p{L})/gu, (_, before, letter) => before + letter.toUpperCase()) : text;
    if (above.inText) {
      if (this.run && this.run.visible !== visible) this.endRun();
      if (!this.run) this.run = this.begun(node, visible, above);
      if (this.isApart(rect, above.fontSize)) this.run.text += ' ';
      this.run.text += shown;
      this.run.rects.push(whole(rect));
    }
    return visible ? shown : '';
  }
  // Words of neighbours that margins keep apart are words of their own.
  isApart(rect, size) {
    const last = this.run.rects[this.run.rects.length - 1];
    if (!last || /\s$/.test(this.run.text)) return false;
    return rect.top < last.bottom && last.top < rect.bottom && rect.left - last.right > size * 0.2;
  }
  begun(node, visible, above) {
    return { node, text: '', visible, rects: [], parent: above.entry, holder: above.element,
      region: this.region(), rowOf: this.rowNow, cellOf: this.cellNow };
  }
  endRun() {
    const run = this.run;
    this.run = null;
    if (!run) return;
    const text = run.text.split('\n').map(squeezed).filter(Boolean).join('\n');
    if (!text) return;
    const box = this.around(run.rects);
    const entry = { n: idOf(run.node), role: 'text', text: cut(text, this.options.text), visible: run.visible,
      box: [box.left, box.top, box.right - box.left, box.bottom - box.top], in: isInViewport(box) && run.visible,
      parent: run.parent, region: run.region, rowOf: run.rowOf, cellOf: run.cellOf };
    if (run.visible && entry.in) {
      entry.covered = this.isTextCovered(run);
      if (entry.covered && this.isTextConcealed(run)) entry.visible = entry.in = entry.covered = false;
    }
    this.found.push(entry);
  }
  // Whether nobody can read a text because something opaque lies on all of it, which does not go
  // away by scrolling.
  isTextConcealed(run) {
    const rects = run.rects.filter((one) => one.right > one.left && one.bottom > one.top);
    return rects.length > 0 && rects.every((rect) => [0.05, 0.35, 0.65, 0.95].every((part) => {
      const x = rect.left + (rect.right - rect.left) * part, y = (rect.top + rect.bottom) / 2;
      if (x < 0 || y < 0 || x >= view.innerWidth || y >= view.innerHeight) return false;
      return isOpaqueOver(topmostAt(x, y), run.holder);
    }));
  }
  isTextCovered(run) {
    const rect = run.rects.find((one) => one.right > one.left && one.bottom > one.top) || run.rects[0];
    const seen = overlap(rect, { left: 0, top: 0, right: view.innerWidth, bottom: view.innerHeight });
    if (seen.empty) return false;
    const hit = topmostAt((seen.left + seen.right) / 2, (seen.top + seen.bottom) / 2);
    const apart = !!hit && !within(hit, run.holder) && !within(run.holder, hit);
    return apart && !isOfOneShape(hit, run.holder);
  }
  // Text of ::before and ::after that has letters or digits.
  generated(element, which, above, visible) {
    const text = generatedText(element, which);
    if (!/[\p{L}\p{N}]/u.test(text)) return '';
    if (!this.run || this.run.visible !== visible) {
      this.endRun();
      this.run = this.begun(pseudoOf(element, which), visible, { ...above, element });
    }
    this.run.text += text;
    this.run.rects.push(whole(P.rect(element)));
    return visible ? text : '';
  }
  around(rects) {
    const some = rects.filter((one) => one.right > one.left && one.bottom > one.top);
    return (some.length ? some : rects).reduce((all, one) => ({
      left: Math.min(all.left, one.left), top: Math.min(all.top, one.top),
      right: Math.max(all.right, one.right), bottom: Math.max(all.bottom, one.bottom),
    }));
  }
  element(element, sight, above) {
    const tag = P.tag(element);
    if (tag === 'br') { if (this.run) this.run.text += '\n'; return '\n'; }
    const style = styleOf(element);
    const role = roleOf(element);
    if (style.display === 'contents') return this.inside(element, sight, { ...above, element });
    const shown = style.visibility === 'visible' && (style.display !== 'none' || tag === 'area');
    const mine = sightOf(element, style, sight);
    const inline = style.display === 'inline' || style.display.startsWith('inline-');
    const atomic = WIDGETS.has(role) && role !== 'link' || ['select', 'textarea', 'input', 'button', 'iframe', 'video', 'img', 'svg', 'canvas'].includes(tag);
    const outside = !inline || (atomic && tag !== 'img' && tag !== 'svg') ||
      tag === 'li' || (!!this.options.apart && P.matches(element, this.options.apart));
    if (outside) this.endRun();
    const entry = this.entry(element, role, tag, style, mine, shown, above);
    const parts = this.descend(element, role, tag, style, mine, entry, above, shown);
    if (outside) this.endRun();
    if (entry) {
      const limit = CONTAINERS.has(role) ? 300 : this.options.text;
      entry.text = cut(parts.split('\n').map(squeezed).filter(Boolean).join('\n'), limit);
      if (role === 'row' || role === 'listitem') entry.rowOf = null;
      if (role === 'cell' || role === 'gridcell' || role === 'rowheader') entry.cellOf = element;
    }
    return outside ? `\n${parts}\n` : parts;
  }
  // An element that is worth naming, with where it is; everything else is found out if it is kept.
  entry(element, role, tag, style, sight, shown, above) {
    const press = this.isClickable(element, role, style, above) || (tag === 'label' && !!element.control);
    const bland = role === 'none' || role === 'generic';
    const marks = this.marksOf(element);
    if ((bland && !press && !marks) || (tag === 'input' && element.type === 'hidden') || tag === 'body' || tag === 'html') return null;
    const rect = tag === 'area' ? mapRect(element) : P.rect(element);
    const visible = shown && canBeSeen(this.pressed(element, rect), { ...sight, clip: sight.own });
    const entry = {
      n: idOf(element), role: bland ? 'generic' : role, tag, parent: above.entry, region: this.region(), visible,
      box: [rect.left, rect.top, rect.width, rect.height], in: visible && isInViewport(rect),
      interactive: (WIDGETS.has(role) && role !== 'gridcell') || press || tag === 'summary',
      element, rowOf: this.rowNow, cellOf: this.cellNow, marks,
    };
    this.found.push(entry);
    return entry;
  }
  // The selectors of the test case that an element matches: it is kept, whatever else it is.
  marksOf(element) {
    const marks = (this.options.marks || []).filter((selector) => {
      try { return P.matches(element, selector); } catch (error) { return false; }
    });
    return marks.length ? marks.join('\n') : '';
  }
  // A link around a floating picture has no box of its own but its parts'.
  pressed(element, rect) {
    if (rect.width > 0 && rect.height > 0) return rect;
    const boxes = [...siblings(P.first(element))].filter(isElement).map((child) => P.rect(child)).filter((one) => one.width > 0 && one.height > 0);
    return boxes[0] || rect;
  }
  isClickable(element, role, style, above) {
    if (WIDGETS.has(role)) return false;
    if (clickable.has(element) && element !== D.body(page) && element !== D.top(page)) return true;
    if (HANDLERS.some((name) => P.has(element, name)) || attribute(element, 'draggable') === 'true') return true;
    if (P.has(element, 'tabindex') && Number(attribute(element, 'tabindex')) >= 0) return true;
    if (isEditable(element)) return true;
    return (style.cursor === 'pointer' && above.cursor !== 'pointer') || saysItIsPressed(element);
  }
  descend(element, role, tag, style, sight, entry, above, shown) {
    if (tag === 'select') return [...element.selectedOptions].map((option) => ` ${option.label} `).join('').slice(0, 2000);
    if (tag === 'svg') return this.drawing(element, sight, entry, above, shown, style);
    if (tag === 'canvas' || tag === 'iframe' || tag === 'frame' || tag === 'video' || tag === 'audio') return '';
    const kept = [this.headings, this.regions, this.rowNow, this.cellNow];
    if (SCOPES.has(role)) this.headings = [...this.headings];
    const name = LANDMARKS.has(role) && entry ? nameOf(element, role) : '';
    if (name) this.regions = [...this.regions, cut(name, 120)];
    if (entry && (role === 'row' || role === 'listitem' || role === 'treeitem' || role === 'article')) this.rowNow = { text: '' };
    if (entry && ['cell', 'gridcell', 'columnheader', 'rowheader'].includes(role)) this.cellNow = element;
    const from = this.found.length;
    if (!entry && isOneOfSeveral(element, role)) this.rowNow = { text: '', instead: kept[2] };
    const mine = this.rowNow;
    const text = this.inside(element, sight, {
      element, entry: entry ? entry.n : above.entry, shown, inText: above.inText && tag !== 'textarea',
      cursor: style.cursor, whiteSpace: style.whiteSpace, transform: style.textTransform, fontSize: parseFloat(style.fontSize),
    });
    if (mine === this.rowNow && mine && kept[2] !== mine) {
      mine.text = cut(squeezed(text), 300);
      if (!entry && this.isCard(mine.text, from)) mine.instead = undefined;
    }
    [, this.regions, this.rowNow, this.cellNow] = kept;
    if (SCOPES.has(role)) this.headings = kept[0];
    if (role === 'heading' && entry) this.noteHeading(element, entry, shown);
    return text;
  }
  // The text in a drawing: labels of a chart, words of a logo.
  drawing(element, sight, entry, above, shown, style) {
    if (!shown || !above.inText) return '';
    const inside = { element, entry: entry ? entry.n : above.entry, shown, inText: true, cursor: style.cursor,
      whiteSpace: style.whiteSpace, transform: style.textTransform, fontSize: parseFloat(style.fontSize) };
    let text = '';
    for (const part of P.all(element, 'text,foreignObject')) {
      if (!P.closest(part, 'defs,symbol,clipPath,mask')) text += this.node(part, sight, inside);
    }
    return text;
  }
  // Whether what repeats is a row of its own: a text with controls that belong to it.
  isCard(text, from) {
    if (!text || text.length >= 300) return false;
    const inside = this.found.slice(from);
    const controls = new Set(inside.filter((one) => one.interactive).map((one) => one.n));
    if (!controls.size) return false;
    return controls.size > 1 || inside.some((one) => one.role === 'text' && !controls.has(one.parent));
  }
  inside(element, sight, above) {
    const hidesRest = sight.gone === 'details';
    const writes = above.inText && above.shown && !hidesRest && sight.gone !== true;
    const seen = writes && canBeSeen(P.rect(element), sight);
    let text = writes ? this.generated(element, '::before', above, seen) : '';
    for (const child of children(element)) {
      const isSummary = hidesRest && isElement(child) && P.tag(child) === 'summary';
      const given = hidesRest ? { ...sight, gone: !isSummary } : sight;
      text += this.node(child, given, above);
      if (text.length > 20000) text = text.slice(0, 20000);
    }
    if (writes) text += this.generated(element, '::after', above, seen);
    return text;
  }
  noteHeading(element, entry, shown) {
    entry.level = headingLevel(element);
    if (!shown) return;
    const text = nameOf(element, 'heading');
    this.headings = this.headings.filter((one) => one.level < entry.level);
    if (text) this.headings.push({ level: entry.level, text: cut(text, 120) });
  }
  region() {
    return [...this.regions, ...this.headings.map((one) => one.text)];
  }
}
// Cards and lines that their author made of plain elements: one beside another of its kind.
let kindsKnown = new Map();
function isOneOfSeveral(element, role) {
  if (role !== 'generic' || !attribute(element, 'class')) return false;
  const parent = P.parent(element);
  if (!isElement(parent)) return false;
  if (!kindsKnown.has(parent)) {
    const kinds = new Map();
    for (const one of siblings(P.first(parent))) {
      if (isElement(one)) kinds.set(kindOf(one), (kinds.get(kindOf(one)) || 0) + 1);
    }
    kindsKnown.set(parent, kinds);
  }
  return kindsKnown.get(parent).get(kindOf(element)) > 1;
}
const kindOf = (element) => `${P.tag(element)}.${attribute(element, 'class').trim().split(/\s+/)[0]}`;
// The row that an entry lies in, past those that turned out to be none.
function rowAround(entry) {
  let row = entry.rowOf;
  while (row && row.instead !== undefined) row = row.instead;
  return row;
}
function rowOf(entry) {
  const row = rowAround(entry);
  return row ? row.text : '';
}
// Everything of an element that takes longer to find out.
function complete(entry, options, focused) {
  const { element, role } = entry;
  Object.assign(entry, statesOf(element, role));
  entry.focused = element === focused;
  if (entry.interactive && entry.in) entry.covered = isCovered(element);
  if (P.tag(element) === 'select') entry.options = optionsOf(element, options.options);
  entry.name = cut(nameOf(element, role), options.text);
  const labelled = entry.interactive || ['input', 'select', 'textarea'].includes(entry.tag);
  const told = { label: labelled ? labelOf(element) : '', placeholder: hint(element), title: attribute(element, 'title'),
    description: descriptionOf(element, entry.name), alternative: attribute(element, 'alt') };
  for (const key in told) if (told[key]) entry[key] = cut(squeezed(told[key]), options.text);
  const value = valueOf(element, role);
  if (value !== null && value !== undefined) entry.value = cut(String(value), options.text);
  const href = entry.tag === 'a' || entry.tag === 'area' ? String(element.href.baseVal || element.href || '') : '';
  if (href) entry.url = cut(href, 2000);
  if (entry.tag === 'input') entry.type = element.type;
  entry.attributes = {};
  for (const name of KEPT) if (P.has(element, name)) entry.attributes[name] = cut(attribute(element, name), 200);
  const icon = entry.interactive && !entry.name ? iconIn(element) : '';
  if (icon) entry.attributes.icon = cut(icon, 200);
  if (entry.marks) entry.attributes.matches = entry.marks;
  // Data and blobs are long, or new with every load.
  if (entry.tag === 'img' && /^https?:/.test(element.currentSrc)) entry.attributes.src = cut(element.currentSrc, 500);
  if (entry.tag === 'img' && element.currentSrc && element.complete && !element.naturalWidth) entry.attributes.loaded = 'false';
}
// What the icon in a control without a name is called: by the drawing it refers to, or by its classes.
const NAMED_ICONS = ['data-icon', 'data-lucide', 'data-feather'];
const ANY_ICON_CLASS = /(?:^|\s)(?:fa|bi|icon|glyphicon|mdi|ti|feather|lucide|octicon)-[a-z]/i;
function iconIn(element) {
  for (const part of [...P.all(element, 'i,span,svg,use')].slice(0, 6)) {
    const drawing = P.tag(part) === 'use' ? attribute(part, 'href') || attribute(part, 'xlink:href') : '';
    if (drawing.includes('#')) return drawing.slice(drawing.indexOf('#') + 1);
    const named = NAMED_ICONS.find((name) => attribute(part, name));
    if (named) return attribute(part, named);
    const classes = attribute(part, 'class');
    if (ANY_ICON_CLASS.test(classes)) return classes;
  }
  return '';
}
function optionsOf(element, most) {
  return [...element.options].slice(0, most).map((option) => [
    cut(squeezed(option.label), 200), cut(option.value, 200), option.selected,
    option.disabled || P.matches(option, 'optgroup[disabled] > option')]);
}
function headingLevel(element) {
  const told = Number(attribute(element, 'aria-level'));
  if (told > 0) return Math.min(told, 99);
  const tag = P.tag(element);
  return /^h[1-6]$/.test(tag) ? Number(tag[1]) : 2;
}
