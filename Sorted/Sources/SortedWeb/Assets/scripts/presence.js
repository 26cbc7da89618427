// Who is here and who is writing, how many conversations are unread, and notifications of messages that come while the page is
// hidden.

import { $, all, make } from "./dom.js";
import { post } from "./server.js";
import { chosenThread, on, state } from "./state.js";
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
  line.dataset.name = name;
  clearTimeout(timer);
  timer = setTimeout(endWriting, 5_000);
}

function endWriting() {
  $("#typing")?.replaceChildren();
}

/** Says who else has the conversation open now. The members' links have their names. */
function showHere({ thread, people }) {
  if (thread !== state.thread || !$("#presence")) return;
  const here = people.split(" ");
  for (const mark of all(".here-mark")) mark.remove();
  const links = all(".members a").filter(({ pathname }) => here.includes(pathname.split("/").at(-1)));
  for (const link of links) link.append(" ", make("small", { className: "here-mark", textContent: t("here now") }));
  const names = links.map((link) => $("bdi", link).textContent);
  $("#presence").textContent = names.length > 1 ? t("{1} are here", names.join(", ")) : names.length ? t("{1} is here", names[0]) : "";
}

/** The title counts unread conversations, so that a tab in the background says so. */
export function showCount() {
  const count = all("#rows .row.unread:not([data-silent])").length;
  const plain = document.body.dataset.title;
  document.title = count ? `(${count}) ${plain}` : plain;
}

const unread = (row) => Number(row.dataset.unread);

/** Whether a row has an unread message that the row before it had not. */
function hasNews(row, old) {
  if (!old) return unread(row) > 0;
  // More than 99 are not counted.
  return Number(row.dataset.sort) > Number(old.dataset.sort) && (unread(row) > unread(old) || unread(row) > 99);
}

function notify({ row, old }) {
  if (document.visibilityState === "visible" || globalThis.Notification?.permission !== "granted") return;
  if ("silent" in row.dataset || !hasNews(row, old)) return;
  const slug = row.dataset.slug;
  const note = new Notification($(".name", row).textContent, { body: $(".preview", row).textContent, tag: slug });
  note.onclick = () => {
    focus();
    note.close();
    if (chosenThread() !== slug) location.assign(`/c/${slug}`);
  };
}

export function start() {
  on("writing", tellWriting);
  on("composed", () => (lastTold = 0));
  on("typing", showWriting);
  on("message", ({ dataset }) => dataset.thread === state.thread && dataset.name === $("#typing")?.dataset.name && endWriting());
  on("presence", showHere);
  // Who comes and goes is not known now.
  on("broken", () => {
    endWriting();
    showHere({ thread: state.thread, people: "" });
  });
  on("row", notify);
  on("rows", showCount);
  on("title", showCount);
  showCount();
  const button = $("#allow-notifications");
  if (!button || !globalThis.Notification) return;
  button.hidden = Notification.permission !== "default";
  button.addEventListener("click", async () => {
    await Notification.requestPermission();
    button.hidden = Notification.permission !== "default";
  });
}
