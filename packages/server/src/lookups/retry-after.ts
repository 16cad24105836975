const SHORTEST = 1;
/** X limits in windows of 15 minutes. If a network asks for more, trying again after that does no harm. */
const LONGEST = 15 * 60;
const UNKNOWN = 60;

/** `Retry-After` (RFC 9110), and the headers in which X, Bluesky and Mastodon send the end of their window. */
const HEADERS = ["retry-after", "x-rate-limit-reset", "ratelimit-reset", "x-ratelimit-reset"];
/** Numbers up to this are spans in seconds, larger ones are epoch seconds: no window lasts three years. */
const SPAN_MAX = 100_000_000;

/**
 * Returns the seconds until a network that answered 429 may be asked again, 1 to 900; 60 if it does not say. `now` is
 * in epoch milliseconds.
 */
export function retryAfterOf(headers: Headers, now: number): number {
  for (const name of HEADERS) {
    const seconds = secondsUntil(headers.get(name), now);
    if (seconds !== undefined) return Math.min(LONGEST, Math.max(SHORTEST, Math.ceil(seconds)));
  }
  return UNKNOWN;
}

/** Parses a span in seconds, a time in epoch seconds, or a date of HTTP or ISO 8601. */
function secondsUntil(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  if (/^\d{1,12}$/.test(text)) return Number(text) <= SPAN_MAX ? Number(text) : Number(text) - now / 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : (date - now) / 1000;
}
