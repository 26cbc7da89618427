// What can be done with a conversation, from its row: a click on "…", a right click or a long press shows it. A label of the row says
// why it is there, and a click on another label replaces it.

import { $, all, make } from "./dom.js";
import { on } from "./state.js";
import { t } from "./strings.js";

const kinds = { fan: "Fan", business: "Business", urgent: "Urgent", spam: "Spam", none: "Other" };

const box = () => $("#row-menu") ?? document.body.appendChild(make("div", { id: "row-menu", className: "panel", popover: "auto", role: "dialog" }));

/** A button that `actions.js` runs. */
function action(text, address, name, value) {
  const button = make("button", { type: "button", textContent: text, name, value });
  button.dataset.act = "";
  button.setAttribute("formaction", address);
  return button;
}

/** The labels that a conversation may have. */
function labels(row) {
  const { slug, message } = row.dataset;
  if (!message) return [];
  const now = $(".label", row)?.classList;
  const group = make("span", { className: "sort-as", role: "group", "aria-label": t("Sort as") }, make("small", { textContent: t("Sort as") }));
  for (const [kind, name] of Object.entries(kinds)) {
    const button = action(t(name), `/c/${slug}/m/${message}/sort`, "kind", kind);
    button.setAttribute("aria-pressed", String(now?.contains(kind) ?? kind === "none"));
    group.append(button);
  }
  return [group];
}

const actions = (row) => all(".row-actions button", row).map((button) => {
  const copy = action(button.title, button.getAttribute("formaction"), button.name, button.value);
  if (button.dataset.key === "Delete") copy.className = "danger";
  copy.prepend($("svg", button).cloneNode(true));
  return copy;
});

/** Where the focus goes back to. */
let opener = null;

/** Shows a menu below something, or above it where there is no room. */
function show(row, place, content) {
  const menu = box();
  menu.dataset.slug = row.dataset.slug;
  const name = $(".name", row).textContent;
  menu.setAttribute("aria-label", name);
  // On a phone the menu is far from its row, at the foot of the page.
  menu.replaceChildren(make("h2", { textContent: name, dir: "auto" }), ...content);
  menu.showPopover();
  const { width, height } = menu.getBoundingClientRect();
  const { left, right, top, bottom } = place;
  const isRight = document.documentElement.dir === "rtl";
  const x = isRight ? left : right - width;
  menu.style.left = `${Math.max(8, Math.min(x, innerWidth - width - 8))}px`;
  menu.style.top = `${bottom + height + 8 < innerHeight ? bottom + 2 : Math.max(8, top - height - 2)}px`;
}

function openMenu(row, place) {
  opener = $(".row-link", row);
  show(row, place, [...actions(row), ...labels(row)]);
  $("button", box()).focus();
}

/** Says why a label is there. */
async function openLabel(label) {
  const row = label.closest(".row");
  const [group] = labels(row);
  if (!group) return;
  const reason = make("p", { className: "reason", textContent: label.title });
  show(row, label.getBoundingClientRect(), [reason, group]);
  const answer = await fetch(`/c/${row.dataset.slug}/m/${row.dataset.message}/why`).catch(() => null);
  if (!answer?.ok) return;
  const text = await answer.text();
  reason.textContent = text.charAt(0).toUpperCase() + text.slice(1);
}

const isShown = () => $("#row-menu")?.matches(":popover-open") ?? false;

function close() {
  if (isShown()) box().hidePopover();
}

export function start() {
  if (!$("#rows")) return;
  let hover = null;
  document.addEventListener("click", (event) => {
    const { target } = event;
    const more = target.closest(".row-more");
    if (more) openMenu(more.closest(".row"), more.getBoundingClientRect());
    const label = target.closest(".row .label");
    if (label && label.closest(".row").dataset.message) {
      event.preventDefault();
      event.stopPropagation();
      openLabel(label);
    }
    if (target.closest("#row-menu button")) {
      close();
      opener?.isConnected && opener.focus({ preventScroll: true });
    }
  }, { capture: true });
  document.addEventListener("contextmenu", (event) => {
    const row = event.target.closest("#rows > .row");
    if (!row || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    const { clientX: x, clientY: y } = event;
    const isKey = !x && !y;
    openMenu(row, isKey ? row.getBoundingClientRect() : { left: x, right: x, top: y, bottom: y });
  });
  document.addEventListener("pointerover", ({ target, pointerType }) => {
    const label = pointerType === "mouse" && target.closest?.(".row .label");
    clearTimeout(hover);
    if (label) hover = setTimeout(openLabel, 350, label);
  });
  document.addEventListener("keydown", (event) => {
    if (!isShown() || !event.target.closest("#row-menu")) return;
    const buttons = all("button", box());
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (event.key === "Escape") opener?.focus({ preventScroll: true });
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    buttons.at((buttons.indexOf(document.activeElement) + by) % buttons.length).focus();
  }, { capture: true });
  // The row that it is for may be gone.
  on("rows", () => isShown() && !document.getElementById(`c-${box().dataset.slug}`) && close());
}
