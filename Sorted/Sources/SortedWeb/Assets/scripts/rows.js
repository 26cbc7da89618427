// The list of conversations.

import { $, all, removeItem, setTabIndex } from "./dom.js";
import { headings, put } from "./lists.js";
import { rowOrder, vanished } from "./order.js";
import { isPassing, load } from "./server.js";
import { isReturn } from "./places.js";
import { chosenThread, emit, on } from "./state.js";
import { localise } from "./times.js";

const rows = () => $("#rows");

/** The time that the server gave the row of a conversation; 0 without one. A row that shows what waits has a time of this browser. */
export function rowSort(slug) {
  const row = document.getElementById(`c-${slug}`);
  return row && !row.dataset.ahead ? Number(row.dataset.sort) : 0;
}

/** Marks the row of the conversation that is open, and lets Tab stop at one row only. */
export function mark() {
  const list = rows();
  if (!list) return;
  const focused = document.activeElement?.matches(".row-link") ? document.activeElement : null;
  const current = $(".row-link", document.getElementById(`c-${chosenThread()}`) ?? document.createElement("li"));
  // Only what differs is written: a list may have thousands of rows.
  for (const link of all(".row-link[aria-current]", list)) if (link !== current) link.removeAttribute("aria-current");
  if (current && !current.hasAttribute("aria-current")) current.setAttribute("aria-current", "page");
  const stop = focused ?? current ?? $(".row-link", list);
  for (const link of all('.row-link:not([tabindex="-1"])', list)) if (link !== stop) link.tabIndex = -1;
  if (stop) setTabIndex(stop, 0);
  // Keys and the pointer reach these: a stop for each of them would be hundreds.
  for (const button of all(".row-actions button:not([tabindex])", list)) button.tabIndex = -1;
}

// Behind the last one that is loaded.
const isFurther = (row) => {
  const last = all(".row", rows()).at(-1);
  return $("#more-rows") && last && rowOrder(last, row) < 0;
};

export function putRow(row) {
  if (!rows()) return;
  place(row);
  tidyRows();
}

// The conversations that lead the list because they need an answer, as the server said last, and when it read them.
let leads = [];
let sortedAt = 0;

/** Notes at a row whether it leads the list. Returns whether that is new. */
function lead(row) {
  const index = leads.indexOf(row.dataset.slug);
  const value = index < 0 ? undefined : String(index + 1);
  if (row.dataset.lead === value) return false;
  if (value) row.dataset.lead = value;
  else delete row.dataset.lead;
  return true;
}

/** Takes what the server says of the sorting of the list, unless something newer is known. */
function sort({ sorted, waiting, aside, asideText, counts, leads: next }) {
  if (Number(sorted) < sortedAt || !rows()) return;
  sortedAt = Number(sorted);
  for (const link of all(".list-tabs [data-tab]")) {
    const count = counts[link.dataset.tab];
    const mark = $(".tab-count", link);
    if (count === undefined || !mark) continue;
    if (mark.textContent !== ` ${count}`) mark.textContent = ` ${count}`;
    mark.hidden = count === "0";
    if (link.hasAttribute("aria-current") && link.closest(".further")) $(".further summary .tab-count").textContent = count;
  }
  const line = $("#aside");
  line.textContent = asideText;
  line.hidden = String(aside) === "0" || !["all", "unread"].includes(rows().dataset.kind) || rows().dataset.filtered === "true";
  rows().dataset.waiting = waiting;
  leads = next;
  for (const row of all(".row", rows())) {
    const copy = row.cloneNode(true);
    if (lead(copy)) put(copy, rows(), "row", rowOrder);
  }
}

/** What a page says of the sorting. */
function sortingOf(page) {
  const list = $("#rows", page);
  if (!list?.dataset.sorted) return null;
  const tabs = all(".list-tabs [data-tab]", page);
  return {
    ...list.dataset, aside: $("#aside", page).hidden ? "0" : "1", asideText: $("#aside", page).textContent,
    counts: Object.fromEntries(tabs.map((tab) => [tab.dataset.tab, $(".tab-count", tab).textContent.trim()])),
    leads: all(".row[data-lead]", list).map(({ dataset }) => dataset.slug),
  };
}

/** The sorting changed. A list of all that needs an answer has an order of its own, which is loaded. */
function sortingChanged({ tabs, further, ...sorting }) {
  if (rows()?.dataset.kind === "waiting") return refreshRows();
  const counts = Object.fromEntries([...tabs, ...further].map(({ name, count }) => [name, count]));
  const isLed = rows()?.dataset.kind === "all" && rows().dataset.filtered !== "true";
  sort({ ...sorting, counts, leads: isLed ? sorting.leads : [] });
  tidyRows();
}

