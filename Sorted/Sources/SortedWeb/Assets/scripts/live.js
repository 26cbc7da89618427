// This tab's end of the stream of events.

import { $, listItem } from "./dom.js";
import { reloadReturned } from "./places.js";
import { putRow, refreshRows, removeRow } from "./rows.js";
import { setOnline } from "./say.js";
import { checkSession, tell } from "./server.js";
import { emit, on, state } from "./state.js";
import { Stream } from "./stream.js";
import { putMessages, refreshThread, removeMessage, shownRange } from "./thread.js";

/** Sends to the worker, or to the stream of this tab. */
let send;

function connect() {
  if (globalThis.SharedWorker) {
    try {
      const worker = new SharedWorker(new URL("./worker.js", import.meta.url), { type: "module", name: `sorted-${state.account}` });
      worker.port.onmessage = ({ data }) => handle(data);
      worker.port.start();
      send = (message) => worker.port.postMessage(message);
      // The worker asks for the lock as well, and has it when this tab is gone.
      const name = `sorted-tab-${crypto.getRandomValues(new Uint32Array(2)).join("-")}`;
      navigator.locks?.request(name, () => {
        send({ kind: "lock", name });
        return new Promise(() => {});
      });
      return;
    } catch {
      // A browser that has shared workers and refuses them is one without.
    }
  }
  // One stream for each tab that is seen: a browser has few connections to one server.
  const stream = new Stream();
  let topics = {};
  send = (message) => {
    if (message.kind === "retry") return stream.retryNow();
    if (message.kind === "want") topics = message.topics;
    if (message.kind === "leave" || document.visibilityState === "hidden") return stream.drop(1);
    stream.want(1, topics, handle);
  };
  document.addEventListener("visibilitychange", () => send({ kind: "look" }));
}

/** Asks to hear of the list and of what is on the page. */
export function want() {
  if (!send || state.isSignedOut) return;
  const range = state.thread ? shownRange() : null;
  document.body.dataset.live = "no";
  send({ kind: "want", topics: { thread: state.thread, from: range?.from ?? "", to: range?.to ?? "" } });
}

async function handle({ name, data }) {
  if (name === "hello") return greeted();
  if (name === "broken") {
    document.body.dataset.live = "no";
    setOnline(false);
    clearTimeout(catchingUp);
    emit("broken");
    return checkSession().catch(() => {});
  }
  if (name === "bye") return ended(data);
  if (name === "status") return void ($("#status").innerHTML = data);
  if (name === "row") {
    const row = listItem(data);
    tell(row.id);
    emit("row", { row, old: document.getElementById(row.id) });
    return putRow(row);
  }
  if (name === "gone") {
    tell(`c-${data}`);
    return removeRow(data);
  }
  if (name === "message") {
    const message = listItem(data);
    tell(message.id);
    emit("message", message);
    if (message.dataset.thread === state.thread) putSoon(message);
    return;
  }
  if (name === "message-gone") {
    const [thread, slug] = data.split(" ");
    tell(`m-${slug}`);
    waiting.delete(`m-${slug}`);
    if (thread === state.thread) removeMessage(slug);
    return;
  }
  // The server missed changes of the list. Several parts of it may say so at once.
  if (name === "list-changed") return catchUpSoon(100);
  if (name === "thread-changed") return data === state.thread ? refreshThread() : undefined;
  if (name === "thread-gone") return emit("gone", data);
  emit(name, JSON.parse(data));
}

/** What is to be put on the page, by identifier: a message that comes again before it is there is put there once, as it is now. */
const waiting = new Map();
let isPutting = false;

/** Many messages that come at once are put on the page at once. */
function putSoon(message) {
  waiting.set(message.id, message);
  if (isPutting) return;
  isPutting = true;
  setTimeout(() => {
    const messages = [...waiting.values()].filter(({ dataset }) => dataset.thread === state.thread);
    waiting.clear();
    isPutting = false;
    putMessages(messages);
  }, 16);
}

let catchingUp;

function greeted() {
  setOnline(true);
  return catchUp();
}

/** Loads what is on the page again, until that succeeds: an event stream may come through where a request is lost. */
async function catchUp() {
  clearTimeout(catchingUp);
  const found = await Promise.all([refreshRows(), refreshThread()]);
  if (found.includes(false)) return catchUpSoon(2_000);
  emit("online");
  document.body.dataset.live = "yes";
}

function catchUpSoon(time) {
  clearTimeout(catchingUp);
  catchingUp = setTimeout(catchUp, time);
}

/** The session is over. After a sign-out nothing stays on screen; after anything else what was written is kept. */
function ended(why) {
  if (state.isLeaving) return;
  if (why === "signed-out") return location.replace("/sign-in");
  return checkSession().then((isStill) => isStill && want(), () => {});
}

export function start() {
  if (!state.account) return;
  connect();
  want();
  on("thread", want);
  let timer;
  // More of the thread is on the page than is listened to.
  on("range", () => {
    clearTimeout(timer);
    timer = setTimeout(want, 300);
  });
  addEventListener("online", () => {
    send({ kind: "retry" });
    // A stream that outlived a short break says nothing of it.
    checkSession().then((isStill) => isStill && setOnline(true), () => {});
  });
  addEventListener("offline", () => setOnline(false));
  addEventListener("pagehide", () => send({ kind: "leave" }));
  addEventListener("pageshow", (event) => event.persisted && reloadReturned());
}
