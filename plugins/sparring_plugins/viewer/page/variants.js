// A suite's variants side by side, each a run of its own: cases by variants.

import { get } from "./api.js";
import { h, plural } from "./dom.js";
import { link } from "./routes.js";

const TONES = { pass: "pass", fail: "fail", undecided: "inconclusive" };

export async function render({ matrix }, signal) {
  const data = await get(["variants", matrix], {}, signal);
  return [
    h("h1", { class: "small" }, data.suite, ": ", data.headline),
    data.waiting.length ? h("div", { class: "notice" }, h("p", {}, `Not played yet: ${data.waiting.join("; ")}`)) : null,
    h("section", { "aria-labelledby": "variants-title" }, h("h2", { id: "variants-title" }, "Variants"), h("ol", { class: "runs" }, data.variants.map(card))),
    h("section", { "aria-labelledby": "cases-title" }, h("h2", { id: "cases-title" }, "Cases"),
      h("p", { class: "lead" }, "Those in which the variants differ come first, marked."), table(data)),
  ];
}

function card(variant, n) {
  return h("li", { class: "finding" },
    h("p", { class: "kind" }, h("span", { class: "muted" }, n + 1), h("a", { href: link(["run", variant.run]) }, h("b", { dir: "auto" }, variant.name)), h("code", { class: "muted" }, variant.run)),
    h("p", { class: "where" }, h("span", {}, variant.rate), h("span", {}, `${variant.spent} a play`)));
}

function table(data) {
  const cell = ([text, tone, play], n) => {
    const badge = { class: `badge ${TONES[tone] ?? "skipped"}` };
    return h("td", {}, play ? h("a", { ...badge, href: link(["run", data.variants[n].run, "case", play]) }, text) : h("span", badge, text));
  };
  return [
    h("div", { class: "scores block", tabindex: "0" }, h("table", { class: "matrix" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Case"), data.variants.map((variant, n) => h("th", { scope: "col", dir: "auto" }, h("span", { class: "muted" }, n + 1), " ", variant.name)))),
      h("tbody", {}, data.rows.map((row) => h("tr", { class: row.differs ? "differs" : null }, h("th", { scope: "row", dir: "auto" }, row.name), row.cells.map(cell)))))),
    data.more ? h("p", { class: "muted" }, `and ${plural(data.more, "more row")}`) : null,
  ];
}
