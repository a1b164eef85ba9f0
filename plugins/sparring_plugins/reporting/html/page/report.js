"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("scripted");
  const find = (id) => document.getElementById(id);
  const cases = [...document.querySelectorAll("details.case")];
  const search = find("search"), scenario = find("scenario"), oracle = find("oracle");
  const count = find("count"), faultChip = find("fault"), clear = find("clear"), fold = find("fold");
  const outcomes = [...document.querySelectorAll("[data-outcome][aria-pressed]")];
  const texts = new Map();
  const MOST_OPEN = 500;  // more at once keep a browser busy for minutes
  let fault = "";

  const textOf = (item) => {
    if (!texts.has(item)) texts.set(item, (item.id + " " + item.textContent).toLowerCase());
    return texts.get(item);
  };
  const listed = (item, name, value) => !value || item.dataset[name].split(" ").includes(value);

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = outcomes.filter((b) => b.ariaPressed === "true").map((b) => b.dataset.outcome);
    let shown = 0;
    for (const item of cases) {
      const fits = (!wanted.length || wanted.includes(item.dataset.outcome))
        && (!scenario || !scenario.value || item.dataset.scenario === scenario.value)
        && (!oracle || listed(item, "oracles", oracle.value))
        && listed(item, "faults", fault)
        && words.every((word) => textOf(item).includes(word));
      item.hidden = !fits;
      if (fits) shown += 1;
    }
    const total = cases.length.toLocaleString("en");
    const active = shown < cases.length || words.length || wanted.length || fault;
    count.textContent = active ? `${shown.toLocaleString("en")} of ${total} shown` : `${total} shown`;
    find("nothing").hidden = shown > 0 || !cases.length;
    clear.hidden = !active;
    faultChip.hidden = !fault;
    faultChip.textContent = fault ? `finding ${fault} ✕` : "";
    faultChip.ariaLabel = fault ? `finding ${fault} only; press to show others too` : null;
    refold();
  }

  function reset() {
    search.value = "";
    fault = "";
    for (const box of [scenario, oracle]) if (box) box.value = "";
    for (const button of outcomes) button.ariaPressed = "false";
    filter();
  }

  const visible = () => cases.filter((item) => !item.hidden);
  const refold = () => {
    const items = visible();
    const first = items.length > MOST_OPEN ? `Open the first ${MOST_OPEN}` : "Open all";
    fold.textContent = items.some((item) => item.open) ? "Close all" : first;
    fold.hidden = !cases.length;
  };

  let large = null;
  function enlarge(small) {
    if (!large) {
      large = document.createElement("dialog");
      large.id = "large";
      large.ariaLabel = "Screenshot";
      const close = document.createElement("button");
      close.className = "quiet";
      close.textContent = "Close";
      large.append(close, new Image());
      large.addEventListener("click", () => large.close());
      document.body.append(large);
    }
    const picture = large.querySelector("img");
    picture.src = small.src;
    picture.alt = small.alt;
    large.showModal();
  }
  document.addEventListener("click", (event) => {
    const small = event.target.closest?.("a.shot")?.querySelector("img");
    if (!small || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    enlarge(small);
  });

  function go(item) {
    item.open = true;
    item.scrollIntoView({ block: "start" });
    item.querySelector("summary").focus({ preventScroll: true });
  }

  function step(by, failing) {
    let items = visible();
    if (failing) {
      const bad = items.filter((i) => !["pass", "skipped"].includes(i.dataset.outcome));
      if (bad.length) items = bad;
    }
    if (!items.length) return;
    const here = document.activeElement && document.activeElement.closest("details.case");
    let index = items.indexOf(here);
    if (index < 0 && here) {
      const after = items.findIndex((i) => here.compareDocumentPosition(i) & Node.DOCUMENT_POSITION_FOLLOWING);
      index = by > 0 ? (after < 0 ? items.length - 2 : after - 1) : (after < 0 ? items.length : after);
    } else if (index < 0) {
      index = by > 0 ? -1 : items.length;
    }
    const next = items[Math.min(items.length - 1, Math.max(0, index + by))];
    if (failing) go(next);
    else next.querySelector("summary").focus();
  }

  function follow() {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch { return; }
    const item = id.startsWith("case-") ? find(id) : null;
    if (!item) return;
    if (item.hidden) reset();
    go(item);
  }

  function theme() {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("sparring-theme", root.dataset.theme); } catch { /* a page without storage */ }
  }
  try {
    const kept = localStorage.getItem("sparring-theme");
    if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  } catch { /* a page without storage */ }

  let waiting = 0;
  search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 120); });
  document.querySelector("form.tools").addEventListener("submit", (event) => { event.preventDefault(); filter(); });
  for (const box of [scenario, oracle]) if (box) box.addEventListener("change", filter);
  for (const button of outcomes) button.addEventListener("click", () => {
    button.ariaPressed = button.ariaPressed === "true" ? "false" : "true";
    filter();
  });
  for (const button of document.querySelectorAll("[data-fault]")) button.addEventListener("click", () => {
    reset();
    fault = button.dataset.fault;
    filter();
    find("conversations").scrollIntoView();
    const first = visible()[0];
    if (first) first.querySelector("summary").focus({ preventScroll: true });
  });
  faultChip.addEventListener("click", () => { fault = ""; filter(); search.focus(); });
  clear.addEventListener("click", () => { reset(); search.focus(); });
  fold.addEventListener("click", () => {
    const items = visible(), open = !items.some((item) => item.open);
    for (const item of open ? items.slice(0, MOST_OPEN) : items) item.open = open;
  });
  let refolding = 0;
  find("list").addEventListener("toggle", () => {  // one event for each that opens
    cancelAnimationFrame(refolding);
    refolding = requestAnimationFrame(refold);
  }, true);
  find("theme").addEventListener("click", theme);
  addEventListener("hashchange", follow);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#case-']");
    if (link && link.getAttribute("href") === location.hash) follow();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const field = event.target.closest("input, select, textarea");
    if (event.key === "Escape" && event.target === search) { search.value = ""; filter(); search.blur(); return; }
    if (field) return;
    const onCase = event.target.matches("details.case > summary");
    const keys = {
      "/": () => search.focus(),
      j: () => step(1, true), k: () => step(-1, true),
      t: theme,
      ...(onCase ? { ArrowDown: () => step(1, false), ArrowUp: () => step(-1, false) } : {}),
    };
    if (Object.hasOwn(keys, event.key)) { event.preventDefault(); keys[event.key](); }
  });
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = visible().filter((i) => !i.open && !["pass", "skipped"].includes(i.dataset.outcome)).slice(0, 50);
    for (const item of opened) item.open = true;
  });
  addEventListener("afterprint", () => { for (const item of opened) item.open = false; });
  const measure = () => root.style.setProperty("--tools", document.querySelector("form.tools").offsetHeight + "px");
  addEventListener("resize", measure);
  measure();
  filter();
  follow();
})();
