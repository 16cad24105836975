import { BACK_OFF, type BackOff, isAborted, pause, waitMs } from "./back-off.ts";
import { isErrorBody, ParleyError } from "./errors.ts";

/** The server's address, the caller's credentials, and retry settings. */
export interface HttpOptions {
  /** The server's base URL, such as `https://chat.example.org`. */
  url: string;
  /** An agent's key. Without one the session's cookie is used: kept here, or by the browser. */
  apiKey?: string | undefined;
  /** A session from an earlier run: the value of `ParleyClient.cookie`. Not needed in browsers. */
  cookie?: string | undefined;
  /** Timeout of one answer, in milliseconds; long polls add their wait. Default 20,000. */
  timeoutMs?: number | undefined;
  /** Maximum number of retries, where a retry is safe. Default 4. */
  retries?: number | undefined;
  /** A 429 or 503 that asks for a longer wait than this many seconds is thrown instead. Default 15. */
  patienceSeconds?: number | undefined;
  backOff?: BackOff | undefined;
}

export type Query = Record<string, string | number | boolean | null | undefined>;

export interface Call {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  query?: Query;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent instead of `body`, as multipart/form-data. */
  form?: FormData;
  headers?: Record<string, string>;
  /** True if it may be sent again when its answer was lost. Default: GETs only. */
  repeatable?: boolean;
  /** True if a person waits: a 429 or 503 is thrown at once. */
  impatient?: boolean;
  /** Expected extra time of the server, added to `timeoutMs`. */
  extraMs?: number;
  signal?: AbortSignal | undefined;
}

/** 503s that guarantee that nothing was done. After others the write may have happened. */
const REFUSED = new Set(["overloaded", "draining", "not_ready"]);

/**
 * HTTP with the protocol's errors.
 *
 * Promises: a call that is not repeatable is retried only after an answer that says it was not executed (429, or one of
 * the `REFUSED` 503s, with Retry-After); a repeatable one also after a lost answer. The API key and the cookie are
 * sent to `url` only.
 */
export class Http {
  readonly url: string;
  readonly #options: HttpOptions;
  #cookie: string | null;
  /** The cookie proving that this client received a verification code. */
  #claim: string | null = null;
  /** The cookie proving that this client has logged in before; it has its own counter of wrong passwords. */
  #device: string | null = null;

  constructor(options: HttpOptions) {
    this.url = options.url.replace(/\/+$/, "");
    this.#options = options;
    this.#cookie = options.cookie ?? null;
  }

  /** The session's cookie as `name=value`; null without a session, and in browsers, which keep it themselves. */
  get cookie(): string | null {
    return this.#cookie;
  }

