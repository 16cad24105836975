import { NAMED_REACTIONS } from "@parley/protocol/emoji-limits";

/** Returns the emoji for a reaction's name; other names are shown as text. */
export const pictureOf = (reaction: string): string => NAMED_REACTIONS[reaction] ?? reaction;
