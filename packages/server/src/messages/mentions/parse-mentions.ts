import { AT_SIGN, UNSPACED_LETTER } from "@parley/protocol/letters";
import { AGENT_NAME_MAX, MENTIONS_PER_MESSAGE } from "@parley/protocol/limits";
import { type QuietPart, quietParts } from "@parley/protocol/quiet-parts";
import type { Named } from "../../accounts/names/name-directory.ts";
import { nameKey } from "../../accounts/names/names.ts";
import type { RecordMention } from "../../event-log/message-json.ts";

/** A possible mention in a text, with every way it can end, longest first. */
interface Candidate {
  offset: number;
  isQuoted: boolean;
  /** True for the `@` of `/command@name`, which names agents only. */
  isCommand: boolean;
  /** Name keys with the length of text they match, including the `@`. */
  endings: { key: string; length: number }[];
}

/** More `@`s than any legitimate message has; further ones are plain text. */
const CANDIDATES_MAX = 50;
/** A name may be written with marks of its letters beside them (NFD). */
const WRITTEN_MAX = 4 * AGENT_NAME_MAX;

const LETTER = /[\p{L}\p{N}]/u;
const MARK = /\p{M}/u;
const ASCII_MAX = 127;
const SPACE = 32;
const HYPHEN = 45;
const DOT = 46;
const UNDERSCORE = 95;

/** True if the UTF-16 unit at this index belongs to a word. The ASCII fast path covers nearly all text. */
function isWord(content: string, at: number): boolean {
  const code = content.charCodeAt(at);
  if (code <= ASCII_MAX) return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
  return LETTER.test(content.charAt(at)) || isMark(content, at);
}

const isMark = (content: string, at: number): boolean =>
  content.charCodeAt(at) > ASCII_MAX && MARK.test(content.charAt(at));

/** True if the UTF-16 unit at this index belongs to a script without spaces between words. */
const isUnspaced = (content: string, at: number): boolean =>
  content.charCodeAt(at) > ASCII_MAX && UNSPACED_LETTER.test(content.charAt(at));

/** Returns the first index from `at` on, in this direction, that is no underscore: those around a word are emphasis. */
function pastUnderscores(content: string, at: number, step: 1 | -1): number {
  let next = at;
  while (content.charCodeAt(next) === UNDERSCORE) next += step;
  return next;
}

/** True if a name may not end before this index, because its word goes on. Scripts without spaces have no such places. */
function goesOn(content: string, at: number): boolean {
  if (isMark(content, at)) return true;
  const next = pastUnderscores(content, at, 1);
  if (next > at) return isWord(content, next);
  return isWord(content, at) && isWord(content, at - 1) && !isUnspaced(content, at) && !isUnspaced(content, at - 1);
}

/** True if an `@` there is within a word, as in an e-mail address. */
function isWithinWord(content: string, at: number): boolean {
  const before = pastUnderscores(content, at - 1, -1);
  return isWord(content, before) && !isUnspaced(content, before);
}

/** A command right before an `@`: `/` begins the text or follows white space (protocol §5). */
const COMMAND = /(?:^|\s)\/[a-z0-9_]{1,32}$/i;
/** The longest command, with its slash and the character before it. */
const COMMAND_MAX = 34;

const isAfterCommand = (content: string, at: number): boolean =>
  COMMAND.test(content.slice(Math.max(0, at - COMMAND_MAX), at));

function isInName(content: string, at: number): boolean {
  const code = content.charCodeAt(at);
  return code === SPACE || code === HYPHEN || code === DOT || code === UNDERSCORE || isWord(content, at);
}

/** How far before an `@` the address begins that it may belong to. */
const ADDRESS_MAX = 500;
/** The beginning of an address that no client links: of another scheme, or of none. */
const ADDRESS =
  /(?:[a-z][a-z\d+.-]{0,30}:\/\/|(?:[\w-]{1,63}\.)+[a-z]{2,24}(?::\d{1,5})?[/?#])[^\s<>"'`|()[\]，。、！？；：（）【】《》「」]*$/i;

const isInAddress = (content: string, at: number): boolean =>
  ADDRESS.test(content.slice(Math.max(0, at - ADDRESS_MAX), at));

/** Finds possible mentions, in time linear in the length of the text. Code and addresses have none. */
export function findCandidates(content: string): Candidate[] {
  const found: Candidate[] = [];
  let parts: QuietPart[] | undefined;
  for (const { index: at } of content.matchAll(AT_SIGN)) {
    if (found.length === CANDIDATES_MAX) break;
    const isCommand = at > 0 && isWithinWord(content, at);
    if (isCommand && !isAfterCommand(content, at)) continue;
    const endings = endingsAt(content, at + 1);
    if (endings.length === 0) continue;
    parts ??= quietParts(content);
    const around = parts.filter(({ start, end }) => at >= start && at < end);
    if (around.some(({ kind }) => kind !== "quote") || (at > 0 && isInAddress(content, at))) continue;
    found.push({ offset: at, isQuoted: around.length > 0, isCommand, endings });
  }
  return found;
}

/**
 * Returns the possible ends of a name, longest first: `@Ann Lee` is not `@Ann` if both exist. A name ends with its word; in
 * scripts without spaces it ends anywhere.
 */
function endingsAt(content: string, start: number): Candidate["endings"] {
  let end = start;
  for (let letters = 0; end < content.length && end - start < WRITTEN_MAX && isInName(content, end); end++) {
    if (!isMark(content, end) && ++letters > AGENT_NAME_MAX) break;
  }
  const text = content.slice(start, end);
  const folded = nameKey(text);
  const isAscii = ASCII.test(text);
  const endings: Candidate["endings"] = [];
  for (let length = text.length; length > 0 && endings.length < AGENT_NAME_MAX; length--) {
    if (text.charCodeAt(length - 1) === SPACE) continue;
    if (start + length < content.length && goesOn(content, start + length)) continue;
    // Names are stored in NFKC. A few letters change their length when folded; then a part's key is no part of the whole.
    const key = isAscii ? folded.slice(0, length) : nameKey(text.slice(0, length).normalize("NFKC"));
    endings.push({ key, length: length + 1 });
  }
  return endings;
}

const ASCII = /^[\0-\x7f]*$/;

/** Returns all keys the candidates may match. */
export function keysOf(candidates: readonly Candidate[]): string[] {
  return [...new Set(candidates.flatMap((candidate) => candidate.endings.map((ending) => ending.key)))];
}

export interface ResolvedMention extends RecordMention {
  id: number;
}

/** A user or agent, or everybody who is online. */
type Meant = Named | { kind: "here"; id: number; name: string };

/**
 * Picks the longest existing name for each candidate. Omits the sender, since nobody can mention themselves, and keeps
 * at most 20 (protocol §4, §5).
 */
export function resolveMentions(
  candidates: readonly Candidate[],
  lookUp: (key: string) => Meant | null | undefined,
  sender: { kind: Named["kind"]; id: number },
): ResolvedMention[] {
  const resolved: ResolvedMention[] = [];
  for (const { offset, isQuoted, isCommand, endings } of candidates) {
    for (const { key, length } of endings) {
      const named = lookUp(key);
      if (named === null || named === undefined || (isCommand && named.kind !== "agent")) continue;
      if (named.kind !== sender.kind || named.id !== sender.id)
        resolved.push({
          type: named.kind,
          id: named.id,
          ...(isQuoted && { quoted: true }),
          name: named.name,
          offset,
          length,
        });
      break;
    }
    if (resolved.length === MENTIONS_PER_MESSAGE) break;
  }
  return resolved;
}
