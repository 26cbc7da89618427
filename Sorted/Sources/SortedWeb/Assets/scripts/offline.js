// The service worker: registered where there is an account, and told to forget at the sign-out.

import { on, state } from "./state.js";

// In milliseconds: a page that changes is kept again once in this time.
const pause = 15_000;
let timer = null;

/** Has the worker keep the page again. What it keeps is a page as it was loaded, without what came since. */
function keepAgain() {
  clearTimeout(timer);
  timer = null;
  if (state.isLeaving || !state.account) return;
  navigator.serviceWorker.controller?.postMessage({ keepAgain: [location.pathname + location.search] });
}

/** Notes that the page shows something that the kept one does not have. Pages out of sight are kept when they are in sight again. */
function changed() {
  timer ??= setTimeout(() => (document.hidden ? (timer = null) : keepAgain()), pause);
}

/** The worker did not see what was loaded before it was there: this page and its scripts. */
async function keepThisPage() {
  if (navigator.serviceWorker.controller) return;
  const { active } = await navigator.serviceWorker.ready;
  const assets = performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => name.includes("/assets/"));
  active.postMessage({ keep: ["/", location.pathname + location.search, ...assets] });
}

export function start() {
  const workers = navigator.serviceWorker;
  document.addEventListener("submit", (event) => {
    if (event.submitter && new URL(event.submitter.formAction || location.href).pathname === "/sign-out") {
      state.isLeaving = true;
      workers?.controller?.postMessage("forget");
    }
  });
  if (!workers) return;
  on("messages", changed);
  on("rows", changed);
  document.addEventListener("visibilitychange", () => (document.hidden ? timer && keepAgain() : changed()));
  if (state.account) workers.register("/service-worker.js").then(keepThisPage).catch(() => {});
  // Without a session, no data of any account stays in the browser.
  if (!state.account) caches?.delete("sorted-pages-1");
}
