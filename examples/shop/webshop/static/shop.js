"use strict";
// The little that the pages do by themselves.

const by = (id) => document.getElementById(id);

function toast(text, kind) {
  const box = document.createElement("div");
  box.className = "toast " + kind;
  box.textContent = text;
  by("toasts").append(box);
  setTimeout(() => box.classList.add("fading"), 1500);
  setTimeout(() => box.remove(), 2200);
}

async function ask(address, fields) {
  const answer = await fetch(address, {method: "POST", body: new URLSearchParams(fields)});
  const told = await answer.json();
  const badge = by("badge");
  badge.textContent = told.badge;
  badge.hidden = !told.badge;
  toast(told.text, told.ok ? "good" : "bad");
  return told.ok;
}

for (const button of document.querySelectorAll("[data-adds]"))
  button.addEventListener("click", () => ask("/add/" + button.dataset.adds, {}));

for (const form of document.querySelectorAll("[data-adds-form]"))
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask("/add/" + form.dataset.addsForm, new FormData(form));
  });

for (const list of document.querySelectorAll("[data-submits]"))
  list.addEventListener("change", () => list.form.requestSubmit());

for (const button of document.querySelectorAll("[data-opens]"))
  button.addEventListener("click", () => by(button.dataset.opens).showModal());

for (const form of document.querySelectorAll("[data-confirms]"))
  form.addEventListener("submit", (event) => {
    if (!confirm(form.dataset.confirms)) event.preventDefault();
  });

for (const box of document.querySelectorAll("[data-enables]"))
  box.addEventListener("change", () => { by(box.dataset.enables).disabled = !box.checked; });

for (const field of document.querySelectorAll("[data-names]"))
  field.addEventListener("change", () => { by(field.dataset.names).value = field.files[0]?.name ?? ""; });

const tabs = [...document.querySelectorAll("[role=tab]")];
for (const tab of tabs)
  tab.addEventListener("click", () => {
    for (const one of tabs) {
      one.setAttribute("aria-selected", one === tab);
      by(one.getAttribute("aria-controls")).hidden = one !== tab;
    }
  });

const delivery = document.querySelector("[data-delivery]");
if (delivery)
  delivery.addEventListener("submit", (event) => {
    event.preventDefault();
    const code = delivery.elements.postcode.value.trim();
    by("answer").textContent = /^\d{4,5}$/.test(code)
      ? `To ${code} it takes ${2 + (code.charCodeAt(0) % 3)} days.`
      : "This is not a postcode.";
  });

// Stars in a shadow root of their own, as a component from elsewhere would be.
customElements.define("star-rating", class extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({mode: "closed"});
    this.chosen = Number(this.dataset.stars);
    root.innerHTML = "<style>button{font:inherit;border:0;background:none;cursor:pointer;color:#b8860b;font-size:1.5em}</style>";
    const buttons = [1, 2, 3, 4, 5].map((stars) => {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-label", stars === 1 ? "1 star" : stars + " stars");
      button.addEventListener("click", async () => {
        if (await ask("/rate/" + this.dataset.article, {stars})) { this.chosen = stars; show(); }
      });
      root.append(button);
      return button;
    });
    const said = document.createElement("p");
    root.append(said);
    const show = () => {
      buttons.forEach((one, place) => {
        one.textContent = place < this.chosen ? "★" : "☆";
        one.setAttribute("aria-pressed", place < this.chosen);
      });
      said.textContent = this.chosen ? `You gave ${this.chosen} of 5 stars.` : "Not rated yet.";
    };
    show();
  }
});
