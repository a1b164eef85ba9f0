// Faults that are put into a page on purpose, to find out what a suite of tests notices.
const tellFault = view.__sparringNote;
const MOST_TOLD = 200;
let faultsTold = 0;
const clones = new WeakSet(), taken = new WeakSet(), treated = new WeakMap();
const shadows = new Set();
const P2 = {
  inside: uncurry(DocumentFragment.prototype.querySelectorAll),

};
const formOf = (element) => P.closest(element, 'form');
const elementsOf = (event) => event.composedPath().filter((node) => node !== view && isElement(node));
const starred = (path) => new RegExp(`^${path.split('*').map((part) =>
  part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')).join('[^/]*')}$`);
const FAULTY = FAULTS.map((fault) => ({ ...fault, pattern: fault.page ? starred(fault.page) : null }));
const isHere = (fault) => !fault.pattern || fault.pattern.test(view.location.pathname);
const happened = (fault) => {
  if (faultsTold++ < MOST_TOLD && typeof tellFault === 'function') {
    tellFault(plainly({ token, fault: fault.number }));
  }
};
const once = (fault, node) => {
  const known = treated.get(node) || new Set();
  if (known.has(fault.number)) return false;
  treated.set(node, known.add(fault.number));
  return true;
};

// Where a fault is.
function fits(element, on) {
  if (!on || clones.has(element)) return false;
  if (on.tag && P.tag(element) !== on.tag) return false;
  for (const name of Object.keys(on.attributes || {})) {
    if (attribute(element, name) !== on.attributes[name]) return false;
  }
  const role = roleOf(element);
  if (on.role && role !== on.role) return false;
  if (on.name === undefined || on.name === null) return true;
  memory = new Map();
  return nameOf(element, role) === on.name;
}
function* everywhere(selector) {
  const top = D.top(page);
  if (top) yield* P.all(top, selector);
  for (const root of shadows) yield* P2.inside(root, selector);
}
function found(fault) {
  const on = fault.on;
  if (!on) return [];
  const all = [...everywhere(on.tag || '*')].filter((element) => fits(element, on));
  return on.nth ? all.slice(on.nth - 1, on.nth) : all;
}
const isMeant = (element, fault) => fits(element, fault.on) &&
  (!fault.on.nth || found(fault).includes(element));
const meant = (event, fault) => elementsOf(event).find((node) => isMeant(node, fault));

// Texts.
const folded = (text) => squeezed(text).toLowerCase();
function* textNodes() {
  const tops = [D.top(page), ...shadows].filter(Boolean);
  for (const top of tops) {
    const walk = page.createTreeWalker(top, 4);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) yield node;
  }
}
const isRead = (node) => {
  const parent = P.parent(node);
  return !(isElement(parent) && ['script', 'style', 'noscript', 'template', 'title'].includes(P.tag(parent)));
};
const exactly = (text) => new RegExp(`(?<![\\p{L}\\p{N}])${text.trim().split(/\s+/).map((word) =>
  word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('\\s+')}(?![\\p{L}\\p{N}])`, 'iu');
// The smallest elements that show a text which no single node holds.
function holders(wanted) {
  const all = [...everywhere('*')].filter((one) => folded(P.content(one) || '').includes(wanted) && isRead(P.first(one) || one));
  return all.filter((one) => !all.some((other) => other !== one && P.contains(one, other)))
    .filter((one) => !['html', 'head', 'body', 'script', 'style', 'title'].includes(P.tag(one)));
}
function changeText(fault) {
  const pattern = exactly(fault.text), value = String(fault.value || '');
  let hits = 0;
  for (const node of [...textNodes()]) {
    if (!isRead(node) || !pattern.test(P.data(node))) continue;
    node.nodeValue = P.data(node).replace(pattern, () => value);
    hits++;
  }
  for (const input of everywhere('input[type=submit],input[type=button],input[type=reset]')) {
    if (!pattern.test(input.value)) continue;
    input.value = input.value.replace(pattern, () => value);
    hits++;
  }
  if (!hits) {
    for (const holder of holders(folded(fault.text))) {
      holder.textContent = squeezed(P.content(holder)).replace(pattern, () => value);
      hits++;
    }
  }
  if (hits) happened(fault);
}

