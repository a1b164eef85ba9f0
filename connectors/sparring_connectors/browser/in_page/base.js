// What the page's own scripts cannot change any more: built-ins as they are before they run.
// Properties of elements are read through the prototypes' getters, because in a form a field
// named "children" or "id" would otherwise be what is found.
const uncurry = (method) => Function.prototype.call.bind(method);
const reader = (prototype, name) => {
  const found = Object.getOwnPropertyDescriptor(prototype, name);
  return found && found.get ? uncurry(found.get) : () => undefined;
};
const view = window;
const page = document;
const later = view.setTimeout.bind(view);
const neverMind = view.clearTimeout.bind(view);
const nextFrame = view.requestAnimationFrame.bind(view);
const stringify = JSON.stringify;
const styleOf = view.getComputedStyle.bind(view);
const clock = performance;
const now = () => clock.timeOrigin + clock.now();
const P = {
  type: reader(Node.prototype, 'nodeType'),
  parent: reader(Node.prototype, 'parentNode'),
  first: reader(Node.prototype, 'firstChild'),
  next: reader(Node.prototype, 'nextSibling'),
  data: reader(Node.prototype, 'nodeValue'),
  content: reader(Node.prototype, 'textContent'),
  connected: reader(Node.prototype, 'isConnected'),
  owner: reader(Node.prototype, 'ownerDocument'),
  contains: uncurry(Node.prototype.contains),
  root: uncurry(Node.prototype.getRootNode),
  attribute: uncurry(Element.prototype.getAttribute),
  has: uncurry(Element.prototype.hasAttribute),
  tag: reader(Element.prototype, 'localName'),
  shadow: reader(Element.prototype, 'shadowRoot'),
  slot: reader(Element.prototype, 'assignedSlot'),
  html: reader(Element.prototype, 'outerHTML'),
  rect: uncurry(Element.prototype.getBoundingClientRect),
  rects: uncurry(Element.prototype.getClientRects),
  matches: uncurry(Element.prototype.matches),
  closest: uncurry(Element.prototype.closest),
  all: uncurry(Element.prototype.querySelectorAll),
  one: uncurry(Element.prototype.querySelector),
  assigned: uncurry(HTMLSlotElement.prototype.assignedNodes),
  labels: (element) => (typeof element.labels === 'object' && element.labels) || [],
};
// A picture named "body" or "title" hides the document's own properties in the same way.
const D = {
  active: reader(Document.prototype, 'activeElement'),
  activeInside: reader(ShadowRoot.prototype, 'activeElement'),
  body: reader(Document.prototype, 'body'),
  top: reader(Document.prototype, 'documentElement'),
  title: reader(Document.prototype, 'title'),
  state: reader(Document.prototype, 'readyState'),
  at: uncurry(Document.prototype.elementFromPoint),
  atInside: uncurry(ShadowRoot.prototype.elementFromPoint),
  byId: uncurry(Document.prototype.getElementById),
  byIdInside: uncurry(DocumentFragment.prototype.getElementById),
  animations: uncurry(Document.prototype.getAnimations),
};
const withId = (root, id) => (P.type(root) === 9 ? D.byId(root, id)
  : P.type(root) === FRAGMENT ? D.byIdInside(root, id) : null);
const ELEMENT = 1, TEXT = 3, FRAGMENT = 11;
const isElement = (node) => !!node && P.type(node) === ELEMENT;
const attribute = (element, name) => P.attribute(element, name) || '';
const squeezed = (text) => text.replace(/[\s\u00a0]+/g, ' ').trim();
const cut = (text, most) => {
  if (text.length <= most) return text;
  const end = most - 1;
  const inPair = text.charCodeAt(end - 1) >= 0xd800 && text.charCodeAt(end - 1) < 0xdc00;
  return text.slice(0, inPair ? end - 1 : end) + '…';
};

// Shadow roots, the closed ones as their makers got them.
const closed = new WeakMap();
const shadowOf = (element) => P.shadow(element) || closed.get(element) || null;
const attachShadow = Element.prototype.attachShadow;
const roots = [];
const rootMade = (made) => { for (const tell of roots) tell(made); };
Element.prototype.attachShadow = function (options) {
  const made = Reflect.apply(attachShadow, this, [options]);
  closed.set(this, made);
  rootMade(made);
  return made;
};
Object.defineProperty(Element.prototype.attachShadow, 'toString', {
  value: () => 'function attachShadow() { [native code] }',
});

// What takes clicks by a listener of its own.
const clickable = new WeakSet();
const listen = EventTarget.prototype.addEventListener;
const PRESSES = new Set(['click', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'dblclick',
  'contextmenu', 'dragstart', 'drop', 'dragover', 'touchstart']);
EventTarget.prototype.addEventListener = function (type, ...rest) {
  if (PRESSES.has(type) && this instanceof Element) clickable.add(this);
  return Reflect.apply(listen, this || view, [type, ...rest]);
};

// The flattened tree: what is shown, in the order in which it is read.
function* children(node) {
  const root = isElement(node) ? shadowOf(node) : null;
  if (root) { yield* siblings(P.first(root)); return; }
  if (isElement(node) && P.tag(node) === 'slot' && P.root(node) !== page) {
    const given = P.assigned(node, { flatten: true });
    if (given.length) { yield* given; return; }
  }
  yield* siblings(P.first(node));
}
function* siblings(node) {
  for (; node; node = P.next(node)) yield node;
}
const parentOf = (node) => {
  const slot = P.type(node) === ELEMENT ? P.slot(node) : null;
  const parent = slot || P.parent(node);
  return parent && P.type(parent) === FRAGMENT ? parent.host || null : parent;
};
const within = (node, ancestor) => {
  for (let at = node; at; at = parentOf(at)) if (at === ancestor) return true;
  return false;
};

// Ids: the same for a node as long as its document lives.
const numbers = new WeakMap();
const nodes = new Map();
let lastNumber = 0;
const idOf = (node) => {
  let number = numbers.get(node);
  if (!number) {
    number = ++lastNumber;
    numbers.set(node, number);
    nodes.set(number, new WeakRef(node));
  }
  return number;
};
// Text that a style sheet adds to an element, which a click on the text reaches.
const pseudos = new WeakMap();
const pseudoOf = (element, which) => {
  if (!pseudos.has(element)) pseudos.set(element, {});
  const known = pseudos.get(element);
  if (!known[which]) {
    known[which] = {};
    nodes.set(idOf(known[which]), new WeakRef(element));
  }
  return known[which];
};
const nodeOf = (number) => {
  const found = nodes.get(number);
  const node = found && found.deref();
  return node && P.connected(node) ? node : null;
};
const token = `${Math.floor(clock.timeOrigin)}-${Math.random().toString(36).slice(2)}`;
