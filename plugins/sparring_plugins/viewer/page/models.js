// Behaviour models: laid out by dagre so that no label lies on another, to be zoomed and moved.

import { get } from "./api.js";
import { count, h, plural, show, svg } from "./dom.js";
import { Graph, layout } from "./vendor/dagre/dagre.esm.js";

const NODE = { height: 30, line: 15, pad: 14, letter: 6.6 };
const LABEL = { height: 16, pad: 8, letter: 5.8, longest: 34 };
const STEP = 1.25;

export async function render({ run }, signal) {
  const { models } = await get(["runs", run, "models"], {}, signal);
  if (!models.length) return h("section", {}, h("h1", { class: "small" }, "No behaviour models"), h("p", { class: "lead" }, "The player `explorer` makes them of skills and chatbots."));
  return [h("h1", { class: "small" }, plural(models.length, "behaviour model")), models.map(model)];
}

function model(graph) {
  const detail = h("div", { class: "state-detail", "aria-live": "polite" }, h("p", { class: "muted" }, "Choose a state to see what the app said in it."));
  const { drawing, fit, zoom } = draw(graph, (node) => show(detail,
    h("h3", {}, node.label), h("p", { class: "muted" }, `reached ${plural(node.visits, "time")}${node.final ? ", the conversation is over there" : ""}`),
    h("ul", {}, node.outputs.map((text) => h("li", { dir: "auto" }, text)))));
  const left = graph.states - graph.nodes.length;
  return h("section", { class: "model" },
    h("div", { class: "row" }, h("h2", {}, graph.app || graph.file),
      h("div", { class: "choose", role: "group", "aria-label": "Zoom" },
        h("button", { type: "button", class: "chip", "aria-label": "Zoom in", onclick: () => zoom(1 / STEP) }, "+"),
        h("button", { type: "button", class: "chip", "aria-label": "Zoom out", onclick: () => zoom(STEP) }, "−"),
        h("button", { type: "button", class: "chip", onclick: fit }, "Fit"))),
    h("p", { class: "lead" }, `${plural(graph.states, "state")}, ${plural(graph.inputs, "input")}, ${plural(graph.turns, "turn")} in ${plural(graph.sessions, "session")}${left ? `; the ${count(graph.nodes.length)} most visited are drawn` : ""}`),
    drawing, detail,
    h("details", { class: "block" }, h("summary", {}, "The same as a table"), table(graph)));
}

const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function arranged(graph) {
  const laid = new Graph({ multigraph: true });
  laid.setGraph({ rankdir: "LR", nodesep: 26, ranksep: 46, edgesep: 18, marginx: 16, marginy: 16 });
  laid.setDefaultEdgeLabel(() => ({}));
  // What leads back to its own state is written inside of it.
  const loops = new Map(graph.edges.filter((edge) => edge.from === edge.to).map((edge) => [edge.from, `↺ ${cut(edge.label || "(silence)", 38)}`]));
  for (const node of graph.nodes) {
    const lines = [cut(node.label, 42), ...(loops.has(node.id) ? [loops.get(node.id)] : [])];
    const longest = Math.max(...lines.map((line) => line.length));
    laid.setNode(node.id, { node, lines, width: longest * NODE.letter + 2 * NODE.pad, height: NODE.height + (lines.length - 1) * NODE.line });
  }
  graph.edges.filter((edge) => edge.from !== edge.to).forEach((edge, n) => {
    const text = cut(edge.label || "(silence)", LABEL.longest);
    laid.setEdge(edge.from, edge.to, { edge, text, width: text.length * LABEL.letter + LABEL.pad, height: LABEL.height, labelpos: "c" }, String(n));
  });
  layout(laid);
  return laid;
}

