// Times in the zone and the language of the browser. The server writes them in its own for browsers without scripts.

import { all } from "./dom.js";

const language = globalThis.document?.documentElement.lang || undefined;
const clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const weekday = new Intl.DateTimeFormat(language, { weekday: "long" });
const shortWeekday = new Intl.DateTimeFormat(language, { weekday: "short" });
const date = new Intl.DateTimeFormat(language, { day: "numeric", month: "long", year: "numeric" });
const shortDate = new Intl.DateTimeFormat(language, { day: "numeric", month: "short" });
const shortDateOfYear = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", year: "numeric" });
const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });

const startOfDay = (time) => new Date(time.getFullYear(), time.getMonth(), time.getDate());
const capitalised = (text) => text.charAt(0).toLocaleUpperCase(language) + text.slice(1);

/** How many days of the calendar lie between a time and now. */
export function age(time, now = new Date()) {
  return Math.round((startOfDay(now) - startOfDay(time)) / 86_400_000);
}

let known = { today: 0, names: new Map() };

/** "Today", "Yesterday", the weekday of the last six days, or the date. */
export function day(time, now = new Date()) {
  // Formatting a date takes far longer than finding its day, and a list asks for the same days again and again.
  const [start, today] = [startOfDay(time).getTime(), startOfDay(now).getTime()];
  if (known.today !== today || known.names.size > 2_000) known = { today, names: new Map() };
  if (!known.names.has(start)) known.names.set(start, dayText(time, now));
  return known.names.get(start);
}

function dayText(time, now) {
  const days = age(time, now);
  if (days === 0 || days === 1) return capitalised(relative.format(-days, "day"));
  return days > 1 && days < 7 ? weekday.format(time) : date.format(time);
}

export const timeOfDay = (time) => clock.format(time);

/** For the list: the time of today, the day of the last week, the date of older ones. */
export function short(time, now = new Date()) {
  const days = age(time, now);
  if (days === 0) return clock.format(time);
  if (days === 1) return capitalised(relative.format(-1, "day"));
  if (days > 1 && days < 7) return shortWeekday.format(time);
  return time.getFullYear() === now.getFullYear() ? shortDate.format(time) : shortDateOfYear.format(time);
}

/** Of a row: under the heading of its day the time of day alone. */
const inList = (element, time) => {
  const row = element.closest(".row");
  return row && !row.dataset.lead && row.dataset.pinned !== "1" ? timeOfDay(time) : short(time);
};

/** The time that an item of a list is sorted by; it has microseconds. */
export const timeOf = (item) => new Date(Number(item.dataset.sort) / 1000);

/** Rewrites the times of a part of the document. */
export function localise(root) {
  for (const element of all("time[datetime]", root)) {
    const time = new Date(element.dateTime);
    if (Number.isNaN(time.getTime())) continue;
    const style = element.dataset.style ?? "clock";
    const text = style === "short" ? inList(element, time) : style === "full" ? `${day(time)}, ${timeOfDay(time)}` : timeOfDay(time);
    if (element.textContent !== text) element.textContent = text;
    element.title = `${date.format(time)}, ${timeOfDay(time)}`;
  }
}
