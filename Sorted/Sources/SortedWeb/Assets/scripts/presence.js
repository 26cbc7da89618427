// Who is writing, how many conversations are unread, and notifications of messages that come while the page is hidden.

import { $, all } from "./dom.js";
import { post } from "./server.js";
import { on, state } from "./state.js";
import { t } from "./strings.js";

let lastTold = 0;
let timer;

/** Tells the others, every few seconds at most. Nothing of it is stored. */
function tellWriting() {
  if (Date.now() - lastTold < 3_000 || !$("#text")?.value) return;
  lastTold = Date.now();
  post(`/c/${state.thread}/typing`).catch(() => {});
}

function showWriting({ thread, name }) {
  const line = $("#typing");
  if (thread !== state.thread || !line) return;
  line.textContent = t("{1} is writing…", name);
  clearTimeout(timer);
  timer = setTimeout(() => (line.textContent = ""), 5_000);
}

/** The title counts unread conversations, so that a tab in the background says so. */
export function showCount() {
  const count = all("#rows .row.unread").length;
  const plain = document.body.dataset.title;
  document.title = count ? `(${count}) ${plain}` : plain;
}

function notify(message) {
  if (document.visibilityState === "visible" || message.classList.contains("mine")) return;
  if (globalThis.Notification?.permission !== "granted") return;
  const row = $(`#c-${message.dataset.thread}`);
  if (row?.querySelector(".muted-mark")) return;
  const note = new Notification(message.dataset.name, { body: $(".text", message)?.textContent.slice(0, 200), tag: message.dataset.thread });
  note.onclick = () => {
    focus();
    note.close();
  };
}

export function start() {
  on("writing", tellWriting);
  on("composed", () => (lastTold = 0));
  on("typing", showWriting);
  on("message", notify);
  on("rows", showCount);
  showCount();
  const button = $("#allow-notifications");
  if (!button || !globalThis.Notification) return;
  button.hidden = Notification.permission !== "default";
  button.addEventListener("click", async () => {
    await Notification.requestPermission();
    button.hidden = Notification.permission !== "default";
  });
}
