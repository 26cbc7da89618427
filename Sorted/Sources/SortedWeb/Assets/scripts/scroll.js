// Where the thread is scrolled to. The scroller runs from the bottom up: 0 is the newest message, and up is negative.

import { $, all } from "./dom.js";

const scroller = () => $("#thread-scroll");

/** Whether newer messages than those on the page exist. */
export const isDetached = () => Boolean($("#newer"));

// The scroller that goes to the end of its thread within two frames, and the place where the last change left it. Null if none does.
let following = null;

/** Whether a person reads the newest message. One who scrolls up from where a change left the scroller does not. */
export function isAtEnd() {
  const pane = scroller();
  if (!pane) return true;
  return following?.pane === pane ? pane.scrollTop >= Math.min(following.place, -40) : Math.abs(pane.scrollTop) < 40;
}

/**
 * Runs a change of the thread, and keeps the message that is read where it is. A person who is at the end of the thread
 * stays at its end.
 */
export function keepPlace(change) {
  const pane = scroller();
  const isToFollow = isAtEnd() && !isDetached();
  // A hidden page paints no frames.
  if (!pane || (isToFollow && document.hidden)) return change();
  const anchor = inView(pane);
  const before = anchor?.getBoundingClientRect().top;
  if (isToFollow) hold(pane);
  const result = change();
  const now = anchor && document.getElementById(anchor.id);
  const distance = now ? now.getBoundingClientRect().top - before : 0;
  if (distance) pane.scrollTop += distance;
  if (isToFollow) follow(pane);
  return result;
}

/**
 * Keeps the room above a short thread, which stands at the bottom: what comes then lies below what is seen, as in a long one.
 */
function hold(pane) {
  const room = $(".room", pane);
  if (!room.offsetHeight) return;
  room.style.flexBasis = `${room.offsetHeight}px`;
  pane.classList.add("held");
}

/** Gives up the room again, before a person scrolls into it. It lies above the messages, so nothing moves. */
export function release() {
  const pane = scroller();
  if (!pane?.classList.contains("held")) return;
  pane.classList.remove("held");
  $(".room", pane).style.removeProperty("flex-basis");
}

/**
 * Scrolls to the end in the frame after the one that shows the change. Browsers count what moves because of a change as a
 * shift of the layout, and what moves because of scrolling not.
 */
function follow(pane) {
  // A second change before that frame moved the scroller again. That is not a person's scrolling.
  if (following?.pane === pane) return void (following.place = pane.scrollTop);
  if (pane.scrollTop === 0) return;
  const own = { pane, place: pane.scrollTop };
  following = own;
  requestAnimationFrame(() => requestAnimationFrame(() => {
    // Another thread may be open by now.
    if (following !== own) return;
    const isStill = isAtEnd();
    following = null;
    if (isStill) pane.scrollTop = 0;
  }));
}

// When the scroller moved last, in milliseconds of the page.
let movedAt = 0;

/** Notes that the scroller moves. */
export function noteScroll() {
  movedAt = performance.now();
}

/**
 * Ends when the scroller rests. A browser moves it to a place that it counts from the top of the content, so content that
 * comes above meanwhile would carry the reader away.
 */
export async function rest() {
  for (let wait; (wait = movedAt + 120 - performance.now()) > 0; ) await new Promise((done) => setTimeout(done, wait));
}

/** The first message in view, and how far it is below the upper edge: where a person reads. */
export function anchor() {
  const pane = scroller();
  const message = pane && inView(pane);
  return message ? { id: message.id, top: message.getBoundingClientRect().top - pane.getBoundingClientRect().top } : null;
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

/** Brings a message to the middle and marks it for a moment. */
export function reveal(message) {
  message.scrollIntoView({ block: "center" });
  message.classList.add("flash");
  setTimeout(() => message.classList.remove("flash"), 2_000);
}
