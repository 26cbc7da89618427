// What the pages do more than they do without it: live updates, sending at once, keys, files by drag and drop.
"use strict";
const $ = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const parse = (html) => new DOMParser().parseFromString(html, "text/html");
const panes = $(".panes");
const thread = panes?.dataset.thread;
const rows = $("#rows");
const messages = $("#messages");
const scroller = $("#thread-scroll");
const composer = $("#composer");
const token = $("#act")?.elements.form.value;

// MARK: Lists that keep their order

const rowOrder = (a, b) =>
  (b.dataset.day === "Pinned") - (a.dataset.day === "Pinned") || Number(b.dataset.sort) - Number(a.dataset.sort);
const messageOrder = (a, b) => Number(a.dataset.sort) - Number(b.dataset.sort);

function put(item, list, kind, order) {
  all(".copy", item).forEach((button) => (button.hidden = false));
  const old = document.getElementById(item.id);
  // What a search led to stays marked.
  if (old?.classList.contains("hit")) item.classList.add("hit");
  if (old && old.outerHTML === item.outerHTML) return old;
  const focus = old?.contains(document.activeElement) ? document.activeElement : null;
  const others = all(`:scope > .${kind}`, list).filter((other) => other !== old);
  const next = others.find((other) => order(item, other) < 0);
  const inPlace = old && order(item, old) === 0;
  if (inPlace) old.replaceWith(item);
  else {
    old?.remove();
    list.insertBefore(item, next ?? null);
  }
  if (focus) (focus.dataset.key ? $(`[data-key="${focus.dataset.key}"]`, item) : $("a, button", item))?.focus();
  return item;
}

function days(list, kind, tag) {
  let day = null;
  let heading = null;
  const left = new Set(all(":scope > .day", list));
  for (const item of all(`:scope > .${kind}`, list)) {
    if (item.dataset.day === day) continue;
    day = item.dataset.day;
    const before = item.previousElementSibling;
    if (before?.classList.contains("day") && before.dataset.day === day) heading = before;
    else {
      heading = document.createElement("li");
      heading.className = "day";
      heading.dataset.day = day;
      heading.append(document.createElement(tag));
      heading.firstChild.textContent = day;
      list.insertBefore(heading, item);
    }
    left.delete(heading);
  }
  left.forEach((item) => item.remove());
}

function putRow(row) {
  if (!rows) return;
  const old = document.getElementById(row.id);
  const isShown = row.dataset.kinds.split(" ").includes(rows.dataset.kind);
  if (!isShown || (!old && (rows.dataset.filtered === "true" || isFurther(row)))) old?.remove();
  else {
    if (row.dataset.slug === thread) $(".row-link", row).setAttribute("aria-current", "page");
    put(row, rows, "row", rowOrder);
  }
  days(rows, "row", "h2");
  $("#no-rows").hidden = Boolean($(".row", rows));
}

// Behind the last one that is loaded.
const isFurther = (row) => $("#more-rows") && rows.lastElementChild && rowOrder(rows.lastElementChild, row) < 0;

function putMessage(message) {
  if (!messages) return;
  const isNew = !document.getElementById(message.id);
  const first = $(".msg", messages);
  const last = all(".msg", messages).at(-1);
  if (isNew && isDetached() && !(last && messageOrder(message, last) < 0)) return showPill();
  // A message from before those that are loaded belongs to an older page.
  if (isNew && $("#older") && first && messageOrder(message, first) < 0) return;
  const isUp = Math.abs(scroller.scrollTop) > 40;
  const height = scroller.scrollHeight;
  put(message, messages, "msg", messageOrder);
  days(messages, "msg", "span");
  $("#no-messages").hidden = true;
  if (isUp) {
    scroller.scrollTop -= scroller.scrollHeight - height;
    if (isNew) showPill();
  }
}

const isDetached = () => Boolean($("#newer"));
const showPill = () => ($("#to-newest").hidden = false);
$("#to-newest")?.addEventListener("click", () => {
  if (isDetached()) return location.assign(`/c/${thread}`);
  scroller.scrollTop = 0;
});
scroller?.addEventListener("scroll", () => {
  if (Math.abs(scroller.scrollTop) < 40 && !isDetached()) $("#to-newest").hidden = true;
}, { passive: true });

// MARK: A page that was loaded again

// An event that comes while a page is loaded may be newer than the page, which must not take back what it told.
let told = 0;
const toldAt = new Map();
const tell = (id) => toldAt.set(id, ++told);
const isToldSince = (asked) => (item) => (toldAt.get(item.id) ?? 0) > asked;

// What a path leads to, and what had been told when it was asked for; null where the server cannot be reached.
async function load(path, options) {
  const asked = told;
  try {
    const answer = await fetch(path, options);
    return { answer, page: parse(await answer.text()), isNewer: isToldSince(asked) };
  } catch {
    setOnline(false);
    return null;
  }
}

