// Previews of links, for readers whose settings allow the server to fetch the pages.

import { $, all, parse } from "./dom.js";
import { on, state } from "./state.js";

let observer;

/** Asks for the preview of a message when it comes into view. */
async function show(message) {
  const slug = message.id.slice("m-".length);
  const answer = await fetch(`/c/${message.dataset.thread}/m/${slug}/preview`).catch(() => undefined);
  if (answer?.status !== 200 || !message.isConnected || $(".link-preview", message)) return;
  const card = parse(await answer.text()).body.firstElementChild;
  if (card) $(".text", message)?.after(card);
}

function watch() {
  if (!observer || !state.thread) return;
  for (const message of all("#messages > .msg:not(.waiting):not([data-preview])")) {
    if (!$('.text a[href^="http"]', message)) continue;
    message.dataset.preview = "asked";
    observer.observe(message);
  }
}

export function start() {
  if (document.body.dataset.previews !== "yes") return;
  observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      show(target);
    }
  });
  on("messages", watch);
  watch();
}
