// The state of this tab, in one place. The document shows it; other modules read and change it here.

const body = globalThis.document?.body;
const panes = globalThis.document?.querySelector(".panes");

export const state = {
  /** Whose outbox and drafts these are: a name for the account on this server. Empty where no one is signed in. */
  account: body?.dataset.account ?? "",
  /** The user's identifier, as messages have it. */
  user: body?.dataset.user ?? "",
  /** What forms of this session carry. */
  token: globalThis.document?.querySelector("#act")?.elements.form.value ?? "",
  /** The conversation on the page, as addresses name it. Empty for none. */
  thread: panes?.dataset.thread ?? "",
  /** The conversation that was asked for and is not on the page yet. Empty for none. Until it is there, what is typed belongs to `thread`. */
  opening: "",
  /** How many characters a message may have. */
  maximumText: Number(body?.dataset.maximumText ?? 20000),
  /** How many bytes a form with files may have. */
  maximumUpload: Number(body?.dataset.maximumUpload ?? 26214400),
  /** Whether the server was reached last. */
  isOnline: true,
  /** Whether this tab is signing out, which ends its stream too. */
  isLeaving: false,
  /** Whether the session is over. */
  isSignedOut: false,
};

/** The conversation that was chosen last, on the page or not yet. */
export const chosenThread = () => state.opening || state.thread;

const listeners = new Map();

/** Calls a function whenever an event of a name is emitted in this tab. */
export function on(name, listener) {
  listeners.set(name, [...(listeners.get(name) ?? []), listener]);
}

/** Tells the other modules of this tab that something happened. */
export function emit(name, value) {
  for (const listener of listeners.get(name) ?? []) listener(value);
}
