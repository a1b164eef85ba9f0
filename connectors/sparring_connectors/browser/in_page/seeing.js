// What can be seen, and what takes a click.
const overlap = (a, b) => {
  const left = Math.max(a.left, b.left), top = Math.max(a.top, b.top);
  const right = Math.min(a.right, b.right), bottom = Math.min(a.bottom, b.bottom);
  return { left, top, right, bottom, empty: right - left <= 0 || bottom - top <= 0 };
};
const EVERYWHERE = { left: -1e7, top: -1e7, right: 1e7, bottom: 1e7 };
const NOWHERE = { left: 0, top: 0, right: 0, bottom: 0 };
const whole = (rect) => ({ left: rect.left, top: rect.top, right: rect.right, bottom: rect.bottom });
// How far an element lets its descendants be seen: the sight of those in its flow, and of those
// positioned absolutely, which only positioned ancestors clip.
function sightOf(element, style, above) {
  const opacity = style.opacity === '1' ? above.opacity : above.opacity * Number(style.opacity);
  const position = style.position;
  const clip = position === 'fixed' ? EVERYWHERE : position === 'absolute' ? above.absolute : above.clip;
  const inside = insideOf(element, style, clip);
  const gone = style.contentVisibility === 'hidden' || (P.tag(element) === 'details' && !element.open ? 'details' : false);
  const contains = position !== 'static' || (inside !== clip && style.transform !== 'none');
  return {
    opacity, clip: inside, absolute: contains ? inside : above.absolute, own: clip,
    gone: above.gone === true ? true : gone, hidden: above.hidden || isClippedAway(style, position),
  };
}
// What of the sight is left to an element's content by its overflow.
function insideOf(element, style, clip) {
  const overflow = style.overflow;
  if (overflow === 'visible' || element === D.body(page) || element === D.top(page)) return clip;
  const rect = P.rect(element);
  if (/auto|scroll/.test(overflow)) {  // its content can be scrolled into sight, if it can be seen
    return overlap(clip, rect).empty ? NOWHERE : EVERYWHERE;
  }
  return limited(clip, rect, style);
}
// Overflow that is hidden in one direction only does not clip the other.
function limited(clip, rect, style) {
  const x = /hidden|clip/.test(style.overflowX), y = /hidden|clip/.test(style.overflowY);
  const most = { left: x ? rect.left : -1e7, right: x ? rect.right : 1e7,
    top: y ? rect.top : -1e7, bottom: y ? rect.bottom : 1e7 };
  return overlap(clip, most);
}
// The usual ways to keep a text for screen readers alone.
const NO_RECTANGLE = /^rect\((0|1)(px)?[, ]+(0|1)(px)?[, ]+(0|1)(px)?[, ]+(0|1)(px)?\)$/;
const NO_SHAPE = /^(inset\((50|100)%\)|circle\(0(px)?( |\)))/;
const isClippedAway = (style, position) => style.clipPath !== 'none' && NO_SHAPE.test(style.clipPath) ||
  (position === 'absolute' || position === 'fixed') && style.clip !== 'auto' && NO_RECTANGLE.test(style.clip);
