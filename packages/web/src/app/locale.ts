/** A language in the browser's own variety (British English, say), where it has one. */
export const localeOf = (language: string): string =>
  navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;

/** A day and a time, as they stand beside text. */
export const MOMENT = { dateStyle: "medium", timeStyle: "short" } as const satisfies Intl.DateTimeFormatOptions;
