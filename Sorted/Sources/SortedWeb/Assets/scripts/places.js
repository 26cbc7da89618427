// Where one was: the place in a conversation and in the list, for the way back.

import { $ } from "./dom.js";
import { anchor, isAtEnd, isDetached } from "./scroll.js";
import { state } from "./state.js";

const key = (thread) => `place-${state.account}-${thread}`;

/** Notes where the open conversation is scrolled to. Its end is no place of its own: there the next visit begins as always. */
export function notePlace() {
  if (!state.thread || !$("#thread-scroll")) return;
  const place = isAtEnd() && !isDetached() ? null : anchor();
  if (place) sessionStorage.setItem(key(state.thread), JSON.stringify(place));
  else sessionStorage.removeItem(key(state.thread));
}

/** The message that was at the top of a conversation, and how far below the edge; null for its end. */
export const placeIn = (thread) => JSON.parse(sessionStorage.getItem(key(thread)) ?? "null");

/** Scrolls to a place. @returns whether its message is on the page */
export function scrollTo({ id, top }) {
  const [pane, message] = [$("#thread-scroll"), document.getElementById(id)];
  if (!pane || !message) return false;
  pane.scrollTop += message.getBoundingClientRect().top - pane.getBoundingClientRect().top - top;
  return true;
}

let isKnown = null;

/** Whether the browser's Back or Forward led to this page. */
export function isReturn() {
  if (isKnown === null) {
    isKnown = performance.getEntriesByType("navigation")[0]?.type === "back_forward" || sessionStorage.getItem("returned") === "yes";
    sessionStorage.removeItem("returned");
  }
  return isKnown;
}

/** A page that the browser kept is loaded again, and is a return all the same. */
export function reloadReturned() {
  sessionStorage.setItem("returned", "yes");
  location.reload();
}

export function start() {
  isReturn();
  addEventListener("pagehide", notePlace);
}
