// What has to be known of a target around an act.
function surroundings(element) {
  let holder = element;
  for (let up = 0; up < 2; up++) {
    const above = P.parent(holder);
    if (!isElement(above) || above === D.body(page) || above === D.top(page)) break;
    holder = above;
  }
  let text = P.html(holder).slice(0, 20000);
  for (const field of [holder, ...P.all(holder, 'input,select,textarea')].slice(0, 200)) {
    if (P.matches(field, 'input,select,textarea')) {
      text += `|${field.value}|${field.checked}|${field.selectedIndex}`;
    }
  }
  let hash = 5381;
  for (let at = 0; at < text.length; at++) hash = (hash * 33 + text.charCodeAt(at)) | 0;
  return hash;
}
const holderOf = (node) => (isElement(node) ? node : P.parent(node));
// Where a piece of text is, from the corner of the element that it stands in.
function textPoint(node) {
  const range = page.createRange();
  range.selectNodeContents(node);
  const rect = [...range.getClientRects()].find((one) => one.width > 0 && one.height > 0);
  const holder = P.parent(node);
  if (!rect || !isElement(holder)) return null;
  const corner = P.rect(holder);
  return {
    x: rect.left + rect.width / 2 - corner.left - holder.clientLeft,
    y: rect.top + rect.height / 2 - corner.top - holder.clientTop,
  };
}
// What a person would act on for a node: the control of a label, the only field inside.
function controlOf(element, wanted) {
  if (P.matches(element, wanted)) return element;
  if (P.tag(element) === 'label' && element.control) return element.control;
  const inside = [];
  const collect = (node) => {
    for (const child of children(node)) {
      if (!isElement(child) || inside.length > 1) continue;
      if (P.matches(child, wanted)) inside.push(child);
      else collect(child);
    }
  };
  collect(element);
  return inside.length === 1 ? inside[0] : element;
}
const FIELD = 'input:not([type=hidden]),textarea,select,[contenteditable]:not([contenteditable=false])';
const BOX = 'input[type=checkbox],input[type=radio],[role=checkbox],[role=radio],[role=switch],[role=menuitemcheckbox],[role=menuitemradio]';
function about(number) {
  const node = nodeOf(number);
  if (!node) return null;
  const element = holderOf(node);
  const role = roleOf(element);
  const label = [...P.labels(element)].find((one) => isShown(one));
  return {
    tag: P.tag(element), type: inputType(element), role, hash: surroundings(element),
    shown: isShown(element), disabled: isDisabled(element), checked: checkedOf(element, role),
    selected: selectedOf(element, role), label: label ? idOf(label) : 0,
    point: isElement(node) ? freePoint(node) : textPoint(node), field: P.matches(element, FIELD), box: P.matches(element, BOX),
    list: P.tag(element) === 'select', file: inputType(element) === 'file',
    picture: /^url\(/.test(styleOf(element).content),
  };
}
// Whether a real click in the middle would reach a node; a word for why not.
function obstacle(number) {
  const node = nodeOf(number);
  if (!node) return 'stale';
  const element = holderOf(node);
  if (!isShown(element)) return 'hidden';
  if (isDisabled(element)) return 'disabled';
  return pointsOf(element).length ? (isCovered(element) ? 'covered' : '') : 'out_of_reach';
}
const api = {
  own: () => token, page, obstacle, composer, launcher, pieces, isTyping, saying,
  token, settled, snapshot, about, idOf, controlOf,
  node: (number) => { const node = nodeOf(number); return node ? holderOf(node) : null; },
  hash: (number) => { const node = nodeOf(number); return node ? surroundings(holderOf(node)) : null; },
};
// A window that was opened empty keeps its globals when its first page comes: what is asked then is
// put in the place of what was asked before, and pages themselves can neither change nor remove it.
Object.freeze(api);
if (view.__sparring) view.__sparring.renew(api);
else {
  let current = api;
  Object.defineProperty(view, '__sparring', {
    value: Object.freeze({
      get api() { return current; },
      renew: (next) => { if (current.page !== view.document) current = next; },
    }),
    enumerable: false, configurable: false, writable: false,
  });
}
if (view.top === view && typeof tellHome === 'function') {
  // A long note is not heard: a data: address of 20,000 characters had no document, and each wait took 1 s.
  tellHome(plainly({ token, document: view.location.href.slice(0, 2000) }));
}
