// The messages of the conversation that is open.

import { $, all, make, removeItem } from "./dom.js";
import { headings, putAll } from "./lists.js";
import { isGrouped, messageOrder, vanished } from "./order.js";
import { rowSort } from "./rows.js";
import { isAtEnd, isDetached, keepPlace, noteScroll, release, rest } from "./scroll.js";
import { isPassing, load } from "./server.js";
import { emit, on, state } from "./state.js";
import { day, localise, timeOf } from "./times.js";
import { t } from "./strings.js";

const list = () => $("#messages");
const stored = () => all(".msg:not(.waiting)", list());
const dayOf = (item) => day(timeOf(item));

/** Shows messages that came, but for those that belong to a part of the thread that is not on the page. */
export function putMessages(messages) {
  if (!list() || !messages.length) return;
  const wasAtEnd = isAtEnd();
  const shown = all(".msg", list());
  if (!wasAtEnd && shown.length > 2 * most) leaveEnd();
  const [first, last] = [shown[0], shown.at(-1)];
  const isNew = (message) => !document.getElementById(message.id);
  // Behind a page that does not reach the end, and before those that are loaded, others have to come first.
  const isBeyond = (message) => isDetached() && !(last && messageOrder(message, last) < 0);
  const isOlder = (message) => Boolean($("#older")) && first && messageOrder(message, first) < 0;
  const fitting = messages.filter((message) => !isNew(message) || (!isBeyond(message) && !isOlder(message)));
  keepPlace(() => {
    putAll(fitting, list(), "msg", messageOrder);
    tidy();
  });
  if (wasAtEnd) trim();
}

export const putMessage = (message) => putMessages([message]);

/** Detaches the page from the end of the thread when very many messages come while a person reads older ones. */
function leaveEnd() {
  if (isDetached()) return;
  addLink("newer", stored().at(-1));
  watchMore();
}

/** Links to what comes before or behind a message that is the first or the last one on the page. */
function addLink(id, message) {
  $(`#${id}`)?.remove();
  const [place, side, text] = id === "older" ? ["before", "before", t("Older messages")] : ["after", "after", t("Newer messages")];
  const href = `/c/${state.thread}?${side}=${message.id.slice(2)}`;
  list()[place](make("a", { className: "button more", id, href, textContent: text }));
}

/** The most messages on a page, so that it stays quick and its memory flat. */
const most = 400;

/** Removes the oldest messages from a page at the end of the thread. Scrolling up loads them again. */
function trim() {
  if (isDetached() || !cut("older", most / 2)) return;
  tidy();
  watchMore();
}

/**
 * Removes messages from one end of a page that has too many. Scrolling there loads them again.
 * @param side `older` or `newer`
 * @param count how many stay
 * @returns whether messages were removed
 */
function cut(side, count) {
  const messages = all(".msg", list());
  // Messages on their way stand at the end.
  if (messages.length <= most || (side === "newer" && $(".waiting", list()))) return false;
  const isOlder = side === "older";
  const gone = isOlder ? messages.slice(0, -count) : messages.slice(count);
  const line = $("#unread-line");
  if (line && (isOlder || gone.includes(line.nextElementSibling))) line.remove();
  gone.forEach((message) => message.remove());
  addLink(side, isOlder ? messages.at(-count) : messages[count - 1]);
  return true;
}

/** Whether a message is pinned in the conversation that is open. */
const isPinned = (slug) => $(".pins")?.dataset.pins.split(" ").includes(slug) ?? false;

export function removeMessage(slug) {
  if (isPinned(slug)) refreshThread();
  keepPlace(() => {
    removeItem(document.getElementById(`m-${slug}`));
    tidy();
  });
}

/** Brings headings, groups and what stands for an empty thread up to the messages. */
export function tidy() {
  if (!list()) return;
  headings(list(), "msg", "span");
  const messages = all(".msg", list());
  messages.forEach((message, index) => {
    const isFollowing = isGrouped(messages[index - 1], message, dayOf);
    if (message.classList.contains("grouped") !== isFollowing) message.classList.toggle("grouped", isFollowing);
  });
  const empty = $("#no-messages");
  if (empty) empty.hidden = messages.length > 0;
  emit("messages");
}

