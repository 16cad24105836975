import type { Static, TSchema } from "typebox";
import type { Clock } from "../clock.ts";
import { fits } from "../http/fits.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { RpcCalls } from "./rpc-calls.ts";
import { type FailureReason, RpcFailure } from "./rpc-failure.ts";

const CALL_MS = 4_000;
/** So many failures in a row, and it is left alone for a while: a silent server must not cost every call its time. */
const FAILURES_MAX = 5;
const REST_MS = 10_000;
/** How long its word holds that it is on the right chain, unless a call fails: addresses change hands. */
const WORD_MS = 60_000;

interface RpcServerOptions {
  url: string;
  clock: Clock;
  log: Log;
  metrics: Pick<Metrics, "chainServerFailed">;
  /** Milliseconds one call may take, to its last byte. */
  callMs?: number;
}

/** An answer of JSON-RPC whose result does not have the expected shape. */
class OddContent extends RpcFailure {}

/**
 * Strangers choose which transactions are looked up. One that is huge, or older than a field that is wanted, must not make honest servers
 * rest: five such look-ups would silence the chain for everybody.
 */
const isServersFault = (error: RpcFailure): boolean => !(error instanceof OddContent) && error.reason !== "too_large";

/** One server of a chain that speaks JSON-RPC 2.0 over HTTP. What it says is material to judge, in shape and size too. */
export class RpcServer {
  /** How logs and metrics call it. The address's path stays out of them: it may hold a credential. */
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
   * Calls a method and gives back its result, when it has the shape it should have.
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
      if (!fits(schema, result)) throw new OddContent("malformed");
      this.#failures = 0;
      return result;
    } catch (error) {
      // Who asked does not wait any more: that says nothing of the server.
      if (signal?.aborted) throw new RpcFailure("timeout");
      if (error instanceof RpcFailure) {
        metrics.chainServerFailed(this.name, error.reason);
        if (isServersFault(error)) this.#failed(error.reason);
        else this.#wordHoldsUntil = 0;
      }
      throw error;
    }
  }

  /** It has just said that it is on the chain it should be on. */
  own(): void {
    this.#wordHoldsUntil = this.#options.clock.monotonic() + WORD_MS;
  }

  /** It said so a moment ago, and no call has failed since. */
  get isOwn(): boolean {
    return this.#options.clock.monotonic() < this.#wordHoldsUntil;
  }

  /** It is on another chain, or says so. */
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
    // From now on one call tries it after each rest.
    this.#restsUntil = clock.monotonic() + REST_MS;
    if (this.#failures === FAILURES_MAX) log.warn({ server: this.name, reason }, "a chain's server is left alone");
  }
}
