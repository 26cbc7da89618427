// The service worker: registered where there is an account, and told to forget at the sign-out.

import { say } from "./say.js";
import { on, state } from "./state.js";
import { t } from "./strings.js";

// In milliseconds: a page that changes is kept again once in this time.
const pause = 15_000;
let timer = null;
// The pages that showed something that the kept ones do not have.
const stale = new Set();

/** The address of what is shown. A conversation is kept from its end, however it was opened. */
const address = () => location.pathname + (state.thread ? "" : location.search);

/** Has the worker keep pages again. What it keeps is a page as it was loaded, without what came since. */
function keepAgain() {
  clearTimeout(timer);
  timer = null;
  if (state.isLeaving || !state.account) return;
  navigator.serviceWorker.controller?.postMessage({ keepAgain: [...stale] });
  stale.clear();
}

/**
 * Notes that the page shows something that the kept one does not have, also if another conversation is opened until it is kept. Pages
 * out of sight are kept when they are in sight again.
 */
function changed() {
  stale.add(address());
  timer ??= setTimeout(() => (document.hidden ? (timer = null) : keepAgain()), pause);
}

/** The worker led here from a page that it does not keep. */
function sayAway() {
  if (location.hash !== "#away") return;
  history.replaceState(history.state, "", location.pathname + location.search);
  say(t("The page cannot be loaded while the server is away."));
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
  sayAway();
  addEventListener("hashchange", sayAway);
  on("messages", changed);
  on("rows", changed);
  // It was loaded as a part of the page.
  on("thread", changed);
  document.addEventListener("visibilitychange", () => (document.hidden ? timer && keepAgain() : changed()));
  if (state.account) workers.register("/service-worker.js").then(keepThisPage).catch(() => {});
  // Without a session, no data of any account stays in the browser.
  if (!state.account) caches?.delete("sorted-pages-1");
}
