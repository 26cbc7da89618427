// Marks the words of a search in the thread that it led to, without changing the messages.

import { all } from "./dom.js";

/** A text without case and diacritics; each character stays where it is. */
const folded = (text) => text.split("").map((unit) => unit.normalize("NFD")[0].toLowerCase()[0]).join("");

const isWord = (character) => /[\p{L}\p{N}]/u.test(character ?? "");
const hasNoSpaces = (character) => /[\p{sc=Thai}\p{sc=Lao}\p{sc=Mymr}\p{sc=Khmr}\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]/u.test(character);

/** Where a text has a word, or a longer word that begins with it. */
export function places(text, word) {
  const found = [];
  const plain = folded(text);
  for (let start = plain.indexOf(word); start >= 0; start = plain.indexOf(word, start + word.length)) {
    if (!isWord(plain[start - 1]) || !isWord(word[0]) || hasNoSpaces(word[0])) found.push(start);
  }
  return found;
}

function ranges(root, words) {
  const found = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    for (const word of words) {
      for (const start of places(walker.currentNode.data, word)) {
        const range = new Range();
        range.setStart(walker.currentNode, start);
        range.setEnd(walker.currentNode, start + word.length);
        found.push(range);
      }
    }
  }
  return found;
}

/** Marks in all messages of the page what the address says was searched for. */
export function markHit() {
  if (!globalThis.CSS?.highlights) return;
  CSS.highlights.delete("found");
  const words = folded(new URLSearchParams(location.search).get("q") ?? "").split(/\s+/).filter(Boolean);
  if (!words.length || !location.pathname.startsWith("/c/")) return;
  const found = all("#messages .text").flatMap((text) => ranges(text, words));
  if (found.length) CSS.highlights.set("found", new Highlight(...found));
}
