// What is being written. It is kept in this browser at once and at the server soon.

import { $ } from "./dom.js";
import { uuid } from "./outbox.js";
import { post } from "./server.js";
import { on, state } from "./state.js";
import { draft, keepDraft, removeDraft } from "./store.js";

// By conversation: when its text goes to the server, and the request that takes it there.
const timers = new Map();
const requests = new Map();
// What the server has as the draft of the open conversation.
let stored = "";

/**
 * The keys that the next messages of conversations get. A draft has the key of its message, so one that comes late is known, also
 * where the page that saved it was loaded again before the message was written.
 */
const keys = new Map();
// Ends what holds this page's keys.
let release = new AbortController();

/**
 * Holds a key until the page is left, so that no two pages send different messages with one key.
 * @returns whether no other page has it
 */
function hold(key) {
  if (!globalThis.navigator?.locks) return Promise.resolve(false);
  const { signal } = release;
  return new Promise((resolve) => {
    const hasIt = () => {
      resolve(!signal.aborted);
      return !signal.aborted && new Promise((end) => signal.addEventListener("abort", end));
    };
    // A page that was just left still has its keys for a moment.
    const options = { signal: AbortSignal.timeout(2_000) };
    navigator.locks.request(`sorted-draft-${key}`, options, hasIt).catch(() => resolve(false));
  });
}

function keyOf(thread) {
  if (!keys.has(thread)) {
    keys.set(thread, uuid());
    hold(keys.get(thread));
  }
  return keys.get(thread);
}

/** A browser that keeps a page for "Back" must not find a lock, and a page that comes back has lost its keys to another. */
function letGo() {
  release.abort();
  release = new AbortController();
  keys.clear();
}

/** Gives the draft's key to its message. */
export function takeKey(thread) {
  const key = keyOf(thread);
  keys.delete(thread);
  return key;
}

/** Keeps the text of the composer. */
export function keep() {
  const item = { account: state.account, thread: state.thread, text: $("#text").value, key: keyOf(state.thread) };
  keepDraft(item);
  later(item.thread, 600, () => save(item));
}

/** Runs something for a conversation after a time, instead of what would have run for it. */
function later(thread, time, run) {
  clearTimeout(timers.get(thread));
  timers.set(thread, setTimeout(run, time));
}

async function save(item) {
  // An older text must not come after this one.
  requests.get(item.thread)?.abort();
  const request = new AbortController();
  requests.set(item.thread, request);
  try {
    const answer = await post(`/c/${item.thread}/draft`, { text: item.text, ...(item.key && { key: item.key }) }, {}, { signal: request.signal });
    const kept = await draft(item.account, item.thread);
    // The server has it now; what was written since is on its way.
    if (answer.ok && state.thread === item.thread) stored = item.text;
    if (answer.ok && kept?.text === item.text) await removeDraft(item.account, item.thread);
  } catch {
    // It stays in this browser. A request that was lost is repeated, unless the text went to the outbox or changed.
    if (request.signal.aborted) return;
    later(item.thread, 4_000, async () => (await draft(item.account, item.thread))?.text === item.text && save(item));
  }
}

/** The message goes to the outbox, which takes the draft's place. The server refuses its text from a draft that is under way. */
export function forget() {
  clearTimeout(timers.get(state.thread));
  requests.get(state.thread)?.abort();
}

/** Puts what only this browser has into the composer. */
export async function enterDraft() {
  const thread = state.thread;
  stored = $("#text")?.value ?? "";
  const kept = await draft(state.account, thread);
  // The request of an earlier page that saves it may still be on its way.
  if (kept?.key && !keys.has(thread) && (await hold(kept.key)) && !keys.has(thread)) keys.set(thread, kept.key);
  const text = $("#text");
  // What a person wrote meanwhile is newer.
  if (kept && text && state.thread === thread && text.value === stored && text.value !== kept.text) {
    text.value = kept.text;
    text.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

/** A draft that was sent or deleted in another browser goes here as well, unless it went on here. */
function follow({ row, old }) {
  const text = $("#text");
  if (row.dataset.slug !== state.thread || !text || !stored || !old || !$(".draft", old) || $(".draft", row)) return;
  if (text.value === stored) text.value = "";
  stored = "";
}

export function start() {
  addEventListener("pagehide", letGo);
  on("row", follow);
  on("online", async () => {
    const kept = state.thread && (await draft(state.account, state.thread));
    if (kept) save(kept);
  });
}
