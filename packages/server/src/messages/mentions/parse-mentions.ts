import { UNSPACED_LETTER } from "@parley/protocol/letters";
import { AGENT_NAME_MAX, MENTIONS_PER_MESSAGE } from "@parley/protocol/limits";
import type { Named } from "../../accounts/names/name-directory.ts";
import { nameKey } from "../../accounts/names/names.ts";
import type { RecordMention } from "../../event-log/message-json.ts";

/** A possible mention in a text, with every way it can end, longest first. */
interface Candidate {
  offset: number;
  /** Name keys with the length of text they match, including the `@`. */
  endings: { key: string; length: number }[];
}

/** More `@`s than any legitimate message has; further ones are plain text. */
const CANDIDATES_MAX = 50;

const WORD = /[\p{L}\p{N}_]/u;

/** True if the UTF-16 unit at this index belongs to a word. The ASCII fast path covers nearly all text. */
function isWord(content: string, at: number): boolean {
  const code = content.charCodeAt(at);
  if (code < 128) {
    return (
      (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === UNDERSCORE
    );
  }
  return WORD.test(content.charAt(at));
}

const ASCII_MAX = 127;

/** True if the UTF-16 unit at this index belongs to a script without spaces between words. */
const isUnspaced = (content: string, at: number): boolean =>
  content.charCodeAt(at) > ASCII_MAX && UNSPACED_LETTER.test(content.charAt(at));

/** True if both sides of this index belong to the same word. */
const isInsideWord = (content: string, at: number): boolean =>
  isWord(content, at - 1) && isWord(content, at) && isUnspaced(content, at - 1) === isUnspaced(content, at);

const SPACE = 32;
const HYPHEN = 45;
const DOT = 46;
const UNDERSCORE = 95;

function isInName(content: string, at: number): boolean {
  const code = content.charCodeAt(at);
  return code === SPACE || code === HYPHEN || code === DOT || isWord(content, at);
}

/** Finds possible mentions, in time linear in the length of the text. */
export function findCandidates(content: string): Candidate[] {
  const found: Candidate[] = [];
  for (let at = content.indexOf("@"); at !== -1 && found.length < CANDIDATES_MAX; at = content.indexOf("@", at + 1)) {
    if (at > 0 && isWord(content, at - 1) && !isUnspaced(content, at - 1)) continue;
    const endings = endingsAt(content, at + 1);
    if (endings.length > 0) found.push({ offset: at, endings });
  }
  return found;
}

/**
 * Returns the possible ends of a name, which are word boundaries, longest first: `@Ann Lee` is not `@Ann` if both
 * exist.
 */
function endingsAt(content: string, start: number): Candidate["endings"] {
  let end = start;
  while (end < content.length && end - start < AGENT_NAME_MAX && isInName(content, end)) end++;
  const text = content.slice(start, end);
  const folded = nameKey(text);
  const endings: Candidate["endings"] = [];
  for (let length = text.length; length > 0; length--) {
    if (text.charCodeAt(length - 1) === SPACE) continue;
    const next = start + length;
    if (next < content.length && isInsideWord(content, next)) continue;
    // A few letters change their length when folded; then a part's key is not a part of the whole key.
    const key = folded.length === text.length ? folded.slice(0, length) : nameKey(text.slice(0, length));
    endings.push({ key, length: length + 1 });
  }
  return endings;
}

/** Returns all keys the candidates may match. */
export function keysOf(candidates: readonly Candidate[]): string[] {
  return [...new Set(candidates.flatMap((candidate) => candidate.endings.map((ending) => ending.key)))];
}

export interface ResolvedMention extends RecordMention {
  id: number;
}

/**
 * Picks the longest existing name for each candidate. Omits the sender, since nobody can mention themselves, and keeps
 * at most 20 (protocol §4, §5).
 */
export function resolveMentions(
  candidates: readonly Candidate[],
  lookUp: (key: string) => Named | null | undefined,
  sender: { kind: Named["kind"]; id: number },
): ResolvedMention[] {
  const resolved: ResolvedMention[] = [];
  for (const { offset, endings } of candidates) {
    for (const { key, length } of endings) {
      const named = lookUp(key);
      if (named === null || named === undefined) continue;
      if (named.kind !== sender.kind || named.id !== sender.id)
        resolved.push({ type: named.kind, id: named.id, name: named.name, offset, length });
      break;
    }
    if (resolved.length === MENTIONS_PER_MESSAGE) break;
  }
  return resolved;
}
