import assert from "node:assert/strict";
import test from "node:test";

const scripts = "../../Sources/SortedWeb/Assets/scripts";

const element = () => ({ append() {}, replaceChildren() {}, setAttribute() {} });
globalThis.document = {
  body: { dataset: { account: "ann" } },
  documentElement: { lang: "en" },
  createElement: element,
  querySelector: (selector) => (selector === "#notice" ? element() : null),
  querySelectorAll: () => [],
};
globalThis.DOMParser = class {
  parseFromString = () => ({ querySelector: () => null, querySelectorAll: () => [] });
};
globalThis.location = { assign() {} };
globalThis.addEventListener = () => {};
globalThis.BroadcastChannel = class {
  postMessage() {}
};

/** The locks of a browser, for all of its tabs. */
const held = new Map();
const locks = {
  async request(name, options, run = options) {
    while (held.has(name)) {
      if (options.ifAvailable) return run(null);
      await held.get(name);
    }
    const done = Promise.resolve().then(() => run({ name })).finally(() => held.delete(name));
    held.set(name, done.catch(() => {}));
    return done;
  },
};
Object.defineProperty(globalThis, "navigator", { value: { locks }, configurable: true });

/** What was sent: each waits for its answer. */
const requests = [];
let session = { account: "ann", token: "token" };
globalThis.fetch = (path) => {
  if (path === "/session") return Promise.resolve({ ok: true, status: 200, json: async () => session });
  return new Promise((resolve) => requests.push({ path, answer: (status = 200) => resolve(new Response("", { status })) }));
};

const { state } = await import(`${scripts}/state.js`);
const store = await import(`${scripts}/store.js`);
// Two tabs of one browser: they share what it keeps.
const [tab, other] = await Promise.all(["one", "two"].map((name) => import(`${scripts}/outbox.js?tab=${name}`)));
const rest = () => new Promise((resolve) => setTimeout(resolve, 5));
const keys = async () => (await store.waiting("ann")).map(({ key }) => key);
const sent = async () => {
  while (!requests.length) await rest();
  return requests.shift();
};

test("the undo of a change that was sent meanwhile makes the opposite change", async () => {
  const change = await tab.enqueueChange("/c/talk/m/one/delete-for-all", {});
  (await sent()).answer();
  while ((await keys()).length) await rest();
  await tab.undoChange(change);
  const undo = await sent();
  assert.equal(undo.path, "/c/talk/m/one/restore");
  undo.answer();
  while ((await keys()).length) await rest();
});

test("a change that is on its way is not taken for one that waits", async () => {
  await tab.enqueueChange("/c/talk/set", { archive: "1" });
  const first = await sent();
  assert.equal(await tab.enqueueChange("/c/talk/set", { archive: "1" }), null);
  assert.deepEqual((await store.waiting("ann")).map(({ fields }) => fields), [{ archive: "1" }, { archive: "0" }]);
  first.answer();
  (await sent()).answer();
  while ((await keys()).length) await rest();
});

test("a message that another tab is sending cannot be taken back, and one that waits can", async () => {
  const { key } = await tab.enqueue({ thread: "talk", text: "yes, on Monday" });
  const next = await tab.enqueue({ thread: "talk", text: "and on Tuesday" });
  const request = await sent();
  assert.equal(await other.takeBack(key), null);
  assert.equal((await other.takeBack(next.key)).text, "and on Tuesday");
  assert.deepEqual(await keys(), [key]);
  request.answer();
  while ((await keys()).length) await rest();
  await rest();
  assert.equal(requests.length, 0);
});

test("what the session of another account refuses waits for the next sign-in", async () => {
  session = { account: "bob", token: "other" };
  await tab.enqueue({ thread: "talk", text: "mine" });
  await tab.enqueueChange("/c/studio/set", { pin: "1" });
  (await sent()).answer(403);
  (await sent()).answer(403);
  while (!state.isSignedOut) await rest();
  await rest();
  const kept = await store.waiting("ann");
  assert.deepEqual(kept.map(({ text, refusal }) => [text, refusal]), [["mine", undefined], ["", undefined]]);
});
