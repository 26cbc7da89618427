// Opens conversations in the page: the list beside them stays as it is, with its place and its rows.

import { $, loadMedia } from "./dom.js";
import { enterRefusedEdits } from "./composer.js";
import { enterDraft } from "./drafts.js";
import { enterPending } from "./pending.js";
import { load } from "./server.js";
import { markHit } from "./highlight.js";
import { leaves } from "./actions.js";
import { showFiles } from "./attachments.js";
import { chosenThread, emit, on, state } from "./state.js";
import { enterSeen } from "./seen.js";
import { enterThread } from "./thread.js";
import { isDetached, reveal } from "./scroll.js";
import { say } from "./say.js";
import { t } from "./strings.js";

const pane = () => $(".pane-thread");

/** Begins with the thread that is on the page. */
export function enter() {
  enterThread();
  markHit();
  if ($("#composer")) {
    showFiles();
    enterDraft().then(enterRefusedEdits);
    enterPending();
  }
  enterSeen();
}

let asked = 0;
// What the editor of a message replaced. Without the server it comes back.
let replaced = null;

/** Shows the thread of an address. */
export async function open(path, { push = true } = {}) {
  const url = new URL(path, location.href);
  const slug = url.pathname.split("/")[2];
  const turn = ++asked;
  state.opening = slug;
  emit("opening");
  pane().setAttribute("aria-busy", "true");
  const query = new URLSearchParams(url.search);
  query.set("part", "pane");
  const loaded = await load(`${url.pathname}?${query}`);
  if (turn !== asked) return;
  state.opening = "";
  pane().removeAttribute("aria-busy");
  if (!loaded?.answer.ok) {
    emit("thread");
    if (loaded) location.assign(url);
    else say(t("The conversation cannot be loaded while the server is away."));
    return;
  }
  // The text, its files and what it answers stay where the same conversation is shown at another place.
  const composer = state.thread === slug ? $("#composer") : null;
  replaced = url.searchParams.has("edit") && state.thread === slug ? { slug, nodes: [...pane().childNodes] } : null;
  pane().replaceChildren(...loaded.page.body.childNodes);
  if (composer) $("#composer")?.replaceWith(composer);
  loadMedia(pane());
  const panes = $(".panes");
  state.thread = slug;
  panes.dataset.thread = slug;
  panes.classList.add("in-thread");
  if (push) history.pushState({}, "", url.pathname + url.search + url.hash);
  enter();
  emit("thread");
  if (!$(".hit") && matchMedia("(hover: hover)").matches) $("#text")?.focus({ preventScroll: true });
}

/** Shows the thread again after a message was changed. */
export async function leaveEditor({ isAway }) {
  if (!isAway) return open(`/c/${state.thread}`);
  if (replaced?.slug !== state.thread) return;
  pane().replaceChildren(...replaced.nodes);
  replaced = null;
  history.pushState({}, "", `/c/${state.thread}`);
  enter();
  emit("thread");
}

/** Shows the list alone. */
function close() {
  if (!chosenThread()) return;
  location.assign("/");
}

/** Goes to a message of the thread, on the page or not. */
export function jump(slug, address) {
  const message = document.getElementById(`m-${slug}`);
  if (message) reveal(message);
  else open(address);
}

export function start() {
  if (!pane()) return;
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (event.target.closest("#to-newest")) {
      if (isDetached()) return open(`/c/${state.thread}?end=1`);
      return ($("#thread-scroll").scrollTop = 0);
    }
    const quote = event.target.closest("a[data-jump]");
    if (quote) {
      event.preventDefault();
      return jump(quote.dataset.jump, quote.href);
    }
    const link = event.target.closest("a.row-link, a.edit, .composer.editing a, .in-place");
    if (!link || link.origin !== location.origin || !link.pathname.startsWith("/c/")) return;
    event.preventDefault();
    open(link.href);
  });
  addEventListener("popstate", () => {
    if (location.pathname.startsWith("/c/")) open(location.href, { push: false });
    else close();
  });
  on("messages", markHit);
  // The conversation is gone, or it is no longer this account's. The action that caused it goes to a page with a notice.
  on("gone", async (slug) => slug === chosenThread() && !(await leaves()) && location.assign("/"));
  enter();
}
