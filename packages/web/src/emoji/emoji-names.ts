import { UNSPACED_LETTER } from "@parley/protocol/letters";

/**
 * A name between colons. No letter or digit is in front of it, as in `12:30:45`, except one of a script without spaces.
 */
export const NAMES = new RegExp(`(?<!(?!${UNSPACED_LETTER.source})[\\p{L}\\p{N}]):([a-z0-9][a-z0-9_-]{1,31}):`, "gu");

/** Returns how many emoji of the server a text may have. */
export const countNames = (text: string): number => (text.includes(":") ? [...text.matchAll(NAMES)].length : 0);

/** One to three emoji, of which some are of the server. */
const ALONE = /^(?:(?:\p{RGI_Emoji}|:[a-z0-9][a-z0-9_\-]{1,31}:)\s*){1,3}$/v;

/** True if a text is shown large if all of its names are emoji of the server. */
export const mayBeAlone = (text: string): boolean => text.length < 120 && text.includes(":") && ALONE.test(text);
