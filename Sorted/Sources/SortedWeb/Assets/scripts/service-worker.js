// Keeps the scripts and the last pages of this browser, so that the inbox opens and is written in without a connection.
// The server is asked first: what is kept is for when it does not answer.

const cacheName = "sorted-pages-1";
const kept = 40;

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

const isAsset = (url) => url.pathname.startsWith("/assets/") || url.pathname === "/app.webmanifest";
const isFile = (url) => url.pathname.startsWith("/files/");
// Of the parts of pages only a conversation is kept. Other parts bring what is shown up to date, which nothing old does.
const isPage = (url) =>
  (url.pathname === "/" || url.pathname.startsWith("/c/")) && ["pane", null].includes(url.searchParams.get("part"));
const isKept = (url) =>
  isAsset(url) || isFile(url) || (isPage(url) && !url.searchParams.has("token") && !url.searchParams.has("from"));

/**
 * Loads what a page had before this worker was there.
 * @param isOld whether what is kept of it is replaced
 */
async function keepAll(paths, isOld = false) {
  for (const path of paths) {
    const request = new Request(path);
    if (!isKept(new URL(request.url)) || (!isOld && (await caches.match(request)))) continue;
    const fresh = await wholePage(request).catch(() => null);
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

/**
 * What is kept of the end of a conversation: in a page with the list, or as a part that was opened next to the list. The one that was
 * kept last has the newest messages, and a cache has its answers in that order.
 */
async function newestPane({ pathname }) {
  const cache = await caches.open(cacheName);
  const found = (await cache.keys()).map(({ url }) => new URL(url)).filter((url) => url.pathname === pathname);
  const last = found.findLast(({ search }) => ["", "?part=pane"].includes(search));
  return last && cache.match(last, { ignoreVary: true });
}

/** A kept answer says that it is one: the server may be away, although there is an answer. */
function marked(answer) {
  const headers = new Headers(answer.headers);
  headers.set("X-Kept", "1");
  return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers });
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
    const fresh = await (isPage(url) ? wholePage(request) : fetch(request));
    if (fresh.ok && !fresh.redirected) event.waitUntil(keep(request, fresh.clone()));
    return fresh;
  } catch (error) {
    const known = (url.search === "?part=pane" && (await newestPane(url))) || (await caches.match(request, { ignoreVary: true }));
    if (known) return isPage(url) ? marked(known) : known;
    // A thread that was opened in the page is kept as a part of it.
    if (request.mode === "navigate") {
      const list = await caches.match("/");
      if (list) return list;
    }
    throw error;
  }
}

/** A page that is not kept. Without the server the list says so, where the browser would show a page of errors. */
async function orList(request) {
  try {
    return await wholePage(request);
  } catch (error) {
    if (await caches.match("/")) return Response.redirect("/#away");
    throw error;
  }
}

addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin) return;
  if (isKept(url)) event.respondWith(answer(event));
  else if (event.request.mode === "navigate" && !url.searchParams.has("token")) event.respondWith(orList(event.request));
});
