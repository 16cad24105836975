import { SLUG_MAX } from "@parley/protocol/limits";

/** Leaves room for `-2`, `-3`, … on a clash. */
const BASE_MAX = SLUG_MAX - 8;

/** What a name that nobody can spell is called. */
const FALLBACK = "channel";

const LETTER = /[\p{L}\p{N}\p{M}]/u;
/** Each is a word, or near enough. */
const IDEOGRAPH = /\p{Script=Han}/u;

/**
 * The slug a name makes: in Latin letters, lower case, everything else one hyphen (protocol §3); of signs only, what they show. Always
 * a valid slug, and never digits alone, because `channel_id` takes slugs too and reads digits as an id.
 */
export async function slugOf(name: string): Promise<string> {
  const text = name.normalize("NFKC");
  const spell = /^[\x20-\x7e]*$/.test(text) ? String : await speller();
  const letters = hyphenated(text, (char) => (LETTER.test(char) ? spell(char) : " "));
  const slug = letters === "" ? hyphenated(text, (char) => ` ${spell(char)} `) : letters;
  if (slug === "") return FALLBACK;
  return /^[0-9]+$/.test(slug) ? `${FALLBACK}-${slug}`.slice(0, BASE_MAX) : slug;
}

/** How a letter of any script is written in Latin ones. Its table takes 4 MB, so it is loaded by the first name that needs it. */
async function speller(): Promise<(char: string) => string> {
  const { default: anyAscii } = await import("any-ascii");
  return (char) => {
    // Signs for soft letters and the like are no borders of words.
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

/** `base` itself, or with the smallest number from 2 on that makes it free. */
export function freeSlug(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base;
  for (let number = 2; ; number += 1) {
    const slug = `${base}-${number}`;
    if (!taken.has(slug)) return slug;
  }
}
