// Suggestions of people while their names are written into a field.

import { $, make } from "./dom.js";
import { t } from "./strings.js";

let turn = 0;

const fieldOf = (target) => target.closest?.("input[data-names]");
const listOf = (field) => $("ul.names", field.form);

/** What is being written: all behind the last comma, and its last word. A name may have blanks. */
function written(field) {
  const before = field.value.slice(0, field.selectionStart ?? field.value.length);
  const part = before.slice(before.lastIndexOf(",") + 1).trimStart();
  return [part, part.split(/\s+/).at(-1)];
}

async function find(words) {
  try {
    const answer = await fetch(`/names?q=${encodeURIComponent(words)}`, { signal: AbortSignal.timeout(10_000) });
    return answer.ok ? await answer.json() : [];
  } catch {
    return [];
  }
}

async function suggest(field) {
  const mine = ++turn;
  const [part, word] = written(field);
  if (!word) return close(field);
  let [people, replaced] = [await find(part), part];
  if (!people.length && word !== part) [people, replaced] = [await find(word), word];
  if (mine !== turn || !field.isConnected) return;
  // Nothing is to be chosen where the name is there already.
  if (!people.length || (people.length === 1 && people[0].id === replaced)) return close(field);
  const list = listOf(field) ?? make("ul", { className: "names", id: "names", role: "listbox", "aria-label": t("People") });
  list.replaceChildren(...people.map(({ id, name }, index) =>
    make("li", { id: `name-${index}`, role: "option", "aria-selected": "false", onclick: () => take(field, replaced, id) },
      make("bdi", { textContent: name }))));
  field.closest("label").after(list);
  field.setAttribute("aria-expanded", "true");
}

function take(field, replaced, id) {
  const end = field.selectionStart ?? field.value.length;
  field.setRangeText(`${id} `, end - replaced.length, end, "end");
  close(field);
  field.focus();
}

function close(field) {
  turn += 1;
  listOf(field)?.remove();
  field.setAttribute("aria-expanded", "false");
  field.removeAttribute("aria-activedescendant");
}

function move(field, by) {
  const items = [...listOf(field).children];
  const now = items.findIndex((item) => item.getAttribute("aria-selected") === "true");
  const next = items[(now + by + items.length + (now < 0 && by < 0 ? 1 : 0)) % items.length];
  for (const item of items) item.setAttribute("aria-selected", String(item === next));
  field.setAttribute("aria-activedescendant", next.id);
}

export function start() {
  document.addEventListener("focusin", ({ target }) => {
    const field = fieldOf(target);
    if (!field) return;
    for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-controls", "names"]]) field.setAttribute(name, value);
    if (!field.hasAttribute("aria-expanded")) field.setAttribute("aria-expanded", "false");
  });
  document.addEventListener("input", ({ target }) => fieldOf(target) && suggest(target));
  // A click on a button of the form leaves the list where it is: what moves below the pointer is not clicked.
  document.addEventListener("focusout", ({ target, relatedTarget }) => {
    const field = fieldOf(target);
    if (field && relatedTarget && !field.form.contains(relatedTarget)) close(field);
  });
  document.addEventListener("keydown", (event) => {
    const field = fieldOf(event.target);
    const list = field && listOf(field);
    if (!list) return;
    const chosen = $("[aria-selected=true]", list);
    if (event.key === "ArrowDown" || event.key === "ArrowUp") move(field, event.key === "ArrowDown" ? 1 : -1);
    else if (event.key === "Escape") close(field);
    else if (event.key === "Enter" && chosen) chosen.click();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }, { capture: true });
}
