// One stream of events for all tabs of an account. It runs in the shared worker, or in a tab where there is none.

import { delay } from "./backoff.js";

const eventNames = ["row", "gone", "list-changed", "message", "message-gone", "thread-changed", "thread-gone", "sorting", "status", "typing", "presence"];

export class Stream {
  /** The connection that events come from. */
  current = null;
  /** A connection that was asked for with other topics, until it says hello. */
  next = null;
  clients = new Map();
  attempts = 0;
  timer = null;

  /**
   * @param open makes an `EventSource` for a path
   * @param wait calls a function after some milliseconds
   */
  constructor({ open = (path) => new EventSource(path), wait = (run, time) => setTimeout(run, time) } = {}) {
    this.open = open;
    this.wait = wait;
  }

  /** Notes what a client wants to hear: a thread and the range of it that it shows. It hears `hello` when it is heard. */
  want(id, topics, send) {
    this.clients.set(id, { topics, send, isGreeted: false });
    this.connectSoon();
  }

  drop(id) {
    // What is listened to beyond need until then does no harm.
    if (this.clients.delete(id) && !this.clients.size) this.close();
  }

  close() {
    this.current?.close();
    this.next?.close();
    this.current = this.next = null;
  }

  /** Several tabs that are restored at once are one connection. */
  connectSoon(time = 20) {
    if (this.timer) return;
    this.timer = this.wait(() => {
      this.timer = null;
      this.connect();
    }, time);
  }

  path() {
    const ranges = new Map();
    for (const { topics } of this.clients.values()) {
      if (!topics.thread) continue;
      const known = ranges.get(topics.thread) ?? { from: topics.from, to: topics.to };
      // Two tabs of one thread: from the older beginning to the newer end.
      if (topics.from && (!known.from || Number(topics.from) < Number(known.from))) known.from = topics.from;
      if (!topics.to || !known.to || Number(topics.to) > Number(known.to)) known.to = topics.to && known.to ? topics.to : "";
      ranges.set(topics.thread, known);
    }
    const threads = [...ranges].map(([slug, { from, to }]) => `${slug}:${from ?? ""}:${to ?? ""}`);
    return "/events" + (threads.length ? `?threads=${threads.join(",")}` : "");
  }

  connect() {
    if (!this.clients.size) return;
    this.next?.close();
    const source = this.open(this.path());
    const awaited = new Set(this.clients.keys());
    this.next = source;
    source.addEventListener("hello", () => {
      if (source === this.current) return;
      this.attempts = 0;
      this.current?.close();
      this.current = source;
      this.next = null;
      for (const id of awaited) this.greet(id);
    });
    for (const name of eventNames)
      source.addEventListener(name, (event) => {
        // An error of a connection has no data.
        if (event.data !== undefined) this.tell({ name, data: event.data });
      });
    source.addEventListener("bye", (event) => {
      this.tell({ name: "bye", data: event.data });
      this.close();
    });
    source.onerror = () => this.broke(source);
  }

  greet(id) {
    const client = this.clients.get(id);
    if (!client || client.isGreeted) return;
    client.isGreeted = true;
    client.send({ name: "hello" });
  }

  /** The browser does not come back by itself: the server may want other topics, or no session any more. */
  broke(source) {
    source.close();
    if (source !== this.current && source !== this.next) return;
    if (source === this.current) {
      this.current = null;
      for (const client of this.clients.values()) client.isGreeted = false;
      this.tell({ name: "broken" });
    } else {
      this.next = null;
      if (!this.current) this.tell({ name: "broken" });
    }
    this.attempts += 1;
    this.connectSoon(this.attempts === 1 ? 300 : delay(this.attempts - 1));
  }

  /** Tries at once, as when the network is back. */
  retryNow() {
    if (this.current || this.next) return;
    this.attempts = 0;
    this.connect();
  }

  tell(message) {
    for (const client of this.clients.values()) client.send(message);
  }
}
