// Writing: the text, what it answers, and sending it.

import { addFiles, chosenFiles, clearFiles } from "./attachments.js";
import { $, all } from "./dom.js";
import * as drafts from "./drafts.js";
import { refusedEdits } from "./outbox.js";
import { send } from "./pending.js";
import { say } from "./say.js";
import { post } from "./server.js";
import { emit, on, state } from "./state.js";
import { removeWaiting } from "./store.js";
import { t } from "./strings.js";

/** Where fingers write, Enter makes a new line and the button sends. */
const fingers = matchMedia("(hover: none) and (pointer: coarse)");

/** How many characters a text has as the server counts them. */
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
function characters(text) {
  if (text.length <= state.maximumText) return text.length;
  let count = 0;
  for (const _ of segmenter.segment(text.replaceAll("\r\n", "\n"))) count += 1;
  return count;
}

/** Says how much too long the text is. @returns whether it fits */
function checkLength() {
  const line = $("#too-long");
  const count = characters($("#text").value);
  const fits = count <= state.maximumText;
  line.hidden = fits;
  if (!fits)
    line.textContent = t("This text has {1} characters. A message takes {2}. Attach it as a file, or send it in parts.",
      count.toLocaleString(), state.maximumText.toLocaleString());
  return fits;
}

function submit() {
  const text = $("#text");
  const files = chosenFiles();
  if (!files.length && !text.value.trim()) return;
  if (!checkLength()) return text.focus();
  const typed = text.value.trim() ? text.value : "";
  const item = { thread: state.thread, text: typed || files[0].name, files, reply: replySlug(), key: drafts.takeKey(state.thread) };
  text.value = "";
  drafts.forget();
  clearFiles();
  setReply(null);
  checkLength();
  send(item).catch(() => {
    giveBack(item, typed);
    say(t("This browser could not keep the message. Free some storage, then send it again."));
  });
  text.focus();
  emit("composed");
}

/** Puts what this browser could not keep back into the composer, or makes it a draft if another conversation is open now. */
function giveBack({ thread, files, reply }, typed) {
  if (state.thread !== thread || !$("#text")) {
    addFiles(files, thread);
    return void post(`/c/${thread}/draft`, { text: typed }).catch(() => {});
  }
  if (reply) setReply(document.getElementById(`m-${reply}`));
  addFiles(files);
  if (typed) insert(typed);
}

// MARK: Answering a message

const replySlug = () => $("#composer")?.elements.reply?.value ?? "";

/** Answers a message, or none. */
export function setReply(message) {
  const box = $("#reply-to");
  if (!box) return;
  $("#composer").elements.reply.value = message ? message.id.slice(2) : "";
  box.hidden = !message;
  if (!message) return;
  $(".quote-name", box).textContent = message.dataset.name ?? "";
  $(".quote-text", box).textContent = ($(".text", message)?.textContent ?? "").slice(0, 200);
  $("#text").focus();
}

/** Puts some text where the cursor is; what is there stays. */
export function insert(text) {
  const field = $("#text");
  const start = field.selectionStart ?? field.value.length;
  const before = field.value.slice(0, start);
  const glue = before && !/\s$/.test(before) && text.length > 8 ? "\n" : "";
  field.setRangeText(glue + text, start, field.selectionEnd ?? start, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.focus();
}

/** Puts the new texts that the server refused into the composer of their thread, and then forgets them. */
export async function enterRefusedEdits() {
  const thread = state.thread;
  for (const { number, fields, refusal } of await refusedEdits(thread)) {
    // The page may show the composer of another thread by now. Then the text stays until its own thread is on the page.
    if (state.thread !== thread || !$("#text")) return;
    insert(fields.text);
    say(refusal);
    await removeWaiting(number);
  }
}

function insertAnswer(button) {
  insert($("span", button).textContent);
  button.closest("details").open = false;
  drafts.keep();
  post(new URL(button.formAction).pathname, { text: $("#text").value }).catch(() => {});
}

/** The last message of one's own, to be changed. */
function editLast() {
  const last = all(".msg.mine:not(.waiting, .deleted, [hidden])").at(-1);
  const link = last && $("a.edit", last);
  if (link) link.click();
  return Boolean(link);
}

export function start() {
  // The server refused the new text of a message after the editor was left. Other tabs have no fields of it.
  on("changed", ({ path, refusal, fields }) => {
    if (!refusal || !fields?.text) return;
    if (state.thread === path.split("/")[2] && $("#text")) enterRefusedEdits();
    else say(`${refusal} ${fields.text}`);
  });
  document.addEventListener("submit", (event) => {
    if (event.target.id !== "composer" || event.submitter?.closest(".answers")) return;
    event.preventDefault();
    submit();
  });
  document.addEventListener("input", (event) => {
    if (event.target.id !== "text") return;
    checkLength();
    drafts.keep();
    emit("writing");
  });
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.defaultPrevented) return;
    const isSent = event.key === "Enter" && !event.shiftKey && !fingers.matches;
    if (isSent && event.target.id === "edit-text") {
      event.preventDefault();
      return $("#edit button.primary").click();
    }
    if (event.target.id !== "text") return;
    if (isSent) {
      event.preventDefault();
      submit();
    } else if (event.key === "ArrowUp" && !event.target.value && !event.shiftKey) {
      if (editLast()) event.preventDefault();
    } else if (event.key === "Escape" && replySlug()) {
      setReply(null);
    }
  });
  document.addEventListener("click", (event) => {
    const answer = event.target.closest(".answer");
    if (answer && $("#composer")) {
      event.preventDefault();
      return insertAnswer(answer);
    }
    const reply = event.target.closest("a.reply");
    if (reply && $("#composer")) {
      event.preventDefault();
      return setReply(reply.closest(".msg"));
    }
    if (event.target.closest("#reply-to .cancel")) {
      event.preventDefault();
      setReply(null);
    }
  });
}