/** The range on the page, which is told of and loaded again: in microseconds, without an end where the thread ends. */
export function shownRange() {
  const messages = list() ? stored() : [];
  if (!messages.length) return null;
  return { from: messages[0].dataset.sort, to: isDetached() ? messages.at(-1).dataset.sort : "" };
}

let refresh = null;
let isRefreshAsked = false;
let again;

/**
 * Loads what is on the page again: after the connection broke, or was made, or when very many messages came. It is loaded once at
 * a time, and once more if that was asked for meanwhile: an older page that came late would take back what a newer one had.
 * @returns whether the server answered
 */
export function refreshThread() {
  isRefreshAsked = true;
  refresh ??= (async () => {
    let isAnswered = true;
    clearTimeout(again);
    try {
      while (isRefreshAsked) {
        isRefreshAsked = false;
        isAnswered = await loadAgain();
      }
      return isAnswered;
    } finally {
      // At once, so that none asks in between and gets a refresh that is over.
      refresh = null;
      // What asked for it is told once, so a request that was lost is repeated.
      if (!isAnswered) again = setTimeout(refreshThread, 2_000);
    }
  })();
  return refresh;
}

/** What is shown stays unless it is gone. */
async function loadAgain() {
  if (!list()) return true;
  const thread = state.thread;
  const range = shownRange() ?? { from: "0", to: "" };
  const sort = rowSort(thread);
  // A page without a link to older messages has the thread from its beginning, or it is the browser's copy of long ago.
  if (!$("#older")) range.from = "0";
  const loaded = await load(`/c/${thread}?from=${range.from}&to=${range.to}&part=1`);
  if (loaded?.answer.status === 404) emit("gone", thread);
  if (!loaded?.answer.ok || state.thread !== thread) return loaded !== null && !isPassing(loaded.answer);
  const { page, isNewer } = loaded;
  const found = all("#messages > .msg", page);
  const wasAtEnd = isAtEnd();
  // The thread grew beyond what one answer may have: the older part is loaded where it is scrolled to.
  const isCut = found.length > 0 && Boolean($("#older", page));
  keepPlace(() => {
    if (isCut && !stored().some((message) => message.id === found[0].id)) stored().forEach((message) => message.remove());
    // The answer has all of the range that was asked for, so what it lacks is gone. More may be shown by now.
    for (const message of vanished(stored(), found, messageOrder, { hasBefore: isCut || range.from !== "0", hasAfter: range.to !== "" }))
      if (!isNewer(message)) removeItem(message);
    // An end of the page may have been cut off meanwhile.
    const [first, last] = [stored()[0], stored().at(-1)];
    const isOff = (message) => first && !document.getElementById(message.id)
      && ((isDetached() && messageOrder(message, last) > 0) || ($("#older") && messageOrder(message, first) < 0));
    putAll(found.filter((message) => !isNewer(message) && !isOff(message)), list(), "msg", messageOrder);
    if (isCut && stored()[0] === found[0]) takeLink("older", page);
    takePins(page);
    tidy();
  });
  // The link to older messages is a new element, which is not observed yet.
  if (isCut) watchMore();
  if (wasAtEnd) trim();
  if (!range.to) emit("whole", { thread, sort });
  return true;
}

function takeLink(id, page) {
  const next = $(`#${id}`, page);
  const link = $(`#${id}`);
  if (next && link) link.replaceWith(document.importNode(next, true));
  else if (next) list()[id === "older" ? "before" : "after"](document.importNode(next, true));
  else link?.remove();
}

/** Takes the line of pinned messages from an answer, if it has one. */
function takePins(page) {
  const next = $(".pins", page);
  if (next && $(".pins").outerHTML !== next.outerHTML) $(".pins").replaceWith(document.importNode(next, true));
}

/** Other messages are pinned: the line above the thread and the messages show it. */
function refreshPins({ row }) {
  if (row.dataset.slug === state.thread && (row.dataset.pins ?? "") !== ($(".pins")?.dataset.pins ?? "")) refreshThread();
}

