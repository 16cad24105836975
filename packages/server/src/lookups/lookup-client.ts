import { pause } from "../base/timers.ts";
import type { Clock } from "../clock.ts";
import { fail } from "../errors.ts";
import type { Log } from "../logging/log.ts";
import { type Answer, type Api, fetchJson, LookupFailure } from "./fetch-json.ts";

/** Time a provider has to return a post, over all requests and retries (protocol §5). */
const BUDGET_MS = 3_000;
/** Pause before the retry, short and with jitter. */
const PAUSE_MS = 100;

/** Gets a path of the API. */
export type Get = (path: string, query?: Readonly<Record<string, string>>) => Promise<Answer>;

/**
 * The only client for requests to the networks: limits their time, and lets no text of a network into an error.
 */
export class LookupClient {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #budgetMs: number;

  constructor({ clock, log }: { clock: Clock; log: Log }, budgetMs = BUDGET_MS) {
    this.#clock = clock;
    this.#log = log;
    this.#budgetMs = budgetMs;
  }

  /**
   * Lets `act` call one API, as often as needed, within one time limit. Requests are GETs, so one that fails
   * transiently is retried once. A `LookupFailure` is logged and becomes `social_lookup_failed`; other errors of `act`
   * pass through.
   * @throws social_lookup_failed
   */
  async ask<T>(api: Api, act: (get: Get) => Promise<T>): Promise<T> {
    const signal = AbortSignal.timeout(this.#budgetMs);
    try {
      return await act((path, query) => this.#get(api, { path, query }, signal));
    } catch (error) {
      if (!(error instanceof LookupFailure)) throw error;
      this.#log.warn(
        { api: api.name, reason: error.message, retryAfter: error.retryAfter },
        "looking up a post failed",
      );
      throw fail("social_lookup_failed", { retryAfter: error.retryAfter });
    }
  }

  async #get(
    api: Api,
    request: { path: string; query?: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ): Promise<Answer> {
    const options = { signal, clock: this.#clock };
    try {
      return await fetchJson(api, request, options);
    } catch (error) {
      if (!(error instanceof LookupFailure && error.isPassing)) throw error;
      await pause(PAUSE_MS + this.#clock.randomBelow(PAUSE_MS));
      return fetchJson(api, request, options);
    }
  }
}
