import { localeOf, MOMENT } from "./locale.ts";

interface Formats {
  clock: Intl.DateTimeFormat;
  day: Intl.DateTimeFormat;
  dayOfYear: Intl.DateTimeFormat;
  moment: Intl.DateTimeFormat;
}

const made = new Map<string, Formats>();

/** Returns the formatters for the page's language. */
function formats(): Formats {
  const language = document.documentElement.lang.split("-")[0] ?? "";
  const known = made.get(language);
  if (known !== undefined) return known;
  const locale = localeOf(language);
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale || undefined, options);
  const all = {
    clock: format({ hour: "2-digit", minute: "2-digit" }),
    day: format({ weekday: "long", day: "numeric", month: "long" }),
    dayOfYear: format({ day: "numeric", month: "long", year: "numeric" }),
    moment: format(MOMENT),
  };
  made.set(language, all);
  return all;
}

export const clockOf = (time: string): string => formats().clock.format(new Date(time));

/** The time without "PM", for narrow places. */
export const shortClockOf = (time: string): string =>
  formats()
    .clock.formatToParts(new Date(time))
    .filter(({ type }) => type === "hour" || type === "minute" || type === "literal")
    .map(({ value }) => value)
    .join("")
    .trim();

/** Days of this year are shown with the weekday, others with the year. */
export function dayOf(time: string): string {
  const date = new Date(time);
  const { day, dayOfYear } = formats();
  return (date.getFullYear() === new Date().getFullYear() ? day : dayOfYear).format(date);
}

/** Day and time, for lists that span several days. */
export const momentOf = (time: string): string => formats().moment.format(new Date(time));

/** The day with its year. */
export const dateOf = (time: string): string => formats().dayOfYear.format(new Date(time));
