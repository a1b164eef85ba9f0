// Building the page. What an app said is put in as text (`textContent`), never as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

/** An element with attributes, listeners (`onclick`) and children. */
export const h = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);

/** The same of a drawing. */
export const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

/** Replace what a node holds. */
export const show = (node, ...children) => {
  node.replaceChildren(...children.flat(Infinity).filter((child) => child instanceof Node || child));
  return node;
};

export const count = (number) => Number(number ?? 0).toLocaleString("en");
export const plural = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

/** Seconds as people say them. */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 90) return `${seconds.toFixed(1)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

export const when = (iso) =>
  new Date(iso).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });

export const badge = (outcome, label = outcome) => h("span", { class: `badge ${outcome}` }, label);

const ORDER = ["pass", "fail", "error", "inconclusive", "skipped"];
export const outcomesOf = (counts) => ORDER.filter((outcome) => counts[outcome]);

/** A bar of outcomes; its numbers stand beside it as text. */
export function bar(counts, height = 12) {
  const total = Object.values(counts).reduce((sum, n) => sum + n, 0) || 1;
  let x = 0;
  const parts = outcomesOf(counts).map((outcome) => {
    const width = (1000 * counts[outcome]) / total;
    const part = svg("rect", { class: `fill-${outcome}`, x, y: 0, width: Math.max(1, width - 2), height });
    x += width;
    return part;
  });
  return svg("svg", { class: "share", viewBox: `0 0 1000 ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" }, parts);
}

export const legend = (counts, what) =>
  h("ul", { class: "legend", "aria-label": `${what} by outcome` }, h("li", { "aria-hidden": "true" }, `${what}:`), outcomesOf(counts).map((outcome) =>
    h("li", {}, h("span", { class: `dot fill-${outcome}`, "aria-hidden": "true" }), h("b", {}, count(counts[outcome])), ` ${outcome}`)));

/** Say something to people who do not see the page. */
export const say = (text) => { document.getElementById("said").textContent = text; };

/** A text with what stands between backticks as code. */
export function coded(text) {
  const parts = String(text ?? "").split("`");
  if (parts.length % 2 === 0) parts.push([parts.pop(), parts.pop()].reverse().join("`"));
  return parts.map((part, n) => (n % 2 ? h("code", {}, part) : part));
}

/** Why a check did not pass: what its author says of it, what of this failure, and the code behind it. */
export function reasons(description, reason, none = "") {
  const bare = reason.startsWith("`"), at = reason.endsWith(")") ? reason.indexOf(" (`") : -1;
  const message = bare ? "" : at < 0 ? reason : reason.slice(0, at);
  const code = bare ? reason : at < 0 ? "" : reason.slice(at + 2, -1);
  const line = (text, second) => h("p", { class: `reason${second ? " second" : ""}`, dir: "auto" }, coded(text));
  return [
    description ? h("p", { class: "reason", dir: "auto" }, description) : null,
    message || !(description || code) ? line(message || none, description) : null,
    code && (message || description) ? h("details", { class: "condition" }, h("summary", {}, "condition"), line(code, true)) : null,
    code && !(message || description) ? line(code) : null,
  ];
}

/** Call a function once nobody has called for a while. */
export function later(call, milliseconds) {
  let timer;
  return (...given) => { clearTimeout(timer); timer = setTimeout(() => call(...given), milliseconds); };
}
