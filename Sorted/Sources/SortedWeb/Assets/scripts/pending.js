// Messages on their way, at the end of the thread.

import { addFiles } from "./attachments.js";
import { $, all, listItem, make } from "./dom.js";
import { put } from "./lists.js";
import { messageOrder } from "./order.js";
import { enqueue, retry, takeBack } from "./outbox.js";
import { say } from "./say.js";
import { isDetached } from "./scroll.js";
import { on, state } from "./state.js";
import { waiting } from "./store.js";
import { putMessage, tidy } from "./thread.js";
import { t } from "./strings.js";

/** An ASCII text as identifiers stand in addresses. */
const slug = (ascii) => btoa(ascii).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

export const idOf = (key) => `m-${slug(key)}`;

function show(item) {
  if (item.thread !== state.thread || !$("#pending") || isDetached()) return;
  const old = document.getElementById(idOf(item.key));
  if (old && !old.classList.contains("waiting")) return;
  const element = $("#pending").content.firstElementChild.cloneNode(true);
  element.id = idOf(item.key);
  element.dataset.key = item.key;
  const last = Number(all(".msg:not(.waiting)", $("#messages")).at(-1)?.dataset.sort ?? 0);
  element.dataset.sort = old?.dataset.sort ?? Math.max(Date.now() * 1000, 1 + last, nextSort());
  element.dataset.sender = all(".msg.mine").at(-1)?.dataset.sender ?? "me";
  $(".text", element).textContent = item.text;
  element.classList.toggle("emoji", !item.files.length && /^(\p{Emoji_Presentation}|\p{Emoji}\uFE0F){1,3}$/u.test(item.text.trim()));
  $(".author", element).after(...item.files.map(({ name }) => make("span", { className: "file", textContent: name })));
  if (item.refusal) refuse(element, item);
  else offer(element, item);
  put(element, $("#messages"), "msg", messageOrder);
  tidy();
  return element;
}

/** What can be done with a message that waits, and how much of its files is sent. */
function offer(element, item) {
  const button = (text, run) => make("button", { type: "button", className: "link", textContent: text, onclick: run });
  const actions = make("div", { className: "msg-actions" }, button(t("Edit"), () => edit(item)), button(t("Delete"), () => takeBack(item.key)));
  element.append(actions);
  if (item.files.length) $(".bubble", element).append(make("progress", { max: 1, value: 0, "aria-label": t("Sending") }));
}

function showProgress({ key, share }) {
  const bar = $("progress", document.getElementById(idOf(key)) ?? document.createElement("li"));
  if (bar) bar.value = share;
}

let lastSort = 0;
const nextSort = () => (lastSort = Math.max(lastSort + 1, Date.now() * 1000));

function refuse(element, item) {
  element.classList.add("refused");
  $(".meta", element)?.remove();
  const button = (text, run) => make("button", { type: "button", className: "link", textContent: text, onclick: run });
  const text = t("Not sent");
  $(".bubble", element).append(make("span", { className: "failure" }, `${text}: ${item.refusal} `,
    button(t("Retry"), () => retry(item.key)), " ", button(t("Edit"), () => edit(item)), " ", button(t("Delete"), () => takeBack(item.key))));
}

async function edit(item) {
  const taken = await takeBack(item.key);
  const text = $("#text");
  if (!taken || !text) return;
  addFiles(taken.files);
  // A message of files alone is called like its first file.
  const typed = taken.text === taken.files[0]?.name ? "" : taken.text;
  text.value = [text.value, typed].filter(Boolean).join("\n");
  text.dispatchEvent(new Event("input", { bubbles: true }));
  text.focus();
}

/** Shows what waits for the thread that was just opened. */
export async function enterPending() {
  for (const item of await waiting(state.account)) show(item);
}

export function send(item) {
  if (isDetached()) return enqueue(item).then(() => location.assign(`/c/${item.thread}?end=1`));
  const scroller = $("#thread-scroll");
  scroller.scrollTop = 0;
  return enqueue(item);
}

export function start() {
  on("waiting", show);
  on("progress", showProgress);
  on("sent", ({ html, thread }) => {
    const message = thread === state.thread && html && listItem(html);
    if (message) putMessage(message);
  });
  on("refused", (item) => {
    show(item);
    say(item.refusal);
  });
  on("taken-back", ({ key }) => {
    document.getElementById(idOf(key))?.remove();
    if ($("#messages")) tidy();
  });
}