// Faults that are there as soon as their element is.
const unseen = (element, property, value) => {
  if (element.style.getPropertyValue(property) === value) return false;
  element.style.setProperty(property, value, 'important');
  return true;
};
const places = new Map();
const STRUCTURAL = {
  removed(fault, element) {
    const place = places.get(fault.number);
    if (fault.on.nth && place && P.connected(place)) return false;
    const mark = page.createComment('');
    places.set(fault.number, mark);
    taken.add(element);
    element.replaceWith(mark);
    return true;
  },
  hidden: (_, element) => unseen(element, 'visibility', 'hidden'),
  disabled(_, element) {
    if ('disabled' in element) {
      if (element.disabled) return false;
      element.disabled = true;
      return true;
    }
    if (attribute(element, 'aria-disabled') === 'true') return false;
    element.setAttribute('aria-disabled', 'true');
    return unseen(element, 'pointer-events', 'none');
  },
  duplicated(fault, element) {
    if (!once(fault, element)) return false;
    const copy = element.cloneNode(true);
    for (const one of [copy, ...P.all(copy, '*')]) clones.add(one);
    element.after(copy);
    return true;
  },
  covered(fault, element) {
    if (!once(fault, element)) return false;
    const veil = page.createElement('div');
    veil.setAttribute('style', 'position:fixed;z-index:2147483647;background:#8888');
    (D.body(page) || D.top(page)).appendChild(veil);
    const follow = () => {
      if (!P.connected(element)) { veil.remove(); return; }
      const { left, top, width, height } = P.rect(element);
      const style = `left:${left - 2}px;top:${top - 2}px;width:${width + 4}px;height:${height + 4}px`;
      if (veil.dataset.at !== style) {
        veil.dataset.at = style;
        veil.style.cssText = `position:fixed;z-index:2147483647;background:#8888;${style}`;
      }
      nextFrame(follow);
    };
    follow();
    return true;
  },
  link_elsewhere(fault, element) {
    const value = String(fault.value);
    if (attribute(element, 'href') === value) return false;
    element.setAttribute('href', value);
    return true;
  },
  dialog_missing: (_, element) => unseen(element, 'display', 'none'),
};
function message_missing(fault) {
  for (const holder of holders(folded(fault.text))) {
    const whole = P.closest(holder, MESSAGES) || holder;
    if (unseen(whole, 'display', 'none')) happened(fault);
  }
}
function treat() {
  for (const fault of FAULTY) {
    if (!isHere(fault)) continue;
    if (fault.kind === 'text') changeText(fault);
    else if (fault.kind === 'message_missing') message_missing(fault);
    else if (STRUCTURAL[fault.kind]) {
      for (const element of found(fault)) {
        if (STRUCTURAL[fault.kind](fault, element)) happened(fault);
      }
    } else if (fault.kind === 'page_error' && !fault.on && D.state(page) !== 'loading' && once(fault, page)) {
      happened(fault);
      later(() => { throw new Error('a fault put in by a mutation test'); }, 0);
    }
  }
}

// Frameworks take nodes out that are not there any more.
function forgive() {
  const { removeChild, insertBefore } = Node.prototype;
  Node.prototype.removeChild = function (child) {
    return taken.has(child) && P.parent(child) !== this ? child : Reflect.apply(removeChild, this, [child]);
  };
  Node.prototype.insertBefore = function (node, before) {
    const gone = before && taken.has(before) && P.parent(before) !== this;
    return Reflect.apply(insertBefore, this, [node, gone ? null : before]);
  };
}

// Values that are not what was entered by the time they are used.
function assign(element, property, value) {
  const kind = { select: HTMLSelectElement, textarea: HTMLTextAreaElement }[P.tag(element)] || HTMLInputElement;
  const setter = Object.getOwnPropertyDescriptor(kind.prototype, property);
  if (setter && setter.set) Reflect.apply(setter.set, element, [value]);
  else element[property] = value;
}
const spoilt = new WeakMap();
let spoiling = false;
function altered(element) {
  const value = element.value, number = Number(value);
  if (/^(date|time|month|week|datetime-local)$/.test(element.type)) {
    try { element.stepUp(1); const next = element.value; return next; } catch { return ''; }
  }
  return value.trim() && Number.isFinite(number) ? String(number + 1) : `${value.slice(0, -1)}${value.endsWith('x') ? 'y' : 'x'}`;
}
function spoil(fault, element) {
  if (spoiling) return;
  const tag = P.tag(element);
  let change = null;
  if (fault.kind === 'option_swapped' && tag === 'select') {
    const others = [...element.options].filter((one) => !one.selected && !one.disabled);
    const other = others.find((one) => one.value) || others[0];
    if (other && spoilt.get(element) !== element.value) change = ['value', other.value];
  } else if (fault.kind === 'box_ignored') {
    if (!spoilt.has(element)) change = ['checked', !element.checked];
  } else if (element.value === undefined) {
    return;
  } else if (element.value && spoilt.get(element) !== element.value) {
    change = ['value', fault.kind === 'value_lost' ? '' : altered(element)];
  }
  if (!change) return;
  spoiling = true;
  try {
    assign(element, ...change);
    spoilt.set(element, element[change[0]]);
    happened(fault);
    for (const type of ['input', 'change']) element.dispatchEvent(new Event(type, { bubbles: true }));
  } finally { spoiling = false; }
}
const stop = (event, fault) => {
  event.preventDefault();
  event.stopImmediatePropagation();
  happened(fault);
};
const isTyped = (element) => ['textarea'].includes(P.tag(element)) ||
  (P.tag(element) === 'input' && !/^(button|submit|reset|checkbox|radio|file|image|color|range)$/.test(element.type));
