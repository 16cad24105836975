import { BACKOFF, isAborted, pause, waitMs } from "./backoff.ts";
import { isErrorBody, ParleyError } from "./errors.ts";
import { type List, listPages, type PagePromise } from "./page.ts";
import type { ClientOptions, RequestOptions } from "./request-options.ts";

export type Query = Record<string, string | number | boolean | null | undefined>;

export interface Call {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  query?: Query;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent instead of `body`, as multipart/form-data. */
  form?: FormData;
  /** The answer may be a signed address of the storage (PARLEY_S3_REDIRECT). Not followed in browsers, whose pages link to files. */
  mayRedirect?: true;
  headers?: Record<string, string>;
  /** True if it may be sent again when its response was lost. Default: GETs only. */
  idempotent?: boolean;
  /** True if a person waits: a 429 or 503 is thrown at once. */
  noWait?: boolean;
  /** The time for which the server holds the request open, added to `timeoutMs`. */
  extraMs?: number;
}

/** 503s that guarantee that nothing was done. After others the write may have happened. */
const REFUSED = new Set(["overloaded", "draining", "not_ready"]);

/**
 * HTTP with the protocol's errors.
 *
 * Promises: a call that is not idempotent is retried only after a response that says it was not executed (429, or one of
 * the `REFUSED` 503s, with Retry-After); an idempotent one also after a lost response. The API key and the cookie are
 * sent to `url` only.
 */
export class Http {
  readonly url: string;
  readonly #options: ClientOptions;
  #cookie: string | null;
  /** The cookie proving that this client received a verification code. */
  #claim: string | null = null;
  /** The cookie proving that this client has logged in before; it has its own counter of wrong passwords. */
  #device: string | null = null;

  constructor(options: ClientOptions) {
    this.url = options.url.replace(/\/+$/, "");
    this.#options = options;
    this.#cookie = options.cookie ?? null;
  }

  /** The session's cookie as `name=value`; null without a session, and in browsers, which keep it themselves. */
  get cookie(): string | null {
    return this.#cookie;
  }

