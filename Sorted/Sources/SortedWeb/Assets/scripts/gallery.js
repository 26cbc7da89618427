// The pictures of a thread, one after the other, over the whole screen.

import { closeDialog, isShown, showDialog } from "./dialogs.js";
import { $, all, icon, make } from "./dom.js";
import { t } from "./strings.js";

let pictures = [];
let index = 0;

// How far a finger moves, in points, to turn to another picture, and downwards to close.
const far = 48;
const farDown = 96;

function dialog() {
  const known = $("#gallery");
  if (known) return known;
  const button = (className, name, label, properties) =>
    make("button", { type: "button", className: `icon ${className}`, title: label, "aria-label": label, ...properties }, icon(name));
  const image = make("img", { alt: "", draggable: false });
  const stage = make("div", { className: "stage" }, image);
  const head = make("div", { className: "viewer-head" }, button("onward", "back", t("Close"), { "data-close": "" }), make("bdi"),
    make("span", { role: "status" }), make("a", { className: "icon save", download: "", title: t("Save"), "aria-label": t("Save") }, icon("download")));
  const box = make("dialog", { id: "gallery", "aria-label": t("Pictures") }, head, stage,
    button("viewer-step previous", "back", t("Previous picture"), { onclick: () => step(-1) }),
    button("viewer-step next", "back", t("Next picture"), { onclick: () => step(1) }));
  box.addEventListener("keydown", ({ key }) => {
    if (key === "ArrowLeft") step(-onwards());
    if (key === "ArrowRight") step(onwards());
  });
  turnByFinger(stage, image);
  document.body.append(box);
  return box;
}

/** 1 where the next picture is to the right, and -1 where it is to the left. */
const onwards = () => (document.documentElement.dir === "rtl" ? -1 : 1);

/** A finger pushes the picture aside or down; a click shows its own size. */
function turnByFinger(stage, image) {
  let start = null;
  let isMoved = false;
  const end = (run) => {
    if (!start) return;
    start = null;
    image.style.translate = "";
    run?.();
  };
  stage.addEventListener("pointerdown", ({ clientX, clientY, pointerType, isPrimary }) => {
    // A second finger makes it larger.
    if (!isPrimary) return end();
    isMoved = false;
    if (pointerType !== "mouse" && !stage.classList.contains("zoomed")) start = { x: clientX, y: clientY };
  });
  stage.addEventListener("pointermove", ({ clientX, clientY, isPrimary }) => {
    if (!start || !isPrimary) return;
    const [x, y] = [clientX - start.x, clientY - start.y];
    isMoved ||= Math.abs(x) + Math.abs(y) > 8;
    image.style.translate = Math.abs(x) > Math.abs(y) ? `${x}px` : `0 ${Math.max(0, y)}px`;
  });
  stage.addEventListener("pointerup", ({ clientX, clientY }) => {
    if (!start) return;
    const [x, y] = [clientX - start.x, clientY - start.y];
    if (Math.abs(x) > far && Math.abs(x) > Math.abs(y)) end(() => step(-Math.sign(x) * onwards()));
    else if (y > farDown) end(() => closeDialog($("#gallery")));
    else end();
  });
  stage.addEventListener("pointercancel", () => end());
  image.addEventListener("click", () => !isMoved && stage.classList.toggle("zoomed", !stage.classList.contains("zoomed") && image.naturalWidth > image.width));
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
  // The page may have a new element for it by now.
  all("a.picture").find(({ href }) => href === pictures[index].href)?.focus({ preventScroll: true });
}

function step(by) {
  index = (index + by + pictures.length) % pictures.length;
  const box = dialog();
  const { href } = pictures[index];
  const name = $("img", pictures[index])?.alt ?? "";
  box.classList.toggle("single", pictures.length < 2);
  $(".stage", box).classList.remove("zoomed");
  $("img", box).src = href;
  $("img", box).alt = name;
  $("bdi", box).textContent = name;
  $(".viewer-head span", box).textContent = pictures.length < 2 ? "" : t("{1} of {2}", index + 1, pictures.length);
  $("a", box).href = href;
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
  // A picture that does not load shows its name.
  document.addEventListener("error", ({ target }) => target.closest?.("a.picture")?.classList.add("missing"), true);
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
