// Where the script of every page begins.

import * as actions from "./actions.js";
import * as assist from "./assist.js";
import * as attachments from "./attachments.js";
import * as composer from "./composer.js";
import * as drafts from "./drafts.js";
import * as emoji from "./emoji.js";
import * as forms from "./forms.js";
import * as gallery from "./gallery.js";
import * as gestures from "./gestures.js";
import * as keys from "./keys.js";
import * as live from "./live.js";
import * as mentions from "./mentions.js";
import * as names from "./names.js";
import * as navigate from "./navigate.js";
import * as offline from "./offline.js";
import * as optimistic from "./optimistic.js";
import * as outbox from "./outbox.js";
import * as palette from "./palette.js";
import * as pending from "./pending.js";
import * as places from "./places.js";
import * as presence from "./presence.js";
import * as previews from "./previews.js";
import * as rowmenu from "./rowmenu.js";
import * as rows from "./rows.js";
import * as search from "./search.js";
import * as seen from "./seen.js";
import * as select from "./select.js";
import * as thread from "./thread.js";
import { localise } from "./times.js";

// The server writes times in the browser's zone from the next page on.
document.cookie = `zone=${encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone)}; path=/; max-age=31536000; samesite=strict`;
localise(document);
// A second navigation skips the transition of the first, and a page without its styles has none. The browser would report both as
// uncaught errors.
for (const moment of ["pageswap", "pagereveal"])
  addEventListener(moment, ({ viewTransition }) => viewTransition?.ready.catch(() => {}));
for (const part of [places, rows, rowmenu, actions, attachments, assist, mentions, names, composer, drafts, keys, palette, emoji, gallery, gestures, select, pending, presence, previews, thread, seen, navigate, optimistic, outbox, live, offline, forms, search])
  part.start();