/** A pinned message that came back, or has another text, is another line above the thread. */
function refreshPin(message) {
  const text = (element) => $(".bubble > .text", element)?.textContent;
  if (message.dataset.thread !== state.thread || !isPinned(message.id.slice(2))) return;
  const old = document.getElementById(message.id);
  if (!old || text(old) !== text(message)) refreshThread();
}

/** What happened to a group changed who takes part, or what they may do: the list of people is loaded again. */
async function refreshPeople(message) {
  const thread = state.thread;
  if (message.dataset.thread !== thread || !message.classList.contains("event")) return;
  const loaded = await load(`/c/${thread}?part=pane`);
  if (loaded?.answer.ok && state.thread === thread) takeHead(loaded.page);
}

/** A conversation that was set aside and whose row comes may be one of the list again, by a click in this tab or another one. */
async function refreshAside({ row }) {
  const thread = state.thread;
  if (row.dataset.slug !== thread || !$(".set-aside")) return;
  const loaded = await load(`/c/${thread}?part=pane`);
  if (loaded?.answer.ok && state.thread === thread) takeHead(loaded.page);
}

/** Takes who takes part from a page of the conversation, and whether it is set aside. */
export function takeHead(page) {
  for (const selector of [".people .members", "#people"]) {
    const [next, old] = [$(selector, page), $(selector)];
    if (next && old && !old.isEqualNode(next)) old.replaceWith(document.importNode(next, true));
  }
  if (!$(".set-aside", page)) $(".set-aside")?.remove();
}

let observer;
let wasScrolled = false;

/** Loads the page that a link leads to, next to what is shown. */
async function loadMore(link) {
  const id = link.id;
  if (link.dataset.isLoading) return;
  link.dataset.isLoading = "yes";
  const loaded = await load(`${link.href}&part=1`);
  if (!loaded?.answer.ok || !link.isConnected) {
    delete link.dataset.isLoading;
    return setTimeout(watchMore, 1_000);
  }
  await rest();
  if (!link.isConnected) return;
  keepPlace(() => {
    putAll(all("#messages > .msg", loaded.page).filter((message) => !loaded.isNewer(message)), list(), "msg", messageOrder);
    takeLink(id, loaded.page);
    cut(id === "older" ? "newer" : "older", (3 * most) / 4);
    tidy();
  });
  emit("range");
  watchMore();
}

/** Loads older and newer messages when they come near. After a jump they come by scrolling only. */
function watchMore() {
  observer?.disconnect();
  const links = [$("#older"), $("#newer")].filter(Boolean);
  if (!links.length || (isDetached() && !wasScrolled)) return;
  observer = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) loadMore(entry.target);
  }, { root: $("#thread-scroll"), rootMargin: "400px 0px" });
  links.forEach((link) => observer.observe(link));
}

const scrollingKeys = ["PageUp", "PageDown", "Home", "End", "ArrowUp", "ArrowDown", " "];

/** Begins with a thread that was just put on the page. */
export function enterThread() {
  wasScrolled = false;
  const scroller = $("#thread-scroll");
  if (!scroller) return;
  localise(scroller.closest(".pane-thread"));
  tidy();
  const byHand = (event) => {
    if (wasScrolled || (event.type === "keydown" && !scrollingKeys.includes(event.key))) return;
    wasScrolled = true;
    watchMore();
  };
  for (const kind of ["wheel", "touchmove", "pointerdown", "keydown"]) {
    scroller.addEventListener(kind, release, { passive: true });
    scroller.addEventListener(kind, byHand, { passive: true });
  }
  scroller.addEventListener("scroll", () => (noteScroll(), emit("scrolled")), { passive: true });
  const mark = $(".hit", scroller) ?? $(".unread-line", scroller);
  if (mark) mark.scrollIntoView({ block: "center" });
  watchMore();
}

export function start() {
  on("row", refreshPins);
  on("row", refreshAside);
  on("message", refreshPin);
  on("message", refreshPeople);
}
