// Lists that keep their order while items come, change and go.

import { $, all, loadMedia, make } from "./dom.js";
import { rowOrder } from "./order.js";
import { day, localise, timeOf } from "./times.js";
import { t } from "./strings.js";

/** Moves films and sounds that were begun to the item that takes the place of theirs. Those that play go on. */
function takeMedia(item, old) {
  const begun = all("video, audio", old).filter(({ paused, currentTime }) => !paused || currentTime > 0);
  for (const media of begun) all("video, audio", item).find(({ src }) => src === media.src)?.replaceWith(media);
  return begun;
}

/** Puts an item where it belongs, in place of the one with its identifier. */
export function put(item, list, kind, order) {
  localise(item);
  const old = document.getElementById(item.id);
  // What a search led to stays marked.
  if (old?.classList.contains("hit")) item.classList.add("hit");
  if (old?.classList.contains("chosen-message")) item.classList.add("chosen-message");
  // A menu that is open stays open, because its user is about to choose.
  const menu = old && $("details.menu[open]", old) && $("details.menu", item);
  if (menu) menu.open = true;
  const focus = old?.contains(document.activeElement) ? document.activeElement : null;
  const begun = old ? takeMedia(item, old) : [];
  const inPlace = old && order(item, old) === 0;
  if (inPlace) old.replaceWith(item);
  else {
    old?.remove();
    list.insertBefore(item, following(item, list, kind, order));
  }
  loadMedia(item, begun);
  if (focus && menu?.open && focus.matches("summary")) $("summary", menu).focus();
  else if (focus) (focus.dataset.key ? $(`[data-key="${focus.dataset.key}"]`, item) : $("a, button", item))?.focus();
  return item;
}

/** The first item behind which a new one does not belong, found from the end: news come last. */
function following(item, list, kind, order) {
  if (order === rowOrder) return all(`:scope > .${kind}`, list).find((other) => order(item, other) < 0) ?? null;
  let next = null;
  for (let other = list.lastElementChild; other; other = other.previousElementSibling) {
    if (!other.classList.contains(kind)) continue;
    if (order(item, other) >= 0) break;
    next = other;
  }
  return next;
}

/** The heading that an item stands under. */
export const heading = (item) =>
  Number(item.dataset.pinned ?? 0) ? t("Pinned") : day(timeOf(item));

/** Brings the headings of a list up to its items. */
export function headings(list, kind, tag) {
  let current = null;
  const left = new Set(all(":scope > .day", list));
  for (const item of all(`:scope > .${kind}`, list)) {
    const text = heading(item);
    if (text === current) continue;
    current = text;
    let before = item.previousElementSibling;
    if (before?.classList.contains("unread-line")) before = before.previousElementSibling;
    let line = before?.classList.contains("day") ? before : null;
    if (line) {
      if (line.firstElementChild.textContent !== text) line.firstElementChild.textContent = text;
    } else {
      line = make("li", { className: "day" }, make(tag, { textContent: text }));
      list.insertBefore(line, item);
    }
    left.delete(line);
  }
  left.forEach((line) => line.remove());
}
