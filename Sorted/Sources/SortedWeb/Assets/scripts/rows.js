// The list of conversations.

import { $, all, setTabIndex } from "./dom.js";
import { headings, put } from "./lists.js";
import { rowOrder, vanished } from "./order.js";
import { load } from "./server.js";
import { isReturn } from "./places.js";
import { chosenThread, emit, on } from "./state.js";
import { localise } from "./times.js";

const rows = () => $("#rows");

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

/** Puts a row where it belongs, or takes it away where it belongs to another list. */
function place(row) {
  const list = rows();
  const old = document.getElementById(row.id);
  const isShown = row.dataset.kinds.split(" ").includes(list.dataset.kind);
  if (!isShown || (!old && (list.dataset.filtered === "true" || isFurther(row)))) old?.remove();
  else put(row, list, "row", rowOrder);
}

export function removeRow(slug) {
  document.getElementById(`c-${slug}`)?.remove();
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
  const hasAfter = Boolean($("#more-rows", page));
  for (const row of vanished(all(".row", list), loaded, rowOrder, { hasAfter })) if (!isNewer(row)) row.remove();
  for (const row of loaded) if (!isNewer(row)) place(row);
  const [aside, count] = [$("#aside", page), $(".tab-count", page)];
  if (aside && count) showAside({ count: count.dataset.count, text: aside.textContent });
  tidyRows();
}

/** Loads the first page of the list again. @returns whether the server was reached */
export async function refreshRows() {
  const list = rows();
  if (!list) return true;
  const loaded = await load(list.dataset.address + (list.dataset.address.includes("?") ? "&" : "?") + "part=list");
  if (loaded?.answer.ok) mergeRows(loaded);
  return loaded !== null;
}

/** Loads the next page of the list. @returns whether it came */
async function loadNext(link) {
  const loaded = await load(`${link.href}&part=list`);
  if (!loaded?.answer.ok) return false;
  for (const row of all("#rows > .row", loaded.page)) if (!loaded.isNewer(row)) put(row, rows(), "row", rowOrder);
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

/** Says how many conversations the list leaves out. */
function showAside({ count, text }) {
  for (const mark of all(".tab-count")) {
    mark.textContent = ` ${count}`;
    mark.hidden = count === "0";
  }
  const line = $("#aside");
  if (!line) return;
  line.textContent = text;
  line.hidden = count === "0" || !["all", "unread"].includes(rows().dataset.kind) || rows().dataset.filtered === "true";
}

export function start() {
  const scroller = $("#list-scroll");
  if (!scroller) return;
  localise(rows());
  returnTo({ top: 0, count: 0, ...JSON.parse(sessionStorage.getItem("list") ?? "{}") });
  addEventListener("pagehide", notePlace);
  on("thread", mark);
  on("aside", showAside);
  // The row shows at once that it was chosen; its conversation comes when it is loaded.
  on("opening", mark);
}
