// Ctrl-K: people, conversations and commands by name. It also chooses where a message is forwarded to.

import { delay } from "./backoff.js";
import { closeDialog, isShown, showDialog } from "./dialogs.js";
import { $, all, make } from "./dom.js";
import { open } from "./navigate.js";
import { uuid } from "./outbox.js";
import { say } from "./say.js";
import { post } from "./server.js";
import { t } from "./strings.js";

const commands = [
  { name: t("Inbox"), address: "/" }, { name: t("Unread conversations"), address: "/?filter=unread" },
  { name: t("Archived conversations"), address: "/?filter=archived" }, { name: t("Search messages"), address: "/search" },
  { name: t("Answers"), address: "/answers" }, { name: t("Settings"), address: "/settings" }, { name: t("Bin"), address: "/bin" },
  { name: t("Keys"), run: () => $("#keys") && showDialog($("#keys")) },
];

/** What is to be forwarded, in words, and the function that does it; null where the palette only goes somewhere. */
let forwarding = null;
let turn = 0;
let attempts = 0;
// Whether the list still shows the results of earlier words.
let isSearching = false;
// Whether Enter was pressed meanwhile. Then the first of the next results is chosen.
let isEntered = false;

function go(place) {
  if (place.run) return place.run();
  if (place.address.startsWith("/c/") && $(".pane-thread")) return open(place.address);
  location.assign(place.address);
}

/** The places with some words; null where the server does not answer within ten seconds. */
export async function search(words) {
  try {
    const answer = await fetch(`/find?q=${encodeURIComponent(words)}`, { signal: AbortSignal.timeout(10_000) });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

function dialog() {
  const known = $("#palette");
  if (known) return known;
  const field = make("input", { type: "search", role: "combobox", "aria-label": t("Go to"), "aria-expanded": "true", "aria-controls": "palette-list", autocomplete: "off", placeholder: t("A person, a conversation or a command") });
  const list = make("ul", { id: "palette-list", role: "listbox", "aria-label": t("Places") });
  const box = make("dialog", { id: "palette", "aria-label": t("Go to") },
    make("div", { className: "forwarded", hidden: true }, make("h2", { textContent: t("Forward to") }), make("p", { className: "quote", dir: "auto" })),
    field, list, make("div", { className: "confirm", hidden: true }),
    make("p", { className: "away", role: "status", hidden: true, textContent: t("The server is away. Trying again…") }));
  field.addEventListener("input", () => {
    isEntered = false;
    show(box);
  });
  field.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) {
      event.preventDefault();
      select(list, [...list.children].indexOf($("[aria-selected=true]", list)) + by);
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (isSearching) isEntered = true;
      else $("[aria-selected=true]", list)?.click();
    }
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    // The first Escape in a search field would only clear the field.
    event.preventDefault();
    if ($(".confirm", box).hidden) closeDialog(box);
    else showPlaces(box);
  });
  document.body.append(box);
  return box;
}

function select(list, index) {
  const items = [...list.children];
  const chosen = items[(index + items.length) % items.length];
  for (const item of items) item.setAttribute("aria-selected", String(item === chosen));
  chosen?.scrollIntoView({ block: "nearest" });
  if (chosen) $("#palette input").setAttribute("aria-activedescendant", chosen.id);
}

/** Shows the field and the places, instead of what is about to be forwarded. */
function showPlaces(box) {
  for (const part of [$("input", box), $("ul", box)]) part.hidden = false;
  $(".confirm", box).hidden = true;
  $("input", box).focus();
}

/** Says what goes to whom, and waits for a click or Enter. */
function confirm(box, place) {
  for (const part of [$("input", box), $("ul", box)]) part.hidden = true;
  const button = make("button", { type: "button", className: "button primary", textContent: t("Forward to {1}", place.name), onclick: () => {
    closeDialog(box);
    forwarding.send(place);
  } });
  const back = make("button", { type: "button", className: "button", textContent: t("Another one"), onclick: () => showPlaces(box) });
  $(".confirm", box).replaceChildren(...describe(place), make("div", { className: "buttons" }, button, back));
  $(".confirm", box).hidden = false;
  button.focus();
}

/** The name of a place, and its people where the name does not say them. */
const describe = ({ name, people }) => [make("bdi", { textContent: name }), ...(people ? [make("small", { textContent: people, dir: "auto" })] : [])];

async function show(box) {
  const words = $("input", box).value.trim();
  const mine = ++turn;
  isSearching = true;
  const found = await search(words);
  if (mine !== turn || !isShown(box)) return;
  isSearching = false;
  attempts = found ? 0 : attempts + 1;
  const places = found ?? [];
  $(".away", box).hidden = Boolean(found);
  if (!found) setTimeout(() => mine === turn && isShown(box) && show(box), delay(attempts));
  const fitting = forwarding ? [] : commands.filter(({ name }) => name.toLowerCase().includes(words.toLowerCase()));
  const list = $("ul", box);
  list.replaceChildren(...[...places, ...fitting].map((place, index) => {
    const picture = place.initials
      ? make("span", { className: `avatar small h${place.hue}`, "aria-hidden": "true", textContent: place.initials })
      : make("span", { className: "avatar small h7", "aria-hidden": "true", textContent: "›" });
    return make("li", { id: `place-${index}`, role: "option", "aria-selected": "false", onclick: () => {
      if (forwarding) return confirm(box, place);
      closeDialog(box);
      go(place);
    } }, picture, make("span", { className: "place" }, ...describe(place)));
  }));
  select(list, 0);
  if (isEntered && found) list.firstElementChild?.click();
}

/**
 * Opens the palette.
 * @param what what is forwarded to a conversation instead of going there: `{ text, send }`
 */
export function showPalette(what = null) {
  forwarding = what;
  const box = dialog();
  const title = what ? t("Forward to") : t("Go to");
  for (const part of [box, $("input", box)]) part.setAttribute("aria-label", title);
  $(".forwarded", box).hidden = !what;
  $(".forwarded .quote", box).textContent = what?.text ?? "";
  showPlaces(box);
  $("input", box).value = "";
  attempts = 0;
  isEntered = false;
  showDialog(box);
  show(box);
}

// The keys of messages whose forwarding is not known to have come through: a second attempt has the key of the first.
const keys = new Map();

/**
 * Forwards a message to a conversation that was chosen.
 * @throws where the server cannot be reached
 */
export async function forward(message, place) {
  const to = place.address.split("/")[2];
  const name = `${message.id} ${to}`;
  const key = keys.get(name) ?? uuid();
  keys.set(name, key);
  const answer = await post(`/c/${message.dataset.thread}/m/${message.id.slice(2)}/forward`, { to, key });
  if (answer.ok) keys.delete(name);
  return answer;
}

/** The beginning of a message, or the names of its files. */
export const words = (message) =>
  ($(".text", message)?.textContent ?? all(".file bdi, .picture img", message).map((part) => part.textContent || part.alt).join(", ")).slice(0, 160);

async function forwardOne(message, place) {
  try {
    const { ok } = await forward(message, place);
    say(ok ? t("Forwarded to {1}.", place.name) : t("The message was not forwarded."), ok ? { text: t("Open"), href: place.address } : undefined);
  } catch {
    say(t("The message was not forwarded: the server is away."));
  }
}

export function start() {
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    event.preventDefault();
    showPalette();
  });
  document.addEventListener("click", (event) => {
    const message = event.target.closest(".forward")?.closest(".msg");
    if (message) showPalette({ text: words(message), send: (place) => forwardOne(message, place) });
  });
}
