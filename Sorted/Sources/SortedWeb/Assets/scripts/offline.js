// The service worker: registered where there is an account, and told to forget at the sign-out.

import { state } from "./state.js";

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
  if (state.account) workers.register("/service-worker.js").then(keepThisPage).catch(() => {});
  // Without a session, no data of any account stays in the browser.
  if (!state.account) caches?.delete("sorted-pages-1");
}
