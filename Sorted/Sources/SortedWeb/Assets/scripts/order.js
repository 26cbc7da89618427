// Where items belong in a list, and which of them a loaded page replaces. Pure functions over `dataset`.

// What needs an answer leads the list in the order that the server says, then what is pinned, then the latest.
const lead = (row) => Number(row.dataset.lead ?? 1_000);

export const rowOrder = (a, b) =>
  lead(a) - lead(b) ||
  Number(b.dataset.pinned ?? 0) - Number(a.dataset.pinned ?? 0) || Number(b.dataset.sort) - Number(a.dataset.sort);

export const messageOrder = (a, b) => Number(a.dataset.sort) - Number(b.dataset.sort);

/**
 * The items that are shown and that a loaded page no longer has.
 *
 * A page covers the range from its first to its last item. The range is open at an end where the page says that nothing
 * follows. Items outside the range are never removed: the page says nothing about them.
 * @param shown items in the document, in order
 * @param loaded items of the page, in order
 * @param hasBefore whether more items come before the first one of the page
 * @param hasAfter whether more items come after the last one of the page
 */
export function vanished(shown, loaded, order, { hasBefore = false, hasAfter = false } = {}) {
  const ids = new Set(loaded.map((item) => item.id));
  const [first, last] = [loaded[0], loaded.at(-1)];
  return shown.filter((item) => {
    if (ids.has(item.id)) return false;
    if (!first) return !hasBefore && !hasAfter;
    return (!hasBefore || order(item, first) >= 0) && (!hasAfter || order(item, last) <= 0);
  });
}

/** Whether two neighbours of a thread belong to one group: the same sender, within five minutes, on the same day. */
export function isGrouped(before, item, dayOf) {
  if (!before || before.dataset.sender !== item.dataset.sender) return false;
  const gap = Number(item.dataset.sort) - Number(before.dataset.sort);
  return gap < 5 * 60 * 1e6 && dayOf(before) === dayOf(item);
}
