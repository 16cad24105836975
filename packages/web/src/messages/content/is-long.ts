/** Shorter text fits into the height of a folded one on every screen. */
const CHARACTERS = 600;
const LINES = 14;

/** True if a text may be so tall that only its beginning is shown at first. The browser measures it then. */
export const isLong = (content: string): boolean =>
  content.length > CHARACTERS || content.split("\n", LINES).length === LINES;