function merge({ page, isNewer }) {
  // A page that is only looked at again has none, and what was said before stays as long as it is meant to.
  if ($("#notice", page).firstElementChild) $("#notice").replaceChildren(...$("#notice", page).childNodes);
  const status = $("#status", page);
  if (status && $("#status")) $("#status").replaceChildren(...status.childNodes);
  hideNoticeLater();
  if (!panes || !$(".panes", page)) return;
  const newRows = all("#rows > .row", page);
  const ids = new Set(newRows.map((row) => row.id));
  const last = $("#more-rows", page) ? newRows.at(-1) : null;
  for (const row of all(".row", rows))
    if (!ids.has(row.id) && !isNewer(row) && (!last || rowOrder(row, last) <= 0)) row.remove();
  newRows.filter((row) => !isNewer(row)).forEach(putRow);
  days(rows, "row", "h2");
  $("#no-rows").hidden = Boolean($(".row", rows));
  if (!messages || isDetached() || $(".panes", page).dataset.thread !== thread) return;
  const newMessages = all("#messages > .msg", page);
  const known = new Set(newMessages.map((message) => message.id));
  const first = $("#older", page) ? newMessages[0] : null;
  for (const message of all(".msg:not(.waiting)", messages))
    if (!known.has(message.id) && !isNewer(message) && (!first || messageOrder(message, first) >= 0)) message.remove();
  newMessages.filter((message) => !isNewer(message)).forEach(putMessage);
  days(messages, "msg", "span");
}

let noticeTimer;
function hideNoticeLater() {
  clearTimeout(noticeTimer);
  if ($("#notice").firstElementChild) noticeTimer = setTimeout(() => $("#notice").replaceChildren(), 12000);
}

const plainPath = (url) => {
  const parsed = new URL(url, location.href);
  ["done", "of"].forEach((name) => parsed.searchParams.delete(name));
  return parsed.pathname + parsed.search;
};

async function refresh() {
  const loaded = await load(location.href.split("#")[0]);
  if (loaded?.answer.ok) merge(loaded);
  else if (loaded?.answer.status === 401) location.reload();
}

document.addEventListener("submit", async (event) => {
  if (event.target.id !== "act") return;
  event.preventDefault();
  const button = event.submitter;
  const body = new URLSearchParams(new FormData(event.target, button));
  const loaded = await load(button.formAction, { method: "POST", body });
  if (!loaded) return;
  const { answer, page } = loaded;
  if (!answer.ok) return say($("#content h1", page)?.textContent + ": " + $("#content p", page)?.textContent);
  if (plainPath(answer.url) !== plainPath(location.href)) return location.assign(answer.url);
  if (!panes) $("#content").replaceChildren(...$("#content", page).childNodes);
  merge(loaded);
  if (button.formAction.includes("/answer/")) {
    $("#text").value = $("#text", page).value;
    $(".answers").open = false;
    $("#text").focus();
  }
});

function say(text) {
  const line = document.createElement("div");
  line.className = "notice";
  line.textContent = text;
  $("#notice").replaceChildren(line);
  hideNoticeLater();
}

// MARK: Live

function setOnline(isOnline) {
  $("#offline").hidden = isOnline;
}

// The messages that are on the page: those beyond the newest are told of and fetched apart.
function shown() {
  const ids = messages ? all(".msg:not(.waiting)", messages).map((message) => message.id.slice(2)) : [];
  if (!isDetached() && ids.length < 80) return "";
  return `from=${ids[0]}&to=${ids.at(-1)}`;
}

async function refreshShown() {
  const range = shown();
  if (!range) return;
  const loaded = await load(`/c/${thread}?${range}&part=1`);
  if (!loaded?.answer.ok) return;
  const { page, isNewer } = loaded;
  const found = all("#messages > .msg", page);
  if (!found.length) return;
  const known = new Set(found.map((message) => message.id));
  for (const message of all(".msg:not(.waiting)", messages)) {
    const isWithin = messageOrder(message, found[0]) >= 0 && messageOrder(message, found.at(-1)) <= 0;
    if (isWithin && !known.has(message.id) && !isNewer(message)) message.remove();
  }
  for (const message of found)
    if (document.getElementById(message.id) && !isNewer(message)) put(message, messages, "msg", messageOrder);
  days(messages, "msg", "span");
}

let events;
let listening;
// More of the thread is on the page than is listened to.
function listenAgain() {
  clearTimeout(listening);
  listening = setTimeout(() => {
    if (!shown() || !events) return;
    events.close();
    listen();
  }, 300);
}

