// Fingers: a long press shows what can be done with a conversation or a message, and a message that is pushed aside is answered.

import { setReply } from "./composer.js";
import { $ } from "./dom.js";

// In milliseconds, and in points.
const hold = 500;
const still = 10;
const far = 56;

let press = null;

const itemOf = (target) => target.closest?.("#rows > .row, #messages > .msg:not(.event, .waiting, .deleted)");
/** What has a gesture of its own. */
const isOwn = (target) => target.closest("button, summary, input, textarea, video, audio, pre, .panel");

function end() {
  if (!press) return;
  clearTimeout(press.timer);
  press.item.classList.remove("pressed", "pushed");
  press.item.style.removeProperty("--pushed");
  press = null;
}

/** Asks for the menu as a right click does. */
const ask = (item, x, y) => item.dispatchEvent(new MouseEvent("contextmenu", { bubbles: true, cancelable: true, clientX: x, clientY: y }));

function held() {
  press.isHeld = true;
  // A live event may have replaced the item meanwhile.
  if (!press.item.isConnected) press.item = document.getElementById(press.item.id) ?? press.item;
  ask(press.item, press.x, press.y);
}

function begin({ target, clientX: x, clientY: y, pointerType, isPrimary }) {
  end();
  const item = pointerType === "touch" && isPrimary && itemOf(target);
  if (!item || isOwn(target)) return;
  press = { item, x, y, isHeld: false, isPushed: false, timer: setTimeout(held, hold) };
  if (item.classList.contains("row")) item.classList.add("pressed");
}

/** How far the message is pushed towards the end of a line. */
const distance = (x) => (document.documentElement.dir === "rtl" ? press.x - x : x - press.x);

function move({ clientX: x, clientY: y }) {
  if (!press || press.isHeld) return;
  if (Math.hypot(x - press.x, y - press.y) > still) {
    clearTimeout(press.timer);
    press.item.classList.remove("pressed");
  }
  if (!press.item.classList.contains("msg") || !$("a.reply", press.item) || !$("#composer")) return;
  const by = distance(x);
  press.isPushed ||= by > 2 * still && by > 2 * Math.abs(y - press.y);
  if (!press.isPushed) return;
  press.item.classList.add("pushed");
  press.item.style.setProperty("--pushed", `${Math.sign(x - press.x) * Math.max(0, Math.min(by, 1.5 * far))}px`);
}

function release({ clientX: x }) {
  if (!press) return;
  const { item, isPushed, isHeld, x: left, y: top } = press;
  const isFar = isPushed && distance(x) > far;
  end();
  if (isFar) setReply(item);
  // The finger that goes is outside of the menu, so the browser closes it.
  if (isHeld && item.classList.contains("row")) setTimeout(() => $("#row-menu:popover-open") ?? ask(item, left, top));
  // What was pressed for long or pushed is not clicked as well.
  if (!isHeld && !isPushed) return;
  const swallow = (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => removeEventListener("click", swallow, { capture: true }), 100);
}

export function start() {
  document.addEventListener("pointerdown", begin);
  document.addEventListener("pointermove", move, { passive: true });
  document.addEventListener("pointerup", release);
  document.addEventListener("pointercancel", end);
  // A browser that knows the long press itself asks first.
  document.addEventListener("contextmenu", () => press && ((press.isHeld = true), clearTimeout(press.timer)), { capture: true });
  document.addEventListener("contextmenu", (event) => {
    const message = press && itemOf(event.target);
    const menu = message?.classList.contains("msg") && $("details.menu", message);
    if (!menu) return;
    event.preventDefault();
    message.focus({ preventScroll: true });
    menu.open = true;
  });
}
