// Keys: for the list, for the messages of a thread, and for what is everywhere.

import { showDialog } from "./dialogs.js";
import { $, all, closeMenu } from "./dom.js";
import { step } from "./rows.js";
import { toggle } from "./select.js";
import { chosenThread } from "./state.js";

function isTyping(target) {
  // A dialog that was closed has the focus until the next frame.
  const shade = target.closest(".shade");
  return shade ? shade.matches(":popover-open") : target.closest("input, textarea, select, [contenteditable]");
}

function stepMessages(by) {
  const messages = all(".msg");
  const now = messages.indexOf(document.activeElement.closest(".msg"));
  const next = messages[now < 0 ? messages.length - 1 : Math.min(messages.length - 1, Math.max(0, now + by))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function pressed(event) {
  const { key } = event;
  const row = document.activeElement.closest(".row") ?? $(`#c-${chosenThread()}`);
  const message = document.activeElement.closest(".msg");
  const inList = document.activeElement.closest("#rows");
  const inThread = document.activeElement.closest("#thread-scroll");
  const byArrow = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
  if (byArrow && inList) step(byArrow);
  else if (byArrow && inThread) stepMessages(byArrow);
  else if (message && key === "r") $("a.reply", message)?.click();
  else if (message && key === "e") $("a.edit", message)?.click();
  else if (message && key === "c") $(".copy", message)?.click();
  else if (message && key === "m") openMenu($("details.menu", message));
  else if (message && key === "Delete") $(".delete-own", message)?.click();
  else if (message && key === "x") toggle(message);
  else if (key === "/") location.assign("/search");
  else if (key === "?") $("#keys") && showDialog($("#keys"));
  else if (key === "u") $("#undo")?.click();
  else if (key === "r" && $("#text")) $("#text").focus();
  else if ($("#rows") && (key === "j" || key === "k")) step(key === "j" ? 1 : -1);
  else if (row && ["p", "m", "e", "Delete"].includes(key)) $(`[data-key="${key}"]`, row)?.click();
  else return false;
  return true;
}

function openMenu(menu) {
  if (!menu) return;
  menu.open = true;
  $("a, button", menu)?.focus();
}

export function start() {
  // A touch shows what can be done with a message.
  document.addEventListener("click", ({ target }) => {
    if (matchMedia("(hover: none)").matches && !target.closest("a, button, summary, input")) target.closest(".msg")?.focus({ preventScroll: true });
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      const menu = $("details.menu[open], details.answers[open], details.new[open]");
      if (menu) closeMenu(menu);
      else if (event.target.closest("#edit")) {
        $("#edit a").click();
      }
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target)) return;
    if (pressed(event)) event.preventDefault();
  });
}
