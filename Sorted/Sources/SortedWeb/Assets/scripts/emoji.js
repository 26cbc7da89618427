// A picker of emoji for the composer. The ones that were used last come first.

import { $, all, make } from "./dom.js";
import { insert } from "./composer.js";
import { closeDialog, showDialog } from "./dialogs.js";
import { t } from "./strings.js";

// By what they show, in English and in the language of the page.
const groups = [
  ["smile happy", t("smile happy"), "😀 😃 😄 😁 😆 😅 😂 🤣 🙂 😉 😊 😇 🥰 😍 😘 😋 😜 🤗 🤔 🤨 😐 😏 😌 😴"],
  ["sad angry", t("sad angry"), "😕 🙁 😮 😳 🥺 😢 😭 😱 😤 😡 🤯 😷 🤒 🤧 🥵 🥶 😵 🙄 😬"],
  ["hand gesture", t("hand gesture"), "👍 👎 👌 ✌️ 🤞 👏 🙌 🙏 🤝 💪 👋 ✋ 👉 👆 ✍️"],
  ["heart love", t("heart love"), "❤️ 🧡 💛 💚 💙 💜 🖤 💔 💕 💯 🔥 ✨ ⭐ 🎉 🎂 🎁"],
  ["animal nature", t("animal nature"), "🐶 🐱 🐭 🦊 🐻 🐼 🐸 🐵 🐔 🐧 🦉 🐝 🦋 🌱 🌳 🌸 🌞 🌧️ ❄️ 🌊"],
  ["food drink", t("food drink"), "🍎 🍌 🍓 🍞 🧀 🍕 🍔 🍟 🌮 🍣 🍰 🍪 ☕ 🍵 🍺 🍷"],
  ["thing place", t("thing place"), "🚲 🚗 🚌 🚆 ✈️ ⛵ 🏠 🏢 🏖️ ⛰️ 📷 🎥 🎤 🎧 📱 💻 📅 📎 ✏️ 📌 🔑 💡 ⏰ ✅ ❌ ❓ ❗"],
];
const recentKey = "sorted-emoji";
const recent = () => JSON.parse(localStorage.getItem(recentKey) ?? "[]");

function remember(emoji) {
  localStorage.setItem(recentKey, JSON.stringify([emoji, ...recent().filter((other) => other !== emoji)].slice(0, 16)));
}

function fill(grid, words) {
  const wanted = words.trim().toLowerCase();
  const found = groups.filter((names) => names.some((name) => name.includes(wanted))).flatMap(([, , list]) => list.split(" "));
  const list = wanted ? found : [...new Set([...recent(), ...found])];
  grid.replaceChildren(...list.map((emoji) => make("button", { type: "button", textContent: emoji, "aria-label": emoji, value: emoji })));
}

function dialog() {
  const known = $("#emoji-picker");
  if (known) return known;
  const search = make("input", { type: "search", placeholder: t("smile, heart, food"), "aria-label": t("Kind of emoji") });
  const grid = make("div", { className: "emoji-grid" });
  const box = make("dialog", { id: "emoji-picker", "aria-label": t("Emoji") }, search, grid);
  search.addEventListener("input", () => fill(grid, search.value));
  grid.addEventListener("click", ({ target }) => {
    if (!target.value) return;
    remember(target.value);
    closeDialog(box);
    insert(target.value);
  });
  grid.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 8, ArrowUp: -8 }[event.key];
    if (!by) return;
    const buttons = all("button", grid);
    buttons[Math.min(buttons.length - 1, Math.max(0, buttons.indexOf(event.target) + by))]?.focus();
    event.preventDefault();
  });
  document.body.append(box);
  return box;
}

/** Puts the picker above its button. */
function place(box, { left, right, top }) {
  const side = document.documentElement.dir === "rtl" ? innerWidth - right : left;
  box.style.marginInlineStart = `${Math.max(0, Math.min(side - 12, innerWidth - 392))}px`;
  box.style.marginBottom = `${innerHeight - top}px`;
}

export function start() {
  document.addEventListener("click", (event) => {
    if (!event.target.closest("#emoji")) return;
    const box = dialog();
    place(box, event.target.closest("#emoji").getBoundingClientRect());
    $("input", box).value = "";
    fill($(".emoji-grid", box), "");
    showDialog(box);
  });
}
