import assert from "node:assert/strict";
import test from "node:test";

const scripts = "../../Sources/SortedWeb/Assets/scripts";
const message = (sort) => ({ dataset: { sort: String(sort) }, getBoundingClientRect: () => ({ top: 100 }) });
const messages = [message(10)];
const row = { dataset: { slug: "talk", sort: "10", unread: "0" } };
const pane = { dataset: {}, scrollTop: 0, getBoundingClientRect: () => ({ bottom: 500 }), querySelectorAll: () => messages };
globalThis.document = {
  body: { dataset: { account: "ann" } },
  documentElement: { lang: "en" },
  visibilityState: "visible",
  addEventListener() {},
  getElementById: (id) => (id === "c-talk" ? row : null),
  querySelector: (selector) => ({ "#thread-scroll": pane, ".panes": { dataset: { thread: "talk" } } })[selector] ?? null,
};
const told = [];
globalThis.fetch = async (path, { body }) => (told.push(Number(body.get("upTo"))), { ok: true, status: 200 });
const { emit } = await import(`${scripts}/state.js`);
const seen = await import(`${scripts}/seen.js`);

test("a message that only the list knows of is not told as seen until the page has it", async ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const look = async () => {
    // A page looks again after it has told.
    for (let turn = 0; turn < 3; turn += 1) {
      mock.timers.tick(200);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return told.splice(0);
  };
  seen.start();
  seen.enterSeen();
  Object.assign(row.dataset, { sort: "20", unread: "1" });
  emit("row", { row });
  emit("rows");
  assert.deepEqual(await look(), [10]);
  messages.push(message(20));
  emit("messages");
  assert.deepEqual(await look(), [20]);
  // The reader deleted the newest message: the page is whole without it.
  row.dataset.sort = "30";
  emit("rows");
  assert.deepEqual(await look(), []);
  emit("whole", { thread: "talk", sort: 30 });
  assert.deepEqual(await look(), [30]);
});
