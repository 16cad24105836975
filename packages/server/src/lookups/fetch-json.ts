import type { Clock } from "../clock.ts";
import { retryAfterOf } from "./retry-after.ts";

/** One API: what it is called in the log, where it is, and the headers that let us in. Fixed by the settings. */
export interface Api {
  name: string;
  /** Scheme, host and port; every request goes there and nowhere else. */
  origin: string;
  headers: Readonly<Record<string, string>>;
}

/** What an API answered, read whole. The status is one that speaks of the post: 2xx or 4xx, but not 429. */
export interface Answer {
  status: number;
  /** JSON, of any shape. */
  body: unknown;
}

/** A request that gave no answer to work with. The text is ours, for the log; not a word of it is the network's. */
export class LookupFailure extends Error {
  /** A matter of the moment: the same request may do better at once. */
  readonly isPassing: boolean;
  /** Seconds to wait, when the network limits us. */
  readonly retryAfter: number | undefined;

  constructor(reason: string, { isPassing = false, retryAfter }: { isPassing?: boolean; retryAfter?: number } = {}) {
    super(reason);
    this.name = "LookupFailure";
    this.isPassing = isPassing;
    this.retryAfter = retryAfter;
  }
}

/** Bytes of an answer's body (protocol §5). */
const BODY_MAX = 256 * 1024;
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
const PASSING = new Set([502, 503, 504]);

interface Request {
  /** Made of our own constants and of ids whose alphabet was checked. */
  path: string;
  query?: Readonly<Record<string, string>>;
  /** Sent as JSON, with POST. */
  json?: unknown;
}

/**
 * Gets JSON from an API. The signal bounds the time to the last byte of the body. Redirects are not followed, compressed answers are
 * refused (a small one can hold a huge text), and a body is not read past 256 KiB.
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
    leave.abort(); // what was not read must not hold the connection
  }
}

function checkHead({ status, headers }: Response, clock: Clock): void {
  if (status === 429) throw new LookupFailure("it limits us", { retryAfter: retryAfterOf(headers, clock.now()) });
  if (status < 200 || status >= 500 || (status >= 300 && status < 400)) {
    throw new LookupFailure(`it answered ${status}`, { isPassing: PASSING.has(status) });
  }
  if (!JSON_TYPE.test(headers.get("content-type") ?? "")) throw new LookupFailure(`it answered ${status}, but no JSON`);
  if ((headers.get("content-encoding") ?? "identity") !== "identity")
    throw new LookupFailure("its answer is compressed");
  if (Number(headers.get("content-length") ?? 0) > BODY_MAX) throw new LookupFailure("its answer is too large");
}

async function readBody(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > BODY_MAX) throw new LookupFailure("its answer is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw new LookupFailure("its answer is broken JSON");
  }
}