function listen() {
  const range = thread ? shown() : "";
  events = new EventSource("/events" + (thread ? `?thread=${thread}` : "") + (range && `&${range}`));
  const item = (event) => parse(`<ul>${event.data}</ul>`).querySelector("li");
  events.addEventListener("hello", async () => {
    setOnline(true);
    await refresh();
    await refreshShown();
    // The server may have gone away again in between.
    if (events.readyState !== EventSource.OPEN) return;
    flush();
    if (isSeenLate) seen();
    document.body.dataset.live = "yes";
  });
  events.addEventListener("row", (event) => {
    const row = item(event);
    tell(row.id);
    putRow(row);
  });
  events.addEventListener("gone", (event) => {
    tell(`c-${event.data}`);
    document.getElementById(`c-${event.data}`)?.remove();
    if (rows) days(rows, "row", "h2");
  });
  events.addEventListener("message", (event) => {
    if (!event.data) return;
    const message = item(event);
    tell(message.id);
    putMessage(message);
    if (!message.classList.contains("mine")) seen();
  });
  events.addEventListener("message-gone", (event) => {
    tell(`m-${event.data}`);
    document.getElementById(`m-${event.data}`)?.remove();
    if (messages) days(messages, "msg", "span");
  });
  events.addEventListener("status", (event) => ($("#status").innerHTML = event.data));
  events.onerror = () => {
    document.body.dataset.live = "no";
    setOnline(false);
    // A server that says no is not asked again by the browser.
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
  };
}
addEventListener("pagehide", () => events?.close());

async function post(path, fields) {
  const body = new URLSearchParams({ form: token, ...fields });
  return fetch(path, { method: "POST", body, headers: { "X-Live": "1" } });
}

// The server was away when it was to be told.
let isSeenLate = false;
function seen() {
  if (!thread || isDetached() || document.visibilityState !== "visible") return;
  isSeenLate = false;
  post(`/c/${thread}/read`, {}).catch(() => {
    isSeenLate = true;
    setOnline(false);
  });
}
document.addEventListener("visibilitychange", () => {
  if ($(`#c-${thread}.unread`)) seen();
});

// MARK: Writing

const uuid = () => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 15) | 64;
  bytes[8] = (bytes[8] & 63) | 128;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("").toUpperCase();
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5");
};
const slug = (ascii) => btoa(ascii).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const outbox = () => JSON.parse(localStorage.getItem("outbox") ?? "[]");
const keep = (items) => localStorage.setItem("outbox", JSON.stringify(items));
const drop = (key) => keep(outbox().filter((item) => item.key !== key));

function showWaiting(key, text) {
  if (document.getElementById(`m-${slug(key)}`)) return;
  const item = $("#pending").content.firstElementChild.cloneNode(true);
  item.id = `m-${slug(key)}`;
  item.dataset.sort = Math.max(Date.now() * 1000, 1 + Number(all(".msg", messages).at(-1)?.dataset.sort ?? 0));
  item.dataset.day = "Today";
  $(".text", item).textContent = text;
  scroller.scrollTop = 0;
  putMessage(item);
}

let isFlushing = false;
async function flush() {
  if (isFlushing) return;
  isFlushing = true;
  try {
    for (const item of outbox()) {
      const answer = await post(`/c/${item.thread}/send`, { key: item.key, text: item.text });
      if (answer.ok) drop(item.key);
      else if (answer.status === 429) await new Promise((wake) => setTimeout(wake, 1000));
      else if (answer.status < 500) {
        drop(item.key);
        document.getElementById(`m-${slug(item.key)}`)?.remove();
        const page = parse(await answer.text());
        say($("#content p", page)?.textContent ?? "The message was refused.");
        if (item.thread === thread && $("#text") && !$("#text").value) $("#text").value = item.text;
      } else break;
    }
  } catch {
    setOnline(false);
  }
  isFlushing = false;
}

function upload(form, done) {
  const request = new XMLHttpRequest();
  const progress = $("#progress");
  progress.hidden = false;
  request.upload.onprogress = (event) => (progress.value = (100 * event.loaded) / event.total);
  request.onloadend = () => {
    progress.hidden = true;
    done(request.status, request.responseText);
  };
  request.open("POST", composer.action);
  request.setRequestHeader("X-Live", "1");
  request.send(form);
}

function showChosen() {
  const names = [...$("#files").files].map((file) => file.name);
  $("#chosen").hidden = names.length === 0;
  $("#chosen").textContent = names.join(", ");
}

