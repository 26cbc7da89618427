// A list of names beside the caret while it is in an @mention.

import { $, all, make } from "./dom.js";
import { t } from "./strings.js";

/** Where the word after the @ begins, and the word up to the caret, of the list that is shown. */
let shown = null;

function close() {
  $("#mentions")?.remove();
  $("#text")?.removeAttribute("aria-activedescendant");
  shown = null;
}

function update() {
  const text = $("#text");
  const before = text.selectionStart === text.selectionEnd ? text.value.slice(0, text.selectionStart) : "";
  const found = before.match(/(^|\s)@([\p{L}\p{N}._+-]*)$/u);
  if (!found) return close();
  const [word, start] = [found[2], before.length - found[2].length];
  // The caret moves with each letter, which is one change and not two.
  if (shown?.start === start && shown.word === word) return place();
  close();
  // A mention has the identifier; a person is known by the name.
  const wanted = word.toLowerCase();
  const people = all(".members a[data-person]").map((link) => ({ id: link.dataset.person, name: $("bdi", link).textContent }))
    .filter(({ id, name }) => [id, ...name.split(/\s+/)].some((part) => part.toLowerCase().startsWith(wanted)) && id !== word)
    .slice(0, 6);
  if (!people.length) return;
  const list = make("ul", { id: "mentions", role: "listbox", "aria-label": t("People") }, ...people.map(({ id, name }, index) =>
    make("li", { id: `mention-${index}`, role: "option", "aria-selected": String(index === 0), "data-person": id, textContent: name, onclick: () => take(id) })));
  $("#composer").append(list);
  text.setAttribute("aria-activedescendant", "mention-0");
  shown = { start, word };
  place();
}

/** The styles that decide where a letter of a text field is. */
const WRITING = ["direction", "fontFamily", "fontSize", "fontStyle", "fontWeight", "letterSpacing", "lineHeight", "padding", "tabSize",
  "textAlign", "textIndent", "textTransform", "wordSpacing"];

/** Where a letter of a text field is in the window: a copy of the text in an element whose letters can be measured. */
function letter(field, index) {
  const [style, box] = [getComputedStyle(field), field.getBoundingClientRect()];
  const copy = make("div", { "aria-hidden": "true" }, field.value.slice(0, index));
  const mark = make("span", {}, field.value.slice(index) || ".");
  for (const name of WRITING) copy.style[name] = style[name];
  Object.assign(copy.style, {
    position: "fixed", visibility: "hidden", boxSizing: "border-box", border: "0", whiteSpace: "pre-wrap", overflowWrap: "break-word",
    left: `${box.left + field.clientLeft}px`, top: `${box.top + field.clientTop - field.scrollTop}px`, width: `${field.clientWidth}px`,
  });
  copy.append(mark);
  document.body.append(copy);
  const { left, right, top } = mark.getClientRects()[0];
  copy.remove();
  return { x: style.direction === "rtl" ? right : left, y: top };
}

/** Puts the list above the @, within the composer. */
function place() {
  const [list, composer] = [$("#mentions"), $("#composer").getBoundingClientRect()];
  if (!list) return;
  const isRightToLeft = getComputedStyle($("#text")).direction === "rtl";
  const { x, y } = letter($("#text"), shown.start - 1);
  const start = x - composer.left - (isRightToLeft ? list.offsetWidth : 0);
  list.style.left = `${Math.max(0, Math.min(start, composer.width - list.offsetWidth))}px`;
  list.style.bottom = `${composer.bottom - Math.max(y, $("#text").getBoundingClientRect().top)}px`;
}

function take(person) {
  const [text, { start }] = [$("#text"), shown];
  close();
  text.setRangeText(`${person} `, start, text.selectionStart, "end");
  text.dispatchEvent(new Event("input", { bubbles: true }));
  text.focus();
}

function move(by) {
  const items = all("#mentions li");
  const now = items.findIndex((item) => item.getAttribute("aria-selected") === "true");
  const next = (now + by + items.length) % items.length;
  items.forEach((item, index) => item.setAttribute("aria-selected", String(index === next)));
  $("#text").setAttribute("aria-activedescendant", items[next].id);
}

export function start() {
  for (const kind of ["input", "selectionchange"])
    document.addEventListener(kind, ({ target }) => {
      const text = $("#text");
      if (text && (target === text || (target === document && document.activeElement === text))) update();
    });
  addEventListener("resize", () => shown && place());
  document.addEventListener("scroll", ({ target }) => shown && target.id === "text" && place(), { capture: true });
  document.addEventListener("keydown", (event) => {
    if (event.target.id !== "text" || !$("#mentions")) return;
    if (event.key === "Escape") close();
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") move(event.key === "ArrowDown" ? 1 : -1);
    else if (event.key === "Enter" || event.key === "Tab") take($("#mentions [aria-selected=true]").dataset.person);
    else return;
    event.preventDefault();
  }, { capture: true });
}
