// What of the open thread was on the screen. Only that counts as read.

import { $, all } from "./dom.js";
import { rowSort } from "./rows.js";
import { isAtEnd, isDetached } from "./scroll.js";
import { setOnline } from "./say.js";
import { post } from "./server.js";
import { on, state } from "./state.js";
import { t } from "./strings.js";

/** The conversation, and the last of its messages that the server knows to be seen. */
let told = { thread: "", sort: 0 };
/**
 * The time of the conversation's row when the end of the thread was loaded last: the page lacks no message up to then. A row that
 * came since may tell of a message that is not on the page yet.
 */
let whole = { thread: "", sort: 0 };
let isFirst = true;
let isTelling = false;
let timer = null;
// Of a conversation without a row in the list.
let counted = 0;

/** How many messages of the open conversation are unread. The server counts a hundred at most. */
const unread = () => Number(document.getElementById(`c-${state.thread}`)?.dataset.unread ?? counted);

/** The newest message that is on the screen with more than its edge. */
function newestOnScreen() {
  const pane = $("#thread-scroll");
  if (!pane) return null;
  const bottom = pane.getBoundingClientRect().bottom - 20;
  const messages = all(".msg:not(.waiting)", pane);
  // Messages are in order, so the last one that begins above the bottom is found by halving.
  let [low, high] = [0, messages.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (messages[middle].getBoundingClientRect().top < bottom) low = middle + 1;
    else high = middle;
  }
  return messages[low - 1] ?? null;
}

async function tell() {
  timer = null;
  const thread = state.thread;
  if (!thread || isTelling || !unread()) return;
  if (document.visibilityState !== "visible") return;
  // Behind the end of the whole thread is nothing but what the reader deleted.
  const end = isAtEnd() && !isDetached() && whole.thread === thread ? whole.sort : 0;
  const sort = Math.max(end, Number(newestOnScreen()?.dataset.sort ?? 0));
  if (told.thread === thread && sort <= told.sort) return;
  isTelling = true;
  try {
    const { ok } = await post(`/c/${thread}/read`, { upTo: String(sort) });
    if (ok) told = { thread, sort };
  } catch {
    // It is told when the server is back.
    setOnline(false);
    return;
  } finally {
    isTelling = false;
  }
  look();
}

/** Looks soon what is on the screen, and shows what is not. */
function look() {
  showPill();
  timer ??= setTimeout(tell, 150);
}

/** The button that leads to the newest message, with the number of unread ones. It is there where these are out of sight. */
function showPill() {
  const pill = $("#to-newest");
  if (!pill) return;
  pill.hidden = !isDetached() && (isAtEnd() || (!unread() && -$("#thread-scroll").scrollTop < 300));
  if (pill.hidden) return;
  const count = unread();
  const text = count > 1 ? t("{1} new messages", count > 99 ? "99+" : count) : count ? t("1 new message") : t("Newest messages");
  const label = $("span", pill);
  if (label.textContent !== text) label.textContent = text;
}

/** Begins with the thread that is on the page. */
export function enterSeen() {
  counted = Number($("#thread-scroll")?.dataset.unread ?? 0);
  if (told.thread !== state.thread) told = { thread: state.thread, sort: 0 };
  // The server made the first page with its row. A thread that was opened since is older than its row may be.
  whole = { thread: state.thread, sort: isFirst && !isDetached() ? rowSort(state.thread) : 0 };
  isFirst = false;
  look();
}

export function start() {
  on("row", ({ row }) => {
    if (row.dataset.slug === state.thread) counted = Number(row.dataset.unread);
  });
  on("whole", (loaded) => {
    whole = loaded;
    look();
  });
  for (const name of ["rows", "messages", "scrolled", "online"]) on(name, look);
  document.addEventListener("visibilitychange", look);
}
