import { CHANNEL_NAME_MAX, SLUG_MAX } from "@parley/protocol/limits";
import { isBlank } from "../../base/visible-text.ts";
import { fail } from "../../errors.ts";
import { nameProblem } from "../../unicode/name-characters.ts";

/**
 * Normalizes a name for storage: NFC, trimmed, one line, only visible characters of one script (protocol §3). Errors:
 * `invalid_channel_name`, whose details name the rule.
 */
export function channelName(text: string): string {
  const name = text.trim().normalize("NFC");
  const problem =
    isBlank(name) || [...name].length > CHANNEL_NAME_MAX ? FORM : (nameProblem(name) ?? markProblem(name));
  if (problem !== null) throw fail("invalid_channel_name", { details: [{ path: "name", ...problem }] });
  return name;
}

const FORM = { rule: "form", message: `must have 1 to ${CHANNEL_NAME_MAX} characters, not only spaces` };

/** A name must contain more than combining marks. */
const markProblem = (name: string): typeof FORM | null => (/[\p{L}\p{N}\p{P}\p{S}]/u.test(name) ? null : FORM);

/** Leaves room for `-2`, `-3`, … on a collision. */
const BASE_MAX = SLUG_MAX - 8;

/** The slug of a name that cannot be transliterated. */
const FALLBACK = "channel";

const LETTER = /[\p{L}\p{N}\p{M}]/u;
/** Each character is roughly a word. */
const IDEOGRAPH = /\p{Script=Han}/u;

/**
 * Returns the slug of a name: Latin lowercase letters, everything else one hyphen (protocol §3); a name of symbols only
 * is transliterated instead. Always valid and never only digits, because `channel_id` also accepts slugs and reads
 * digits as an id.
 */
export async function slugOf(name: string): Promise<string> {
  const text = name.normalize("NFKC");
  const spell = /^[\x20-\x7e]*$/.test(text) ? String : await speller();
  const letters = hyphenated(text, (char) => (LETTER.test(char) ? spell(char) : " "));
  const slug = letters === "" ? hyphenated(text, (char) => ` ${spell(char)} `) : letters;
  if (slug === "") return FALLBACK;
  return /^[0-9]+$/.test(slug) ? `${FALLBACK}-${slug}`.slice(0, BASE_MAX) : slug;
}

/** Returns a transliterator to Latin letters. Its table takes 4 MB, so it is loaded on first use. */
async function speller(): Promise<(char: string) => string> {
  const { default: anyAscii } = await import("any-ascii");
  return (char) => {
    // Marks for soft letters and the like are not word boundaries.
    const latin = anyAscii(char).replace(/[^A-Za-z0-9]/g, "");
    return IDEOGRAPH.test(char) ? ` ${latin} ` : latin;
  };
}

function hyphenated(text: string, spell: (char: string) => string): string {
  return text
    .replace(/[^\x20-\x7e]/gu, spell)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, BASE_MAX)
    .replace(/-$/, "");
}

/** Returns `base`, or `base` with the smallest free number from 2 on. */
export function freeSlug(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base;
  for (let number = 2; ; number += 1) {
    const slug = `${base}-${number}`;
    if (!taken.has(slug)) return slug;
  }
}
