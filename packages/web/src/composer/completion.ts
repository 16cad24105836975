import { UNSPACED_LETTER } from "@parley/protocol/letters";
import type { ActorKind } from "@parley/protocol/values";

/** A user or agent who can be mentioned. */
export interface Candidate {
  kind: ActorKind;
  name: string;
}

/** What can be inserted: a mention, or an emoji. */
export type Suggestion = Candidate | { kind: "emoji"; name: string; text: string };

/** The mention being written: from its `@` to the caret. */
export interface MentionQuery {
  start: number;
  query: string;
}

const SHOWN = 8;

const BEGUN = new RegExp(`(?:^|[^\\p{L}\\p{N}_]|${UNSPACED_LETTER.source})@([\\p{L}\\p{N}_.-]{0,32})$`, "u");

/** Returns the mention at the caret, if an `@` starts a word by the server's rules and nothing between it and the caret ends the name. */
export function mentionAt(text: string, caret: number): MentionQuery | null {
  const match = BEGUN.exec(text.slice(0, caret));
  if (match === null) return null;
  const query = match[1] ?? "";
  return { start: caret - query.length - 1, query };
}

/** Returns candidates whose name starts with the query, then those whose name contains it; each once, in the order given. */
export function matchCandidates(query: string, candidates: readonly Candidate[]): Candidate[] {
  const wanted = query.toLowerCase();
  const names = new Map(candidates.map((each) => [each.name.toLowerCase(), each]));
  const fits = [...names].filter(([name]) => written(name).includes(wanted));
  const begin = fits.filter(([name]) => written(name).startsWith(wanted));
  const inside = fits.filter(([name]) => !written(name).startsWith(wanted));
  return [...begin, ...inside].slice(0, SHOWN).map(([, each]) => each);
}

/** In a mention spaces are written as `_` (protocol §5). */
const written = (name: string): string => name.replaceAll(" ", "_");

/** Inserts a suggestion in place of what is typed from `start` to the caret; returns the text and the new caret position. */
export function complete(
  text: string,
  start: number,
  caret: number,
  suggestion: Suggestion,
): { text: string; caret: number } {
  const inserted = `${suggestion.kind === "emoji" ? suggestion.text : `@${written(suggestion.name)}`} `;
  const rest = text.slice(caret).replace(/^ /, "");
  return { text: text.slice(0, start) + inserted + rest, caret: start + inserted.length };
}
