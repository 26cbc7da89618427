// Lists that keep their order while items come, change and go.

import { $, all, freeButtons, loadMedia, make, setTabIndex } from "./dom.js";
import { rowOrder } from "./order.js";
import { day, localise, timeOf } from "./times.js";
import { t } from "./strings.js";

/** Moves films and sounds that were begun to the item that takes the place of theirs. Those that play go on. */
function takeMedia(item, old) {
  const begun = all("video, audio", old).filter(({ paused, currentTime }) => !paused || currentTime > 0);
  for (const media of begun) all("video, audio", item).find(({ src }) => src === media.src)?.replaceWith(media);
  return begun;
}

/** Takes the parts of a message that its own keys reach out of the order of Tab: a thread has hundreds of them. */
export function makeReady(message) {
  setTabIndex(message, -1);
  for (const part of all(":scope > .msg-actions > a, :scope > .msg-actions > .menu > summary", message)) setTabIndex(part, -1);
}

/** Takes what the page itself noted at an item over to the one that comes in its place. */
function takeMarks(item, old) {
  for (const name of ["hit", "chosen-message", "flash", "unfolded"]) if (old.classList.contains(name)) item.classList.add(name);
  item.classList.toggle("grouped", old.classList.contains("grouped"));
  const [chip, oldChip] = [$(".chip", item), $(".chip", old)];
  if (chip && oldChip?.hasAttribute("tabindex") && chip.className === oldChip.className) {
    chip.tabIndex = 0;
    chip.title = oldChip.title;
  }
  const [link, oldLink] = [$(".row-link", item), $(".row-link", old)];
  if (!link || !oldLink) return;
  for (const name of ["tabindex", "aria-current"]) {
    if (oldLink.hasAttribute(name)) link.setAttribute(name, oldLink.getAttribute(name));
    else link.removeAttribute(name);
  }
  for (const button of all(".row-actions button", item)) setTabIndex(button, -1);
}

/** Whether an item says what the one on the page says. The server's page still has its buttons in their form. */
const isSame = (old, item) => ($('[form="act"]', old) ? freeButtons(old.cloneNode(true)) : old).isEqualNode(item);

/**
 * Puts items where they belong, each in place of the one with its identifier. What stands before or behind all others comes
 * into the document at once, because each insertion has the browser look at the items behind it.
 */
export function putAll(items, list, kind, order) {
  const shown = all(`:scope > .${kind}`, list);
  const isNew = (item) => !document.getElementById(item.id);
  const before = shown.length ? items.filter((item) => isNew(item) && order(item, shown[0]) < 0) : items;
  const rest = items.filter((item) => !before.includes(item));
  if (before.length) {
    const part = document.createDocumentFragment();
    for (const item of before.sort(order)) {
      localise(item);
      if (kind === "msg") makeReady(item);
      part.append(item);
    }
    list.insertBefore(part, shown[0] ? withLine(shown[0]) : null);
    before.forEach((item) => loadMedia(item));
  }
  for (const item of rest) put(item, list, kind, order);
}

/** Puts an item where it belongs, in place of the one with its identifier. One that is the same stays. */
export function put(item, list, kind, order) {
  localise(item);
  if (kind === "msg") makeReady(item);
  const old = document.getElementById(item.id);
  if (old) takeMarks(item, old);
  // A menu that is open stays open, because its user is about to choose.
  const menu = old && $("details.menu[open]", old) && $("details.menu", item);
  if (menu) menu.open = true;
  if (old && isSame(old, item)) return old;
  const focus = old?.contains(document.activeElement) ? document.activeElement : null;
  const begun = old ? takeMedia(item, old) : [];
  const inPlace = old && order(item, old) === 0;
  if (inPlace) old.replaceWith(item);
  else {
    old?.remove();
    const next = following(item, list, kind, order);
    list.insertBefore(item, next && (order === rowOrder ? withHeading(next, item) : withLine(next)));
  }
  loadMedia(item, begun);
  if (focus && menu?.open && focus.matches("summary")) $("summary", menu).focus();
  else if (focus === old && focus) item.focus({ preventScroll: true });
  else if (focus) (focus.dataset.key ? $(`[data-key="${focus.dataset.key}"]`, item) : $("a, button", item))?.focus();
  return item;
}

/** An item, or the line before it that says that what follows is unread: what is older comes before both. */
const withLine = (item) => (item.previousElementSibling?.classList.contains("unread-line") ? item.previousElementSibling : item);

/** A row, or the heading before it if an item that comes before the row does not stand under that heading. */
const withHeading = (row, item) => {
  const line = row.previousElementSibling;
  return line?.classList.contains("day") && line.firstElementChild.textContent !== heading(item) ? line : row;
};

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
  item.dataset.lead ? t("Needs an answer · {1}", item.parentElement?.dataset.waiting ?? "") :
  Number(item.dataset.pinned ?? 0) ? t("Pinned") : day(timeOf(item));

/** Brings the headings of a list up to its items. */
export function headings(list, kind, tag) {
  let current = null;
  const left = new Set(all(":scope > .day", list));
  for (const item of all(`:scope > .${kind}:not([hidden])`, list)) {
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
