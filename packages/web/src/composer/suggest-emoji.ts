import { findEmoji } from "../emoji/catalogue.ts";
import { knownEmoji, loadEmoji } from "../emoji/load-catalogue.ts";
import { ownTone } from "../emoji/own-emoji.ts";
import { inTone } from "../emoji/tones.ts";
import type { Language } from "../i18n/languages.ts";
import type { Suggestion } from "./completion.ts";
import type { EmojiQuery } from "./emoji-completion.ts";

const SHOWN = 8;

/**
 * Returns the emoji that are meant, the best first; for a whole name, the one with that name. Nothing is known before
 * all emoji are loaded: `onLoaded` is called then.
 */
export function suggestEmoji({ query, isWhole }: EmojiQuery, language: Language, onLoaded: () => void): Suggestion[] {
  const all = knownEmoji(language);
  if (all === null) {
    // Without the emoji nothing is suggested, and the next letter tries again.
    loadEmoji(language).then(onLoaded, () => {});
    return [];
  }
  const found = isWhole ? all.filter(({ codes }) => codes.includes(query.toLowerCase())) : findEmoji(all, query, SHOWN);
  const tone = ownTone();
  return found.map((emoji) => {
    const code = emoji.codes.find((each) => each.startsWith(query.toLowerCase())) ?? emoji.codes[0] ?? "";
    return { kind: "emoji", name: `:${code}:`, text: inTone(emoji, tone) };
  });
}
