import { DISPLAY_NAME_MAX } from "@parley/protocol/profiles";
import {
  codePoint,
  hasStackedMarks,
  MARKED_LETTER,
  type NameProblem,
  nameProblem,
} from "../../unicode/name-characters.ts";

/** Letters and digits, each with few marks, and the signs that names of people have. It begins with a letter or digit. */
const SIGNS = " _.,'’·・׳״-";
const NAME = new RegExp(`^${MARKED_LETTER}(?:${MARKED_LETTER}|[${SIGNS}])*$`, "u");
const CHARACTER = new RegExp(String.raw`[\p{L}\p{N}\p{Mn}\p{Mc}${SIGNS}]`, "u");
const ANY_LETTER = /\p{L}/u;
/** Beyond U+FFFF there are look-alikes and ancient scripts, but also the characters of living people's family names. */
const RARE = /(?!\p{Script=Han})[\u{10000}-\u{10ffff}]/u;

/** Why a display name is refused, as `details` of `invalid_display_name` say it. */
export type DisplayNameProblem =
  | NameProblem
  | { rule: "form" | "character_not_allowed"; message: string; character?: string };

/**
 * Returns a display name as it is stored: NFKC, with single spaces, as agents' names are, so that two names that look the
 * same are one. Or what is wrong with it, apart from names that it looks like.
 */
export function displayNameOf(text: string): { name: string } | { problem: DisplayNameProblem } {
  // The rules of characters come first, because trimming must not remove a line break.
  const name = text.normalize("NFKC").replace(/ +/g, " ").replace(/^ | $/g, "");
  const problem = problemOf(name);
  return problem === null ? { name } : { problem };
}

function problemOf(name: string): DisplayNameProblem | null {
  const length = [...name].length;
  if (length === 0 || length > DISPLAY_NAME_MAX)
    return { rule: "form", message: `must have 1 to ${DISPLAY_NAME_MAX} characters` };
  const problem = nameProblem(name);
  if (problem !== null) return problem;
  const stray = [...name].find((char) => !CHARACTER.test(char) || RARE.test(char));
  if (stray !== undefined) {
    const character = codePoint(stray);
    return { rule: "character_not_allowed", character, message: `must not contain ${character}` };
  }
  if (!NAME.test(name) || hasStackedMarks(name) || !ANY_LETTER.test(name)) {
    return { rule: "form", message: "must begin with a letter or digit, have a letter, and few marks on each" };
  }
  return null;
}

/** Folds case, accents and width, so that `jose` finds `José`. */
export const findKey = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase();

/** So many words of a name can be searched for. */
const WORDS_MAX = 8;

/** Returns the beginnings by which a name is found: the name from each of its words on. */
export function findKeysOf(name: string): string[] {
  const starts = [
    0,
    ...[...name.matchAll(/[^\p{L}\p{N}\p{M}]+(?=[\p{L}\p{N}])/gu)].map((gap) => gap.index + gap[0].length),
  ];
  return [...new Set(starts.slice(0, WORDS_MAX).map((start) => findKey(name.slice(start))))];
}
