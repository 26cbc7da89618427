// Sends what was written until nothing is left: what belongs to one conversation in order, and several conversations at a time, so
// that a large file for one person does not hold up a text to another. What the server does not take now is tried again by a timer.

import { delay } from "./backoff.js";
import { isPassing, post, reason } from "./server.js";
import { say, setFull, setOnline } from "./say.js";
import { emit, on, state } from "./state.js";
import { addWaiting, removeWaiting, updateWaiting, waiting } from "./store.js";
import { t } from "./strings.js";

const channel = new BroadcastChannel("sorted-outbox");
let timer;

/** As many are sent at a time, and as many of them with files: a browser has six connections to a server. */
const most = 4;
const mostUploads = 2;

/** What is being sent, by conversation. */
const running = new Map();
/** The conversations whose first message did not come through, with the number of attempts and the time of the next one. */
const failed = new Map();

const laneOf = ({ thread, path }) => thread || path?.split("/")[2] || "";

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
    told("changed", kept, { isTakenBack: true });
    return false;
  }
  const item = { account: state.account, key: uuid(), thread: "", text: "", files: [], path, fields };
  await addWaiting(item);
  told("waiting", item);
  flush();
  return true;
}

/** Keeps the new text of a message for when the server is back, instead of one that waits. */
export async function enqueueEdit(path, fields) {
  for (const kept of await waitingChanges()) if (kept.path === path) await removeWaiting(kept.number);
  const item = { account: state.account, key: uuid(), thread: "", text: "", files: [], path, fields };
  await addWaiting(item);
  told("waiting", item);
  flush();
}

/** The changes that wait, in order. */
export const waitingChanges = async () => (await waiting(state.account)).filter(({ path, refusal }) => path && !refusal);

/** The new texts of a thread's messages that the server refused. */
export const refusedEdits = async (thread) =>
  (await waiting(state.account)).filter(({ path, refusal }) => refusal && path?.split("/")[2] === thread);

/**
 * Takes back a message that the server refused or does not have yet. A file that is on its way is no longer sent.
 * @returns nothing where it is too late
 */
export async function takeBack(key) {
  const item = (await waiting(state.account)).find((item) => item.key === key);
  const sending = [...running.values()].find((sending) => sending.key === key);
  // All of it is sent, so the server may have it already.
  if (sending && sending.share >= 1) return void say(t("It is too late to take this back: the server may have it already."));
  if (!item) return null;
  await removeWaiting(item.number);
  sending?.controller.abort();
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
let wake = () => {};

/** Works until nothing is left that can be sent. One tab of an account sends at a time; the others wait their turn. */
export function flush() {
  failed.forEach((failure) => (failure.at = 0));
  work();
}

function work() {
  if (!state.account || state.isSignedOut) return;
  isAskedAgain = true;
  wake();
  run ??= (async () => {
    while (isAskedAgain) {
      if (navigator.locks) await navigator.locks.request(`sorted-outbox-${state.account}`, sendAll);
      else await sendAll();
    }
  })().finally(() => {
    run = null;
  });
}

async function sendAll() {
  while (!state.isSignedOut) {
    isAskedAgain = false;
    await begin();
    clearTimeout(timer);
    const next = Math.min(...[...failed.values()].map(({ at }) => at));
    if (next < Infinity) timer = setTimeout(work, Math.max(0, next - Date.now()));
    if (isAskedAgain) continue;
    if (!running.size) return;
    await Promise.race([...[...running.values()].map(({ done }) => done), new Promise((resolve) => (wake = resolve))]);
  }
  // Another account's tab may send from here on.
  await Promise.all([...running.values()].map(({ done }) => done));
}

/** Begins with the first message of each conversation that has none on its way. */
async function begin() {
  const found = new Set();
  for (const item of await waiting(state.account)) {
    const lane = laneOf(item);
    if (item.refusal || found.has(lane)) continue;
    found.add(lane);
    if (running.has(lane) || failed.get(lane)?.at > Date.now()) continue;
    const uploads = [...running.values()].filter(({ isUpload }) => isUpload).length;
    if (running.size >= most || (item.files.length && uploads >= mostUploads)) continue;
    // A text is sent at once; of a file it is known how much of it is.
    const sending = { key: item.key, controller: new AbortController(), isUpload: item.files.length > 0, share: item.files.length ? 0 : 1 };
    running.set(lane, sending);
    sending.done = sendOne(item, sending).catch(() => false).then((isSettled) => {
      running.delete(lane);
      if (isSettled) return void failed.delete(lane);
      const count = (failed.get(lane)?.count ?? 0) + 1;
      failed.set(lane, { count, at: Date.now() + delay(count) });
    });
  }
  // A conversation without anything to send has failed at nothing.
  for (const lane of failed.keys()) if (!found.has(lane)) failed.delete(lane);
}

/** @returns whether it is settled, so that the next one may go */
async function sendOne(item, sending) {
  let answer;
  try {
    const fields = { key: item.key, text: item.text, reply: item.reply ?? "" };
    if (item.files.length) fields.file = item.files;
    const { signal } = sending.controller;
    const onProgress = (share) => {
      sending.share = share;
      told("progress", item, { share });
    };
    answer = await (item.path ? post(item.path, item.fields) : post(`/c/${item.thread}/send`, fields, {}, signal, onProgress));
  } catch {
    if (sending.controller.signal.aborted) return true;
    if (sending.isUpload) sending.share = 0;
    setOnline(false);
    return false;
  }
  // 503 is a server with too much to do.
  setFull(answer.status >= 500 && answer.status !== 503);
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
  // Taken back in another tab.
  on("taken-back", ({ key }) => [...running.values()].find((sending) => sending.key === key)?.controller.abort());
  flush();
}
