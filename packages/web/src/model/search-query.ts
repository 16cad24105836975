import { UNSPACED_LETTER } from "@parley/protocol/letters";
import type { SearchQuery } from "@parley/protocol/search";

/** The operators of a search, as they are typed: `from:ada in:general after:2026-11-01`. */
export const FILTERS = ["from", "in", "after", "before", "on", "has", "is"] as const;
export type Filter = (typeof FILTERS)[number];

/** A typed search, taken apart. */
export interface ParsedSearch {
  /** The words and phrases that the server searches for. */
  words: string;
  /** The values of the operators that are given; of one that is given twice, the last; of `has` and `is`, all. */
  filters: Partial<Record<Filter, string>>;
  /** A date that is none, such as `before:monday`; null: all are dates. */
  wrongDate: string | null;
  /** A value that the operator does not know, such as `has:gold`; null: all are known. */
  wrongFact: string | null;
}

/** A word before a colon that is neither an address nor a time. */
const OPERATOR = /^(\p{L}{2,12})[:：](?!\/)[^\s:]+$/u;
/** The values that the server knows (`SearchHas` and `SearchIs` of the protocol). */
export const FACTS: Record<"has" | "is", readonly string[]> = {
  has: ["file", "image", "link", "card", "reaction"],
  is: ["pinned", "thread", "edited", "mine"],
};
const ME = "me";
const DATES: readonly Filter[] = ["after", "before", "on"];
/** An operator with its value, a phrase, or a word. An input method for Chinese types `：`. */
const PART = /(?:(from|in|after|before|on|has|is)[:：]("[^"]*"?|[^\s"]*))(?=\s|$)|"[^"]*"?|[^\s"]+/giu;
/** The server accepts a prefix of three characters or more. */
const LAST_WORD = /(?:^|[^\p{L}\p{N}\p{M}])[\p{L}\p{N}]{3,}$/u;
/** Text without spaces is found by any part of it, so it needs no prefix. */
const SPACELESS = new RegExp(`${UNSPACED_LETTER.source}$`, "u");

/** Takes a typed search apart. What is in quotes is no operator. */
export function parseSearch(text: string): ParsedSearch {
  const words: string[] = [];
  const filters: Partial<Record<Filter, string>> = {};
  for (const [part, operator, value] of text.matchAll(PART)) {
    if (operator === undefined) words.push(part);
    else setFilter(filters, operator.toLowerCase() as Filter, value ?? "");
  }
  const wrong = DATES.find((name) => filters[name] !== undefined && startOfDay(filters[name]) === null);
  return {
    words: words.join(" "),
    filters,
    wrongDate: wrong === undefined ? null : `${wrong}:${filters[wrong]}`,
    wrongFact: wrongFactOf(filters),
  };
}

function wrongFactOf(filters: ParsedSearch["filters"]): string | null {
  for (const name of ["has", "is"] as const) {
    const wrong = filters[name]?.split(",").find((value) => !FACTS[name].includes(value));
    if (wrong !== undefined) return `${name}:${wrong}`;
  }
  return null;
}

/** Returns what looks like an operator, but is none, such as `to`; null: nothing does. It is searched for as it is typed. */
export function unknownOperator(words: string): string | null {
  const names = [...words.matchAll(PART)].map(([part]) => OPERATOR.exec(part)?.[1]);
  return names.find((name) => name !== undefined) ?? null;
}

function setFilter(filters: Partial<Record<Filter, string>>, name: Filter, typed: string): void {
  const mark = { from: /^@/, in: /^[#@]/, after: /^/, before: /^/, on: /^/, has: /^/, is: /^/ }[name];
  const plain = typed.replaceAll('"', "").trim().replace(mark, "");
  const value = name === "has" || name === "is" ? plain.toLowerCase() : plain;
  // An operator without a value is still being typed.
  if (value === "") return;
  // All of `has:` and `is:` hold together.
  const before = name === "has" || name === "is" ? filters[name] : undefined;
  filters[name] = before === undefined ? value : `${before},${value}`;
}

/** Returns the typed search with another value of an operator; null removes the operator. */
export function withFilter(text: string, name: Filter, value: string | null): string {
  const rest = [...text.matchAll(PART)]
    .filter(([, operator]) => operator?.toLowerCase() !== name)
    .map(([part]) => part);
  if (value === null || value === "") return rest.join(" ");
  return [...rest, `${name}:${/\s/.test(value) ? `"${value}"` : value}`].join(" ");
}

/** Returns the last word as the beginning of a word, so that a search finds what is still being typed. */
export const withPrefix = (words: string): string =>
  LAST_WORD.test(words) && !SPACELESS.test(words) ? `${words}*` : words;

/**
 * Returns what the server is asked for; `after` and `before` exclude their day, in the time of this device. The channel
 * is not part of it.
 */
export function queryOf({ words, filters }: ParsedSearch): SearchQuery {
  const { after, before, on, has } = filters;
  // As elsewhere, `from:me` means the user's own messages.
  const isMine = filters.from?.toLowerCase() === ME;
  const from = isMine ? undefined : filters.from;
  const is = isMine ? [filters.is, "mine"].filter((each) => each !== undefined).join(",") : filters.is;
  const since = latest([startOfDay(after, 1), startOfDay(on)]);
  const until = earliest([startOfDay(before), startOfDay(on, 1)]);
  return {
    ...(words === "" ? {} : { q: withPrefix(words) }),
    ...(from === undefined ? {} : { username: from }),
    ...(has === undefined ? {} : { has }),
    ...(is === undefined ? {} : { is }),
    ...(since === null ? {} : { since: since.toISOString() }),
    ...(until === null ? {} : { until: until.toISOString() }),
  };
}

/** Returns the beginning of a day such as 2026-11-01, or of one `later`, on this device; null: there is no such day. */
export function startOfDay(day: string | undefined, later = 0): Date | null {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day ?? "") ?? [];
  if (year === undefined) return null;
  const start = new Date(Number(year), Number(month) - 1, Number(date));
  if (start.getMonth() !== Number(month) - 1 || start.getDate() !== Number(date)) return null;
  start.setDate(start.getDate() + later);
  return start;
}

const sorted = (times: readonly (Date | null)[]): Date[] =>
  times.filter((time) => time !== null).sort((one, other) => one.getTime() - other.getTime());
const latest = (times: readonly (Date | null)[]): Date | null => sorted(times).at(-1) ?? null;
const earliest = (times: readonly (Date | null)[]): Date | null => sorted(times)[0] ?? null;