  /** Returns the body of a success. Throws `ParleyError`. */
  async json<T>(call: Call): Promise<T> {
    return this.#repeat(call, async () => {
      const { response, bytes } = await this.#send(call);
      const body = parse(bytes);
      if (!response.ok || body === undefined) throw errorOf(response, body);
      return body as T;
    });
  }

  /** Returns the bytes of a success with their media type. Throws `ParleyError`. */
  async bytes(call: Call): Promise<{ bytes: Uint8Array; type: string }> {
    return this.#repeat(call, async () => {
      const { response, bytes } = await this.#send(call);
      if (!response.ok) throw errorOf(response, parse(bytes));
      return { bytes, type: response.headers.get("content-type") ?? "" };
    });
  }

  /** Returns an answer that stays open. Does not retry: the caller resumes. Throws `ParleyError`. */
  async stream(call: Call): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#fetch(call, call.signal);
    if (!response.ok || response.body === null) {
      throw errorOf(response, parse(new Uint8Array(await response.arrayBuffer())));
    }
    return response.body as ReadableStream<Uint8Array>;
  }

  /** Returns the headers that identify the caller; also for the socket's handshake. */
  credentials(): Record<string, string> {
    if (this.#options.apiKey !== undefined) return { authorization: `Bearer ${this.#options.apiKey}` };
    const cookies = [this.#cookie, this.#claim, this.#device].filter((pair) => pair !== null);
    return cookies.length === 0 ? {} : { cookie: cookies.join("; ") };
  }

  async #repeat<T>(call: Call, attempt: () => Promise<T>): Promise<T> {
    const retries = this.#options.retries ?? 4;
    for (let tries = 0; ; tries += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof ParleyError) || tries >= retries || isAborted(call.signal)) throw error;
        const wait = this.#waitBefore(call, error, tries);
        if (wait === null) throw error;
        await pause(wait, call.signal);
        if (isAborted(call.signal)) throw error;
      }
    }
  }

  /** Returns the milliseconds before the call may be sent again; null: it may not. */
  #waitBefore(call: Call, error: ParleyError, tries: number): number | null {
    const repeatable = call.repeatable ?? call.method === "GET";
    const { status, code, retryAfter } = error;
    if (!error.retryable) return null;
    if (retryAfter !== undefined && (status === 429 || status === 503)) {
      if (call.impatient === true || retryAfter > (this.#options.patienceSeconds ?? 15)) return null;
      return status === 429 || REFUSED.has(code) || repeatable ? retryAfter * 1_000 : null;
    }
    const lost = status === 0 || status === 502 || status === 504;
    return lost && repeatable ? waitMs(tries, this.#options.backOff ?? BACK_OFF, Math.random()) : null;
  }

  /** Runs one complete exchange: a truncated body is a lost answer. */
  async #send(call: Call): Promise<{ response: Response; bytes: Uint8Array }> {
    const timeout = AbortSignal.timeout((this.#options.timeoutMs ?? 20_000) + (call.extraMs ?? 0));
    const signal = call.signal === undefined ? timeout : AbortSignal.any([call.signal, timeout]);
    try {
      const response = await this.#fetch(call, signal);
      this.#keepCookie(response);
      return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
    } catch (cause) {
      if (isAborted(call.signal)) throw call.signal?.reason;
      if (timeout.aborted)
        throw new ParleyError("timeout", `${call.method} ${call.path}: no answer in time.`, { cause });
      if (cause instanceof ParleyError) throw cause;
      throw new ParleyError("network_error", `${call.method} ${call.path}: ${String(cause)}`, { cause });
    }
  }

  async #fetch(call: Call, signal: AbortSignal | undefined): Promise<Response> {
    const headers: Record<string, string> = { ...this.credentials(), ...call.headers };
    const init: RequestInit = { method: call.method, headers, redirect: "error" };
    // An agent never sends the cookie that the browser may hold.
    init.credentials = this.#options.apiKey === undefined ? "include" : "omit";
    if (call.body !== undefined) {
      headers["content-type"] = "application/json";
      init.body = JSON.stringify(call.body);
    } else if (call.form !== undefined) init.body = call.form;
    if (signal !== undefined) init.signal = signal;
    try {
      return await fetch(this.url + call.path + queryText(call.query), init);
    } catch (cause) {
      if (isAborted(signal)) throw cause;
      throw new ParleyError("network_error", `${call.method} ${call.path}: ${String(cause)}`, { cause });
    }
  }

  #keepCookie(response: Response): void {
    if (this.#options.apiKey !== undefined) return;
    for (const line of response.headers.getSetCookie()) {
      const pair = line.split(";", 1)[0] ?? "";
      const [name = "", value = ""] = pair.split("=", 2);
      const kept = value === "" ? null : pair;
      if (/^(__Host-)?parley_session$/.test(name)) this.#cookie = kept;
      else if (/^(__Host-)?parley_claim$/.test(name)) this.#claim = kept;
      else if (/^(__Host-)?parley_device$/.test(name)) this.#device = kept;
    }
  }
}

function queryText(query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) search.set(name, String(value));
  }
  return search.size === 0 ? "" : `?${search}`;
}

/** undefined: not JSON. */
function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function errorOf(response: Response, body: unknown): ParleyError {
  const { status, headers } = response;
  const retryAfter = Number.parseInt(headers.get("retry-after") ?? "", 10);
  const seconds = Number.isNaN(retryAfter) ? undefined : retryAfter;
  if (isErrorBody(body)) return ParleyError.fromBody(body, status, body.retry_after ?? seconds);
  const text = `Status ${status} without the body of a Parley server.`;
  return new ParleyError("invalid_answer", text, { status, retryAfter: seconds });
}
