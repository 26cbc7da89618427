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
  await leaveEditor({ isAway });
}

async function submit(form, button) {
  if (form.id === "edit") return saveEdit(form);
  form.elements.form.value = state.token;
  const fields = new FormData(form, button);
  const body = form.enctype === "multipart/form-data" ? fields : new URLSearchParams(fields);
  const action = button?.hasAttribute("formaction") ? button.formAction : form.action;
  const loaded = await load(action, { method: "POST", body });
  if (!loaded) return say(t("The server is away. Try again when it is back."));
  const { answer, page } = loaded;
  if (answer.redirected) return location.assign(answer.url);
  if (answer.ok) return $("#content").replaceChildren(...$("#content", page).childNodes);
  if (answer.status !== 401) say($("#content h1", page)?.textContent + ": " + $("#content p", page)?.textContent);
}

export function start() {
  if (!state.account) return;
  document.addEventListener("submit", async (event) => {
    const { target: form, submitter } = event;
    if (event.defaultPrevented || form.method !== "post" || form.id === "act") return;
    event.preventDefault();
    if (form.ariaBusy === "true") return;
    form.ariaBusy = "true";
    await submit(form, submitter).finally(() => (form.ariaBusy = null));
  });
}
