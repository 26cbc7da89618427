// The search page: people and conversations of the name that is searched for, beside the messages.

import { $, make } from "./dom.js";
import { search } from "./palette.js";

export async function start() {
  const list = $("#places");
  if (!list?.dataset.words) return;
  const found = (await search(list.dataset.words)) ?? [];
  list.replaceChildren(...found.slice(0, 5).map(({ name, people, address }) =>
    make("li", {}, make("a", { className: "card hit-link", href: address }, make("bdi", { textContent: name }),
      ...(people ? [" ", make("small", { textContent: people, dir: "auto" })] : [])))));
  list.hidden = !found.length;
}
