// The list of runs, and how each suite has done over its last runs.

import { get } from "./api.js";
import { badge, bar, count, duration, h, outcomesOf, plural, svg, when } from "./dom.js";
import { link } from "./routes.js";

const TREND = 30;

export async function render() {
  const { folder, runs, matrices } = await get(["runs"]);
  const chosen = new Set();
  const compare = h("button", { type: "button", class: "chip", disabled: true, onclick: () => {
    const names = runs.map((run) => run.name).filter((name) => chosen.has(name));
    location.hash = link(["compare", names[1], names[0]]);  // newest first in the list
  } }, "Choose two runs to compare");
  const choose = (name, box) => {
    if (box.checked) chosen.add(name); else chosen.delete(name);
    compare.disabled = chosen.size !== 2;
    compare.textContent = chosen.size === 2 ? "Compare the two runs" : "Choose two runs to compare";
  };
  return [
    h("section", { class: "hero slim" }, h("h1", {}, plural(runs.length, "run")), h("p", { class: "lead" }, "in ", h("code", {}, folder))),
    trends(runs),
    matrices.length ? h("section", { "aria-labelledby": "variants-title" }, h("h2", { id: "variants-title" }, "Variants side by side"), h("ol", { class: "runs" }, matrices.map(variants))) : null,
    h("section", { "aria-labelledby": "runs-title" },
      h("div", { class: "row" }, h("h2", { id: "runs-title" }, "Runs"), compare),
      runs.length ? h("ol", { class: "runs" }, runs.map((run) => card(run, choose)))
        : h("p", { class: "empty" }, "There is no run yet: sparring run makes one.")),
  ];
}

function card(run, choose) {
  if (run.state === "unreadable")
    return h("li", { class: "finding" }, h("b", {}, run.name), h("p", { class: "reason" }, run.why));
  const cases = run.cases ?? {};
  const total = Object.values(cases).reduce((sum, n) => sum + n, 0);
  const box = h("input", { type: "checkbox", "aria-label": `Compare ${run.name}` });
  box.addEventListener("change", () => choose(run.name, box));
  const facts = [
    when(run.created),
    run.kind !== "run" && run.kind,
    run.state === "finished" ? plural(total, run.unit ?? "case") : null,
    run.seconds && duration(run.seconds),
    run.cost ? `$${run.cost.toFixed(4)}` : null,
    run.stopped && run.stopped !== "complete" && run.stopped,
  ].filter(Boolean);
  return h("li", { class: "finding run" }, box, h("div", {},
    h("p", { class: "kind" }, state(run), h("a", { href: link(["run", run.name]) }, h("b", {}, run.suite || run.name)), h("code", { class: "muted" }, run.name)),
    h("p", { class: "where" }, facts.map((fact) => h("span", {}, fact))),
    run.headline ? h("p", { class: "lead" }, run.headline) : null,
    run.state === "finished" && total ? bar(cases, 6) : null,
    run.state === "finished" ? h("p", { class: "where" }, outcomesOf(cases).map((outcome) => h("span", {}, `${count(cases[outcome])} ${outcome}`))) : null));
}

function variants(matrix) {
  const played = matrix.played < matrix.variants ? `${matrix.played} of ${plural(matrix.variants, "variant")} played` : plural(matrix.variants, "variant");
  return h("li", { class: "finding" },
    h("p", { class: "kind" }, h("a", { href: link(["variants", matrix.name]) }, h("b", {}, matrix.suite)), h("code", { class: "muted" }, matrix.name)),
    h("p", { class: "where" }, h("span", {}, when(matrix.created)), h("span", {}, played)));
}

function state(run) {
  if (run.state !== "finished") return h("span", { class: `badge ${run.state === "running" ? "running" : "inconclusive"}` }, run.state);
  // A baseline or a gate may accept what failed: "pass" beside "2 fail" looked like a mistake.
  if (run.exit_code === 0) return badge("pass", run.cases?.fail || run.cases?.error ? "accepted" : "pass");
  return h("span", { class: `badge ${run.exit_code === 1 ? "fail" : "inconclusive"}` }, `exit ${run.exit_code}`);
}

/** For each suite with several finished runs: the share that passed, run by run. */
function trends(runs) {
  const suites = new Map();
  for (const run of [...runs].reverse()) {
    if (run.state !== "finished" || run.kind !== "run") continue;
    if (!suites.has(run.suite)) suites.set(run.suite, []);
    suites.get(run.suite).push(run);
  }
  const drawn = [...suites].filter(([, several]) => several.length > 1).slice(0, 12);
  if (!drawn.length) return null;
  return h("section", { "aria-labelledby": "trends-title" }, h("h2", { id: "trends-title" }, "Over the last runs"),
    h("div", { class: "charts" }, drawn.map(([suite, several]) => chart(suite, several.slice(-TREND)))));
}

/** The share of conversations that passed; null of a run in which no check applied. */
function share(run) {
  const total = outcomesOf(run.cases).filter((outcome) => outcome !== "skipped").reduce((sum, outcome) => sum + run.cases[outcome], 0);
  return total ? (run.cases.pass ?? 0) / total : null;
}

function chart(suite, runs) {
  const passed = (run) => share(run) === null ? "nothing was judged" : `${Math.round(100 * share(run))} % passed`;
  const step = 320 / runs.length;
  const bars = runs.map((run, n) => {
    const height = Math.max(2, 90 * share(run));
    return svg("a", { href: link(["run", run.name]), "aria-label": `${run.name}: ${passed(run)}` },
      svg("rect", { class: "back", x: 20 + n * step, y: 10, width: Math.max(3, step - 4), height: 90 }),
      svg("rect", { class: `bar fill-${share(run) === null ? "skipped" : run.exit_code === 0 ? "pass" : "fail"}`, x: 20 + n * step, y: 100 - height, width: Math.max(3, step - 4), height, rx: 1.5 },
        svg("title", {}, `${run.name}: ${passed(run)}, ${duration(run.seconds)}`)));
  });
  const last = runs[runs.length - 1], before = runs[runs.length - 2];
  return h("figure", { class: "chart" },
    h("figcaption", {}, h("b", {}, suite), h("span", {}, `${passed(last)} in the last of ${runs.length} runs, ${passed(before)} in the one before; it took ${duration(last.seconds)}`)),
    svg("svg", { viewBox: "0 0 360 110", role: "group", "aria-label": `${suite}: share of passed conversations, run by run` }, bars));
}
