// One run: progress while it goes on, findings, and its conversations by filter and words.

import { address, get } from "./api.js";
import { badge, bar, coded, count, duration, h, later, legend, plural, reasons, say, show, svg, when } from "./dom.js";
import { link, parse } from "./routes.js";

const PAGE = 100;
const OUTCOMES = ["pass", "fail", "error", "inconclusive", "skipped"];

export async function render({ run, query }, signal) {
  // Rows come first: what is above them is asked for at the same time.
  const asked = { run, query: { ...query }, signal };
  const [seen, first] = await Promise.all([get(["runs", run], {}, signal), get(["runs", run, "cases"], { ...query, limit: PAGE }, signal)]);
  const head = h("section", { class: "hero slim", "aria-label": "Result" });
  const findings = h("section", { "aria-labelledby": "findings-title" });
  const decision = h("section", { "aria-labelledby": "gate-title" });
  const list = conversations(asked, seen, first);
  const update = (now) => { show(head, heading(run, now)); show(decision, gate(run, now)); decision.hidden = !decision.firstChild; show(findings, found(run, now, list.filter)); };
  update(seen);
  if (seen.state === "running" || seen.indexing) follow(asked, seen, update, list);
  return [head, findings, decision, list.section, about(seen)];
}

const capital = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);

function heading(run, seen) {
  const total = Object.values(seen.counts).reduce((sum, n) => sum + n, 0);
  const bad = ["fail", "error", "inconclusive"].find((outcome) => seen.counts[outcome]);
  const words = { fail: "failed", error: "ended in errors", inconclusive: "could not be judged" };
  // Repeats and baselines decide otherwise than conversations: what they say is the headline, and green if the exit code is 0.
  document.body.className = `mood-${seen.headline && seen.exit_code === 0 ? "pass" : bad ?? (seen.exit_code === 0 ? "pass" : seen.exit_code === 1 ? "fail" : "skipped")}`;
  const [decided, ...rest] = capital(seen.headline ?? "").split(" ");
  const number = decided || (bad ? `${count(seen.counts[bad])} of ${count(total)}` : count(total));
  const cases = `${seen.noun}${total === 1 ? "" : "s"}`;
  const text = decided ? rest.join(" ") : bad ? `${cases} ${words[bad]}` : seen.exit_code === 0 ? `${cases} passed` : `${cases} judged`;
  return [
    h("p", { class: "eyebrow" }, h("strong", {}, seen.suite || run), h("span", {}, when(seen.created)), h("span", {}, `seed ${seen.seed}`),
      seen.exit_code !== undefined && h("span", {}, `exit code ${seen.exit_code}`), seen.seconds && h("span", {}, duration(seen.seconds))),
    h("h1", {}, h("span", { class: "number" }, number), ` ${text}`),
    bar(seen.counts), legend(seen.counts, plural(total, seen.unit === "play" ? "play" : seen.noun)),
    seen.meaning && (seen.headline || (bad !== "fail" && seen.exit_code !== 0)) ? h("div", { class: "notice" }, h("p", {}, `Exit code ${seen.exit_code}: ${seen.meaning}.`)) : null,
    seen.state !== "finished" ? progress(seen, total) : seen.indexing ? h("div", { class: "notice" }, h("p", {}, `The log is being read: ${count(total)} of ${count(seen.asked || total)} ${seen.noun}s so far.`)) : null,
    seen.damaged ? h("div", { class: "notice" }, h("p", {}, `${plural(seen.damaged, "line")} of the log ${seen.damaged === 1 ? "is" : "are"} damaged and left out.`)) : null,
    h("ul", { class: "tasks", "aria-label": "What to do with this run" },
      h("li", {}, h("a", { href: address(["runs", run, "report"]), download: `${run}.html` }, "Save the report as one page")),
      h("li", {}, h("a", { href: link(["run", run, "matrix"]) }, "Cases by variants")),
      seen.models ? h("li", {}, h("a", { href: link(["run", run, "models"]) }, plural(seen.models, "behaviour model"))) : null),
  ];
}

