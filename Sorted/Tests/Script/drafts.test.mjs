import assert from "node:assert/strict";
import test from "node:test";

const scripts = "../../Sources/SortedWeb/Assets/scripts";
const text = { value: "" };
globalThis.document = {
  body: { dataset: { account: "ann" } },
  documentElement: { lang: "en" },
  querySelector: (selector) => ({ "#text": text, ".panes": { dataset: { thread: "talk" } } })[selector] ?? null,
};
globalThis.BroadcastChannel = class {
  postMessage() {}
};
const sent = [];
globalThis.fetch = async (path, { body }) => (sent.push(Object.fromEntries(body)), { ok: true, status: 204 });
const held = new Set();
Object.defineProperty(globalThis, "navigator", { value: { locks: {
  async request(name, options, run) {
    if (held.has(name)) throw new DOMException("Another page has it.", "TimeoutError");
    held.add(name);
    await run({ name });
    held.delete(name);
  },
} }, configurable: true });
const drafts = await import(`${scripts}/drafts.js`);
const { state } = await import(`${scripts}/state.js`);

test("a draft has the key of the message that it becomes, and the next draft has another", async ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const save = async (value) => {
    text.value = value;
    drafts.keep();
    mock.timers.tick(600);
    while (!sent.length) await new Promise((resolve) => setImmediate(resolve));
    return sent.shift();
  };
  const first = await save("half a");
  assert.equal(first.text, "half a");
  assert.equal((await save("half a thought")).key, first.key);
  assert.equal(drafts.takeKey("talk"), first.key);
  assert.notEqual((await save("more")).key, first.key);
});

test("a draft is saved also where a person writes or sends in another conversation soon after", async ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const write = (thread, value) => {
    state.thread = thread;
    text.value = value;
    drafts.keep();
  };
  write("talk", "to ann");
  write("other", "to bob");
  write("third", "sent");
  drafts.forget();
  mock.timers.tick(600);
  for (let turn = 0; sent.length < 2 && turn < 1_000; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(sent.splice(0).map((draft) => draft.text), ["to ann", "to bob"]);
});

test("a page takes the key of a draft that an earlier page kept, and not that of an open page", async ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  text.dispatchEvent = () => {};
  const { keepDraft } = await import(`${scripts}/store.js`);
  const key = async (thread, draft) => {
    state.thread = thread;
    await keepDraft({ account: "ann", thread, text: "Half", key: draft });
    await drafts.enterDraft();
    return drafts.takeKey(thread);
  };
  assert.equal(await key("left", "K1"), "K1");
  held.add("sorted-draft-K2");
  assert.notEqual(await key("open", "K2"), "K2");
});
