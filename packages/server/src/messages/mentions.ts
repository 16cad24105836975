import { AGENT_NAME_MAX, MENTIONS_PER_MESSAGE } from "@parley/protocol/limits";
import type { Named } from "../accounts/name-directory.ts";
import { nameKey } from "../accounts/names.ts";
import type { RecordMention } from "./record.ts";

/** A stretch of text that may be a mention: every way to end it, longest first. */
interface Candidate {
  offset: number;
  /** Name keys by the length of text (with the `@`) they take. */
  endings: { key: string; length: number }[];
}

/** More `@`s than any honest message has; the rest is text. */
const CANDIDATES_MAX = 50;

const WORD = /[\p{L}\p{N}_]/u;
const IN_NAME = /[\p{L}\p{N}_. -]/u;

/** Finds what may be mentions. Linear in the length of the text. */
export function findCandidates(content: string): Candidate[] {
  const found: Candidate[] = [];
  for (let at = content.indexOf("@"); at !== -1 && found.length < CANDIDATES_MAX; at = content.indexOf("@", at + 1)) {
    if (at > 0 && WORD.test(content.charAt(at - 1))) continue;
    const endings = endingsAt(content, at + 1);
    if (endings.length > 0) found.push({ offset: at, endings });
  }
  return found;
}

/** Names end on a word border: the longest first, so that `@Ann Lee` is not `@Ann` when both exist. */
function endingsAt(content: string, start: number): Candidate["endings"] {
  const endings: Candidate["endings"] = [];
  let end = start;
  while (end < content.length && end - start < AGENT_NAME_MAX && IN_NAME.test(content.charAt(end))) {
    end++;
    const last = content.charAt(end - 1);
    const inWord = WORD.test(last) && end < content.length && WORD.test(content.charAt(end));
    if (!inWord && last !== " ") endings.unshift({ key: nameKey(content.slice(start, end)), length: end - start + 1 });
  }
  return endings;
}

/** All keys the candidates may stand for. */
export function keysOf(candidates: readonly Candidate[]): string[] {
  return [...new Set(candidates.flatMap((candidate) => candidate.endings.map((ending) => ending.key)))];
}

export interface ResolvedMention extends RecordMention {
  id: number;
}

/**
 * Picks for each candidate the longest name that exists. The sender is left out: no one mentions himself. At most 20 count
 * (contract, sections 4, 5).
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
