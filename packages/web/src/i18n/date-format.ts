import { localeOf, MOMENT, pageLanguage } from "./locale.ts";

interface Formats {
  clock: Intl.DateTimeFormat;
  day: Intl.DateTimeFormat;
  dayOfYear: Intl.DateTimeFormat;
  moment: Intl.DateTimeFormat;
  relative: Intl.RelativeTimeFormat;
}

const made = new Map<string, Formats>();

/** Returns the formatters for the page's language. */
function formats(): Formats {
  const language = pageLanguage();
  const known = made.get(language);
  if (known !== undefined) return known;
  const locale = localeOf(language);
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale || undefined, options);
  const all = {
    clock: format({ hour: "2-digit", minute: "2-digit" }),
    day: format({ weekday: "long", day: "numeric", month: "long" }),
    dayOfYear: format({ day: "numeric", month: "long", year: "numeric" }),
    moment: format(MOMENT),
    relative: new Intl.RelativeTimeFormat(locale || undefined, { numeric: "auto" }),
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

const DAY_MS = 86_400_000;
/** The start of a day in UTC; days of the clock change have 23 or 25 hours. */
const startOf = (date: Date): number => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());

/** Returns "Today" or "Yesterday", or the date of another day. */
export function dayOf(time: string, today: number): string {
  const days = (startOf(new Date(time)) - startOf(new Date(today))) / DAY_MS;
  return days === 0 || days === -1 ? capitalized(formats().relative.format(days, "day")) : calendarDayOf(time);
}

/** Dates of this year have the weekday, others the year. */
export function calendarDayOf(time: string): string {
  const date = new Date(time);
  const { day, dayOfYear } = formats();
  return (date.getFullYear() === new Date().getFullYear() ? day : dayOfYear).format(date);
}

const capitalized = (text: string): string => text.replace(/^\p{Ll}/u, (first) => first.toLocaleUpperCase());

/** Day and time, for lists that span several days. */
export const momentOf = (time: string): string => formats().moment.format(new Date(time));

/** The day with its year. */
export const dateOf = (time: string): string => formats().dayOfYear.format(new Date(time));