if (composer) {
  const text = $("#text");
  const local = `draft:${thread}`;
  let timer;
  if (!text.value) text.value = localStorage.getItem(local) ?? "";
  const saveDraft = () => post(`/c/${thread}/draft`, { text: text.value }).catch(() => {});
  text.addEventListener("input", () => {
    localStorage.setItem(local, text.value);
    clearTimeout(timer);
    timer = setTimeout(saveDraft, 600);
  });
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    composer.requestSubmit();
  });
  const clear = () => {
    clearTimeout(timer);
    text.value = "";
    localStorage.removeItem(local);
    text.focus();
  };
  composer.addEventListener("submit", (event) => {
    event.preventDefault();
    const files = $("#files").files;
    if (!files.length && !text.value.trim()) return;
    const key = uuid();
    if (!files.length) {
      if (isDetached()) setTimeout(() => location.assign(`/c/${thread}`), 300);
      keep([...outbox(), { thread, key, text: text.value }]);
      showWaiting(key, text.value);
      clear();
      return void flush();
    }
    composer.elements.key.value = key;
    upload(new FormData(composer), (status, answer) => {
      if (status >= 200 && status < 300) {
        $("#files").value = "";
        showChosen();
        clear();
      } else if (status === 0) setOnline(false);
      else say($("#content p", parse(answer))?.textContent ?? "The file was refused.");
    });
  });
  $("#files").addEventListener("change", showChosen);
  for (const name of ["dragenter", "dragover"])
    addEventListener(name, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      panes.classList.add("dropping");
    });
  addEventListener("dragleave", (event) => event.relatedTarget ?? panes.classList.remove("dropping"));
  addEventListener("drop", (event) => {
    panes.classList.remove("dropping");
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    $("#files").files = event.dataTransfer.files;
    showChosen();
    text.focus();
  });
  outbox().filter((item) => item.thread === thread).forEach((item) => showWaiting(item.key, item.text));
}

document.addEventListener("click", (event) => {
  const button = event.target.closest(".copy");
  if (!button) return;
  const text = $(".text", button.closest(".msg"))?.textContent ?? "";
  navigator.clipboard.writeText(text).then(() => say("Copied."), () => say("The browser does not let pages copy."));
});

// MARK: More of a list

function more(id, root, add) {
  const link = document.getElementById(id);
  if (!link) return;
  const observer = new IntersectionObserver(async (entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    const loaded = await load(link.href + (id === "more-rows" ? "" : "&part=1"));
    if (!loaded?.answer.ok) return;
    add(loaded);
    const next = document.importNode(loaded.page.getElementById(id) ?? document.createTextNode(""), true);
    link.replaceWith(next);
    more(id, root, add);
  }, { root, rootMargin: "400px" });
  observer.observe(link);
}

function addMessages({ page, isNewer }) {
  for (const message of all("#messages > .msg", page))
    if (!isNewer(message)) put(message, messages, "msg", messageOrder);
  days(messages, "msg", "span");
  listenAgain();
}
more("older", scroller, addMessages);
more("newer", scroller, addMessages);
more("more-rows", $("#list-scroll"), ({ page, isNewer }) => {
  for (const row of all("#rows > .row", page)) if (!isNewer(row)) put(row, rows, "row", rowOrder);
  days(rows, "row", "h2");
});

// MARK: Keys

function step(by) {
  const links = all(".row-link", rows);
  const now = links.indexOf(document.activeElement.closest?.(".row")?.querySelector(".row-link"));
  const start = now < 0 ? links.findIndex((link) => link.hasAttribute("aria-current")) : now;
  links[Math.min(links.length - 1, Math.max(0, start + by))]?.focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // A dialog that was closed has the focus until the next frame.
  if (event.target.closest("input, textarea, select, dialog[open]")) return;
  const key = event.key;
  const row = document.activeElement.closest(".row") ?? $(`#c-${thread}`);
  if (key === "/") location.assign("/search");
  else if (key === "?") $("#keys")?.showModal();
  else if (key === "u") $("#undo")?.click();
  else if (key === "r" && $("#text")) $("#text").focus();
  else if (rows && (key === "j" || key === "k")) step(key === "j" ? 1 : -1);
  else if (row && ["p", "m", "e", "Delete"].includes(key)) $(`[data-key="${key}"]`, row)?.click();
  else return;
  event.preventDefault();
});

// MARK: At last

all(".copy").forEach((button) => (button.hidden = false));
hideNoticeLater();
if (location.search.includes("done=")) history.replaceState(null, "", plainPath(location.href) + location.hash);
$("#notice")?.addEventListener("click", () => setTimeout(() => $("#notice").replaceChildren(), 0));
const listed = $("#list-scroll");
if (listed) {
  listed.scrollTop = Number(sessionStorage.getItem("list") ?? 0);
  addEventListener("pagehide", () => sessionStorage.setItem("list", listed.scrollTop));
}
$(".hit")?.scrollIntoView({ block: "center" });
if ($("#act")) listen();
if ($(`#c-${thread}.unread`)) seen();
