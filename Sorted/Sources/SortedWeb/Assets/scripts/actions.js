// The buttons that change something: what they do is shown on the page without loading it anew.

import { $, all, closeMenu } from "./dom.js";
import { update } from "./optimistic.js";
import { enqueueChange, undoChange } from "./outbox.js";
import { mergeRows } from "./rows.js";
import { hideNoticeLater, say } from "./say.js";
import { checkSession, load } from "./server.js";
import { on, state } from "./state.js";
import { refreshThread, takeHead } from "./thread.js";
import { t } from "./strings.js";

const plainPath = (url) => {
  const parsed = new URL(url, location.href);
  ["done", "of"].forEach((name) => parsed.searchParams.delete(name));
  return parsed.pathname + parsed.search;
};

let running = Promise.resolve();

/** Ends with the action that runs now; true if it loads another page. */
export const leaves = () => running;

/** Runs the action of a button. Returns whether it loads another page. */
async function act(form, button) {
  form.elements.form.value = state.token;
  const from = plainPath(location.href);
  form.elements.return.value = from;
  const body = new URLSearchParams(new FormData(form));
  if (button.name) body.set(button.name, button.value);
  const loaded = await load(button.formAction, { method: "POST", body });
  if (!loaded) return later(button);
  const { answer, page } = loaded;
  if (answer.status === 403) {
    if (await checkSession()) say(t("The page was out of date. Try again."));
    return false;
  }
  if (!answer.ok) {
    say($("#content h1", page)?.textContent + ": " + $("#content p", page)?.textContent);
    return false;
  }
  // A person who opened another conversation meanwhile stays in that one.
  if (plainPath(answer.url) !== from && plainPath(location.href) === from && !state.opening) {
    location.assign(answer.url);
    return true;
  }
  if (!$(".panes")) $("#content").replaceChildren(...$("#content", page).childNodes);
  merge(loaded);
  return false;
}

// Each says what is to be, so that it may be made twice.
const changes = /^\/c\/[^/]+\/(set|delete|restore|m\/[^/]+\/(delete|delete-for-all|restore|pin|react|sort))$/;

/** Keeps a change while the server is away. It is shown as done. */
async function later(button) {
  const { pathname } = new URL(button.formAction);
  const fields = button.name ? { [button.name]: button.value } : {};
  const kept = changes.test(pathname) ? await enqueueChange(pathname, fields).catch(() => false) : false;
  // What went out of sight has no button any more.
  if (kept) say(t("This is done when the server is back."), { text: t("Undo"), run: () => undoChange(kept).then(() => update()) });
  else if (kept === false) say(t("The server is away. Try again when it is back."));
  await update();
  return false;
}

function merge(loaded) {
  const { page } = loaded;
  if ($("#notice", page)?.firstElementChild) $("#notice").replaceChildren(...$("#notice", page).childNodes);
  const status = $("#status", page);
  // A page that is live is told of each change; the answer may have a moment that is over.
  if (status && $("#status") && document.body.dataset.live !== "yes") $("#status").replaceChildren(...status.childNodes);
  hideNoticeLater();
  if (!$(".panes", page)) return;
  mergeRows(loaded);
  if (!state.thread) return;
  refreshThread();
  if ($(".panes", page).dataset.thread === state.thread) takeHead(page);
}

function run(form, button) {
  for (const menu of all("details.menu[open]")) closeMenu(menu);
  running = act(form, button);
}

/** Shows all of a long text, or folds it. What is read stays where it is. */
function unfold(button) {
  const isOpen = button.closest(".msg").classList.toggle("unfolded");
  button.setAttribute("aria-expanded", String(isOpen));
  button.textContent = isOpen ? t("Show less") : t("Show all");
}

export function start() {
  document.addEventListener("submit", (event) => {
    if (event.target.id !== "act" || new URL(event.submitter.formAction).pathname === "/sign-out") return;
    event.preventDefault();
    run(event.target, event.submitter);
  });
  on("changed", ({ refusal }) => refusal && say(refusal));
  // Where there is no room above, a menu opens downwards.
  document.addEventListener("toggle", ({ target: menu }) => {
    if (!menu.matches(".msg .menu") || !menu.open) return;
    menu.classList.remove("down");
    const top = $("#thread-scroll")?.getBoundingClientRect().top ?? 0;
    const panel = $(".panel", menu);
    panel.style.translate = "";
    const { left, right, top: upper } = panel.getBoundingClientRect();
    menu.classList.toggle("down", upper < top);
    // On a phone it may be wider than the room beside the message.
    panel.style.translate = `${Math.max(0, 6 - left) + Math.min(0, innerWidth - 6 - right)}px`;
  }, true);
  hideNoticeLater();
  if (location.search.includes("done=")) history.replaceState(null, "", plainPath(location.href) + location.hash);
  $("#notice")?.addEventListener("click", () => setTimeout(() => $("#notice").replaceChildren(), 0));
  document.addEventListener("click", (event) => {
    const button = event.target.closest(".copy");
    if (button) {
      const text = $(".text", button.closest(".msg"))?.innerText ?? "";
      navigator.clipboard.writeText(text).then(() => say(t("Copied.")), () => say(t("The browser does not let pages copy.")));
    }
    const fold = event.target.closest(".unfold");
    if (fold) unfold(fold);
    const free = event.target.closest("button[data-act]");
    if (free) run($("#act"), free);
    // A menu closes when something else is clicked, and when what it offers happens elsewhere.
    const isElsewhere = button || event.target.closest(".forward, .select");
    for (const menu of all("details.menu[open], details.new[open], details.answers[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
      else if (isElsewhere) closeMenu(menu);
    }
  });
}
