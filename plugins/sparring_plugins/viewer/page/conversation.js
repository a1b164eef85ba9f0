// One conversation: turns with pictures, notes, checks, prompts and answers; labels, replay.

import { get, post } from "./api.js";
import { badge, coded, count, duration, h, plural, reasons, say, show } from "./dom.js";
import { link } from "./routes.js";

export async function render({ run, id, query }, signal) {
  const view = await get(["runs", run, "case"], { ...query, id }, signal);
  const [before, after] = view.neighbours;
  const beside = (other, text, key) => other
    ? h("a", { href: link(["run", run, "case", other], query), "data-key": key }, text) : h("span", { class: "muted" }, text);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.("input, select, textarea")) return;
    document.querySelector(`[data-key="${CSS.escape(event.key)}"]`)?.click();
  }, { signal });
  return h("article", { class: "conversation" },
    h("div", { class: "row" }, h("h1", { class: "small", dir: "auto" }, view.scenario || id), badge(view.outcome),
      h("p", { class: "where" }, beside(before, "← previous", "k"), beside(after, "next →", "j"))),
    view.headline ? h("p", { class: "lead", dir: "auto" }, coded(view.headline)) : null,
    h("div", { class: "body" }, h("div", { class: "talk" }, talk(run, view)), aside(run, view)));
}

/** What was said, and what is to be said of it. Two runs side by side show the same. */
export function talk(run, view) {
  const chat = h("ol", { class: "chat" }, view.turns.map((one) => turn(one)));
  const closed = view.turns.at(-1)?.heard?.ended ? null : h("p", { class: "closed" }, view.ended);
  const parts = [view.notes.map(note)];
  if (view.steps) parts.push(steps(run, view.steps), h("details", { class: "more" }, h("summary", {}, "Turn by turn"), chat, closed));
  else parts.push(chat, closed);
  if (view.calls.length) parts.push(calls(view));
  return parts;
}

function turn(one) {
  const number = h("span", { class: "nr" }, one.number, one.latency ? h("small", {}, ` ${one.latency}`) : null);
  const said = one.said && h("div", { class: "user" }, h("span", { class: "unseen" }, "User: "), message(one.said, "(said nothing)"));
  const heard = one.heard
    ? h("div", { class: "app" }, h("span", { class: "unseen" }, "App: "), message(one.heard, "(empty answer)"))
    : h("div", { class: "app none" }, "(no answer)");
  return [
    one.skipped_before ? h("li", { class: "gap" }, `${plural(one.skipped_before, "turn")} without remarks left out`) : null,
    h("li", { class: "turn" }, number, said, heard,
      one.heard?.ended ? h("p", { class: "closed" }, "the app ended the conversation") : null, one.notes.map(note)),
  ];
}

function message(it, nothing) {
  const empty = !(it.text || it.left_out || it.choices.length || it.attachments.length || it.payload);
  return [
    it.way ? h("span", { class: "way" }, it.way) : null,
    empty ? h("div", { class: "none" }, nothing) : null,
    it.text ? h("div", { class: "text", dir: "auto" }, it.text) : null,
    it.left_out ? h("p", { class: "cut" }, `${plural(it.left_out, "more character")} in the run log`) : null,
    it.attachments.length ? h("ul", { class: "attached" }, it.attachments.map(([type, about]) => h("li", {}, h("b", {}, type), " ", h("span", { dir: "auto" }, about)))) : null,
    it.choices.length ? h("ul", { class: "choices", "aria-label": "Choices" }, it.choices.map(([label, url]) => h("li", { dir: "auto" }, label || "(no label)", url ? h("span", { class: "url" }, url) : null))) : null,
    tools(it.payload),
    it.payload ? h("details", { class: "payload" }, h("summary", {}, "structured answer"), h("pre", { tabindex: "0" }, it.payload)) : null,
  ];
}

/** Tool calls in a structured answer, as OpenAI's and compatible services write them. */
function tools(payload) {
  if (!payload?.includes('"tool_calls"')) return null;
  let found = [];
  const walk = (value) => {
    if (!value || typeof value !== "object") return;
    if (Array.isArray(value.tool_calls)) found.push(...value.tool_calls);
    Object.values(value).forEach(walk);
  };
  try { walk(JSON.parse(payload)); } catch { return null; }
  found = found.filter((call) => call && typeof call === "object").slice(0, 50);
  return found.length ? h("ul", { class: "attached", "aria-label": "Tool calls" }, found.map((call) => {
    const called = call.function ?? call;
    const given = typeof called.arguments === "string" ? called.arguments : JSON.stringify(called.arguments ?? {});
    return h("li", {}, h("b", {}, `calls ${called.name ?? "a tool"}`), " ", h("code", { dir: "auto" }, given));
  })) : null;
}

