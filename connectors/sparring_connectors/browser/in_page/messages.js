// Remembers what is shown for a while only: toasts, alerts, flash texts.
const LIVE = '[role=alert],[role=status],[role=log],[role=alertdialog],[aria-live=polite],[aria-live=assertive],output';
const FLASHING = ['toast', 'snackbar', 'flash', 'notification', 'notify', 'growl', 'noty', 'alert', 'messagelist', 'callout']
  .map((word) => `[class*="${word}" i]`).join(',');
const MESSAGES = `${LIVE},${FLASHING}`;
const LONGEST = 500, MOST = 500;
const shownNow = new Map();
let told = 0, poll = 0, number = 0;
const tellHome = view.__sparringNote;
const tell = (message) => {
  if (told++ < MOST && typeof tellHome === 'function') tellHome(plainly({ token, ...message }));
};
const textOf = (element) => {
  if (!P.connected(element) || !isShown(element)) return '';
  const text = squeezed(element.innerText || '');
  return text.length <= LONGEST ? text : '';
};
function isShown(element) {
  if (element.checkVisibility && !element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true })) return false;
  const rect = P.rect(element);
  return rect.width > 1 && rect.height > 1 && !isOffThePage(rect);
}
// A control is called "notify" or "alert" for what it does; its label is no message.
const CONTROL = 'a,button,input,select,textarea,label,summary,option,[role=button],[role=link],[role=tab],[role=menuitem],[role=option],[role=checkbox],[role=switch]';
function saysOnlyControls(element, text) {
  if (P.closest(element, CONTROL)) return true;
  let rest = text;
  for (const one of [...P.all(element, CONTROL)].slice(0, 50)) rest = rest.replace(squeezed(one.innerText || ''), '');
  return !/[\p{L}\p{N}]/u.test(rest);
}
function look(element) {
  const known = shownNow.get(element);
  const text = textOf(element);
  if (known && known.text === text) return;
  if (known) { tell({ message: known.number, gone: now() }); shownNow.delete(element); }
  if (!text) return;
  for (const [other, message] of shownNow) {
    if (message.text === text && (within(element, other) || within(other, element))) return;
  }
  const source = P.matches(element, LIVE) ? 'role' : 'class';
  if (source === 'class' && saysOnlyControls(element, text)) return;
  const made = { number: ++number, text };
  shownNow.set(element, made);
  tell({ message: made.number, text, at: now(), source, role: attribute(element, 'role') });
  if (!poll) poll = later(lookAgain, 150);
}
function lookAgain() {
  poll = 0;
  for (const element of [...shownNow.keys()]) look(element);
  if (shownNow.size && !poll) poll = later(lookAgain, 150);
}
// What appears and goes again by itself, whatever it is called.
const appeared = new Map();
const BRIEF = 15000;
function noteAppearance(element) {
  if (appeared.has(element) || appeared.size > 200 || P.closest(element, MESSAGES)) return;
  const text = textOf(element);
  if (!text || P.one(element, 'input,select,textarea') || P.all(element, 'a,button').length > 2) return;
  if (saysOnlyControls(element, text)) return;
  if (clickable.has(element) || [...P.all(element, '*')].slice(0, 200).some((one) => clickable.has(one))) return;
  if (P.closest(element, '[role=menu],[role=menuitem],[role=listbox],[role=option],[role=tooltip],select,datalist')) return;
  appeared.set(element, { text, at: now() });
}
function noteDisappearance(element) {
  const seen = appeared.get(element);
  if (!seen) return;
  appeared.delete(element);
  const gone = now();
  if (gone - seen.at > BRIEF || gone - seen.at < 100) return;
  tell({ message: ++number, text: seen.text, at: seen.at, source: 'brief' });
  tell({ message: number, gone });
}
function messagesChanged(records) {
  const looked = new Set();
  for (const record of records) {
    const target = isElement(record.target) ? record.target : P.parent(record.target);
    if (isElement(target)) {
      const owner = P.closest(target, MESSAGES);
      if (owner) looked.add(owner);
      if (record.type === 'attributes' && (P.matches(target, MESSAGES) || appeared.has(target))) looked.add(target);
      if (record.type === 'attributes') noteToggle(target, record);
    }
    for (const node of record.addedNodes) {
      if (!isElement(node)) continue;
      if (P.matches(node, MESSAGES)) looked.add(node);
      let few = 0;
      for (const one of P.all(node, MESSAGES)) { if (++few > 50) break; looked.add(one); }
      if (D.state(page) !== 'loading') noteAppearance(node);
    }
    for (const node of record.removedNodes) if (isElement(node)) noteDisappearance(node);
  }
  for (const element of looked) if (isElement(element)) look(element);
  if (records.some((record) => record.removedNodes.length) && shownNow.size) {
    for (const element of [...shownNow.keys()]) if (!P.connected(element)) look(element);
  }
}
// A toggled element has appeared only if it is known to have been hidden before.
const wasHidden = new WeakSet();
function noteToggle(element, record) {
  if (P.closest(element, MESSAGES)) return;
  const before = record.oldValue || '';
  const hid = record.attributeName === 'hidden' ? record.oldValue !== null
    : record.attributeName === 'style' && /display:\s*none|visibility:\s*hidden|opacity:\s*0(?![.\d]*[1-9])/.test(before);
  if (!isShown(element)) { noteDisappearance(element); wasHidden.add(element); }
  else if (hid || wasHidden.has(element)) { wasHidden.delete(element); noteAppearance(element); }
}
const lookAtAll = () => { for (const element of P.all(D.top(page) || page, MESSAGES)) look(element); };
if (D.state(page) === 'loading') Reflect.apply(listen, page, ['DOMContentLoaded', lookAtAll]);
else lookAtAll();
