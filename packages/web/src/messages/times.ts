const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const DAY_OF_YEAR = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long", year: "numeric" });
const SHORT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export const clockOf = (time: string): string => CLOCK.format(new Date(time));

/** Without "PM", for where there is little room. */
export const shortClockOf = (time: string): string =>
  CLOCK.formatToParts(new Date(time))
    .filter(({ type }) => type === "hour" || type === "minute" || type === "literal")
    .map(({ value }) => value)
    .join("")
    .trim();

/** Of this year with its weekday, of others with the year. */
export function dayOf(time: string): string {
  const date = new Date(time);
  return (date.getFullYear() === new Date().getFullYear() ? DAY : DAY_OF_YEAR).format(date);
}

/** Day and time, where messages of many days stand together. */
export const momentOf = (time: string): string => SHORT.format(new Date(time));
