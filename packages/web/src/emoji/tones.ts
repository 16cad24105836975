import type { Emoji } from "./catalogue.ts";

/** The tones of skin: none, and Unicode's five. */
export const TONES = ["", "\u{1f3fb}", "\u{1f3fc}", "\u{1f3fd}", "\u{1f3fe}", "\u{1f3ff}"] as const;
export type Tone = (typeof TONES)[number];

/** Returns the emoji's text in a tone of skin, if it has any. */
export const inTone = ({ text, hasTones }: Emoji, tone: Tone): string =>
  tone === "" || !hasTones ? text : text.replace(/(\p{Emoji_Modifier_Base})\u{fe0f}?/gu, `$1${tone}`);
