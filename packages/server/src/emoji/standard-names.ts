import { emojiKey, NAMED_REACTIONS } from "@parley/protocol/emoji-limits";
// The page's own list of codes. A macro, so that the server's program has the names and not the data they are from.
import { emojiCodes } from "../../../web/src/i18n/emoji-lines.ts" with { type: "macro" };

const CODES: string = emojiCodes();

const taken: ReadonlySet<string> = new Set([...CODES.split(" "), ...Object.keys(NAMED_REACTIONS)].map(emojiKey));

/** True if the page knows an emoji of Unicode by this name, or by one that people would confuse with it. */
export const isStandardName = (name: string): boolean => taken.has(emojiKey(name));
