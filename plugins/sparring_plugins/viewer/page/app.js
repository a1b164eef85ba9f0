// The page of `sparring view`: one module a view, chosen by what stands behind the `#`.

import { h, show } from "./dom.js";
import { link, parse } from "./routes.js";

const main = document.getElementById("main");
const crumbs = document.getElementById("crumbs");
const root = document.documentElement;
root.classList.add("scripted");

const VIEWS = {
  runs: () => import("./runs.js"),
  run: () => import("./run.js"),
  case: () => import("./conversation.js"),
  models: () => import("./models.js"),
  matrix: () => import("./matrix.js"),
  compare: () => import("./compare.js"),
  variants: () => import("./variants.js"),
};

function named({ parts, query }) {
  if (parts[0] === "run" && parts.length === 2) return ["run", { run: parts[1], query }];
  if (parts[0] === "run" && parts[2] === "case") return ["case", { run: parts[1], id: parts[3] ?? "", query }];
  if (parts[0] === "run" && parts[2] in VIEWS) return [parts[2], { run: parts[1], query }];
  if (parts[0] === "compare") return ["compare", { a: parts[1], b: parts[2], id: parts[3], query }];
  if (parts[0] === "variants" && parts.length === 2) return ["variants", { matrix: parts[1], query }];
  return ["runs", { query }];
}

function way(name, given) {
  const steps = [["Runs", link([])]];
  if (given.run) steps.push([given.run, link(["run", given.run], name === "case" ? given.query : {})]);
  if (name === "case") steps.push([given.id, null]);
  if (name === "models") steps.push(["Behaviour models", null]);
  if (name === "matrix") steps.push(["Matrix", null]);
  if (name === "compare") steps.push(["Two runs", given.id ? link(["compare", given.a, given.b]) : null]);
  if (name === "variants") steps.push([given.matrix, null]);
  steps[steps.length - 1][1] = null;
  show(crumbs, h("ol", {}, steps.map(([text, to]) =>
    h("li", {}, to ? h("a", { href: to }, text) : h("span", { "aria-current": "page" }, text)))));
}

let leave = null;
let asked = 0;

async function go() {
  const turn = ++asked;
  const [name, given] = named(parse(location.hash));
  leave?.abort();
  leave = new AbortController();
  way(name, given);
  try {
    const view = await VIEWS[name]();
    const first = main.querySelector("h1") === null;
    const nodes = await view.render(given, leave.signal);
    if (turn !== asked) return;
    show(main, nodes);
    const title = main.querySelector("h1");
    document.title = `${title?.textContent ?? "Runs"} – Sparring`;
    if (!first) {
      window.scrollTo(0, 0);
      main.focus({ preventScroll: true });
    }
  } catch (error) {
    if (turn !== asked || error.name === "AbortError") return;
    show(main, h("section", {}, h("h1", {}, "This cannot be shown"), h("p", { class: "lead" }, error.message)));
  }
}

document.getElementById("theme").addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("theme", root.dataset.theme);
});
const theme = localStorage.getItem("theme");
if (theme === "dark" || theme === "light") root.dataset.theme = theme;

document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
if (location.search) history.replaceState(null, "", "/" + location.hash);  // the token is a cookie now
window.addEventListener("hashchange", go);
go();
