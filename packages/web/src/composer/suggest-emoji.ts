import { findEmoji } from "../emoji/catalogue.ts";
import { knownEmoji, loadEmoji } from "../emoji/load-catalogue.ts";
import { ownTone, rememberEmoji } from "../emoji/own-emoji.ts";
import { namedLike, serverEmoji, written } from "../emoji/server-emoji.ts";
import { inTone } from "../emoji/tones.ts";
import type { Language } from "../i18n/languages.ts";
import type { Parley } from "../session/parley.ts";
import type { Suggestion } from "./completion.ts";
import type { EmojiQuery } from "./emoji-completion.ts";

const SHOWN = 8;

/**
 * Returns the emoji that are meant, the best first; for a whole name, the one with that name. Nothing is known before
 * all emoji are loaded: `onLoaded` is called then.
 */
export function suggestEmoji(
  { query, isWhole }: EmojiQuery,
  { parley, language }: { parley: Parley; language: Language },
  onLoaded: () => void,
): Suggestion[] {
  const all = knownEmoji(language);
  if (all === null) {
    // Without the emoji nothing is suggested, and the next letter tries again.
    loadEmoji(language).then(onLoaded, () => {});
    return [];
  }
  const found = isWhole ? all.filter(({ codes }) => codes.includes(query.toLowerCase())) : findEmoji(all, query, SHOWN);
  const tone = ownTone();
  // What is written whole is written as it is sent.
  const own = isWhole ? [] : namedLike([...serverEmoji(parley).get().values()], query).slice(0, SHOWN);
  const named = own.map((emoji) => ({
    kind: "emoji" as const,
    name: written(emoji.name),
    text: written(emoji.name),
    own: emoji,
  }));
  const standard = found.map((emoji) => {
    const code = emoji.codes.find((each) => each.startsWith(query.toLowerCase())) ?? emoji.codes[0] ?? "";
    return { kind: "emoji" as const, name: `:${code}:`, text: inTone(emoji, tone) };
  });
  return [...named, ...standard].slice(0, SHOWN);
}

/** Remembers that the user has taken a suggestion. */
export const remember = ({ text }: { text: string }): void => rememberEmoji(text);
