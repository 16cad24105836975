import type { Emoji } from "@parley/protocol/emoji";
import { UNSPACED_LETTER } from "@parley/protocol/letters";
import type { Command, Named } from "../model/suggested.ts";

/** What can be inserted: a mention, an emoji, a channel by its slug, or a command to an agent. */
export type Suggestion =
  | Named
  | { kind: "here"; name: string; count: number }
  | { kind: "emoji"; name: string; text: string; own?: Emoji }
  | { kind: "channel"; name: string; title: string }
  | ({ kind: "command"; name: string } & Command);

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

/**
 * Returns candidates whose name or display name starts with the query, then those of whom one contains it; each once, in
 * the order given. `shownOf`: the display names that the page knows.
 */
export function matchCandidates(
  query: string,
  candidates: readonly Named[],
  shownOf: (username: string) => string | null = () => null,
): Named[] {
  const wanted = query.toLowerCase();
  const all = new Map(candidates.map((each) => [each.name.toLowerCase(), each]));
  const fits = [...all.values()].flatMap((each) => {
    const shown = each.kind === "user" ? (each.shown ?? shownOf(each.name)) : null;
    const names = (shown === null ? [each.name] : [each.name, shown]).map((name) => written(name).toLowerCase());
    const isBegun = names.some((name) => name.startsWith(wanted));
    return isBegun || names.some((name) => name.includes(wanted)) ? [{ each, isBegun }] : [];
  });
  const [begin, inside] = [true, false].map((isBegun) => fits.filter((fit) => fit.isBegun === isBegun));
  return [...(begin ?? []), ...(inside ?? [])].slice(0, SHOWN).map(({ each }) => each);
}

/** Commands are chosen from a list, because nobody knows all of them. */
const COMMANDS_SHOWN = 50;

/** Returns what is typed of a command: of one that begins the message, while the caret is in it. */
export function commandAt(text: string, caret: number): string | null {
  return /^\/([a-z0-9_]{0,32})$/i.exec(text.slice(0, caret))?.[1]?.toLowerCase() ?? null;
}

/** Returns the commands that begin so, in the order given. */
export const matchCommands = (query: string, commands: readonly Command[]): Suggestion[] =>
  commands
    .filter(({ command }) => command.startsWith(query))
    .slice(0, COMMANDS_SHOWN)
    .map((each) => ({ kind: "command", name: `/${each.command}`, ...each }));

/** In a mention spaces are written as `_` (protocol §5). */
const written = (name: string): string => name.replaceAll(" ", "_");

/** Inserts a suggestion in place of what is typed from `start` to the caret; returns the text and the new caret position. */
export function complete(
  text: string,
  start: number,
  caret: number,
  suggestion: Suggestion,
): { text: string; caret: number } {
  const inserted = `${insertedBy(suggestion)} `;
  const rest = text.slice(caret).replace(/^ /, "");
  return { text: text.slice(0, start) + inserted + rest, caret: start + inserted.length };
}

function insertedBy(suggestion: Suggestion): string {
  if (suggestion.kind === "emoji") return suggestion.text;
  if (suggestion.kind === "channel") return `#${suggestion.name}`;
  if (suggestion.kind === "command") return `${suggestion.name}@${written(suggestion.agent)}`;
  return `@${written(suggestion.name)}`;
}
