import { mixedScripts } from "./scripts.ts";

/** Why a name is refused, for the details of an error. */
export interface NameProblem {
  rule: "invisible_character" | "mixed_scripts" | "mixed_digits";
  message: string;
  /** `U+1160`: the first character that breaks the rule. */
  character?: string;
  scripts?: string[];
}

/**
 * Controls, line separators, unassigned, private-use and surrogate code points, and everything without a visible glyph:
 * joiners, fillers, directional marks, variation selectors, tags.
 */
const INVISIBLE = /[\p{Cc}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** Emoji as recommended by Unicode, including their joiners, or else an invisible character. */
const EMOJI_OR_INVISIBLE = new RegExp(`\\p{RGI_Emoji}|${INVISIBLE.source}`, "gv");
const ANY_EMOJI = /\p{RGI_Emoji}/v;
const ALL_INVISIBLE = new RegExp(INVISIBLE, "gu");
const TAG = /[\u{e0000}-\u{e007f}]/u;
const DIGIT = /\p{Nd}/u;
const DIGITS = /\p{Nd}/gu;

/** A letter or digit of any script, with the marks that Hindi, Tamil and Thai words need. More would cover the lines around. */
export const MARKED_LETTER = String.raw`[\p{L}\p{N}][\p{Mn}\p{Mc}]{0,4}`;
/** The same mark twice is drawn as one. */
const STACKED = /([\p{Mn}\p{Mc}])\1|[\p{Mn}\p{Mc}]{5}/u;

/** Returns true if a letter has the same mark twice in a row, or more than four. */
export const hasStackedMarks = (text: string): boolean => STACKED.test(text);

/** Returns the notation of a character in error details: `U+00AD`. */
export const codePoint = (char: string): string =>
  `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/**
 * Returns what is wrong with the characters of a name: they must be visible, of one script and of one kind of digits
 * (protocol §2). Null when the name is valid. The name must be in NFC already.
 */
export function nameProblem(name: string): NameProblem | null {
  const invisible = invisibleCharacter(name);
  if (invisible !== null) {
    const character = codePoint(invisible);
    return { rule: "invisible_character", character, message: `must not contain ${character}, which is invisible` };
  }
  const scripts = mixedScripts(name);
  if (scripts !== null) {
    return { rule: "mixed_scripts", scripts, message: `must not mix the scripts ${scripts.join(", ")}` };
  }
  const [first, ...others] = [...name.matchAll(DIGITS)].map(([digit]) => digit);
  const other = first === undefined ? undefined : others.find((digit) => zeroOf(digit) !== zeroOf(first));
  if (other === undefined) return null;
  const character = codePoint(other);
  return { rule: "mixed_digits", character, message: `must not mix ${character} with digits of another script` };
}

/** Returns the first invisible character of a text, except joiners inside emoji; null when there is none. */
export function invisibleCharacter(text: string): string | null {
  if (!INVISIBLE.test(text)) return null;
  for (const [found] of text.matchAll(EMOJI_OR_INVISIBLE)) {
    const [invisible] = isAllowedEmoji(found) ? [] : (INVISIBLE.exec(found) ?? []);
    if (invisible !== undefined) return invisible;
  }
  return null;
}

/** Returns the text without the characters that `invisibleCharacter` finds. */
export function withoutInvisible(text: string): string {
  return text.replace(EMOJI_OR_INVISIBLE, (found) =>
    isAllowedEmoji(found) ? found : found.replace(ALL_INVISIBLE, ""),
  );
}

/** Flags of regions are spelled in tags, which can carry hidden text: they are refused. */
const isAllowedEmoji = (found: string): boolean => ANY_EMOJI.test(found) && !TAG.test(found);

/** Returns the zero of a digit's number system: systems are runs of ten characters. */
function zeroOf(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let start = code;
  while (DIGIT.test(String.fromCodePoint(start - 1))) start -= 1;
  return code - ((code - start) % 10);
}
