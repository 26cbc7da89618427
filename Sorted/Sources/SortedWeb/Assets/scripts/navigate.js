// Opens conversations in the page: the list beside them stays as it is, with its place and its rows.

import { $, loadMedia } from "./dom.js";
import { enterRefusedEdits } from "./composer.js";
import { enterDraft } from "./drafts.js";
import { enterPending } from "./pending.js";
import { load } from "./server.js";
import { markHit } from "./highlight.js";
import { leaves } from "./actions.js";
import { isReturn, notePlace, placeIn, scrollTo } from "./places.js";
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

/** The title says which conversation is open; how many are unread comes before it. */
function entitle() {
  document.body.dataset.title = `${$(".thread-title h1")?.textContent ?? t("Inbox")} · Sorted`;
  emit("title");
}

/**
 * Shows the thread of an address.
 * @param place where one was in it, on the way back
 */
export async function open(path, { push = true, place = null } = {}) {
  const url = new URL(path, location.href);
  const slug = url.pathname.split("/")[2];
  const turn = ++asked;
  notePlace();
  listTop = $("#list-scroll")?.scrollTop || listTop;
  state.opening = slug;
  emit("opening");
  pane().setAttribute("aria-busy", "true");
  const query = new URLSearchParams(url.search);
  query.set("part", "pane");
  if (place) query.set("at", place.id.slice(2));
  const loaded = await load(`${url.pathname}?${query}`, {}, { orKept: true });
  if (turn !== asked) return;
  state.opening = "";
  pane().removeAttribute("aria-busy");
  // The message that was read may be gone, or no page with it is kept.
  if (place && (!loaded || loaded.answer.status === 404)) return open(path, { push });
  if (!loaded?.answer.ok) {
    emit("thread");
    if (loaded) location.assign(url);
    else say(t("The conversation cannot be loaded while the server is away."));
    return;
  }
  // The text, its files and what it answers stay where the same conversation is shown at another place.
  const composer = state.thread === slug ? $("#composer") : null;
  replaced = url.searchParams.has("edit") && state.thread === slug ? { slug, nodes: [...pane().childNodes] } : null;
  // The worker may keep it in a page with the list.
  pane().replaceChildren(...($(".pane-thread", loaded.page) ?? loaded.page.body).childNodes);
  if (composer) $("#composer")?.replaceWith(composer);
  loadMedia(pane());
  const panes = $(".panes");
  state.thread = slug;
  panes.dataset.thread = slug;
  panes.classList.add("in-thread");
  if (push) history.pushState({}, "", url.pathname + url.search + url.hash);
  if (place) $(".hit")?.classList.remove("hit");
  entitle();
  enter();
  emit("thread");
  if (place) scrollTo(place);
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

// What stands beside the list while no conversation is open, if the page began so.
let welcome = null;
// Where the list is. A phone does not show it beside a conversation.
let listTop = 0;

/** Shows the list alone, with its rows and its place. */
function close({ push = false } = {}) {
  if (!chosenThread()) return;
  notePlace();
  asked += 1;
  state.opening = state.thread = "";
  pane().removeAttribute("aria-busy");
  pane().replaceChildren(...(welcome ? [welcome.cloneNode(true)] : []));
  const panes = $(".panes");
  panes.dataset.thread = "";
  panes.classList.remove("in-thread");
  if (push) history.pushState({}, "", $("#rows").dataset.address);
  if (listTop && !$("#list-scroll").scrollTop) $("#list-scroll").scrollTop = listTop;
  entitle();
  emit("thread");
}

/** Goes to a message of the thread, on the page or not. */
export function jump(slug, address) {
  const message = document.getElementById(`m-${slug}`);
  if (message) reveal(message);
  else open(address);
}

export function start() {
  if (!pane()) return;
  welcome = $(".welcome")?.cloneNode(true) ?? null;
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
    if (event.target.closest("a.back")) {
      event.preventDefault();
      return close({ push: true });
    }
    const link = event.target.closest("a.row-link, a.edit, .composer.editing a, .in-place");
    if (!link || link.origin !== location.origin || !link.pathname.startsWith("/c/")) return;
    event.preventDefault();
    open(link.href);
  });
  addEventListener("popstate", () => {
    const slug = location.pathname.split("/")[2];
    if (location.pathname.startsWith("/c/")) open(location.href, { push: false, place: location.search ? null : placeIn(slug) });
    else if ($("#rows").dataset.address === location.pathname + location.search) close();
    else location.reload();
  });
  on("messages", markHit);
  // The conversation is gone, or it is no longer this account's. The action that caused it goes to a page with a notice.
  on("gone", async (slug) => slug === chosenThread() && !(await leaves()) && location.assign("/"));
  enter();
  const place = isReturn() && state.thread && !location.search ? placeIn(state.thread) : null;
  if (place && !scrollTo(place)) open(location.href, { push: false, place });
}
