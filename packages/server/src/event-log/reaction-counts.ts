import { REACTIONS_PER_MESSAGE } from "@parley/protocol/limits";
import type { Reaction } from "@parley/protocol/models";

/** An entry of `messages.reactions`: how often a reaction was given; in the order of first use. */
export type ReactionCount = Pick<Reaction, "reaction" | "count">;

const NAME = /^[a-z0-9_+-]{1,32}$/;
const EMOJI = /^\p{RGI_Emoji}$/v;

/**
 * Normalizes a reaction for storage: a short name is unchanged, an emoji gets its full form, so that ❤ with and without
 * its variation selector are the same. Returns null if it is neither. Valid emoji are those of Unicode (UTS #51, RGI).
 */
export function reactionOf(text: string): string | null {
  if (NAME.test(text)) return text;
  if (EMOJI.test(text)) return text;
  const full = text
    .replaceAll("\u{fe0f}", "")
    .replace(/(?!\p{Emoji_Presentation})(\p{Emoji})(?!\p{Emoji_Modifier})/gu, "$1\u{fe0f}");
  return EMOJI.test(full) ? full : null;
}

/** Parses the column's text into counts. */
export const countsOf = (column: string | null): ReactionCount[] =>
  column === null ? [] : (JSON.parse(column) as ReactionCount[]);

/** Returns the counts as the column's text. */
export const columnOf = (counts: readonly ReactionCount[]): string | null =>
  counts.length === 0 ? null : JSON.stringify(counts);

/** Increments a reaction; a new kind is appended. Null if that would exceed the maximum number of kinds. */
export function oneMore(counts: readonly ReactionCount[], reaction: string): ReactionCount[] | null {
  if (counts.some((kind) => kind.reaction === reaction)) return changed(counts, reaction, 1);
  return counts.length >= REACTIONS_PER_MESSAGE ? null : [...counts, { reaction, count: 1 }];
}

/** Decrements a reaction; a kind with a count of zero is removed. */
export function oneLess(counts: readonly ReactionCount[], reaction: string): ReactionCount[] {
  return changed(counts, reaction, -1).filter(({ count }) => count > 0);
}

const changed = (counts: readonly ReactionCount[], reaction: string, by: number): ReactionCount[] =>
  counts.map((kind) => (kind.reaction === reaction ? { reaction, count: kind.count + by } : kind));

/** Returns the counts as records, with the caller's own marked. */
export const recordsOf = (counts: readonly ReactionCount[], own: ReadonlySet<string> = new Set()): Reaction[] =>
  counts.map(({ reaction, count }) => ({ reaction, count, me: own.has(reaction) }));
