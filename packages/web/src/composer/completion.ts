import { UNSPACED_LETTER } from "@parley/protocol/mention-borders";
import type { ActorKind } from "@parley/protocol/records";

/** Someone who can be mentioned. */
export interface Candidate {
  kind: ActorKind;
  name: string;
}

/** The mention that is being written: from its `@` to the caret. */
export interface Begun {
  start: number;
  query: string;
}

const SHOWN = 8;

const BEGUN = new RegExp(`(?:^|[^\\p{L}\\p{N}_]|${UNSPACED_LETTER.source})@([\\p{L}\\p{N}_.-]{0,32})$`, "u");

/** A name is begun where an `@` starts a word, as the server sees words, and nothing after it up to the caret ends one. */
export function begunMention(text: string, caret: number): Begun | null {
  const match = BEGUN.exec(text.slice(0, caret));
  if (match === null) return null;
  const query = match[1] ?? "";
  return { start: caret - query.length - 1, query };
}

/** Who may be meant: whose name begins so, then those whose name contains it; each once, in the order given. */
export function completionsOf(query: string, candidates: readonly Candidate[]): Candidate[] {
  const wanted = query.toLowerCase();
  const names = new Map(candidates.map((each) => [each.name.toLowerCase(), each]));
  const fits = [...names].filter(([name]) => written(name).includes(wanted));
  const begin = fits.filter(([name]) => written(name).startsWith(wanted));
  const inside = fits.filter(([name]) => !written(name).startsWith(wanted));
  return [...begin, ...inside].slice(0, SHOWN).map(([, each]) => each);
}

/** In a mention spaces are written as `_` (protocol §5). */
const written = (name: string): string => name.replaceAll(" ", "_");

/** The text with the name put in, and where the caret is then. */
export function complete(text: string, begun: Begun, caret: number, name: string): { text: string; caret: number } {
  const mention = `@${written(name)} `;
  const rest = text.slice(caret).replace(/^ /, "");
  return { text: text.slice(0, begun.start) + mention + rest, caret: begun.start + mention.length };
}
