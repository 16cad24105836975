import type { Emoji } from "@parley/protocol/emoji";
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
  // A name of the server's that is written whole stays as it is.
  const [begun, others] = isWhole ? [[], []] : namedLike([...ofServer(parley, onLoaded).values()], query);
  const named = (own: Emoji) => ({ kind: "emoji" as const, name: written(own.name), text: written(own.name), own });
  const standard = found.map((emoji) => {
    const code = emoji.codes.find((each) => each.startsWith(query.toLowerCase())) ?? emoji.codes[0] ?? "";
    return { kind: "emoji" as const, name: `:${code}:`, text: inTone(emoji, tone) };
  });
  return [...begun.map(named), ...standard, ...others.map(named)].slice(0, SHOWN);
}

/** The pages whose emoji of the server are loaded, or are being loaded. */
const asked = new WeakSet<Parley>();

/** Returns the emoji of the server. The first call begins to load them; `onLoaded` is called then. */
function ofServer(parley: Parley, onLoaded: () => void) {
  const known = serverEmoji(parley);
  if (asked.has(parley)) return known.get();
  asked.add(parley);
  const stop = known.subscribe(() => {
    stop();
    onLoaded();
  });
  return known.get();
}

/** Remembers that the user has taken a suggestion. */
export const remember = ({ text }: { text: string }): void => rememberEmoji(text);
