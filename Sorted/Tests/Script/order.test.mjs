import assert from "node:assert/strict";
import test from "node:test";
import { isGrouped, messageOrder, rowOrder, vanished } from "../../Sources/SortedWeb/Assets/scripts/order.js";

const item = (sort, more = {}) => ({ id: `m-${sort}`, dataset: { sort: String(sort), ...more } });

test("pinned conversations come first, then the latest", () => {
  const rows = [item(1), item(3), item(2, { pinned: "1" })].sort(rowOrder);
  assert.deepEqual(rows.map((row) => row.id), ["m-2", "m-3", "m-1"]);
});

test("what needs an answer leads the list in the order of the server, also before what is pinned", () => {
  const rows = [item(4), item(1, { lead: "2" }), item(3, { pinned: "1" }), item(2, { lead: "1", pinned: "1" })].sort(rowOrder);
  assert.deepEqual(rows.map((row) => row.id), ["m-2", "m-1", "m-3", "m-4"]);
});

test("a page takes away what it covers and lacks, and nothing outside of it", () => {
  const shown = [1, 2, 3, 4, 5, 6].map((sort) => item(sort));
  const loaded = [item(3), item(5)];
  const gone = (options) => vanished(shown, loaded, messageOrder, options).map(({ id }) => id);
  assert.deepEqual(gone({ hasBefore: true, hasAfter: true }), ["m-4"]);
  assert.deepEqual(gone({ hasBefore: true }), ["m-4", "m-6"]);
  assert.deepEqual(gone({ hasAfter: true }), ["m-1", "m-2", "m-4"]);
  assert.deepEqual(gone({}), ["m-1", "m-2", "m-4", "m-6"]);
});

test("an empty page of the middle of a thread takes away nothing", () => {
  assert.deepEqual(vanished([item(1)], [], messageOrder, { hasBefore: true }), []);
  assert.equal(vanished([item(1)], [], messageOrder, {}).length, 1);
});

test("messages of one sender within five minutes of a day are a group", () => {
  const minute = 60e6;
  const day = () => "Today";
  const from = (sender, sort) => item(sort, { sender });
  assert.ok(isGrouped(from("a", 0), from("a", 4 * minute), day));
  assert.ok(!isGrouped(from("a", 0), from("b", minute), day));
  assert.ok(!isGrouped(from("a", 0), from("a", 6 * minute), day));
  assert.ok(!isGrouped(null, from("a", 0), day));
});
