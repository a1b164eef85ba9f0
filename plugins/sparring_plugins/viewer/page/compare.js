// Two runs side by side: what became of each case, and both conversations of one.

import { get } from "./api.js";
import { badge, coded, count, h, plural, show } from "./dom.js";
import { link } from "./routes.js";
import { talk } from "./conversation.js";

const PAGE = 100;

export async function render({ a, b, id, query }, signal) {
  return id ? pair(a, b, id, signal) : changes(a, b, query, signal);
}

async function changes(a, b, query, signal) {
  const rows = h("ol", { class: "cases" });
  const more = h("button", { type: "button", class: "chip more-rows", onclick: () => load(false) });
  const picks = h("div", { class: "outcomes", role: "group", "aria-label": "Changes" });
  let shown = 0;
  const outcome = (name) => (name ? badge(name) : h("span", { class: "muted" }, "not there"));
  const row = (one) => h("li", { class: "case" }, h("a", { class: `line pair edge-${one.b_outcome ?? "skipped"}`, href: link(["compare", a, b, one.id]) },
    h("span", { class: "change" }, outcome(one.a_outcome), h("span", { "aria-label": "then" }, " → "), outcome(one.b_outcome)),
    h("span", { class: "what" }, h("b", { dir: "auto" }, one.scenario), " ", h("span", { class: "muted", dir: "auto" }, one.brief)),
    one.b_headline || one.a_headline ? h("span", { class: "why", dir: "auto" }, coded(one.b_headline || `before: ${one.a_headline}`)) : null));
  async function load(fresh) {
    const answer = await get(["compare"], { a, b, change: query.change, start: fresh ? 0 : shown, limit: PAGE }, signal);
    if (fresh) { rows.replaceChildren(); shown = 0; }
    rows.append(...answer.rows.map(row));
    shown += answer.rows.length;
    more.hidden = shown >= answer.total;
    more.textContent = `Show more (${count(shown)} of ${count(answer.total)} shown)`;
    if (!answer.total) show(rows, h("li", { class: "empty" }, "No case has another outcome than before."));
    show(picks, Object.entries(answer.counts).sort().map(([name, n]) => h("button", { type: "button", "aria-pressed": String(query.change === name), onclick: () => { query.change = query.change === name ? "" : name; load(true); } }, name, " ", h("b", {}, count(n)))));
  }
  await load(true);
  return [
    h("h1", { class: "small" }, "Two runs side by side"),
    h("p", { class: "lead" }, "Before: ", h("a", { href: link(["run", a]) }, h("code", {}, a)), "; after: ", h("a", { href: link(["run", b]) }, h("code", {}, b)), ". What changed is listed; choose another group to see it."),
    h("div", { class: "tools still" }, picks), rows, more,
  ];
}

async function pair(a, b, id, signal) {
  const sides = await Promise.all([a, b].map((run) => get(["runs", run, "case"], { id }, signal).catch(() => null)));
  return [
    h("h1", { class: "small" }, id),
    h("div", { class: "sides" }, sides.map((view, n) => h("section", { class: "side", "aria-label": n ? "after" : "before" },
      h("h2", {}, n ? "After " : "Before ", view ? badge(view.outcome) : null),
      view ? [h("p", { class: "muted" }, h("a", { href: link(["run", [a, b][n], "case", id]) }, [a, b][n]), `, ${view.length}, ${plural(view.verdicts.length, "check")}`), differing(sides, n), h("div", { class: "talk" }, talk([a, b][n], view))]
        : h("p", { class: "empty" }, "This run has no such case.")))),
  ];
}

/** At which turn the two conversations part. */
function differing(sides, n) {
  if (!n || !sides[0] || !sides[1]) return null;
  const said = (view) => view.turns.map((turn) => `${turn.said?.text ?? ""}\n${turn.heard?.text ?? ""}`);
  const [before, after] = sides.map(said);
  const at = after.findIndex((text, index) => text !== before[index]);
  if (at < 0 && before.length === after.length) return h("p", { class: "muted" }, "The same was said in both.");
  return h("p", { class: "muted" }, `They part at turn ${(at < 0 ? after.length : at) + 1}.`);
}
