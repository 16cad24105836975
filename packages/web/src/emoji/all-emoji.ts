import { emojiLines } from "../i18n/emoji-lines.ts" with { type: "macro" };

/** All emoji, as `parseEmoji` reads them. */
export const ALL_EMOJI: string = emojiLines();
