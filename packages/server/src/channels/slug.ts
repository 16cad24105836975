import { SLUG_MAX } from "@parley/protocol/limits";

/** Letters that Unicode does not take apart into a base letter and a mark. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  þ: "th",
  ł: "l",
  ħ: "h",
  ı: "i",
  ĸ: "k",
  ŋ: "ng",
  ŧ: "t",
};

/** Leaves room for `-2`, `-3`, … on a clash. */
const BASE_MAX = SLUG_MAX - 8;

/** What a name without one Latin letter or digit is called. */
const FALLBACK = "channel";

/**
 * The slug a name makes: lower case, marks stripped, everything else one hyphen (contract, section 3). Always a valid slug, and never
 * digits alone, because `channel_id` takes slugs too and reads digits as an id.
 */
export function slugOf(name: string): string {
  const plain = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}+/gu, "")
    .replace(/[^\x20-\x7e]/gu, (letter) => LETTERS[letter] ?? " ");
  const slug = plain
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, BASE_MAX)
    .replace(/-$/, "");
  if (slug === "") return FALLBACK;
  return /^[0-9]+$/.test(slug) ? `${FALLBACK}-${slug}`.slice(0, BASE_MAX) : slug;
}

/** `base` itself, or with the smallest number from 2 on that makes it free. */
export function freeSlug(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base;
  for (let number = 2; ; number += 1) {
    const slug = `${base}-${number}`;
    if (!taken.has(slug)) return slug;
  }
}