function canBeSeen(rect, sight) {
  if (sight.gone === true || sight.hidden || sight.opacity < 0.02) return false;
  if (rect.width <= 0 || rect.height <= 0) return false;
  const seen = overlap(sight.clip || EVERYWHERE, rect);
  if (seen.empty || (seen.right - seen.left) * (seen.bottom - seen.top) <= 1) return false;
  return !isOffThePage(rect);
}
function isOffThePage(rect) {
  const scroller = page.scrollingElement || D.top(page);
  const left = rect.right + view.scrollX <= 0 && !(scroller && styleOf(scroller).direction === 'rtl');
  return left || rect.bottom + view.scrollY <= 0;
}
const isInViewport = (rect) => rect.bottom > 0 && rect.right > 0 && rect.top < view.innerHeight && rect.left < view.innerWidth;
// The points that a click may be sent to: the middle of the first piece that has an area, and
// others of it for where something else lies on the middle.
const POINTS = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.2], [0.5, 0.8], [0.1, 0.2], [0.9, 0.2], [0.1, 0.8], [0.9, 0.8]];
// The part of the viewport in which an element can be now: what its scrolled holders let through.
function windowOn(element) {
  let sight = { left: 0, top: 0, right: view.innerWidth, bottom: view.innerHeight };
  let position = styleOf(element).position;
  for (let at = parentOf(element); isElement(at) && position !== 'fixed'; at = parentOf(at)) {
    const style = styleOf(at);
    if (position === 'absolute' && style.position === 'static') continue;
    position = style.position;
    if (style.overflow !== 'visible' && at !== D.body(page) && at !== D.top(page)) sight = overlap(sight, P.rect(at));
  }
  return sight;
}
function pointsOf(element) {
  const rects = P.rects(element);
  let best = null;
  for (const rect of rects) {
    if (rect.width > 0 && rect.height > 0) { best = rect; break; }
  }
  if (!best) return [];
  const seen = overlap(best, windowOn(element));
  if (seen.empty) return [];
  const width = seen.right - seen.left, height = seen.bottom - seen.top;
  const inner = POINTS.map(([x, y]) => ({ x: seen.left + x * width, y: seen.top + y * height }));
  return inner.concat(edgePoints(seen, width, height));
}
const EDGE = 2;
// Points just within the border: a button of which a banner leaves a few pixels free is hit there.
function edgePoints(seen, width, height) {
  const points = [];
  for (const part of [0.5, 0.2, 0.8]) {
    const x = seen.left + part * width, y = seen.top + part * height;
    points.push({ x: seen.left + EDGE, y }, { x: seen.right - EDGE, y }, { x, y: seen.top + EDGE }, { x, y: seen.bottom - EDGE });
  }
  return width > 2 * EDGE && height > 2 * EDGE ? points : [];
}
function topmostAt(x, y) {
  let found = D.at(page, x, y);
  for (let root = found && shadowOf(found); root; root = shadowOf(found)) {
    const inner = D.atInside(root, x, y);
    if (!inner || inner === found) break;
    found = inner;
  }
  return found;
}
// Whether two parts of a drawing are one shape to a person: the box of a node and its label, which
// lets clicks through. The group of a whole diagram is none.
const SHAPE = { width: 400, height: 120 };
function isOfOneShape(hit, element) {
  const group = P.tag(element) === 'text' ? P.closest(element, 'g') : null;
  if (!group || !within(hit, group)) return false;
  const rect = P.rect(group);
  return rect.width < SHAPE.width && rect.height < SHAPE.height;
}
// Whether something else would take a click at a point.
function isTaken(element, point) {
  const hit = topmostAt(point.x, point.y);
  if (!hit || within(hit, element) || isOfOneShape(hit, element)) return false;
  const label = P.closest(hit, 'label');
  return !(label && label.control === element);
}
// Whether something else would take the click, wherever it is sent to.
function isCovered(element) {
  const points = pointsOf(element);
  return points.length > 0 && points.every((point) => isTaken(element, point));
}
// Where to click, from the corner of an element, if something else lies on its middle.
function freePoint(element) {
  const points = pointsOf(element);
  if (!points.length || !isTaken(element, points[0])) return null;
  const free = points.find((point) => !isTaken(element, point));
  if (!free) return null;
  const corner = P.rect(element);
  return { x: free.x - corner.left - element.clientLeft, y: free.y - corner.top - element.clientTop };
}
// Whether what lies on top at a point hides what is under it. A bar that stays at the edge of the
// window does not: what is under it can be scrolled out.
function isOpaqueOver(hit, holder) {
  for (let at = hit; isElement(at) && !within(holder, at); at = parentOf(at)) {
    const style = styleOf(at);
    if (/fixed|sticky/.test(style.position) && P.rect(at).height < view.innerHeight * 0.6) return false;
    if (isOpaque(at, style)) return true;
  }
  return false;
}
function isOpaque(element, style) {
  for (let at = element; isElement(at); at = parentOf(at)) if (Number(styleOf(at).opacity) < 0.9) return false;
  if (['img', 'video', 'canvas', 'iframe'].includes(P.tag(element)) || /url\(/.test(style.backgroundImage)) return true;
  const parts = style.backgroundColor.match(/[\d.]+/g) || [];
  return style.backgroundColor.startsWith('rgb') && (parts.length === 3 || Number(parts[3]) >= 0.9);
}
// The part of a picture that an area of its map is; browsers give areas no box.
function mapRect(area) {
  const map = P.closest(area, 'map');
  const name = map && (attribute(map, 'name') || attribute(map, 'id'));
  const picture = name && [...P.all(D.top(page), 'img[usemap]')].find((one) => attribute(one, 'usemap') === `#${name}`);
  if (!picture) return { left: 0, top: 0, right: 0, bottom: 0, width: 0, height: 0 };
  const frame = P.rect(picture);
  const at = attribute(area, 'coords').split(/[\s,]+/).map(Number).filter((one) => !Number.isNaN(one));
  if (at.length < 4) return frame;
  const xs = at.filter((_, n) => n % 2 === 0), ys = at.filter((_, n) => n % 2);
  const left = frame.left + Math.min(...xs), top = frame.top + Math.min(...ys);
  const right = frame.left + Math.max(...xs), bottom = frame.top + Math.max(...ys);
  return { left, top, right, bottom, width: right - left, height: bottom - top };
}
