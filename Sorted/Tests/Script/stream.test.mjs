import assert from "node:assert/strict";
import test from "node:test";
import { delay } from "../../Sources/SortedWeb/Assets/scripts/backoff.js";
import { Stream } from "../../Sources/SortedWeb/Assets/scripts/stream.js";

class Source extends EventTarget {
  static all = [];
  isClosed = false;
  constructor(path) {
    super();
    this.path = path;
    Source.all.push(this);
  }
  close() {
    this.isClosed = true;
  }
  say(name, data = "") {
    this.dispatchEvent(Object.assign(new Event(name), { data }));
  }
}

function setUp() {
  Source.all = [];
  const timers = [];
  const stream = new Stream({ open: (path) => new Source(path), wait: (run) => timers.push(run) });
  const tick = () => timers.splice(0).forEach((run) => run());
  const heard = {};
  const want = (id, topics) => stream.want(id, topics, ({ name }) => (heard[id] ??= []).push(name));
  return { stream, tick, heard, want };
}

test("six tabs that open at once are one connection with all that they show", () => {
  const { tick, heard, want } = setUp();
  for (let id = 1; id <= 6; id += 1) want(id, { thread: `t${id % 2}`, from: String(100 * id), to: id === 1 ? "900" : "" });
  tick();
  assert.equal(Source.all.length, 1);
  assert.equal(Source.all[0].path, "/events?threads=t1:100:,t0:200:");
  Source.all[0].say("hello");
  assert.deepEqual(heard[6], ["hello"]);
});

test("another tab does not interrupt what is heard: the old connection goes when the new one is ready", () => {
  const { tick, heard, want } = setUp();
  want(1, { thread: "a" });
  tick();
  Source.all[0].say("hello");
  want(2, { thread: "b" });
  tick();
  assert.equal(Source.all.length, 2);
  assert.ok(!Source.all[0].isClosed);
  Source.all[0].say("message", "news");
  assert.deepEqual(heard[1], ["hello", "message"]);
  Source.all[1].say("hello");
  assert.ok(Source.all[0].isClosed);
  assert.deepEqual(heard[2], ["message", "hello"]);
  assert.deepEqual(heard[1], ["hello", "message"]);
});

test("a connection that breaks is made again, and everybody looks again", () => {
  const { tick, heard, want } = setUp();
  want(1, {});
  tick();
  Source.all[0].say("hello");
  Source.all[0].onerror();
  assert.deepEqual(heard[1], ["hello", "broken"]);
  tick();
  Source.all[1].say("hello");
  assert.deepEqual(heard[1], ["hello", "broken", "hello"]);
});

test("every tab hears that the server missed changes of the list", () => {
  const { tick, heard, want } = setUp();
  want(1, {});
  tick();
  Source.all[0].say("hello");
  Source.all[0].say("list-changed");
  assert.deepEqual(heard[1], ["hello", "list-changed"]);
});

test("the stream closes with its last tab", () => {
  const { stream, tick, want } = setUp();
  want(1, {});
  tick();
  Source.all[0].say("hello");
  stream.drop(1);
  assert.ok(Source.all[0].isClosed);
});

test("waiting doubles up to half a minute, a quarter of it at random", () => {
  assert.equal(delay(1, () => 1), 1000);
  assert.equal(delay(1, () => 0), 750);
  assert.equal(delay(4, () => 1), 8000);
  assert.equal(delay(40, () => 1), 30_000);
});
