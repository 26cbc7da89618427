// How long to wait before the next attempt.

/** Doubles from one second to half a minute, with a quarter of it at random, so that many clients do not come at once. */
export function delay(attempt, random = Math.random) {
  const whole = Math.min(30_000, 1000 * 2 ** Math.max(0, attempt - 1));
  return whole * (0.75 + 0.25 * random());
}
