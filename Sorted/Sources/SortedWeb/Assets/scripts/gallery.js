// The pictures of a thread, one after the other.

import { closeDialog, isShown, showDialog } from "./dialogs.js";
import { $, all, make } from "./dom.js";
import { t } from "./strings.js";

let pictures = [];
let index = 0;

function dialog() {
  const known = $("#gallery");
  if (known) return known;
  const button = (text, label, run) => make("button", { type: "button", className: "button", textContent: text, "aria-label": label, onclick: run });
  const box = make("dialog", { id: "gallery", "aria-label": t("Pictures") }, make("img", { alt: "" }),
    make("span", { className: "buttons" }, button("←", t("Previous picture"), () => step(-1)), make("a", { className: "button", textContent: t("Save"), download: "" }),
      make("button", { type: "button", className: "button", textContent: t("Close"), "data-close": "" }), button("→", t("Next picture"), () => step(1))));
  box.addEventListener("keydown", (event) => {
    if (event.key === "ArrowLeft") step(-1);
    if (event.key === "ArrowRight") step(1);
  });
  document.body.append(box);
  return box;
}

// Whether the dialog was closed, and its entry of the history is about to go.
let isClosing = false;
// Whether Back closed it, so that its entry is gone.
let isLeft = false;

/** Takes the entry of the history away that the picture had. */
function closed({ newState }) {
  if (newState !== "closed") return;
  if (!isLeft && history.state?.picture) {
    isClosing = true;
    history.back();
  }
  isLeft = false;
}

function step(by) {
  index = (index + by + pictures.length) % pictures.length;
  const box = dialog();
  $("img", box).src = pictures[index].href;
  $("img", box).alt = $("img", pictures[index])?.alt ?? "";
  $("a", box).href = pictures[index].href;
}

export function start() {
  document.addEventListener("click", (event) => {
    const picture = event.target.closest("a.picture");
    if (!picture || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    pictures = all("a.picture");
    index = pictures.indexOf(picture);
    step(0);
    // Back closes the picture, and not the conversation.
    history.pushState({ ...history.state, picture: true }, "");
    const box = dialog();
    showDialog(box);
    box.closest(".shade").ontoggle = closed;
  });
  addEventListener("popstate", (event) => {
    const box = $("#gallery");
    if (!isClosing && !(box && isShown(box))) return;
    event.stopImmediatePropagation();
    if (!isClosing) {
      isLeft = true;
      closeDialog(box);
    }
    isClosing = false;
  });
}