const PLAYS = { ".": ["pass", "passed"], x: ["fail", "failed"], "?": ["inconclusive", "undecided"], "-": ["skipped", "not checked"] };

/** What repeats and a baseline decided: rates with a dot for each play, and what changed. */
function gate(run, seen) {
  if (!seen.rates?.length && !seen.baseline && !seen.pass_at) return [];
  const dots = (rate) => svg("svg", { class: "plays", viewBox: `0 0 ${10 * rate.plays.length} 10`, width: 10 * rate.plays.length, height: 10, role: "img", "aria-label": rate.words },
    [...rate.plays].map((play, n) => svg("circle", { class: `fill-${PLAYS[play][0]}`, cx: 10 * n + 5, cy: 5, r: 4 }, svg("title", {}, `play ${n + 1}: ${PLAYS[play][1]}`))));
  return [
    h("h2", { id: "gate-title" }, "Gate"),
    seen.pass_at ? h("p", { class: "lead" }, seen.pass_at) : null,
    seen.rates.length ? h("div", { class: "scores block", tabindex: "0", role: "region", "aria-label": "Rates of repeated checks" }, h("table", { class: "matrix" },
      h("thead", {}, h("tr", {}, ["case", "check", "outcome", "rate and interval", "plays"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, seen.rates.map((rate) => h("tr", {},
        h("th", { scope: "row" }, rate.case ? h("a", { href: link(["run", run, "case", rate.case]) }, rate.case) : "several conversations"),
        h("td", {}, rate.check), h("td", {}, rate.decision), h("td", {}, rate.words), h("td", {}, dots(rate))))))) : null,
    seen.baseline ? h("p", { class: "lead" }, "Compared with the baseline ", h("code", {}, seen.baseline), seen.changes.length ? ":" : ": nothing changed.") : null,
    seen.changes.length ? h("ul", {}, seen.changes.map((change) => h("li", { dir: "auto" }, h("b", {}, change.kind), ": ", change.words))) : null,
    seen.statistics.length ? h("ul", { class: "muted" }, seen.statistics.map((line) => h("li", {}, line))) : null,
  ].filter(Boolean);
}

function progress(seen, total) {
  const of = seen.expected ?? seen.asked;
  const meter = h("progress", { max: Math.max(1, of), value: total, "aria-label": `Judged ${seen.noun}s` });
  return h("div", { class: "notice" },
    h("p", {}, h("strong", {}, seen.state === "running" ? "Running." : "Not finished."), ` ${count(total)} of ${of ? count(of) : "?"} judged`), meter,
    seen.playing.length ? h("p", { class: "where" }, "Now: ", seen.playing.slice(0, 6).map((one) => h("span", {}, `${one.scenario || one.id} (${plural(one.turns, "turn")})`))) : null);
}

/** Hear of progress until the run ends or somebody leaves. */
function follow({ run, signal }, seen, update, list) {
  const running = seen.state === "running";  // the last message before the end says "finished"
  const source = new EventSource(address(["runs", run, "progress"]));
  signal.addEventListener("abort", () => source.close());
  source.onmessage = (event) => {
    const now = JSON.parse(event.data);
    Object.assign(seen, now);
    update(seen);
    list.refresh();
  };
  source.addEventListener("end", async () => {
    source.close();
    update(await get(["runs", run], {}, signal));
    list.refresh();
    if (running) say("The run has ended.");
  });
  source.onerror = () => source.close();
}

function found(run, seen, filter) {
  if (!seen.findings.length) return [];
  return [
    h("h2", { id: "findings-title" }, "Findings"),
    h("ol", { class: "findings" }, seen.findings.slice(0, 100).map((one) => h("li", { class: `finding edge-${one.outcome}` },
      h("p", { class: "kind" }, badge(one.outcome, one.label), h("b", {}, one.check), h("span", { class: "muted" }, one.oracle), h("span", { class: "muted count" }, `finding ${one.number}`)),
      reasons(one.description, one.reason, "No reason was given."),
      h("p", { class: "where" },
        h("span", { class: "times" }, one.extent || plural(one.cases, seen.noun)),
        h("span", {}, "owner: ", h("b", {}, one.owner)), !one.gating && h("span", {}, "does not gate"),
        one.example.length ? h("span", {}, one.cases > 1 ? "shortest " : "in ", one.example.map((id) => [h("a", { href: link(["run", run, "case", id], { finding: one.number }) }, h("code", {}, id)), " "])) : null,
        h("button", { type: "button", class: "quiet", onclick: () => filter({ finding: String(one.number) }) }, `Show all of finding ${one.number}`))))),
    seen.findings.length > 100 ? h("p", { class: "muted" }, `and ${plural(seen.findings.length - 100, "more finding")}`) : null,
  ];
}

function conversations({ run, query, signal }, seen, first) {
  const rows = h("ol", { class: "cases", id: "cases" });
  const total = h("output", { "aria-live": "polite" });
  const more = h("button", { type: "button", class: "chip more-rows", onclick: () => load(false) });
  const search = h("input", { type: "search", id: "search", placeholder: "Search in all that was said", spellcheck: "false", value: query.q ?? "" });
  const scenario = pick("Scenario", seen.scenarios.map(([name, n]) => [name, `${name} (${count(n)})`]), query.scenario, (value) => filter({ scenario: value }));
  const oracle = pick("Oracle", seen.oracles.map((name) => [name, name]), query.oracle, (value) => filter({ oracle: value }));
  const outcomes = h("div", { class: "outcomes", role: "group", "aria-label": "Outcomes" });
  const chip = h("button", { type: "button", class: "chip", hidden: true, onclick: () => filter({ finding: "" }) });
  const clear = h("button", { type: "button", class: "quiet", onclick: () => { search.value = ""; scenario.value = oracle.value = ""; filter({ q: "", outcome: "", scenario: "", oracle: "", finding: "" }); } }, "Clear");
  let shown = 0, pending = null;

  const row = (one) => h("li", { class: "case" }, h("a", { class: `line edge-${one.outcome}`, href: link(["run", run, "case", one.id], query) },
    badge(one.outcome), h("span", { class: "what" }, h("b", { dir: "auto" }, one.scenario), " ", h("span", { class: "muted", dir: "auto" }, one.brief)),
    h("span", { class: "length muted" }, `${plural(one.turns, seen.noun === "test case" ? "step" : "turn")}${one.seconds ? `, ${duration(one.seconds)}` : ""}`),
    one.headline ? h("span", { class: "why", dir: "auto" }, coded(one.headline)) : null));

  function put(answer, fresh) {
    if (fresh) { rows.replaceChildren(); shown = 0; }
    rows.append(...answer.rows.map(row));
    shown += answer.rows.length;
    const all = Object.values(answer.counts).reduce((sum, n) => sum + n, 0);
    total.textContent = `${plural(answer.total, seen.noun)}${answer.total === all && !filtered() ? "" : " match"}`;
    more.hidden = shown >= answer.total;
    more.textContent = `Show more (${count(shown)} of ${count(answer.total)} shown)`;
    const chosen = (query.outcome ?? "").split(",").filter(Boolean);
    show(outcomes, OUTCOMES.filter((name) => answer.counts[name] || chosen.includes(name)).map((name) => h("button", {
      type: "button", "aria-pressed": String(chosen.includes(name)), "data-outcome": name,
      onclick: () => filter({ outcome: (chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]).join(",") }, name),
    }, h("span", { class: `dot fill-${name}`, "aria-hidden": "true" }), name, " ", h("b", {}, count(answer.counts[name] ?? 0)))));
    chip.hidden = !query.finding;
    chip.textContent = query.finding ? `finding ${query.finding} ✕` : "";
    clear.hidden = !filtered();
    rows.dataset.filtered = JSON.stringify(query);
  }
  const filtered = () => Object.values(query).some(Boolean);

  async function load(fresh, limit = PAGE) {
    pending?.abort();
    pending = new AbortController();
    signal.addEventListener("abort", () => pending.abort(), { once: true });
    try {
      put(await get(["runs", run, "cases"], { ...query, start: fresh ? 0 : shown, limit }, pending.signal), fresh);
    } catch (error) {
      if (error.name !== "AbortError") total.textContent = error.message;
    }
  }
  async function filter(change, focused) {
    Object.assign(query, change);
    history.replaceState(null, "", link(["run", run], query));
    await load(true);
    if (focused) outcomes.querySelector(`[data-outcome="${focused}"]`)?.focus();
    if ("finding" in change && change.finding) section.scrollIntoView();
  }
  const typed = later(() => filter({ q: search.value }), 60);
  search.addEventListener("input", typed);
  const section = h("section", { id: "conversations", "aria-labelledby": "conversations-title" },
    h("h2", { id: "conversations-title" }, capital(`${seen.noun}s`)),
    h("form", { class: "tools", role: "search", "aria-label": `Filter the ${seen.noun}s`, onsubmit: (event) => { event.preventDefault(); filter({ q: search.value }); } },
      h("label", { class: "search" }, h("span", { class: "unseen" }, "Search in all that was said"), search, h("kbd", { "aria-hidden": "true" }, "/")),
      outcomes, seen.scenarios.length > 1 ? scenario.label : null, seen.oracles.length > 1 ? oracle.label : null,
      h("p", { class: "state" }, total, chip, clear)),
    rows, more);
  put(first, true);
  keys(search, rows, signal);
  const refresh = later(() => load(true, Math.max(PAGE, shown)), 300);
  return { section, filter, refresh };
}

function pick(name, options, chosen, choose) {
  const select = h("select", {}, h("option", { value: "" }, "all"), options.map(([value, text]) => h("option", { value, selected: value === chosen }, text)));
  select.addEventListener("change", () => choose(select.value));
  select.label = h("label", { class: "pick" }, h("span", {}, name), select);
  return select;
}

/** `/` searches; the arrows and j and k go from row to row. */
function keys(search, rows, signal) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches?.("input, select, textarea");
    if (event.key === "/" && !typing) { event.preventDefault(); search.focus(); }
    const step = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
    const inside = rows.contains(document.activeElement);
    if (!step || typing || (event.key.startsWith("Arrow") && !inside)) return;
    const lines = [...rows.querySelectorAll("a.line")];
    const at = lines.indexOf(document.activeElement);
    lines[Math.min(lines.length - 1, Math.max(0, at + step))]?.focus();
    event.preventDefault();
  }, { signal });
}

function about(seen) {
  return h("section", { "aria-labelledby": "about-title" }, h("h2", { id: "about-title" }, "About this run"),
    seen.problems.length ? h("details", { class: "block" }, h("summary", {}, `${plural(seen.problems.length, "problem")} noted while it ran`),
      h("ul", {}, seen.problems.map(([source, message]) => h("li", {}, h("b", {}, source), " ", message)))) : null,
    h("details", { class: "block" }, h("summary", {}, "The suite"), h("pre", { tabindex: "0" }, seen.suite_text)),
    h("details", { class: "block" }, h("summary", {}, "Keys"), h("dl", { class: "facts keys" },
      h("dt", {}, h("kbd", {}, "/")), h("dd", {}, "search"), h("dt", {}, h("kbd", {}, "j"), " ", h("kbd", {}, "k")), h("dd", {}, `next and previous ${seen.noun}`),
      h("dt", {}, h("kbd", {}, "Enter")), h("dd", {}, "open it"))));
}
