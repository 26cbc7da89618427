// Short messages to the person at the browser.

import { $, make } from "./dom.js";
import { state } from "./state.js";

let timer;

/** Shows a line for a while. A link is `{ text, href }`, a button `{ text, run }`. */
export function say(text, action) {
  const line = make("div", { className: "notice" }, make("span", { textContent: text, dir: "auto" }));
  if (action?.href) line.append(make("a", { href: action.href, textContent: action.text }));
  if (action?.run) line.append(make("button", { className: "link", type: "button", textContent: action.text, onclick: action.run }));
  $("#notice").replaceChildren(line);
  hideNoticeLater();
}

export function hideNoticeLater() {
  clearTimeout(timer);
  if ($("#notice")?.firstElementChild) timer = setTimeout(() => $("#notice").replaceChildren(), 12_000);
}

export function setOnline(isOnline) {
  state.isOnline = isOnline;
  const [line, status] = [$("#offline"), $("#status")];
  if (line && !state.isSignedOut) line.hidden = isOnline;
  // How the server stands is not known now.
  if (status) status.hidden = !isOnline;
}

/** Says whether the server answers and stores nothing, as with a full disk. */
export function setFull(isFull) {
  const line = $("#full");
  if (line) line.hidden = !isFull;
}

/** Says that the session is over and that nothing that was written is lost. */
export function saySignedOut() {
  state.isSignedOut = true;
  const line = $("#signed-out");
  if (!line) return;
  $("#offline").hidden = true;
  line.hidden = false;
}
