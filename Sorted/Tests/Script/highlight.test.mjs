import assert from "node:assert/strict";
import test from "node:test";
import { places } from "../../Sources/SortedWeb/Assets/scripts/highlight.js";

test("a word is found where a word begins, whatever its case and accents", () => {
  assert.deepEqual(places("Cord, record, cords", "cord"), [0, 14]);
  assert.deepEqual(places("Un Café", "cafe"), [3]);
  assert.deepEqual(places("100 😀😀", "😀"), [4, 6]);
});

test("in a script without spaces a word is found anywhere", () => {
  assert.deepEqual(places("今日は東京", "東京"), [3]);
});
