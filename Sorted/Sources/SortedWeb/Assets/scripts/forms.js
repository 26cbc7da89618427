// Forms of a page, sent without leaving it: where the server is away, the page and what was typed stay.

import { $ } from "./dom.js";
import { leaveEditor } from "./navigate.js";
import { enqueueEdit } from "./outbox.js";
import { say } from "./say.js";
import { isPassing, load, post, reason } from "./server.js";
import { state } from "./state.js";
import { t } from "./strings.js";

/** Saves a changed message. What the server refuses stays in the editor; what it cannot take now goes to the outbox. */
async function saveEdit(form) {
  const path = new URL(form.action).pathname;
  const fields = { text: form.elements.text.value };
  const answer = await post(path, fields).catch(() => null);
  if (answer?.status === 401) return;
  const isAway = !answer || isPassing(answer);
  if (!isAway && !answer.ok) return say(await reason(answer, t("The server does not take this message.")));
  if (isAway) {
    await enqueueEdit(path, fields);
    say(t("The change is kept and saved when the server is back."));
  }
  // A person who opened another conversation meanwhile stays in that one.
  if (form.isConnected && !state.opening) await leaveEditor({ isAway });
}

/** Whether a person changed a control since the page was loaded. False for passwords, which must not be stored. */
function isTyped({ type, name, checked, defaultChecked, value, defaultValue }) {
  if (!name || ["password", "file", "hidden", "submit", "button"].includes(type)) return false;
  return ["checkbox", "radio"].includes(type) ? checked !== defaultChecked : defaultValue !== undefined && value !== defaultValue;
}

/** The changed controls of the page's other forms. The composer keeps its own drafts. */
const typedBeside = (sent) =>
  [...document.forms]
    .filter((form) => form !== sent && form.method === "post" && form.id !== "composer")
    .flatMap((form) => [...form.elements].filter(isTyped).map(({ name, value, checked }) => ({ action: form.action, name, value, checked })));

/** Puts the values of `typedBeside` into the same controls of the new page. */
function retype(typed) {
  for (const { action, name, value, checked } of typed) {
    const form = [...document.forms].find((form) => form.action === action && form.elements[name]);
    const control = form && [...form.elements].find((one) => one.name === name && (one.type !== "radio" || one.value === value));
    if (!control) continue;
    if (["checkbox", "radio"].includes(control.type)) control.checked = checked;
    else control.value = value;
  }
}

/** Loads another page. What is typed into the other forms of this one is kept if the address is the same. */
function leave(address, typed) {
  if (typed.length && new URL(address).pathname === location.pathname) sessionStorage.setItem(typedKey(), JSON.stringify(typed));
  location.assign(address);
}

// MARK: Forms whose controls save themselves

/** The forms with changes that are not sent yet, and the forms that are being sent. */
const [waiting, sending] = [new Set(), new Set()];
/** What each form sent last. */
const sent = new WeakMap();
/** The page that shows what was saved. It is loaded after the last change. */
let next = null;

/** Sends all that a form has now. A page that the person leaves meanwhile still sends it. */
function send(form) {
  waiting.delete(form);
  const { form: _, ...fields } = Object.fromEntries(new FormData(form));
  return post(new URL(form.action).pathname, fields, {}, { keepalive: true });
}

/** Saves a form. Its button is shown only while something could not be saved. */
async function save(form) {
  const controls = [...form.elements].filter((one) => one.name && one.type !== "hidden").map((one) => [one, one.value, one.checked]);
  const answer = await send(form).catch(() => null);
  form.toggleAttribute("data-unsaved", !answer?.ok);
  if (!answer?.ok) sent.delete(form);
  if (!answer) return say(t("The server is away. Try again when it is back."));
  if (answer.status === 401) return;
  if (!answer.ok) return say(await reason(answer, t("The server did not take it.")));
  for (const [control, value, checked] of controls) {
    control.defaultChecked = checked;
    if (control.type !== "file" && "defaultValue" in control) control.defaultValue = value;
  }
  if (form.dataset.saves === "page") next = answer.url;
  else say(t("Saved."));
}

/** Saves a form now, or after what it sends now, so that its last change is the one that stays. */
async function change(form) {
  if (!form.reportValidity()) return;
  // Enter is a change and a submission.
  const words = String(new URLSearchParams(new FormData(form)));
  if (sent.get(form) === words && !form.querySelector("[type=file]")) return;
  sent.set(form, words);
  waiting.add(form);
  if (sending.has(form)) return;
  sending.add(form);
  while (waiting.has(form)) await save(form);
  sending.delete(form);
  if (next && !sending.size) leave(next, typedBeside(null));
}

// MARK: All forms

const typedKey = () => `typed-${state.account}-${location.pathname}`;

async function submit(form, button) {
  if (form.id === "edit") {
    const { text } = form.elements;
    // The thread replaces the editor when the message is saved, and text that is typed meanwhile would be lost.
    text.readOnly = true;
    return saveEdit(form).finally(() => (text.readOnly = false));
  }
  form.elements.form.value = state.token;
  const fields = new FormData(form, button);
  const body = form.enctype === "multipart/form-data" ? fields : new URLSearchParams(fields);
  const action = button?.hasAttribute("formaction") ? button.formAction : form.action;
  const loaded = await load(action, { method: "POST", body });
  if (!loaded) return say(t("The server is away. Try again when it is back."));
  const { answer, page } = loaded;
  const typed = typedBeside(form);
  if (answer.redirected) return leave(answer.url, typed);
  if (answer.ok) {
    $("#content").replaceChildren(...$("#content", page).childNodes);
    return retype(typed);
  }
  if (answer.status !== 401) say($("#content h1", page)?.textContent + ": " + $("#content p", page)?.textContent);
}

export function start() {
  if (!state.account) return;
  retype(JSON.parse(sessionStorage.getItem(typedKey()) ?? "[]"));
  sessionStorage.removeItem(typedKey());
  document.addEventListener("change", ({ target: { form } }) => form?.dataset.saves !== undefined && change(form));
  addEventListener("pagehide", () => waiting.forEach((form) => send(form).catch(() => {})));
  document.addEventListener("submit", async (event) => {
    const { target: form, submitter } = event;
    if (event.defaultPrevented || form.method !== "post" || form.id === "act") return;
    event.preventDefault();
    // Its button, and Enter in a field. The other buttons do more than save.
    if (form.dataset.saves !== undefined && !submitter?.name) return void change(form);
    if (form.ariaBusy === "true") return;
    form.ariaBusy = "true";
    await submit(form, submitter).finally(() => (form.ariaBusy = null));
  });
}
