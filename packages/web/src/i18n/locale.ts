/** Returns the browser's own variety of a language (British English, for example), if it has one. Tests have no browser. */
export const localeOf = (language: string): string =>
  navigator.languages?.find((tag) => tag.split("-")[0] === language) ?? language;

/** Returns the language in which the page is shown. Tests have no page and are in English. */
export function pageLanguage(): string {
  const scope: object = globalThis;
  const { document } = scope as { document?: { documentElement: { lang: string } } };
  return document?.documentElement.lang.split("-")[0] ?? "en";
}

/** The format of a date and time within text. */
export const MOMENT = { dateStyle: "medium", timeStyle: "short" } as const satisfies Intl.DateTimeFormatOptions;

/** Writes a whole number with thousands separators, which are the same in English and Chinese: `1,234`. */
export const grouped = (value: number | bigint): string => String(value).replace(/\B(?=(?:\d{3})+(?!\d))/g, ",");

/** Writes a whole number as the user's variety of a language does. */
export const groupedIn = (language: string, value: number | bigint): string => value.toLocaleString(localeOf(language));

/** Forms of a noun by the categories of CLDR, of which a language has some: English has `one` and `other`. */
type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string };

/** Returns a function that writes a number with the form of a noun that the rules of a language choose. */
export function pluralIn(language: string): (count: number, forms: Forms) => string {
  let rules: Intl.PluralRules | undefined;
  return (count, forms) => {
    rules ??= new Intl.PluralRules(language);
    return `${groupedIn(language, count)} ${forms[rules.select(count)] ?? forms.other}`;
  };
}

/** Returns the number with the English singular or plural. */
export const plural = (count: number, one: string, many: string): string =>
  `${grouped(count)} ${count === 1 ? one : many}`;

/** Returns names as a part of a sentence: "ada, ben and mei". */
export const list = (language: string, names: readonly string[]): string =>
  new Intl.ListFormat(localeOf(language), { type: "conjunction" }).format(names);
