// Where the thread is scrolled to. The scroller runs from the bottom up: 0 is the newest message, and up is negative.

import { $, all } from "./dom.js";

const scroller = () => $("#thread-scroll");

/** Whether newer messages than those on the page exist. */
export const isDetached = () => Boolean($("#newer"));

export const isAtEnd = () => Math.abs(scroller()?.scrollTop ?? 0) < 40;

/**
 * Runs a change of the thread, and keeps the message that is read where it is. A person who is at the end of the thread
 * stays at its end.
 */
export function keepPlace(change) {
  const pane = scroller();
  if (!pane || (isAtEnd() && !isDetached())) return change();
  const anchor = inView(pane);
  const before = anchor?.getBoundingClientRect().top;
  const result = change();
  const now = anchor && document.getElementById(anchor.id);
  if (now) pane.scrollTop += now.getBoundingClientRect().top - before;
  return result;
}

function inView(pane) {
  const { top, bottom } = pane.getBoundingClientRect();
  const messages = all(".msg", pane);
  // The one that a search led to counts most as long as it is in view.
  const hit = messages.find((message) => message.classList.contains("hit"));
  const isSeen = (message) => {
    const box = message.getBoundingClientRect();
    return box.bottom > top && box.top < bottom;
  };
  if (hit && isSeen(hit)) return hit;
  // Messages are in order, so the first one that ends below the top is found by halving.
  let [low, high] = [0, messages.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (messages[middle].getBoundingClientRect().bottom > top) high = middle;
    else low = middle + 1;
  }
  return messages[low];
}

export function showPill() {
  $("#to-newest").hidden = false;
}

export function hidePillAtEnd() {
  if (isAtEnd() && !isDetached()) $("#to-newest")?.setAttribute("hidden", "");
}

/** Brings a message to the middle and marks it for a moment. */
export function reveal(message) {
  message.scrollIntoView({ block: "center" });
  message.classList.add("flash");
  setTimeout(() => message.classList.remove("flash"), 2_000);
}