/** Puts a row where it belongs, or takes it away where it belongs to another list. */
function place(row) {
  const list = rows();
  const old = document.getElementById(row.id);
  lead(row);
  const isShown = row.dataset.kinds.split(" ").includes(list.dataset.kind);
  if (!isShown || (!old && (list.dataset.filtered === "true" || isFurther(row)))) removeItem(old);
  else put(row, list, "row", rowOrder);
}

export function removeRow(slug) {
  removeItem(document.getElementById(`c-${slug}`));
  tidyRows();
}

export function tidyRows() {
  const list = rows();
  if (!list) return;
  headings(list, "row", "h2");
  $("#no-rows").hidden = Boolean($(".row:not([hidden])", list));
  mark();
  emit("rows");
}

/** Brings the list up to a page that was loaded again. */
export function mergeRows({ page, isNewer }) {
  const list = rows();
  const loaded = all("#rows > .row", page);
  if (!list || !$("#rows", page)) return;
  const sorting = sortingOf(page);
  if (sorting) sort(sorting);
  for (const row of loaded) lead(row);
  const hasAfter = Boolean($("#more-rows", page));
  for (const row of vanished(all(".row", list), loaded, rowOrder, { hasAfter })) if (!isNewer(row)) removeItem(row);
  for (const row of loaded) if (!isNewer(row)) place(row);
  tidyRows();
}

/** Loads the first page of the list again. @returns whether the server answered */
export async function refreshRows() {
  const list = rows();
  if (!list) return true;
  const loaded = await load(list.dataset.address + (list.dataset.address.includes("?") ? "&" : "?") + "part=list");
  if (loaded?.answer.ok) mergeRows(loaded);
  return loaded !== null && !isPassing(loaded.answer);
}

/** Loads the next page of the list. @returns whether it came */
async function loadNext(link) {
  const loaded = await load(`${link.href}&part=list`);
  if (!loaded?.answer.ok) return false;
  for (const row of all("#rows > .row", loaded.page)) if (!loaded.isNewer(row)) {
    lead(row);
    put(row, rows(), "row", rowOrder);
  }
  const next = $("#more-rows", loaded.page);
  if (next) link.replaceWith(document.importNode(next, true));
  else link.remove();
  return true;
}

/** Loads the next page when its link comes near. */
function watchMore() {
  const link = $("#more-rows");
  if (!link) return;
  const observer = new IntersectionObserver(async (entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    if (!(await loadNext(link))) return;
    tidyRows();
    watchMore();
  }, { root: $("#list-scroll"), rootMargin: "400px" });
  observer.observe(link);
}

/** Goes back to where the list was, with as many rows as it had. */
async function returnTo({ address, top, count }) {
  const scroller = $("#list-scroll");
  if (isReturn() && address === rows().dataset.address)
    while (all(".row", rows()).length < count && $("#more-rows")) if (!(await loadNext($("#more-rows")))) break;
  tidyRows();
  watchMore();
  scroller.scrollTop = top;
}

/** Notes where the list is, for the way back. */
function notePlace() {
  const place = { address: rows().dataset.address, top: $("#list-scroll").scrollTop, count: all(".row", rows()).length };
  sessionStorage.setItem("list", JSON.stringify(place));
}

/** Moves the focus by some rows. */
export function step(by) {
  const links = all(".row-link", rows());
  const focused = links.indexOf(document.activeElement.closest?.(".row")?.querySelector(".row-link"));
  const start = focused < 0 ? links.findIndex((link) => link.hasAttribute("aria-current")) : focused;
  links[Math.min(links.length - 1, Math.max(0, start + by))]?.focus();
  mark();
}

export function start() {
  const scroller = $("#list-scroll");
  if (!scroller) return;
  localise(rows());
  sortedAt = Number(rows().dataset.sorted ?? 0);
  leads = all(".row[data-lead]", rows()).map(({ dataset }) => dataset.slug);
  returnTo({ top: 0, count: 0, ...JSON.parse(sessionStorage.getItem("list") ?? "{}") });
  addEventListener("pagehide", notePlace);
  on("thread", mark);
  on("sorting", sortingChanged);
  // The row shows at once that it was chosen; its conversation comes when it is loaded.
  on("opening", mark);
}
