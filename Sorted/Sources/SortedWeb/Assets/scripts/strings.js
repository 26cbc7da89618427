// The texts of the scripts in the language of the page: the English text is the key of the catalogue.

const language = globalThis.document?.documentElement.lang || "en";

const load = async () => {
  const answer = await fetch(new URL(`./${language}.json`, import.meta.url));
  if (!answer.ok) throw new Error(`${answer.status}`);
  return answer.json();
};

// Without a connection the texts are English.
const table = language === "en" ? {} : await load().catch(() => ({}));

/** A text; `{1}`, `{2}` … become the values. */
export const t = (key, ...values) => (table[key] ?? key).replace(/\{(\d)\}/g, (_, number) => values[number - 1]);