function draw(graph, choose) {
  const laid = arranged(graph);
  const { width, height } = laid.graph();
  const arrow = `arrow-${graph.file.replace(/[^a-z0-9]/gi, "-")}`;
  const line = ({ points }) => points.map((point, n) => `${n ? "L" : "M"}${point.x.toFixed(1)} ${point.y.toFixed(1)}`).join("");
  const lines = laid.edges().map((key) => laid.edge(key));
  const whole = svg("svg", { class: "graph", role: "group", tabindex: "0", "aria-label": `Behaviour model of ${graph.app || graph.file}; + and − zoom, arrows move, 0 fits`, preserveAspectRatio: "xMinYMid meet" },
    svg("defs", {}, svg("marker", { id: arrow, viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto" }, svg("path", { class: "tip", d: "M0 0 8 4 0 8z" }))),
    lines.map((one) => svg("path", { class: "edge", d: line(one), "marker-end": `url(#${arrow})`, "stroke-width": Math.min(1 + one.edge.count / 6, 3) })),
    lines.map((one) => svg("g", { class: "edge-label" }, svg("title", {}, `${one.edge.label} (${plural(one.edge.count, "time")})`),
      svg("rect", { x: one.x - one.width / 2, y: one.y - one.height / 2, width: one.width, height: one.height, rx: 4 }),
      svg("text", { x: one.x, y: one.y + 3.5, "text-anchor": "middle", textLength: one.text.length > 3 ? one.width - LABEL.pad : null, lengthAdjust: "spacingAndGlyphs" }, one.text))),
    laid.nodes().map((id) => laid.node(id)).map((one) => {
      const pick = () => choose(one.node);
      return svg("g", { class: `state${one.node.final ? " final" : ""}${one.node.confused ? " confused" : ""}`, role: "button", tabindex: "0", onclick: pick, onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); pick(); } } },
        svg("rect", { x: one.x - one.width / 2, y: one.y - one.height / 2, width: one.width, height: one.height, rx: 7 }),
        one.lines.map((text, n) => svg("text", { class: n ? "loop" : null, x: one.x, y: one.y + 4 + (n - (one.lines.length - 1) / 2) * NODE.line, "text-anchor": "middle" }, text)));
    }));
  return { drawing: whole, ...movable(whole, width, height) };
}

/** Zoom and movement of a drawing, by wheel, pointer and keys. */
function movable(whole, width, height) {
  let box;
  const put = () => whole.setAttribute("viewBox", `${box.x} ${box.y} ${box.w} ${box.h}`);
  const fit = () => { box = { x: 0, y: 0, w: width, h: height }; put(); };
  // A large model begins at its start, in a size that can be read.
  const begin = () => { box = { x: 0, y: 0, w: Math.min(width, 1100), h: height }; put(); };
  const zoom = (factor, x = box.x + box.w / 2, y = box.y + box.h / 2) => {
    if (box.w * factor < 60 || box.w * factor > 6 * width) return;
    box = { x: x - (x - box.x) * factor, y: y - (y - box.y) * factor, w: box.w * factor, h: box.h * factor };
    put();
  };
  const move = (x, y) => { box.x += x * box.w; box.y += y * box.h; put(); };
  const inside = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(whole.getScreenCTM().inverse());
  whole.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && document.activeElement !== whole) return;  // the page scrolls until it is chosen
    event.preventDefault();
    const at = inside(event);
    zoom(event.deltaY < 0 ? 1 / STEP : STEP, at.x, at.y);
  }, { passive: false });
  whole.addEventListener("pointerdown", (event) => {
    if (event.target.closest(".state")) return;
    let last = inside(event);
    const drag = (moved) => { const now = inside(moved); box.x += last.x - now.x; box.y += last.y - now.y; put(); last = inside(moved); };
    whole.setPointerCapture(event.pointerId);
    whole.addEventListener("pointermove", drag);
    whole.addEventListener("pointerup", () => whole.removeEventListener("pointermove", drag), { once: true });
  });
  whole.addEventListener("keydown", (event) => {
    const act = { "+": () => zoom(1 / STEP), "=": () => zoom(1 / STEP), "-": () => zoom(STEP), "0": fit, ArrowLeft: () => move(-0.1, 0), ArrowRight: () => move(0.1, 0), ArrowUp: () => move(0, -0.1), ArrowDown: () => move(0, 0.1) }[event.key];
    if (!act || event.target !== whole) return;
    event.preventDefault();
    act();
  });
  begin();
  return { fit, zoom };
}

function table(graph) {
  const label = new Map(graph.nodes.map((node) => [node.id, node.label]));
  return h("div", { class: "scores", tabindex: "0" }, h("table", {}, h("thead", {}, h("tr", {}, ["From", "Input", "To", "Times"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, graph.edges.map((edge) => h("tr", {}, h("td", {}, label.get(edge.from)), h("td", { dir: "auto" }, edge.label || "(silence)"), h("td", {}, label.get(edge.to)), h("td", { class: "n" }, count(edge.count)))))));
}
