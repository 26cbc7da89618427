// Requests to the server: pages, parts of pages and forms.

import { parse } from "./dom.js";
import { saySignedOut, setOnline } from "./say.js";
import { emit, state } from "./state.js";

// An event that comes while a page is loaded may be newer than the page, which must not take back what it told.
let told = 0;
const toldAt = new Map();

/** Notes that an item was told of by an event. */
export function tell(id) {
  toldAt.set(id, ++told);
  // What is told once is remembered as long as a page may be under way.
  if (toldAt.size > 5_000) toldAt.delete(toldAt.keys().next().value);
}

/**
 * A page or a part of one. A connection that was cut does not mean that the server is away, so a page is asked for once more. A form is
 * sent once: the server may have done what it asks for.
 */
async function whole(path, options) {
  const ask = async () => {
    const answer = await fetch(path, options);
    return { answer, page: parse(await answer.text()) };
  };
  return options?.method === "POST" ? ask() : ask().catch(ask);
}

/**
 * A page or a part of one; null where the server cannot be reached.
 * @param orKept whether what the worker keeps of it will do then. Where it is to bring the page up to date, it would take back what is
 *   shown.
 */
export async function load(path, options, { orKept = false } = {}) {
  const asked = told;
  try {
    const { answer, page } = await whole(path, options);
    const isKept = answer.headers.has("X-Kept");
    setOnline(!isKept);
    if (isKept && !orKept) return null;
    if (answer.status === 401) await checkSession();
    return { answer, page, isNewer: (item) => (toldAt.get(item.id) ?? 0) > asked };
  } catch {
    setOnline(false);
    return null;
  }
}

/**
 * Asks whose session this is.
 * @returns whether it is still this page's account; its forms carry the token of now then.
 * @throws where the server cannot be reached
 */
export async function checkSession() {
  const answer = await fetch("/session");
  const session = answer.ok ? await answer.json() : null;
  if (session?.account === state.account) {
    state.token = session.token;
    for (const field of document.querySelectorAll("input[name=form]")) field.value = session.token;
    return true;
  }
  // Another account: its pages are loaded afresh, and what this one wrote waits for it.
  if (session) location.assign("/");
  saySignedOut();
  emit("signed-out");
  return false;
}

/** Sends a body as `fetch` does, and says how much of it is sent: a number from 0 to 1. */
function upload(path, { body, headers, signal }, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / Math.max(1, total));
    request.onload = () => resolve(new Response(request.status === 204 ? null : request.responseText, { status: request.status }));
    request.onerror = request.ontimeout = () => reject(new TypeError("The server cannot be reached."));
    request.onabort = () => reject(new DOMException("The sending was ended.", "AbortError"));
    signal?.addEventListener("abort", () => request.abort(), { once: true });
    request.send(body);
  });
}

/**
 * Sends a form in the background. A form of a session that was renewed meanwhile is sent again with its token.
 * @param onProgress is told how much of a form with files is sent
 * @param keepalive whether a page that the person leaves still sends it; a form with files is too large for that
 * @throws where the server cannot be reached
 */
export async function post(path, fields = {}, headers = {}, { signal, onProgress, keepalive = false } = {}) {
  const attempt = () => {
    const body = new FormData();
    body.set("form", state.token);
    let hasFiles = false;
    for (const [name, value] of Object.entries(fields)) {
      for (const one of [value].flat()) {
        if (one instanceof Blob) hasFiles = true;
        if (one instanceof Blob) body.append(name, one, one.name ?? "file");
        else body.append(name, one);
      }
    }
    const plain = hasFiles ? body : new URLSearchParams(body);
    const options = { method: "POST", body: plain, headers: { "X-Live": "1", ...headers }, signal, keepalive: keepalive && !hasFiles };
    return hasFiles && onProgress ? upload(path, options, onProgress) : fetch(path, options);
  };
  const answer = await attempt();
  setOnline(true);
  if (answer.status !== 401 && answer.status !== 403) return answer;
  const before = state.token;
  return (await checkSession()) && state.token !== before ? attempt() : answer;
}

/** Whether the same request may succeed later: too much came at once, or the server has trouble. */
export const isPassing = ({ status }) => status === 408 || status === 429 || status >= 500;

/** What a page that refuses something says. */
export async function reason(answer, otherwise) {
  const page = parse(await answer.text());
  return page.querySelector("#content p")?.textContent ?? otherwise;
}
