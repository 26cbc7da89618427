// The assistant: why a message is sorted as it is, one click to correct it, and the suggested answer.

import { $, all, make } from "./dom.js";
import { insert } from "./composer.js";
import { on } from "./state.js";
import { t } from "./strings.js";

const categories = ["fan", "business", "urgent", "spam"];

// MARK: Why, and the correction

let panel;

function closePanel() {
  panel?.remove();
  panel = null;
}

/** Shows the reason and the categories beside a chip. */
async function openPanel(chip) {
  const message = chip.closest(".msg");
  const choices = message && $(".sort-as", message);
  if (!choices || panel?.parentElement === chip.parentElement) return;
  closePanel();
  const reason = make("span", { className: "reason", textContent: "…" });
  panel = make("span", { className: "why", role: "group", "aria-label": t("Why, and what it really is") }, reason, choices.cloneNode(true));
  for (const button of all("button", panel)) button.setAttribute("aria-pressed", String(chip.classList.contains(button.value)));
  chip.after(panel);
  const shown = panel;
  shown.addEventListener("pointerleave", () => shown === panel && closePanel());
  // The click submits the form first.
  shown.addEventListener("click", () => setTimeout(closePanel, 0));
  const slug = message.id.slice(2);
  const answer = await fetch(`/c/${message.dataset.thread}/m/${slug}/why`).catch(() => null);
  const text = answer?.ok ? await answer.text() : t("The server does not say why.");
  reason.textContent = text.charAt(0).toUpperCase() + text.slice(1);
}

const categoryChip = (target) => {
  const chip = target.closest?.(".msg .chip");
  return chip && categories.some((name) => chip.classList.contains(name)) && chip.closest(".chips").firstElementChild === chip ? chip : null;
};

/** The keyboard reaches the chips of categories. */
function makeReachable() {
  for (const chip of all(".msg:not(.mine) .chips > .chip:first-child"))
    if (categoryChip(chip) && !chip.hasAttribute("tabindex")) {
      chip.tabIndex = 0;
      chip.title = "";
    }
}

// MARK: The suggested answer

/** The suggested answer to the last message, if another person wrote that message. */
function draft() {
  const last = all("#messages > .msg").at(-1);
  return last && !last.classList.contains("mine") ? (last.dataset.draft ?? "") : "";
}

function showSuggestion() {
  const composer = $("#composer");
  if (!composer) return;
  const text = draft();
  let bar = $("#suggestion");
  if (!text || $("#text").value) return void bar?.remove();
  if (bar?.dataset.text === text) return;
  bar?.remove();
  bar = make(
    "button", { id: "suggestion", type: "button", className: "suggestion", "data-text": text, "aria-label": t("Insert the suggested answer: {1}", text) },
    make("kbd", { textContent: "Tab" }), make("span", { textContent: text, dir: "auto" }));
  bar.addEventListener("click", take);
  composer.prepend(bar);
}

function take() {
  const text = $("#suggestion")?.dataset.text;
  if (!text) return false;
  $("#suggestion").remove();
  insert(text);
  return true;
}

export function start() {
  document.addEventListener("pointerover", (event) => {
    const chip = categoryChip(event.target);
    if (chip) openPanel(chip);
    else if (panel && !event.target.closest(".chips")) closePanel();
  });
  document.addEventListener("focusin", (event) => {
    const chip = categoryChip(event.target);
    if (chip) openPanel(chip);
    else if (panel && !panel.contains(event.target)) closePanel();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closePanel();
    if (event.key !== "Tab" || event.shiftKey || event.target.id !== "text" || event.target.value) return;
    if (take()) event.preventDefault();
  });
  document.addEventListener("input", (event) => event.target.id === "text" && showSuggestion());
  on("composed", showSuggestion);
  const thread = $(".pane-thread");
  if (thread)
    new MutationObserver(() => {
      makeReachable();
      showSuggestion();
    }).observe(thread, { childList: true, subtree: true });
  makeReachable();
  showSuggestion();
}