const note = (it) => it.see ? h("p", { class: `pointer ${it.kind}` }, h("b", {}, it.label), h("span", { class: "muted" }, ` see turn ${it.see}`)) : h("div", { class: `note ${it.kind}${it.gating ? "" : " soft"}` },
  h("p", {}, h("b", {}, it.label), it.owner && it.owner !== "app" ? h("span", { class: "muted" }, ` owner: ${it.owner}`) : null, !it.gating ? h("span", { class: "muted" }, " does not gate") : null),
  it.reason || it.description ? reasons(it.description, it.reason) : null);

function steps(run, it) {
  return [
    h("p", { class: "verdict" }, badge(it.verdict), h("span", { dir: "auto" }, it.reason), h("span", { class: "muted" }, it.decided)),
    h("ol", { class: "steps" }, it.steps.map((step) => h("li", { class: `step edge-${step.badge}${step.badge === "skipped" ? " unreached" : ""}` },
      h("span", { class: "nr" }, step.number, step.phase ? h("small", {}, ` ${step.phase}`) : null),
      h("div", { class: "told" },
        h("p", { class: "sentence", dir: "auto" }, step.text),
        h("p", { class: "where" }, h("span", { class: `badge ${step.badge}` }, step.word), step.frozen ? h("span", { class: "fact frozen" }, `frozen step: ${step.frozen}`) : null, step.took ? h("span", {}, step.took) : null),
        step.reason ? h("p", { class: "reason", dir: "auto" }, step.reason) : null,
        [["on", /^(holds|does)/.test(step.word) ? "shown by" : "on", step.target], ["vacuous", "Weak assertion.", step.vacuous], ["where", "Translated.", step.translated], ["vacuous", "Weaker match.", step.weak]]
          .map(([kind, lead, text]) => text ? h("p", { class: kind, dir: "auto" }, kind === "on" ? h("span", { class: "muted" }, lead) : h("b", {}, lead), " ", text) : null),
        step.evidence.length ? h("ul", { class: "evidence", "aria-label": "What changed" }, h("li", { class: "muted", "aria-hidden": "true" }, "changed:"), step.evidence.map((fact) => h("li", { class: "fact", dir: "auto" }, fact))) : null,
        step.candidates.length && step.badge !== "pass" ? h("ul", { class: "candidates", "aria-label": "It may mean" }, step.candidates.map(([score, reason]) => h("li", { dir: "auto" }, h("b", {}, score), " ", reason))) : null,
        step.said.length ? h("details", { class: "more" }, h("summary", {}, "Who decided what"), h("dl", { class: "facts" }, step.said.map((one) => [h("dt", {}, one.role), h("dd", { dir: "auto" }, h("b", {}, one.truth), " ", one.reason, " ", h("span", { class: "muted" }, one.by))]))) : null),
      step.shot ? picture(run, step.shot.address, `The page after step ${step.number || step.phase}`) : null))),
  ];
}

