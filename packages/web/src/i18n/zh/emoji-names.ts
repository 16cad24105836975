import { emojiNames } from "../emoji-lines.ts" with { type: "macro" };

/** The Chinese names of all emoji, line by line. The bundler waits for them, and puts the text here. */
export const ZH_EMOJI_NAMES: Promise<string> = emojiNames("zh");
