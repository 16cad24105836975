/** An emoji that can be picked. */
export interface Emoji {
  text: string;
  /** One of `GROUPS`. */
  group: number;
  hasTones: boolean;
  /** As in `:tada:`; the first is the usual one. */
  codes: readonly string[];
  /** In the user's language. */
  name: string;
  /** The codes and names, each as its words with spaces between them, in lower case. */
  titles: readonly string[];
  /** The words of names and tags, in lower case, which a search also looks at. */
  words: readonly string[];
}

/** The groups, in the order of Unicode, each with the emoji that stands for it. */
export const GROUPS = [
  [0, "😀"],
  [1, "👋"],
  [3, "🐻"],
  [4, "🍔"],
  [5, "🚗"],
  [6, "⚽"],
  [7, "💡"],
  [8, "💟"],
  [9, "🚩"],
] as const;
export type Group = (typeof GROUPS)[number][0];

/** Parses the lines of `ALL_EMOJI`, with the names of another language, if there is one. */
export function parseEmoji(english: string, names?: string): Emoji[] {
  const translated = names?.split("\n") ?? [];
  return english.split("\n").map((line, at) => {
    const [text = "", group = "", tones = "", codes = "", label = "", tags = ""] = line.split("\t");
    const [name = "", more = ""] = translated[at]?.split("\t") ?? [];
    const all = codes.split(" ");
    return {
      text,
      group: Number(group),
      hasTones: tones === "1",
      codes: all,
      titles: [...all, label, name].map((title) => wordsOf(title).join(" ")).filter(Boolean),
      name: name === "" ? label : name,
      words: wordsOf(`${all.join(" ")} ${label} ${tags} ${name} ${more}`),
    };
  });
}

const wordsOf = (text: string): string[] => [...new Set(text.toLowerCase().split(/[^\p{L}\p{N}+-]+/u))].filter(Boolean);

/**
 * Returns the emoji that a query finds, the best first: those with this code or name, with one that begins like it, with
 * words that do, and with words that contain it. Several words must all be found.
 */
export function findEmoji(all: readonly Emoji[], query: string, most: number): Emoji[] {
  const parts = wordsOf(query);
  if (parts.length === 0) return [];
  return all
    .map((emoji, at) => ({ emoji, at, rank: rankOf(emoji, parts) }))
    .filter(({ rank }) => rank !== null)
    .sort((one, other) => (one.rank ?? 0) - (other.rank ?? 0) || one.at - other.at)
    .slice(0, most)
    .map(({ emoji }) => emoji);
}

function rankOf({ titles, words }: Emoji, parts: readonly string[]): number | null {
  const title = parts.join(" ");
  if (titles.includes(title)) return 0;
  if (titles.some((each) => each.startsWith(title))) return 1;
  if (parts.every((part) => words.some((word) => word.startsWith(part)))) return 2;
  return parts.every((part) => words.some((word) => word.includes(part))) ? 3 : null;
}
