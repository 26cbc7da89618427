// Dialogs above the page.

import { $, all, make } from "./dom.js";

/**
 * Shows a dialog above the page, and what lies below is out of reach. A modal dialog would make it inert, for which the browser looks
 * at the styles of all messages.
 */
export function showDialog(box) {
  const shade = box.closest(".shade") ?? shaded(box);
  if (!shade.matches(":popover-open")) {
    opener = document.activeElement;
    shade.showPopover();
  }
  $("input, a, button", box)?.focus();
}

/** Whether a dialog lies above the page now. */
export const isShown = (box) => Boolean(box.closest(".shade")?.matches(":popover-open"));

/** Closes a dialog. The focus goes back to where it was. */
export const closeDialog = (box) => box.closest(".shade")?.hidePopover();

// What had the focus before.
let opener = null;

/** Gives the focus back where the browser cannot: what had it is out of sight or gone, such as a command of a menu. */
function giveBack() {
  if (document.activeElement !== document.body && !document.activeElement?.closest(".shade")) return;
  const places = [opener, opener?.closest(".menu")?.querySelector("summary"), opener?.closest(".msg"), $("#text")];
  places.find((place) => place?.isConnected && place.checkVisibility())?.focus({ preventScroll: true });
}

/** Puts a dialog into a layer that covers the page. */
function shaded(box) {
  const shade = make("div", { className: `shade shade-${box.id}`, popover: "auto" });
  box.open = true;
  box.setAttribute("aria-modal", "true");
  shade.append(box);
  document.body.append(shade);
  shade.addEventListener("toggle", ({ newState }) => newState === "closed" && giveBack());
  shade.addEventListener("click", ({ target }) => (target === shade || target.closest("[data-close]")) && closeDialog(box));
  // Tab goes round in the dialog: what lies below is out of reach.
  shade.addEventListener("keydown", (event) => {
    if (event.key !== "Tab") return;
    const stops = all("a[href], button, input, textarea, select, [tabindex='0']", box).filter((stop) => stop.checkVisibility() && !stop.disabled);
    const [first, last] = [stops[0], stops.at(-1)];
    const [edge, other] = event.shiftKey ? [first, last] : [last, first];
    if (document.activeElement !== edge && stops.includes(document.activeElement)) return;
    event.preventDefault();
    other?.focus();
  });
  return shade;
}
