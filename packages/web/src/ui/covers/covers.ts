/** Something that covers a narrow screen. */
interface Cover {
  close(): void;
}

/** The page's notes on an entry of the browser's history, stored with the entry. */
interface Entry {
  /** How many covers were open: Back to this entry closes those above. */
  covers: number;
  /** Grows from entry to entry, so that Back differs from Forward. */
  at: number;
  /** The address that the entry was made with. */
  href: string;
}

/** How long a step may take. A browser that has no entry to step to says nothing. */
const STEP_MS = 1_000;

/** The open covers, the topmost last. Each has an entry in the browser's history. */
const covers: Cover[] = [];
/** The entry that is shown, and its address as last seen. */
let shown = entryHere() ?? mark({ covers: 0, at: history.length - 1, href: location.href });
let address = location.href;
/** Where the user went last: an entry whose covers are closed is passed in the same direction. */
let isForward = false;
/** The timer of the step that the page has begun; null: none. One at a time, so that no two add up. */
let step: ReturnType<typeof setTimeout> | null = null;
/** A link that was followed while a step was under way, which may still lead away from it; null: none. */
let followed: string | null = null;
let isPlanned = false;

addEventListener("popstate", arrived);
// A link that was followed, or an address that was replaced, which no `popstate` reports.
addEventListener("hashchange", () => {
  if (entryHere() === null) arrived();
  address = location.href;
});
// The page was reloaded while something was open.
plan();

/** Gives a cover an entry in the history; Back calls `close`. Call what it returns when the cover is closed. */
export function addCover(close: () => void): () => void {
  const cover = { close };
  covers.push(cover);
  plan();
  return () => {
    const at = covers.indexOf(cover);
    // Back has closed it, and its entry is left.
    if (at === -1) return;
    covers.splice(at, 1);
    plan();
  };
}

function entryHere(): Entry | null {
  const { covers, at, href } = (history.state ?? {}) as Partial<Entry>;
  return typeof covers === "number" && typeof at === "number" && typeof href === "string" ? { covers, at, href } : null;
}

function mark(entry: Entry): Entry {
  history.replaceState(entry, "");
  return entry;
}

/** The browser shows another entry: by a step of this page, by Back or Forward, or because a link was followed. */
function arrived(): void {
  if (step !== null && entryHere() === null) {
    followed = location.href;
    shown = mark({ covers: 0, at: shown.at + 1, href: followed });
    address = followed;
    return;
  }
  const isOwnStep = step !== null;
  if (step !== null) clearTimeout(step);
  step = null;
  const left = shown;
  const known = entryHere();
  shown = known ?? mark({ covers: 0, at: left.at + 1, href: location.href });
  if (known !== null) {
    keepAddress(left);
    if (!isOwnStep) isForward = shown.at > left.at;
    // A link that was followed closes by itself what it leaves.
    if (!isOwnStep && !isForward) while (covers.length > shown.covers) covers.pop()?.close();
  }
  address = location.href;
  const back = followed;
  followed = null;
  if (back !== null && back !== address) location.href = back;
  plan();
}

/** Where an address was replaced under a cover, as that of an invitation is, the old one does not return below it. */
function keepAddress(left: Entry): void {
  if (left.covers <= shown.covers || left.href === address || location.href !== left.href) return;
  history.replaceState(shown, "", address);
  shown = mark({ ...shown, href: address });
}

/** Fits the history to the covers when the browser has followed the link that may have closed them. */
function plan(): void {
  if (isPlanned) return;
  isPlanned = true;
  setTimeout(() => {
    isPlanned = false;
    if (step === null) fit();
  });
}

function fit(): void {
  address = location.href;
  while (shown.covers < covers.length) {
    shown = { covers: shown.covers + 1, at: shown.at + 1, href: location.href };
    history.pushState(shown, "");
  }
  if (shown.covers === covers.length) {
    isForward = false;
    return;
  }
  const isLast = shown.at >= history.length - 1;
  step = setTimeout(giveUp, STEP_MS);
  history.go(isForward && !isLast ? 1 : covers.length - shown.covers);
  if (isLast) isForward = false;
}

/** There is no entry to step to: the one that is shown serves. */
function giveUp(): void {
  step = null;
  followed = null;
  shown = mark({ ...shown, covers: covers.length });
}
