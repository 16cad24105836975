import type { Clock } from "../clock.ts";

/** One API: its name in the log, its address, and the headers that authenticate us. Fixed by the settings. */
export interface Api {
  name: string;
  /** Scheme, host and port. Every request is sent there and nowhere else. */
  origin: string;
  headers: Readonly<Record<string, string>>;
}

/** A complete API response. The status concerns the post: 2xx or 4xx, but not 429. */
export interface Answer {
  status: number;
  /** JSON, of any shape. */
  body: unknown;
}

/** A request without a usable response. The message is ours, for the log, and contains no text of the network. */
export class LookupFailure extends Error {
  /** The failure is transient: an immediate retry may succeed. */
  readonly isPassing: boolean;
  /** Seconds to wait, if the network throttles us. */
  readonly retryAfter: number | undefined;

  constructor(reason: string, { isPassing = false, retryAfter }: { isPassing?: boolean; retryAfter?: number } = {}) {
    super(reason);
    this.name = "LookupFailure";
    this.isPassing = isPassing;
    this.retryAfter = retryAfter;
  }
}

/** Maximum bytes of a response body (protocol §5). */
const BODY_MAX = 256 * 1024;
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
const PASSING = new Set([502, 503, 504]);

interface Request {
  /** Built from our own constants and from ids whose alphabet was checked. */
  path: string;
  query?: Readonly<Record<string, string>>;
  /** Sent as JSON with POST. */
  json?: unknown;
}

/**
 * Gets JSON from an API. The signal bounds the time to the last byte of the body. Redirects are not followed,
 * compressed responses are refused (a small one can hold a huge text), and reading stops at 256 KiB.
 * @throws LookupFailure
 */
export async function fetchJson(
  api: Api,
  { path, query = {}, json }: Request,
  { signal, clock }: { signal: AbortSignal; clock: Clock },
): Promise<Answer> {
  const url = new URL(path, api.origin);
  if (url.origin !== api.origin) throw new LookupFailure("the path leads away from the API");
  url.search = new URLSearchParams(query).toString();
  const leave = new AbortController();
  try {
    const response = await fetch(url, {
      ...(json === undefined ? {} : { method: "POST", body: JSON.stringify(json) }),
      headers: {
        ...api.headers,
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        accept: "application/json",
        "accept-encoding": "identity",
        "user-agent": "Parley",
      },
      redirect: "manual",
      decompress: false,
      signal: AbortSignal.any([signal, leave.signal]),
    });
    checkHead(response, clock);
    return { status: response.status, body: parse(await readBody(response)) };
  } catch (error) {
    if (error instanceof LookupFailure) throw error;
    if (signal.aborted) throw new LookupFailure("it took too long");
    throw new LookupFailure("the connection failed", { isPassing: true });
  } finally {
    leave.abort(); // an unread rest must not hold the connection
  }
}

function checkHead({ status, headers }: Response, clock: Clock): void {
  if (status === 429)
    throw new LookupFailure("it limits our requests", { retryAfter: retryAfterOf(headers, clock.now()) });
  if (status < 200 || status >= 500 || (status >= 300 && status < 400)) {
    throw new LookupFailure(`it responded with ${status}`, { isPassing: PASSING.has(status) });
  }
  if (!JSON_TYPE.test(headers.get("content-type") ?? ""))
    throw new LookupFailure(`it responded with ${status}, but not with JSON`);
  if ((headers.get("content-encoding") ?? "identity") !== "identity")
    throw new LookupFailure("its response is compressed");
  if (Number(headers.get("content-length") ?? 0) > BODY_MAX) throw new LookupFailure("its response is too large");
}

async function readBody(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > BODY_MAX) throw new LookupFailure("its response is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw new LookupFailure("its response is not valid JSON");
  }
}

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
