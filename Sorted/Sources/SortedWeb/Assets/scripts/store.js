// What this browser keeps: messages on their way and drafts, for each account, in IndexedDB.

const name = "sorted";

function opened() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
      const outbox = request.result.createObjectStore("outbox", { keyPath: "number", autoIncrement: true });
      outbox.createIndex("account", "account");
      request.result.createObjectStore("drafts", { keyPath: ["account", "thread"] });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

let database;

/** A store in this page, with what a store of IndexedDB is asked for. */
function pageStore(keyPath) {
  const items = new Map();
  const keyOf = (item) => JSON.stringify([keyPath].flat().map((name) => item[name]));
  let last = 0;
  return {
    size: () => items.size,
    add(item) {
      const kept = { ...item, number: ++last };
      items.set(keyOf(kept), kept);
      return { result: last };
    },
    put: (item) => ({ result: void items.set(keyOf(item), item) }),
    delete: (key) => ({ result: void items.delete(JSON.stringify([key].flat())) }),
    get: (key) => ({ result: items.get(JSON.stringify([key].flat())) }),
    index: (name) => ({ getAll: (value) => ({ result: [...items.values()].filter((item) => item[name] === value) }) }),
  };
}

// A browser may refuse its database. Then what is written is kept in this page until it is sent.
const page = { outbox: pageStore("number"), drafts: pageStore(["account", "thread"]) };

globalThis.addEventListener?.("beforeunload", (event) => page.outbox.size() && event.preventDefault());

/** Runs a transaction on some stores; its promise is fulfilled when the browser has written it. */
async function transaction(names, mode, body) {
  database ??= opened().catch(() => null);
  const open = await database;
  if (!open) return body(...[names].flat().map((name) => page[name]))?.result;
  return new Promise((resolve, reject) => {
    const work = open.transaction(names, mode, { durability: "strict" });
    const request = body(...[names].flat().map((name) => work.objectStore(name)));
    work.oncomplete = () => resolve(request?.result);
    work.onerror = work.onabort = () => reject(work.error);
  });
}

/**
 * Keeps a message until the server has it, instead of the draft that it was: a page that is left in between has one of them. Its
 * `key` is what the server knows it by, however often it is sent.
 */
export const addWaiting = (item) =>
  transaction(["outbox", "drafts"], "readwrite", (outbox, drafts) => {
    drafts.delete([item.account, item.thread]);
    return outbox.add(item);
  });
/** What an account has written and the server does not have, in order. */
export const waiting = (account) => transaction("outbox", "readonly", (store) => store.index("account").getAll(account));
/** An item as it is now; nothing for one that is sent or taken back. */
export const waitingItem = (number) => transaction("outbox", "readonly", (store) => store.get(number));
export const updateWaiting = (item) => transaction("outbox", "readwrite", (store) => store.put(item));
export const removeWaiting = (number) => transaction("outbox", "readwrite", (store) => store.delete(number));

export const draft = (account, thread) => transaction("drafts", "readonly", (store) => store.get([account, thread]));
export const keepDraft = (item) => transaction("drafts", "readwrite", (store) => store.put(item));
export const removeDraft = (account, thread) =>
  transaction("drafts", "readwrite", (store) => store.delete([account, thread]));
