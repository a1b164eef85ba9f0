// When the page is quiet: no change of the DOM, no short timer, no animation that ends.
let changedAt = clock.now();
const restless = new WeakMap();
const QUIET_ATTRIBUTES = ['class', 'style', 'hidden', 'open', 'disabled', 'checked', 'value', 'src', 'href', 'role',
  'aria-expanded', 'aria-hidden', 'aria-busy', 'aria-disabled', 'aria-checked', 'aria-selected', 'aria-live', 'aria-label', 'aria-invalid'];
// Nodes that keep changing whatever is done (clocks, tickers) do not count any more.
function isRestless(node, at) {
  const seen = restless.get(node);
  if (!seen || at - seen.last > 300) { restless.set(node, { times: 1, last: at, since: at }); return false; }
  if (at - seen.last > 12) { seen.times++; seen.last = at; }
  return seen.times > 20 && at - seen.since > 1000;
}
function noteChanges(records) {
  const at = clock.now();
  for (const record of records) {
    if (!isRestless(record.target, at)) { changedAt = at; }
  }
}
const takeRecords = MutationObserver.prototype.takeRecords;
const noteAll = (records) => { noteChanges(records); messagesChanged(records); };
const watcher = new MutationObserver(noteAll);
const watch = (root) => watcher.observe(root, { subtree: true, childList: true, characterData: true, attributes: true, attributeOldValue: true, attributeFilter: QUIET_ATTRIBUTES });
watch(page);
roots.push(watch);

const SHORT = 1000, DEEPEST = 3, timers = new Map();
let depth = 0;
view.setTimeout = function setTimeout(work, wait, ...rest) {
  const delay = Number(wait) || 0, level = depth;
  if (typeof work !== 'function' || delay > SHORT || level > DEEPEST) return later(work, wait, ...rest);
  const id = later(function (...given) {
    timers.delete(id);
    const before = depth;
    depth = level + 1;
    try { return Reflect.apply(work, this, given); } finally { depth = before; }
  }, wait, ...rest);
  timers.set(id, clock.now() + delay + 500);
  return id;
};
view.clearTimeout = function clearTimeout(id) { timers.delete(id); return neverMind(id); };

// From the wish to leave a page until its request is seen some time may pass on a busy machine.
// What the page showed last is told before: later it may be gone, and what it tells is not heard.
let leavingUntil = 0;
if (view.navigation && view.navigation.addEventListener) {
  Reflect.apply(listen, view.navigation, ['navigate', (event) => {
    const goal = event.destination;
    if (!goal || goal.sameDocument || event.hashChange || event.downloadRequest !== null) return;
    leavingUntil = clock.now() + 300;
    noteAll(Reflect.apply(takeRecords, watcher, []));
  }]);
}
function busyWith() {
  const at = clock.now();
  if (at < leavingUntil) return 'the page is being left';
  if (D.state(page) === 'loading') return 'the document is loading';
  for (const [id, end] of timers) {
    if (end > at) return 'a timer of the page is running';
    timers.delete(id);
  }
  for (const animation of D.animations(page)) {
    if (animation.playState !== 'running') continue;
    const timing = animation.effect && animation.effect.getComputedTiming();
    const end = timing ? timing.endTime : Infinity;
    if (Number(end) < Infinity && Number(end) - Number(timing.localTime || 0) <= 2000) return 'something is being animated';
  }
  return '';
}
// Resolves when nothing has happened for `quiet` milliseconds, or after `cap`; says what goes on.
function settled(quiet, cap) {
  const began = clock.now();
  const gentle = began - changedAt > quiet ? began - quiet + Math.min(quiet, 20) : began;
  // After a stall the page's own overdue work comes first: quiet is believed the second time.
  let believed = -1;
  return new Promise((resolve) => {
    const look = () => {
      const at = clock.now();
      const busy = busyWith();
      const since = Math.max(changedAt, gentle);
      if (!busy && at - since >= quiet) {
        if (believed === since) { resolve(''); return; }
        believed = since;
        later(look, 1);
        return;
      }
      if (at - began >= cap) { resolve(busy || 'the page keeps changing'); return; }
      later(look, busy ? 15 : Math.max(4, Math.min(quiet - (at - since), 25)));
    };
    look();
  });
}
