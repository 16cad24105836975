/** Returns the browser's own variety of a language (British English, for example), if it has one. */
export const localeOf = (language: string): string =>
  navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;

/** The format of a date and time within text. */
export const MOMENT = { dateStyle: "medium", timeStyle: "short" } as const satisfies Intl.DateTimeFormatOptions;

/** Writes a whole number with thousands separators, which are the same in English and Chinese: `1,234`. */
export const grouped = (value: number | bigint): string => String(value).replace(/\B(?=(?:\d{3})+(?!\d))/g, ",");

/** Returns the number with the English singular or plural. */
export const plural = (count: number, one: string, many: string): string =>
  `${grouped(count)} ${count === 1 ? one : many}`;

/** Returns names as a part of a sentence: "ada, ben and mei". */
export const list = (language: string, names: readonly string[]): string =>
  new Intl.ListFormat(localeOf(language), { type: "conjunction" }).format(names);