  /** Returns the body of a success. Throws `ParleyError`. */
  async json<T>(call: Call, options: RequestOptions = {}): Promise<T> {
    return this.#repeat(call, options, async () => {
      const { response, bytes } = await this.#send(call, options);
      const body = parse(bytes);
      if (!response.ok || body === undefined) throw errorOf(response, body);
      return body as T;
    });
  }

  /** Returns the pages of a list; `list` says where its items and its cursor are. Throws `ParleyError`. */
  pages<Body extends object, Item>(
    path: string,
    query: Query,
    list: Omit<List<Body, Item, Query>, "fetch"> & Pick<Call, "idempotent"> & { heldMs?(query: Query): number },
    options?: RequestOptions,
  ): PagePromise<Body, Item> {
    const { idempotent = true, heldMs } = list;
    const fetch = (query: Query) =>
      this.json<Body>({ method: "GET", path, query, idempotent, extraMs: heldMs?.(query) ?? 0 }, options);
    return listPages({ ...list, fetch }, query);
  }

  /** Returns the bytes of a success with their media type. Throws `ParleyError`. */
  async bytes(call: Call, options: RequestOptions = {}): Promise<{ bytes: Uint8Array; type: string }> {
    return this.#repeat(call, options, async () => {
      const { response, bytes } = await this.#send(call, options);
      if (!response.ok) throw errorOf(response, parse(bytes));
      return { bytes, type: response.headers.get("content-type") ?? "" };
    });
  }

  /** Returns a response that stays open. Its start is retried; its end is the caller's. Throws `ParleyError`. */
  async stream(call: Call, options: RequestOptions = {}): Promise<ReadableStream<Uint8Array>> {
    return this.#repeat(call, options, async () => {
      const response = await this.#start(call, options);
      if (!response.ok || response.body === null) {
        throw errorOf(response, parse(new Uint8Array(await response.arrayBuffer())));
      }
      return response.body as ReadableStream<Uint8Array>;
    });
  }

  /** Returns the headers that identify the caller; also for the socket's handshake. */
  credentials(): Record<string, string> {
    if (this.#options.apiKey !== undefined) return { authorization: `Bearer ${this.#options.apiKey}` };
    const cookies = [this.#cookie, this.#claim, this.#device].filter((pair) => pair !== null);
    return cookies.length === 0 ? {} : { cookie: cookies.join("; ") };
  }

  async #repeat<T>(call: Call, { signal, maxRetries }: RequestOptions, attempt: () => Promise<T>): Promise<T> {
    const retries = maxRetries ?? this.#options.maxRetries ?? 4;
    for (let tries = 0; ; tries += 1) {
      try {
        if (isAborted(signal)) throw signal?.reason;
        return await attempt();
      } catch (error) {
        if (!(error instanceof ParleyError) || tries >= retries || isAborted(signal)) throw error;
        const wait = this.#waitBefore(call, error, tries);
        if (wait === null) throw error;
        await pause(wait, signal);
      }
    }
  }

  /** Returns the milliseconds before the call may be sent again; null: it may not. */
  #waitBefore(call: Call, error: ParleyError, tries: number): number | null {
    const idempotent = call.idempotent ?? call.method === "GET";
    const { status, code, retryAfter } = error;
    if (!error.retryable) return null;
    if (retryAfter !== undefined && (status === 429 || status === 503)) {
      if (call.noWait === true || retryAfter > (this.#options.maxRetryAfterSeconds ?? 15)) return null;
      return status === 429 || REFUSED.has(code) || idempotent ? retryAfter * 1_000 : null;
    }
    const lost = status === 0 || status === 502 || status === 504;
    return lost && idempotent ? waitMs(tries, this.#options.backoff ?? BACKOFF, Math.random()) : null;
  }

  /** Runs one complete exchange: a truncated body is a lost response. */
  async #send(call: Call, options: RequestOptions): Promise<{ response: Response; bytes: Uint8Array }> {
    const timeoutMs = (options.timeoutMs ?? this.#options.timeoutMs ?? 20_000) + (call.extraMs ?? 0);
    const timeout = AbortSignal.timeout(timeoutMs);
    return this.#within(call, options, timeout, async (signal) => {
      const response = await this.#fetch(call, options, signal);
      this.#keepCookie(response);
      return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
    });
  }

  /** Sends the request of a stream. Its timeout ends with the response's head; its signal ends the body, too. */
  async #start(call: Call, options: RequestOptions): Promise<Response> {
    const timeout = new AbortController();
    const timer = options.timeoutMs === undefined ? undefined : setTimeout(() => timeout.abort(), options.timeoutMs);
    try {
      return await this.#within(call, options, timeout.signal, (signal) => this.#fetch(call, options, signal));
    } finally {
      clearTimeout(timer);
    }
  }

  /** Runs `act` until the caller's signal or the timeout aborts it, and names the reason. */
  async #within<T>(
    call: Call,
    { signal }: RequestOptions,
    timeout: AbortSignal,
    act: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    try {
      return await act(signal === undefined ? timeout : AbortSignal.any([signal, timeout]));
    } catch (cause) {
      if (isAborted(signal)) throw signal?.reason;
      if (timeout.aborted) {
        throw new ParleyError("timeout", `${call.method} ${call.path}: no response in time.`, { cause });
      }
      throw new ParleyError("network_error", `${call.method} ${call.path}: ${String(cause)}`, { cause });
    }
  }

  async #fetch(call: Call, options: RequestOptions, signal: AbortSignal): Promise<Response> {
    const headers = new Headers({ ...this.credentials(), ...call.headers });
    const init: RequestInit = { method: call.method, headers, redirect: "error", signal };
    // An agent never sends the cookie that the browser may hold.
    init.credentials = this.#options.apiKey === undefined ? "include" : "omit";
    if (call.body !== undefined) {
      headers.set("content-type", "application/json");
      init.body = JSON.stringify(call.body);
    } else if (call.form !== undefined) init.body = call.form;
    for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
    const send = this.#options.fetch ?? fetch;
    if (call.mayRedirect !== true) return send(this.url + call.path + queryText(call.query), init);
    const response = await send(this.url + call.path + queryText(call.query), { ...init, redirect: "manual" });
    const place = response.status === 302 ? response.headers.get("location") : null;
    // The server of the bytes gets no credential of this one: the address is signed.
    return place === null
      ? response
      : fetch(new URL(place, this.url), { signal, credentials: "omit", redirect: "error" });
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

/** Returns the body of a success; otherwise throws the error of the response. */
export async function successOf<T>(response: Response): Promise<T> {
  const body = parse(new Uint8Array(await response.arrayBuffer()));
  if (!response.ok || body === undefined) throw errorOf(response, body);
  return body as T;
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
