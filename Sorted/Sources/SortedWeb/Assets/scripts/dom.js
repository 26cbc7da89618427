// Short names for what every module does with the document.

export const $ = (selector, root = document) => root.querySelector(selector);
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];
export const parse = (html) => freeButtons(new DOMParser().parseFromString(html, "text/html"));

/**
 * Takes buttons out of the form of all actions; `actions.js` runs them without it. A browser looks through the whole document
 * for the buttons of a form whenever one of them comes or goes, and a message has a dozen.
 */
export function freeButtons(root) {
  for (const button of all('button[form="act"]:not([formaction="/sign-out"])', root)) {
    button.removeAttribute("form");
    button.type = "button";
    button.dataset.act = "";
  }
  return root;
}

/** The first list item of some HTML. */
export const listItem = (html) => parse(`<ul>${html}</ul>`).querySelector("li");

/** Has films and sounds load. What another document parsed does not load by itself, and a page's parts come from such ones. */
export const loadMedia = (root, kept = []) => all("video, audio", root).filter((media) => !kept.includes(media)).forEach((media) => media.load());

/** Makes an element. Properties that start with `data-` or `aria-`, and `role`, become attributes. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (/^(data-|aria-)|^role$|^href$|^for$/.test(name)) element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children);
  return element;
}

/** Sets the place in the order of Tab where it differs: writing an attribute costs the browser a look at the styles. */
export function setTabIndex(element, index) {
  if (element.getAttribute("tabindex") !== String(index)) element.tabIndex = index;
}

/** Closes a menu. The focus goes back to what the menu belongs to. */
export function closeMenu(menu) {
  const isInside = menu.contains(document.activeElement);
  menu.open = false;
  if (isInside) (menu.closest(".msg") ?? $("summary", menu)).focus({ preventScroll: true });
}

/** Removes a row or a message. If it had the focus, the next one gets it, or the one before. */
export function removeItem(item) {
  if (!item?.contains(document.activeElement)) return void item?.remove();
  const kind = item.classList.contains("row") ? "row" : "msg";
  const items = all(`:scope > .${kind}:not([hidden])`, item.parentElement);
  const index = items.indexOf(item);
  const next = items[index + 1] ?? items[index - 1];
  item.remove();
  (next && kind === "row" ? $(".row-link", next) : next)?.focus({ preventScroll: true });
}

/** The sprite of this module's version. */
const icons = new URL("icons.svg", import.meta.url).pathname;

/** An icon of the sprite. */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `${icons}#${name}`);
  svg.append(use);
  return svg;
}
