// What a person does on the page, for `sparring record`. Nothing is changed or held up, but for a
// click with Alt held down: it asserts what is under the pointer, and reaches nothing.
(() => {
  'use strict';
  if (window.__sparringRecorder) return;
  window.__sparringRecorder = true;
  const TYPED = 'input:not([type=checkbox],[type=radio],[type=button],[type=submit],[type=reset],'
    + '[type=image],[type=file],[type=hidden],[type=range],[type=color]),textarea';
  const EDITED = '[contenteditable]:not([contenteditable=false])';
  const BOX = 'input[type=checkbox],input[type=radio]';
  const CLICKED = 'a,button,summary,area,input,select,textarea,option,label,[role],[onclick],[tabindex],'
    + '[data-test],[data-testid]';
  const written = new WeakMap();
  let enter = 0;

  const send = (element, action, value) => {
    const holder = window.__sparring, api = holder && holder.api;
    if (!api || !element) return;
    const secret = element.matches('input[type=password]');
    window.__sparringInput(JSON.stringify({
      token: api.token, number: api.idOf(element), action, secret,
      value: secret ? null : value === undefined ? null : String(value).slice(0, 10000),
    }));
  };
  // What a person reads on it: an element that comes and goes within a moment is named by nothing else.
  const shown = (element) => (element.getAttribute('aria-label') || element.innerText
    || (element.matches('input') ? element.value : '') || element.title || '').trim().split('\n')[0].slice(0, 80);
  const point = (element, action) => send(element, action, shown(element));
  const target = (event) => {
    const inner = event.composedPath()[0];
    return inner instanceof Element ? inner : inner && inner.parentElement;
  };
  // A field is written down once for each value: its change and a key Enter may both tell of it.
  const write = (field) => {
    const value = field.matches(EDITED) ? field.innerText : field.value;
    if (written.get(field) === value) return;
    written.set(field, value);
    send(field, 'fill', value);
  };
  const listen = (name, handler) => window.addEventListener(name, (event) => {
    if (event.isTrusted) handler(event, target(event));
  }, { capture: true });

  listen('focusin', (event, element) => {
    if (!element) return;
    if (element.matches(TYPED)) written.set(element, element.value);
    else if (element.matches(EDITED)) written.set(element, element.innerText);
  });
  listen('focusout', (event, element) => {
    if (element && element.matches(EDITED)) write(element);
  });
  listen('change', (event, element) => {
    if (!element) return;
    if (element.matches(TYPED)) write(element);
    else if (element.matches('select')) {
      for (const option of element.selectedOptions) send(element, 'select', option.label);
    } else if (element.matches(BOX)) send(element, element.checked ? 'check' : 'uncheck');
    else if (element.matches('input[type=file]')) {
      send(element, 'upload', [...element.files].map((file) => file.name).join(', '));
    } else if (element.matches('input')) send(element, 'fill', element.value);
  });
  listen('keydown', (event, element) => {
    if (!element || !['Enter', 'Escape'].includes(event.key) || event.isComposing) return;
    if (!element.matches(TYPED) || (event.key === 'Enter' && element.matches('textarea'))) return;
    write(element);
    enter = event.timeStamp;
    send(element, 'press', event.key);
  });
  listen('mousedown', (event) => { if (event.altKey) event.preventDefault(); });
  listen('click', (event, element) => {
    if (!element) return;
    if (event.altKey) {
      event.preventDefault();
      event.stopImmediatePropagation();
      send(element, 'assert', (element.innerText || '').trim());
      return;
    }
    // Enter in a field clicks the form's button by itself: the key was written down already.
    if (event.detail === 0 && event.timeStamp - enter < 100) return;
    const control = element.closest(CLICKED) || element;
    const label = element.closest('label');
    if (control.matches(`${TYPED},${EDITED},${BOX},select,option,input[type=file]`)) return;
    if (label && label.control && label.control !== control && !control.matches('a,button')) return;
    if (control.matches('label') && control.control) return;
    const active = document.activeElement;
    if (active && active !== control && active.matches(`${TYPED},${EDITED}`)) write(active);
    point(control, 'click');
  });
  listen('dblclick', (event, element) => {
    if (element && !element.closest(`${TYPED},${EDITED}`)) point(element.closest(CLICKED) || element, 'double_click');
  });
})();
