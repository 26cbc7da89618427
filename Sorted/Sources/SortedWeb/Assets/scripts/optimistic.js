// Shows what waits for the server as if it were done: changes, and in the list the last message on its way.

import { $, icon, make } from "./dom.js";
import { put } from "./lists.js";
import { messageOrder, rowOrder } from "./order.js";
import { tidyRows } from "./rows.js";
import { on, state } from "./state.js";
import { waiting } from "./store.js";
import { tidy } from "./thread.js";
import { t } from "./strings.js";

/** What waits, by the identifier of the row or the message that it changes. */
let current = new Map();
/** The items as the server made them, in whose places changed ones are shown. */
const originals = new Map();
let isShowing = false;

/** An item of the outbox as a change of a row or a message. */
function changeOf({ thread, path, fields, text, writtenAt }) {
  if (!path) return [`c-${thread}`, { kind: "row.text", value: text, at: writtenAt }];
  const [, , slug, part, message, action] = path.split("/");
  if (part === "m") return [`m-${message}`, { kind: `message.${action}`, value: Object.values(fields)[0] ?? "" }];
  const [name, value] = part === "set" ? Object.entries(fields)[0] : [part, ""];
  return [`c-${slug}`, { kind: `row.${name}`, value }];
}

/** Shows an icon, or takes it away. */
function mark(item, place, name, label, isOn) {
  $(`.mark[aria-label="${label}"]`, item)?.remove();
  if (!isOn) return;
  const svg = icon(name);
  svg.setAttribute("class", "mark");
  svg.removeAttribute("aria-hidden");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  $(`${place} time`, item)?.before(svg);
}

function press(row, key) {
  $(`[data-key="${key}"]`, row)?.setAttribute("aria-pressed", "true");
}

function hide(item) {
  item.hidden = true;
}

const ways = {
  "row.pin": (row, { value }) => {
    row.dataset.pinned = value;
    mark(row, ".row-top", "pin", t("pinned"), value === "1");
    press(row, "p");
  },
  "row.mute": (row, { value }) => {
    mark(row, ".row-top", "muted", t("muted"), value === "1");
    row.toggleAttribute("data-silent", value === "1");
    press(row, "m");
  },
  // It leaves the list that it is in, and comes back when that is taken back.
  "row.archive": (row) => (row.hidden = !row.hidden),
  "row.accept": hide,
  "row.delete": hide,
  "row.text": (row, { value, at }) => {
    $(".draft", row)?.remove();
    const preview = $(".preview-text", row);
    if (!preview) return;
    preview.textContent = value;
    if (!$(".by", row)) preview.before(make("bdi", { className: "by" }), " ");
    $(".by", row).textContent = `${t("You")}:`;
    row.dataset.sort = String(Math.max(Number(row.dataset.sort), at * 1000));
    const time = $("time", row);
    time.dateTime = new Date(at).toISOString();
  },
  "message.delete": hide,
  "message.delete-for-all": (message) => {
    message.classList.add("deleted");
    for (const part of message.querySelectorAll(".bubble > :is(.picture, .album, .file, video, audio, .quote, .reactions, .chips)")) part.remove();
    const text = $(".text", message) ?? make("div", { className: "text", dir: "auto" });
    text.textContent = t("This message was deleted.");
    if (!text.isConnected) $(".meta", message).before(text);
  },
  "message.edit": (message, { value }) => {
    const text = $(".text", message);
    if (text) text.textContent = value;
  },
  "message.pin": (message, { value }) => mark(message, ".meta", "pin", t("pinned"), value === "1"),
  "message.react": (message, { value }) => {
    $(".reaction.own", message)?.remove();
    if (!value) return;
    const box = $(".reactions", message) ?? make("span", { className: "reactions" });
    box.append(make("span", { className: "reaction own", textContent: `${value} 1` }));
    $(".bubble", message).append(box);
  },
};

/** Puts an item into the place of the one with its identifier. */
function exchange(item) {
  const list = item.classList.contains("row") ? $("#rows") : $("#messages");
  if (!list) return;
  if (list.id === "rows") {
    put(item, list, "row", rowOrder);
    tidyRows();
  } else {
    put(item, list, "msg", messageOrder);
    tidy();
  }
}

/** Shows what waits at the items that are on the page. The server's own items come again and again. */
function show() {
  if (isShowing || !current.size) return;
  isShowing = true;
  try {
    for (const [id, changes] of current) {
      const shown = document.getElementById(id);
      const what = JSON.stringify(changes);
      if (!shown || shown.dataset.ahead === what) continue;
      if (!shown.dataset.ahead) originals.set(id, shown);
      const item = (originals.get(id) ?? shown).cloneNode(true);
      item.classList.add("changing");
      item.dataset.ahead = what;
      for (const change of changes) ways[change.kind]?.(item, change);
      exchange(item);
    }
  } finally {
    isShowing = false;
  }
}

/** Shows the server's item again, if none came meanwhile. */
function restore(id) {
  const original = originals.get(id);
  if (current.has(id)) return;
  originals.delete(id);
  if (!original || !document.getElementById(id)?.dataset.ahead) return;
  exchange(original);
  document.getElementById(id)?.classList.remove("changing");
}

let turn = Promise.resolve();

/**
 * Brings the page up to what waits.
 * @param isDone whether what waits no longer was done: its item comes from the server soon
 */
export function update(isDone = false) {
  turn = turn.then(async () => {
    const found = new Map();
    for (const item of state.account ? await waiting(state.account) : []) {
      if (item.refusal) continue;
      const [id, change] = changeOf(item);
      const former = found.get(id) ?? [];
      const isBack = change.kind.endsWith(".restore");
      found.set(id, isBack ? former.filter(({ kind }) => !kind.includes(".delete")) : [...former, change]);
    }
    const over = [...current.keys()].filter((id) => !found.has(id));
    current = found;
    for (const id of over) {
      document.getElementById(id)?.classList.remove("changing");
      if (isDone) setTimeout(restore, 1_500, id);
      else restore(id);
    }
    show();
  }).catch(() => {});
  return turn;
}

export function start() {
  on("waiting", () => update());
  on("taken-back", () => update());
  on("refused", () => update());
  on("sent", () => update(true));
  on("changed", ({ refusal }) => update(!refusal));
  for (const name of ["rows", "messages"]) on(name, show);
  update();
}
