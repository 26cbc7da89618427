// Several messages at once: to copy, forward or delete for oneself.

import { $, all, make } from "./dom.js";
import { forward, showPalette, words } from "./palette.js";
import { say } from "./say.js";
import { post } from "./server.js";
import { on } from "./state.js";
import { t } from "./strings.js";

const chosen = () => all(".msg.chosen-message");

/** Takes a message into the selection, or out of it. */
export function toggle(message) {
  if (message.classList.contains("waiting")) return;
  message.classList.toggle("chosen-message");
  show();
}

function clear() {
  for (const message of chosen()) message.classList.remove("chosen-message");
  show();
}

function show() {
  const count = chosen().length;
  const old = $("#selection");
  if (!count) return old?.remove();
  const text = count === 1 ? t("1 message selected") : t("{1} messages selected", count);
  if (old) return void ($("span", old).textContent = text);
  const button = (name, run) => make("button", { type: "button", className: "button", textContent: name, onclick: run });
  const bar = make("div", { id: "selection", role: "toolbar", "aria-label": t("Selected messages") },
    make("span", { role: "status", textContent: text }), button(t("Copy"), copy), button(t("Forward"), forwardAll),
    button(t("Delete for me"), remove), button(t("Cancel"), clear));
  ($("#composer") ?? $(".composer")).before(bar);
}

function copy() {
  const text = chosen().map((message) => `${message.dataset.name}: ${$(".text", message)?.innerText ?? ""}`).join("\n");
  navigator.clipboard.writeText(text).then(() => say(t("Copied.")), () => say(t("The browser does not let pages copy.")));
  clear();
}

/** One after the other, so that they arrive in their order. */
async function each(send) {
  // A message that is deleted may leave the page before the next one is sent.
  const messages = chosen();
  let count = 0;
  for (const message of messages) {
    try {
      if (!(await send(message)).ok) break;
      count += 1;
    } catch {
      break;
    }
  }
  clear();
  return count === messages.length;
}

function forwardAll() {
  const messages = chosen();
  const text = messages.length === 1 ? words(messages[0]) : t("{1} messages", messages.length);
  const send = async (place) => {
    const isDone = await each((message) => forward(message, place));
    say(isDone ? t("Forwarded to {1}.", place.name) : t("Not all messages were forwarded."), { text: t("Open"), href: place.address });
  };
  showPalette({ text, send });
}

async function remove() {
  const isDone = await each((message) => post(`/c/${message.dataset.thread}/m/${message.id.slice(2)}/delete`));
  say(isDone ? t("Deleted for you.") : t("Not all messages were deleted."), { text: t("Bin"), href: "/bin" });
}

export function start() {
  document.addEventListener("click", (event) => {
    const message = event.target.closest(".select")?.closest(".msg");
    if (message) return toggle(message);
    // Once some are selected, a click takes more.
    const other = chosen().length && !event.target.closest("a, button, summary") && event.target.closest(".msg:not(.event)");
    if (other) toggle(other);
  });
  document.addEventListener("keydown", (event) => event.key === "Escape" && chosen().length && clear());
  on("thread", show);
  on("messages", () => $("#selection") && show());
}
