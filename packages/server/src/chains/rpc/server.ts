import type { Static, TSchema } from "typebox";
import type { Clock } from "../../clock.ts";
import { matchesSchema } from "../../http/body/validate.ts";
import type { Log } from "../../logging/log.ts";
import type { Metrics } from "../../metrics/metrics.ts";
import { RpcCalls } from "./calls.ts";
import { type FailureReason, RpcFailure } from "./failure.ts";

const CALL_MS = 4_000;
/**
 * Consecutive failures after which the server is not called for a while: a silent server must not slow down every call.
 */
const FAILURES_MAX = 5;
const REST_MS = 10_000;
/** How long a successful chain check is cached, unless a call fails: addresses change hands. */
const WORD_MS = 60_000;

interface RpcServerOptions {
  url: string;
  clock: Clock;
  log: Log;
  metrics: Pick<Metrics, "chainServerFailed">;
  /** Timeout of one call, to its last byte, in milliseconds. */
  callMs?: number;
}

/** A JSON-RPC answer whose result does not have the expected shape. */
class OddContent extends RpcFailure {}

/**
 * Any user chooses which transactions are looked up. One that is huge, or too old to have a required field, must not
 * count as a server's failure: five such look-ups would suspend honest servers for everybody.
 */
const isServersFault = (error: RpcFailure): boolean => !(error instanceof OddContent) && error.reason !== "too_large";

/**
 * A server of a chain that speaks JSON-RPC 2.0 over HTTP. Its answers are untrusted, including their shape and size.
 */
export class RpcServer {
  /** The name in logs and metrics. It omits the URL's path, which may hold a credential. */
  readonly name: string;
  readonly #options: Required<RpcServerOptions>;
  readonly #calls: RpcCalls;
  #failures = 0;
  #restsUntil = 0;
  #wordHoldsUntil = 0;

  constructor(options: RpcServerOptions) {
    this.#options = { callMs: CALL_MS, ...options };
    this.#calls = new RpcCalls(this.#options);
    this.name = new URL(options.url).host;
  }

  /**
   * Calls a method and returns its result if it has the expected shape.
   * @throws RpcFailure, RpcRefusal
   */
  async call<T extends TSchema>(
    schema: T,
    method: string,
    params: readonly unknown[],
    signal?: AbortSignal,
  ): Promise<Static<T>> {
    const { clock, metrics } = this.#options;
    if (clock.monotonic() < this.#restsUntil) throw new RpcFailure("resting");
    try {
      const result = await this.#calls.ask(method, params, signal);
      if (!matchesSchema(schema, result)) throw new OddContent("malformed");
      this.#failures = 0;
      return result;
    } catch (error) {
      // The caller no longer waits: that says nothing about the server.
      if (signal?.aborted) throw new RpcFailure("timeout");
      if (error instanceof RpcFailure) {
        metrics.chainServerFailed(this.name, error.reason);
        if (isServersFault(error)) this.#failed(error.reason);
        else this.#wordHoldsUntil = 0;
      }
      throw error;
    }
  }

  /** Records that the server has just confirmed that it is on the right chain. */
  own(): void {
    this.#wordHoldsUntil = this.#options.clock.monotonic() + WORD_MS;
  }

  /** True if the server confirmed its chain recently and no call has failed since. */
  get isOwn(): boolean {
    return this.#options.clock.monotonic() < this.#wordHoldsUntil;
  }

  /** Records that the server is on another chain, or claims to be. */
  disown(): RpcFailure {
    this.#options.metrics.chainServerFailed(this.name, "wrong_chain");
    this.#failed("wrong_chain");
    return new RpcFailure("wrong_chain");
  }

  #failed(reason: FailureReason): void {
    const { clock, log } = this.#options;
    this.#wordHoldsUntil = 0;
    this.#failures += 1;
    if (this.#failures < FAILURES_MAX) return;
    // From now on one call tries the server after each rest.
    this.#restsUntil = clock.monotonic() + REST_MS;
    if (this.#failures === FAILURES_MAX)
      log.warn({ server: this.name, reason }, "a chain's server is not used for a while");
  }
}
