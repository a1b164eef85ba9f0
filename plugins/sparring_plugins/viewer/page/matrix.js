// Cases by variants: a row for cases that are alike but for one input, a column for each value of it.

import { get } from "./api.js";
import { count, h, outcomesOf, plural, show } from "./dom.js";
import { link } from "./routes.js";

const LETTERS = { pass: "✓", fail: "✕", error: "!", inconclusive: "?", skipped: "–" };

export async function render({ run, query }, signal) {
  const place = h("div", {});
  const put = async (by) => {
    const data = await get(["runs", run, "matrix"], { by }, signal);
    show(place, data.columns.length ? table(run, data) : h("p", { class: "empty" }, "No input of these cases has two to twelve values, so there are no columns."));
    return data;
  };
  const data = await put(query.by ?? "");
  const select = h("select", {}, data.choices.map((name) => h("option", { value: name, selected: name === data.by }, name)));
  select.addEventListener("change", () => { history.replaceState(null, "", link(["run", run, "matrix"], { by: select.value })); put(select.value); });
  return [h("div", { class: "row" }, h("h1", { class: "small" }, "Cases by variants"), data.choices.length ? h("label", { class: "pick" }, h("span", {}, "Columns"), select) : null), place];
}

function table(run, data) {
  const head = (column, n) => h("th", { scope: "col" }, column, h("div", { class: "sums" }, outcomesOf(data.sums[n]).map((outcome) => h("span", { class: `tally ${outcome}` }, `${count(data.sums[n][outcome])} ${outcome}`))));
  const cell = (cases) => h("td", {}, cases.map(([id, outcome]) => h("a", { class: `cell badge ${outcome}`, href: link(["run", run, "case", id]), "aria-label": `${outcome}: ${id}`, title: id }, LETTERS[outcome] ?? outcome)));
  return [
    h("div", { class: "scores block", tabindex: "0" }, h("table", { class: "matrix" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Case"), data.columns.map(head))),
      h("tbody", {}, data.rows.map((row) => h("tr", {}, h("th", { scope: "row", dir: "auto" }, row.scenario, " ", h("span", { class: "muted" }, row.rest)), row.cells.map(cell)))))),
    data.more ? h("p", { class: "muted" }, `and ${plural(data.more, "more row")}`) : null,
  ];
}
