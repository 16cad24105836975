import { emojiLines } from "./build-names.ts" with { type: "macro" };

/** All emoji, as `parseEmoji` reads them. */
export const ALL_EMOJI: string = emojiLines();
