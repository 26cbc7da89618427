// Sends what was written until nothing is left: what belongs to one conversation in order, and several conversations at a time, so
// that a large file for one person does not hold up a text to another. What the server does not take now is tried again by a timer.

import { delay } from "./backoff.js";
import { isPassing, post, reason } from "./server.js";
import { say, setFull, setOnline } from "./say.js";
import { emit, on, state } from "./state.js";
import { addWaiting, removeWaiting, updateWaiting, waiting, waitingItem } from "./store.js";
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
export async function enqueue({ thread, text, files = [], reply = "", key = uuid() }) {
  const item = { account: state.account, key, thread, text, files, reply, writtenAt: Date.now() };
  item.number = await addWaiting(item);
  emit("waiting", item);
  channel.postMessage({ kind: "waiting", item: { ...item, files: item.files.map(({ name }) => ({ name })) } });
  flush();
  return item;
}

const isSame = (item, path, fields) => item.path === path && JSON.stringify(item.fields) === JSON.stringify(fields);

async function addChange(path, fields) {
  const item = { account: state.account, key: uuid(), thread: "", text: "", files: [], path, fields };
  await addWaiting(item);
  told("waiting", item);
  flush();
  return item;
}

/**
 * Keeps a change for when the server is back, in its turn among the messages. The same change again takes it back. It has to be one
 * that may be made twice: its answer may have been lost.
 * @returns the change that is kept now, or nothing where one was taken back
 */
export async function enqueueChange(path, fields) {
  const kept = (await waitingChanges()).find((item) => isSame(item, path, fields));
  if (!kept) return addChange(path, fields);
  await undoChange(kept);
  return null;
}

/** The change that takes another one back; nothing where the outbox does not know what was before. */
function inverseOf({ path, fields }) {
  if (/\/delete(-for-all)?$/.test(path)) return [path.replace(/\/delete(-for-all)?$/, "/restore"), {}];
  const [name, value] = Object.entries(fields)[0] ?? [];
  return ["pin", "mute", "archive", "pinned"].includes(name) ? [path, { [name]: value === "1" ? "0" : "1" }] : null;
}

/** Takes a change back. One that the server has or may have is followed by its inverse. Says what came of it. */
export async function undoChange(change) {
  const isTaken = (await takeOut(change.key)) !== null;
  const inverse = isTaken ? null : inverseOf(change);
  if (inverse) await addChange(...inverse);
  say(isTaken || inverse ? t("Taken back.") : tooLate());
}

/** Keeps the new text of a message for when the server is back, instead of one that waits. */
export async function enqueueEdit(path, fields) {
  for (const kept of await waitingChanges()) if (kept.path === path) await removeWaiting(kept.number);
  await addChange(path, fields);
}

/** The changes that wait, in order. */
export const waitingChanges = async () => (await waiting(state.account)).filter(({ path, refusal }) => path && !refusal);

/** The new texts of a thread's messages that the server refused. */
export const refusedEdits = async (thread) =>
  (await waiting(state.account)).filter(({ path, refusal }) => refusal && path?.split("/")[2] === thread);

const tooLate = () => t("It is too late to take this back: the server may have it already.");

/**
 * Runs something while no other tab sends an item or takes it out.
 * @param options of the lock
 */
const alone = (key, run, options = {}) => (navigator.locks ? navigator.locks.request(`sorted-item-${key}`, options, run) : run({}));

/**
 * Takes an item out of the outbox. A file that is on its way is no longer sent.
 * @returns null for an item that is not there, or that the server may have: all of it is sent, or another tab is sending it
 */
async function takeOut(key) {
  const sending = [...running.values()].find((sending) => sending.key === key);
  let item = (await waiting(state.account)).find((item) => item.key === key);
  if (sending) {
    if (sending.share >= 1) return null;
    sending.controller.abort();
    await sending.done;
    if (!sending.isTakenOut) return null;
  } else {
    item = await alone(key, async (lock) => {
      const found = lock && item && (await waitingItem(item.number));
      if (found) await removeWaiting(found.number);
      return found || null;
    }, { ifAvailable: true });
  }
  if (item) told("taken-back", item);
  return item ?? null;
}

/**
 * Takes back a message that the server refused or does not have yet.
 * @returns nothing where it is too late
 */
export async function takeBack(key) {
  const item = await takeOut(key);
  // It is still there: it is on its way.
  if (!item && (await waiting(state.account)).some((item) => item.key === key)) say(tooLate());
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
    try {
      while (isAskedAgain && !state.isSignedOut) {
        if (navigator.locks) await navigator.locks.request(`sorted-outbox-${state.account}`, sendAll);
        else await sendAll();
      }
    } finally {
      // At once, so that none asks in between, when nothing looks any more.
      run = null;
    }
  })();
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
    sending.done = alone(item.key, () => sendOne(item, sending)).catch(() => false).then((isSettled) => {
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
  // Another tab may have taken it out.
  if (!(await waitingItem(item.number))) return true;
  let answer;
  try {
    sending.controller.signal.throwIfAborted();
    const fields = { key: item.key, text: item.text, reply: item.reply ?? "" };
    if (item.files.length) fields.file = item.files;
    const { signal } = sending.controller;
    const onProgress = (share) => {
      sending.share = share;
      told("progress", item, { share });
    };
    answer = await (item.path ? post(item.path, item.fields) : post(`/c/${item.thread}/send`, fields, {}, { signal, onProgress }));
  } catch {
    if (sending.controller.signal.aborted) {
      sending.isTakenOut = true;
      await removeWaiting(item.number);
      return true;
    }
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
  // Another account's session refuses what this one wrote. It is sent after the next sign-in.
  if (state.isSignedOut) return false;
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
  // Taken back in another tab, by a browser without locks.
  on("taken-back", ({ key }) => [...running.values()].find((sending) => sending.key === key)?.controller.abort());
  flush();
}
