// Sends what was written, in order, until nothing is left. What the server does not take now is tried again by a timer.

import { delay } from "./backoff.js";
import { isPassing, post, reason } from "./server.js";
import { setOnline } from "./say.js";
import { emit, on, state } from "./state.js";
import { addWaiting, removeWaiting, updateWaiting, waiting } from "./store.js";
import { t } from "./strings.js";

const channel = new BroadcastChannel("sorted-outbox");
let attempts = 0;
let timer;

/** A version 4 UUID. `crypto.randomUUID` is for pages with encryption only. */
export function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 15) | 64;
  bytes[8] = (bytes[8] & 63) | 128;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("").toUpperCase();
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5");
}

/** Keeps a message, then shows it as waiting and begins to send. What is shown as waiting is stored. */
export async function enqueue({ thread, text, files = [], reply = "" }) {
  const item = { account: state.account, key: uuid(), thread, text, files, reply, writtenAt: Date.now() };
  item.number = await addWaiting(item);
  emit("waiting", item);
  channel.postMessage({ kind: "waiting", item: { ...item, files: item.files.map(({ name }) => ({ name })) } });
  flush();
  return item;
}

const isSame = (item, path, fields) => item.path === path && JSON.stringify(item.fields) === JSON.stringify(fields);

/**
 * Keeps a change for when the server is back, in its turn among the messages. The same change again takes it back. It has to be one
 * that may be made twice: its answer may have been lost.
 * @returns whether it is kept now
 */
export async function enqueueChange(path, fields) {
  const kept = (await waitingChanges()).find((item) => isSame(item, path, fields));
  if (kept) {
    await removeWaiting(kept.number);
    told("changed", kept);
    return false;
  }
  await addWaiting({ account: state.account, key: uuid(), thread: "", text: "", files: [], path, fields });
  flush();
  return true;
}

/** Keeps the new text of a message for when the server is back, instead of one that waits. */
export async function enqueueEdit(path, fields) {
  for (const kept of await waitingChanges()) if (kept.path === path) await removeWaiting(kept.number);
  const item = { account: state.account, key: uuid(), thread: "", text: "", files: [], path, fields };
  await addWaiting(item);
  told("changed", item);
  flush();
}

/** The changes that wait, in order. */
export const waitingChanges = async () => (await waiting(state.account)).filter(({ path, refusal }) => path && !refusal);

/** The new texts of a thread's messages that the server refused. */
export const refusedEdits = async (thread) =>
  (await waiting(state.account)).filter(({ path, refusal }) => refusal && path?.split("/")[2] === thread);

/** Takes back a message that the server refused or does not have yet. */
export async function takeBack(key) {
  const item = (await waiting(state.account)).find((item) => item.key === key);
  if (!item) return null;
  await removeWaiting(item.number);
  told("taken-back", item);
  return item;
}

export async function retry(key) {
  const item = (await waiting(state.account)).find((item) => item.key === key);
  if (!item) return;
  await updateWaiting({ ...item, refusal: undefined });
  told("waiting", item);
  flush();
}

function told(kind, item, more = {}) {
  emit(kind, { ...item, ...more });
  channel.postMessage({ kind, item: { account: item.account, key: item.key, thread: item.thread, text: item.text, path: item.path, files: [], ...more } });
}

let run = null;
let isAskedAgain = false;

/** Works until nothing is left that can be sent. One tab of an account sends at a time; the others wait their turn. */
export function flush() {
  if (!state.account || state.isSignedOut) return;
  isAskedAgain = true;
  run ??= (async () => {
    while (isAskedAgain) {
      isAskedAgain = false;
      const turn = () => sendAll();
      if (navigator.locks) await navigator.locks.request(`sorted-outbox-${state.account}`, turn);
      else await turn();
    }
  })().finally(() => {
    run = null;
  });
}

async function sendAll() {
  clearTimeout(timer);
  while (!state.isSignedOut) {
    const next = (await waiting(state.account)).find((item) => !item.refusal);
    if (!next) return void (attempts = 0);
    if (!(await sendOne(next))) {
      attempts += 1;
      timer = setTimeout(flush, delay(attempts));
      return;
    }
    attempts = 0;
  }
}

/** @returns whether it is settled, so that the next one may go */
async function sendOne(item) {
  let answer;
  try {
    const fields = { key: item.key, text: item.text, reply: item.reply ?? "" };
    if (item.files.length) fields.file = item.files;
    answer = await (item.path ? post(item.path, item.fields) : post(`/c/${item.thread}/send`, fields));
  } catch {
    setOnline(false);
    return false;
  }
  if (answer.ok) {
    await removeWaiting(item.number);
    if (item.path) told("changed", item);
    else told("sent", item, { html: await answer.text() });
    return true;
  }
  // Not now: the session is over, too much came at once, or the server has trouble.
  if (answer.status === 401 || isPassing(answer)) return false;
  const refusal = await reason(answer, t("The server does not take this message."));
  if (item.path) {
    // The new text of a message is kept until its thread is open.
    if (item.fields.text) await updateWaiting({ ...item, refusal });
    else await removeWaiting(item.number);
    told("changed", item, { refusal });
    return true;
  }
  await updateWaiting({ ...item, refusal });
  told("refused", item, { refusal });
  return true;
}

export function start() {
  if (!state.account) return;
  channel.onmessage = ({ data }) => data.item.account === state.account && emit(data.kind, data.item);
  on("online", flush);
  addEventListener("online", flush);
  flush();
}