/** A file of the run, whose address is relative to the run's folder (`./pages/1.png`). */
function fileAddress(run, relative) {
  const path = relative.replace(/^\.\//, "");
  return `/api/runs/${encodeURIComponent(run)}/files/${path}`;
}

function picture(run, relative, alt) {
  const source = fileAddress(run, relative);
  const enlarge = () => {
    const large = document.getElementById("large");
    show(large, h("button", { type: "button", class: "chip", onclick: () => large.close() }, "Close"), h("img", { src: source, alt }));
    large.showModal();
  };
  return h("button", { type: "button", class: "shot", "aria-label": `Enlarge: ${alt}`, onclick: enlarge }, h("img", { src: source, alt, loading: "lazy" }));
}

function calls(view) {
  const total = view.calls.length + view.more_calls;
  return h("section", { class: "calls", "aria-labelledby": "calls-title" }, h("h2", { id: "calls-title" }, "Prompts and answers"),
    h("p", { class: "lead" }, `${plural(total, "call")} of language models for this conversation.`),
    view.calls.map((call) => h("details", { class: "block" },
      h("summary", {}, h("b", {}, call.asker || "model"), " ", h("span", { class: "muted" }, [call.prompt, call.round ? `asked again (${call.round})` : "", call.model, call.source !== "service" ? call.source : "", call.tokens ? `${count(call.tokens)} tokens` : "", call.seconds ? duration(call.seconds) : ""].filter(Boolean).join(" · ")),
        call.error ? h("span", { class: "badge error" }, "error") : null),
      call.messages.map(([role, text]) => [h("h3", {}, role), h("pre", { tabindex: "0" }, text)]),
      call.error ? [h("h3", {}, "error"), h("pre", { tabindex: "0" }, call.error)] : [h("h3", {}, "answer"), h("pre", { tabindex: "0" }, call.answer)],
      call.reasoning ? [h("h3", {}, "reasoning"), h("pre", { tabindex: "0" }, call.reasoning)] : null)),
    view.more_calls ? h("p", { class: "muted" }, `and ${plural(view.more_calls, "more call")}; the run log has all of them`) : null);
}

function facts(title, pairs) {
  return pairs.length ? [h("h2", {}, title), h("dl", { class: "facts" }, pairs.map(([name, value]) => [h("dt", { dir: "auto" }, name), h("dd", { dir: "auto" }, value || h("span", { class: "muted" }, "not found"))]))] : null;
}

function aside(run, view) {
  const images = view.artifacts.filter(([, type, to]) => to && type.startsWith("image/"));
  return h("aside", { "aria-label": "About this conversation" },
    h("p", { class: "id" }, h("code", {}, view.id)), h("p", { class: "muted" }, view.length),
    view.verdicts.length ? [h("h2", {}, "Checks"), checks(run, view)] : null,
    facts("Inputs", view.inputs), facts("Outputs", view.outputs.map(([name, value]) => [name, value])),
    !view.steps && images.length ? [h("h2", {}, "Pictures"), h("div", { class: "shots" }, images.map(([name, , to]) => picture(run, to, name)))] : null,
    view.artifacts.length ? [h("h2", {}, "Files"), h("ul", { class: "files" }, view.artifacts.map(([name, type, to]) => h("li", {}, to ? h("a", { href: fileAddress(run, to), download: true }, name) : name, " ", h("span", { class: "muted" }, type))))] : null,
    replay(run, view),
    h("details", { class: "more" }, h("summary", {}, "More"), h("dl", { class: "facts" }, view.facts.map(([name, value]) => [h("dt", {}, name), h("dd", { dir: "auto" }, value)]))),
    view.command ? h("code", { class: "command" }, view.command) : null);
}

/** The checks, the worst first; those that did not apply are folded away. */
function checks(run, view) {
  const rank = ["fail", "error", "inconclusive", "pass", "skipped"];
  const ordered = [...view.verdicts].sort((a, b) => rank.indexOf(a.outcome) - rank.indexOf(b.outcome));
  const list = (some) => h("ul", { class: "verdicts" }, some.map((one) => verdict(run, view, one)));
  const skipped = ordered.filter((one) => one.outcome === "skipped");
  return [
    list(ordered.filter((one) => one.outcome !== "skipped")),
    skipped.length ? h("details", { class: "more" }, h("summary", {}, `${plural(skipped.length, "check")} that did not apply`), list(skipped)) : null,
  ];
}

/** A check with its verdict, and a form that says whether the verdict is right. */
function verdict(run, view, one) {
  const name = `${one.oracle}/${one.check}`;
  const state = h("p", { class: "labelled" });
  const input = h("input", { type: "text", maxlength: 2000, "aria-label": `Note on ${name}`, placeholder: "Note (optional)" });
  const other = one.outcome === "pass" ? "fail" : "pass";
  const options = one.decided ? [["right", one.outcome], ["wrong", other]] : [["should pass", "pass"], ["should fail", "fail"]];
  const buttons = options.map(([text, expected]) => h("button", { type: "button", class: "chip", "aria-pressed": "false", "data-expected": expected, onclick: () => set(expected) }, text));
  const mark = (label) => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(label?.[0] === button.dataset.expected));
    input.value = label?.[1] ?? "";
  };
  async function set(expected) {
    const button = buttons.find((each) => each.dataset.expected === expected);
    const chosen = button.getAttribute("aria-pressed") === "true" ? null : expected;  // pressed again: no label
    try {
      const done = await post(["runs", run, "labels"], { case: view.id, oracle: one.oracle, check: one.check, expected: chosen, note: input.value });
      mark(chosen ? [chosen, input.value] : null);
      show(state, chosen ? ["Kept in ", h("code", {}, done.file)] : "The label is removed.");
      say(chosen ? `Labelled ${button.textContent}.` : "The label is removed.");
    } catch (error) { show(state, error.message); }
  }
  mark(view.labels[name]);
  return h("li", {},
    h("p", {}, badge(one.outcome), " ", h("b", {}, one.check), " ", h("span", { class: "muted" }, one.oracle, one.gating ? "" : ", does not gate")),
    h("details", { class: "label", open: Boolean(view.labels[name]) }, h("summary", {}, "Is this verdict right?"),
      one.reason || one.description ? reasons(one.description, one.reason) : null,
      h("div", { class: "choose", role: "group", "aria-label": `Label of ${name}` }, buttons), input, state));
}

function replay(run, view) {
  const result = h("div", { class: "replayed", "aria-live": "polite" });
  const button = h("button", { type: "button", class: "chip", onclick: async () => {
    button.disabled = true;
    show(result, "Repeating it from the log …");
    try {
      const done = await post(["runs", run, "replay"], { case: view.id });
      show(result, h("p", {}, done.code === null ? "It took too long." : `Exit code ${done.code}.`), h("pre", { tabindex: "0" }, done.output));
    } catch (error) { show(result, error.message); }
    button.disabled = false;
  } }, "Replay this case");
  return h("div", {}, h("h2", {}, "Replay"), h("p", { class: "muted" }, "Plays and judges it again from the log, without the app: after a rule was changed, say."), button, result);
}
