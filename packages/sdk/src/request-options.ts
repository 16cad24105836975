import type { Backoff } from "./backoff.ts";

/** The last argument of every call. */
export interface RequestOptions {
  /** Ends the call: it rejects with the signal's reason. A request that was already sent may still be executed. */
  signal?: AbortSignal | undefined;
  /**
   * Timeout of each attempt in milliseconds, instead of the client's; long polls add their wait. For exports and streams
   * it limits the time to the first byte; default: no limit.
   */
  timeoutMs?: number | undefined;
  /** Maximum number of retries, instead of the client's. A call that is not safe to repeat is never repeated. */
  maxRetries?: number | undefined;
  /** Additional headers. They replace headers of the same name. */
  headers?: Record<string, string> | undefined;
}

/** Options of a call that creates something once. */
export interface CreateOptions extends RequestOptions {
  /**
   * 8 to 255 visible ASCII characters. The same key and body return what was created first. A new key for each call by
   * default, which makes its retries safe.
   */
  idempotencyKey?: string | undefined;
}

/** The server's address, the caller's credentials, and defaults for all calls. */
export interface ClientOptions {
  /** The server's base URL, such as `https://chat.example.org`. */
  url: string;
  /** An agent's key. Without one the session's cookie is used: kept here, or by the browser. */
  apiKey?: string | undefined;
  /** A session from an earlier run: the value of `ParleyClient.cookie`. Not needed in browsers. */
  cookie?: string | undefined;
  /** Timeout of each attempt in milliseconds; long polls add their wait. Default 20,000. */
  timeoutMs?: number | undefined;
  /** Maximum number of retries, where a retry is safe. Default 4. */
  maxRetries?: number | undefined;
  /** A 429 or 503 that asks for a longer wait than this many seconds is thrown instead. Default 15. */
  maxRetryAfterSeconds?: number | undefined;
  backoff?: Backoff | undefined;
  /** Sends the requests, instead of the global `fetch`. */
  fetch?: typeof fetch | undefined;
}
