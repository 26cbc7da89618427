// Files that go with the message that is being written: chosen, dropped or pasted, with a preview of pictures.

import { $, icon, make } from "./dom.js";
import { say } from "./say.js";
import { state } from "./state.js";
import { t } from "./strings.js";

// The files of each conversation that wait for their message.
const chosen = new Map();

export const chosenFiles = (thread = state.thread) => chosen.get(thread) ?? [];

function choose(files, thread = state.thread) {
  chosen.set(thread, files);
  if (thread === state.thread) showFiles();
}

export const clearFiles = () => choose([]);

// What a form has beside its files.
const overhead = 320 * 1024;

/** Chooses further files. One that makes the message too large is left out at once, not after it was sent. */
export function addFiles(list, thread = state.thread) {
  const files = [...chosenFiles(thread)];
  let room = state.maximumUpload - overhead - files.reduce((sum, { size }) => sum + size, 0);
  const tooLarge = [];
  for (const file of list) {
    if (file.size > room) tooLarge.push(file);
    else {
      room -= file.size;
      files.push(file);
    }
  }
  choose(files, thread);
  const megabytes = (size) => (size / (1 << 20)).toLocaleString(undefined, { maximumFractionDigits: 1 });
  if (tooLarge.length)
    say(t("{1} was not attached: it has {2} MiB, and the files of a message take {3} MiB together.",
      tooLarge.map(({ name }) => name).join(", "), megabytes(tooLarge.reduce((sum, { size }) => sum + size, 0)), megabytes(state.maximumUpload)));
}

/** Shows the files of the conversation on the page. */
export function showFiles() {
  const files = chosenFiles();
  const box = $("#chosen");
  if (!box) return;
  for (const image of box.querySelectorAll("img")) URL.revokeObjectURL(image.src);
  box.hidden = files.length === 0;
  box.replaceChildren(...files.map((file, index) => {
    const isPicture = /^image\/(png|jpeg|gif|webp)$/.test(file.type);
    const preview = isPicture ? make("img", { src: URL.createObjectURL(file), alt: "" }) : icon("file");
    const remove = make("button", { type: "button", className: "icon", "aria-label": t("Remove {1}", file.name), textContent: "×",
      onclick: () => {
        choose(files.filter((_, other) => other !== index));
        $("#text").focus();
      } });
    return make("span", { className: "attachment" }, preview, make("bdi", { textContent: file.name }), remove);
  }));
}

export function start() {
  document.addEventListener("change", (event) => {
    if (event.target.id !== "files") return;
    addFiles(event.target.files);
    event.target.value = "";
  });
  document.addEventListener("paste", (event) => {
    const pasted = [...(event.clipboardData?.files ?? [])];
    if (!pasted.length || event.target.id !== "text") return;
    event.preventDefault();
    addFiles(pasted);
  });
  const panes = $(".panes");
  for (const name of ["dragenter", "dragover"])
    addEventListener(name, (event) => {
      if (!event.dataTransfer?.types.includes("Files") || !$("#composer")) return;
      event.preventDefault();
      panes.classList.add("dropping");
    });
  addEventListener("dragleave", (event) => event.relatedTarget ?? panes?.classList.remove("dropping"));
  addEventListener("drop", (event) => {
    panes?.classList.remove("dropping");
    if (!event.dataTransfer?.files.length || !$("#composer")) return;
    event.preventDefault();
    addFiles(event.dataTransfer.files);
    $("#text").focus();
  });
}