const fail = view.reportError ? view.reportError.bind(view) : (error) => later(() => { throw error; }, 0);
const SPOILING = ['value_lost', 'value_altered', 'option_swapped', 'box_ignored'];
const PRESSING = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'contextmenu'];

function pressed(event, fault) {
  const element = meant(event, fault);
  if (!element) return;
  if (event.type === 'keydown') {
    const counts = event.key === 'Enter' || (event.key === ' ' && !isTyped(element));
    if (!counts) return;
  }
  stop(event, fault);
}
function entered(event, fault) {
  if (event.type === 'submit') {
    for (const element of found(fault)) if (formOf(element) === event.target) spoil(fault, element);
    return;
  }
  if (event.type === 'click') {
    const button = elementsOf(event).find((node) => (P.tag(node) === 'button' || P.matches(node, 'input[type=button]')));
    const form = button && formOf(button);
    if (fault.kind === 'box_ignored') {
      const box = meant(event, fault);
      if (box && !formOf(box)) { stop(event, fault); return; }
    }
    if (!form || button.type === 'submit') return;
    for (const element of found(fault)) if (formOf(element) === form) spoil(fault, element);
    return;
  }
  const element = meant(event, fault);
  if (!element || formOf(element)) return;
  const isSelect = P.tag(element) === 'select';
  if (event.type === 'change' ? isSelect : !isSelect && (event.type === 'focusout' || event.key === 'Enter')) spoil(fault, element);
}
const HEARD = {
  dead: [[...PRESSING, 'keydown'], pressed],
  submit_dropped: [['submit'], (event, fault) => {
    if (found(fault).some((element) => element === event.target || formOf(element) === event.target || event.submitter === element)) stop(event, fault);
  }],
  page_error: [['click'], (event, fault) => {
    if (!fault.on || !meant(event, fault)) return;
    happened(fault);
    // At once, as a handler's own error comes: a link may have left the page by the next task.
    fail(new Error('a fault put in by a mutation test'));
  }],
};
for (const kind of SPOILING) HEARD[kind] = [['submit', 'click', 'change', 'focusout', 'keydown'], entered];

function silence(fault) {
  const isWanted = (text) => !fault.text || folded(String(text)).includes(folded(fault.text));
  for (const [name, answer] of [['alert', undefined], ['confirm', false], ['prompt', null]]) {
    const own = view[name];
    view[name] = function (text, ...rest) {
      if (!isHere(fault) || !isWanted(text === undefined ? '' : text)) return Reflect.apply(own, view, [text, ...rest]);
      happened(fault);
      return answer;
    };
  }
}

// For what comes later in this file's neighbours: called when all of them are there.
function beginFaults() {
  if (!FAULTY.length) return;
  const attend = (root) => {
    new MutationObserver(treat).observe(root, { subtree: true, childList: true, characterData: true,
      attributes: true, attributeFilter: ['disabled', 'href', 'style', 'class', 'hidden', 'open', 'value', 'aria-label'] });
  };
  attend(page);
  const hearOn = (node) => {
    for (const fault of FAULTY) {
      const [types, hear] = HEARD[fault.kind] || [[], null];
      for (const type of types) {
        Reflect.apply(listen, node, [type, (event) => { if (isHere(fault)) hear(event, fault); }, true]);
      }
    }
  };
  roots.push((root) => {
    shadows.add(root);
    attend(root);
    // Outside of a closed shadow root its host is all that an event's path has.
    if (root.mode === 'closed') hearOn(root);
  });
  if (FAULTY.some((fault) => fault.kind === 'removed')) forgive();
  for (const fault of FAULTY) {
    if (fault.kind === 'native_dialog_missing') silence(fault);
  }
  hearOn(view);
  Reflect.apply(listen, page, ['DOMContentLoaded', treat]);
}
beginFaults();
