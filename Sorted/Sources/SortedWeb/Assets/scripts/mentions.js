// A list of names while an @ is typed.

import { $, all, make } from "./dom.js";
import { insert } from "./composer.js";
import { t } from "./strings.js";

let start0 = -1;

function close() {
  $("#mentions")?.remove();
  $("#text")?.removeAttribute("aria-activedescendant");
}

function update() {
  const text = $("#text");
  const before = text.value.slice(0, text.selectionStart);
  const found = before.match(/(^|\s)@([\p{L}\p{N}._+-]*)$/u);
  close();
  if (!found) return;
  start0 = before.length - found[2].length;
  // A mention has the identifier; a person is known by the name.
  const wanted = found[2].toLowerCase();
  const people = all(".members a[data-person]").map((link) => ({ id: link.dataset.person, name: $("bdi", link).textContent }))
    .filter(({ id, name }) => [id, ...name.split(/\s+/)].some((word) => word.toLowerCase().startsWith(wanted)) && id !== found[2])
    .slice(0, 6);
  if (!people.length) return;
  const list = make("ul", { id: "mentions", role: "listbox", "aria-label": t("People") }, ...people.map(({ id, name }, index) =>
    make("li", { id: `mention-${index}`, role: "option", "aria-selected": String(index === 0), "data-person": id, textContent: name, onclick: () => take(id) })));
  $("#composer").append(list);
  text.setAttribute("aria-activedescendant", "mention-0");
}

function take(name) {
  const text = $("#text");
  text.setSelectionRange(start0, text.selectionStart);
  close();
  insert(`${name} `);
}

function move(by) {
  const items = all("#mentions li");
  const now = items.findIndex((item) => item.getAttribute("aria-selected") === "true");
  const next = (now + by + items.length) % items.length;
  items.forEach((item, index) => item.setAttribute("aria-selected", String(index === next)));
  $("#text").setAttribute("aria-activedescendant", items[next].id);
}

export function start() {
  document.addEventListener("input", (event) => event.target.id === "text" && update());
  document.addEventListener("keydown", (event) => {
    if (event.target.id !== "text" || !$("#mentions")) return;
    if (event.key === "Escape") close();
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") move(event.key === "ArrowDown" ? 1 : -1);
    else if (event.key === "Enter" || event.key === "Tab") take($("#mentions [aria-selected=true]").dataset.person);
    else return;
    event.preventDefault();
  }, { capture: true });
}
