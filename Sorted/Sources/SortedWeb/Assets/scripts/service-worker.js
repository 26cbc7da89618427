// Keeps the scripts and the last pages of this browser, so that the inbox opens and is written in without a connection.
// The server is asked first: what is kept is for when it does not answer.

const cacheName = "sorted-pages-1";
const kept = 40;

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

const isAsset = (url) => url.pathname.startsWith("/assets/") || url.pathname === "/app.webmanifest";
const isPage = (url) => url.pathname === "/" || url.pathname.startsWith("/c/") || url.pathname.startsWith("/files/");
const isKept = (url) => isAsset(url) || (isPage(url) && !url.searchParams.has("token") && !url.searchParams.has("from"));

/**
 * Loads what a page had before this worker was there.
 * @param isOld whether what is kept of it is replaced
 */
async function keepAll(paths, isOld = false) {
  for (const path of paths) {
    const request = new Request(path);
    if (!isKept(new URL(request.url)) || (!isOld && (await caches.match(request)))) continue;
    const fresh = await fetch(request).catch(() => null);
    if (fresh?.ok && !fresh.redirected) await keep(request, fresh);
  }
}

addEventListener("message", (event) => {
  // Signing out takes along what was read.
  if (event.data === "forget") event.waitUntil(caches.delete(cacheName));
  if (event.data.keep) event.waitUntil(keepAll(event.data.keep));
  if (event.data.keepAgain) event.waitUntil(keepAll(event.data.keepAgain, true));
});

async function keep(request, answer) {
  const cache = await caches.open(cacheName);
  await cache.put(request, answer);
  const pages = (await cache.keys()).filter((other) => !isAsset(new URL(other.url)));
  for (const old of pages.slice(0, Math.max(0, pages.length - kept))) await cache.delete(old);
}

/** A page to its end. One that is cut would lack its composer, so it is asked for again, and then counts as no answer. */
function wholePage(request) {
  const ask = async () => {
    const answer = await fetch(request);
    if (!answer.ok || answer.redirected) return answer;
    const { status, statusText, headers } = answer;
    return new Response(await answer.arrayBuffer(), { status, statusText, headers });
  };
  return ask().catch(ask);
}

async function answer(event) {
  const { request } = event;
  const url = new URL(request.url);
  // What has its version in the address never changes.
  if (isAsset(url) && url.pathname.split("/").length > 3) {
    const known = await caches.match(request);
    if (known) return known;
  }
  try {
    const fresh = await (request.mode === "navigate" ? wholePage(request) : fetch(request));
    if (fresh.ok && !fresh.redirected) event.waitUntil(keep(request, fresh.clone()));
    return fresh;
  } catch (error) {
    const known = await caches.match(request, { ignoreVary: true });
    if (known) return known;
    // A thread that was opened in the page is kept as a part of it.
    if (request.mode === "navigate") {
      const list = await caches.match("/");
      if (list) return list;
    }
    throw error;
  }
}

addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin || !isKept(url)) return;
  event.respondWith(answer(event));
});
