import { fail } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { RpcFailure, RpcRefusal } from "./rpc-failure.ts";
import type { RpcServer } from "./rpc-server.ts";

/** Seconds after which who met silence may come back. */
const RETRY_AFTER = 5;
/** A question may take several calls to each server; whoever asks waits no longer than this. */
const QUESTION_MS = 9_000;

/** Reads something of one server. The signal says that nobody waits for it any more. */
export type Read<A> = (server: RpcServer, signal: AbortSignal) => Promise<A>;

/**
 * All servers of one chain, asked at once. What counts is what more than half of them say (guarantees P16): of three, one may lie or be
 * silent. Of two, none; a single one is believed.
 */
export class RpcQuorum {
  readonly servers: readonly RpcServer[];
  /** More than half of all, the silent ones included. */
  readonly majority: number;
  readonly #log: Log;
  readonly #metrics: Pick<Metrics, "chainServersDisagreed">;

  constructor(
    servers: readonly RpcServer[],
    { log, metrics }: { log: Log; metrics: Pick<Metrics, "chainServersDisagreed"> },
  ) {
    this.servers = servers;
    this.majority = Math.floor(servers.length / 2) + 1;
    this.#log = log;
    this.#metrics = metrics;
  }

  /** What a majority says in the same words; answers are the same when their keys are. @throws chain_unavailable */
  agree<A>(read: Read<A>, key: (answer: A) => string = String): Promise<A> {
    return this.poll(read, (answers) => {
      if (this.majority === 1) return answers[0];
      const votes = new Map<string, number>();
      for (const answer of answers) {
        const words = key(answer);
        const count = (votes.get(words) ?? 0) + 1;
        if (count >= this.majority) return answer;
        votes.set(words, count);
      }
      return undefined;
    });
  }

  /** The highest number that a majority vouches for: so many of them say it, or a higher one. @throws chain_unavailable */
  vouched(read: Read<bigint>): Promise<bigint> {
    return this.poll(read, (answers, outstanding) => (outstanding > 0 ? undefined : this.highest(answers)));
  }

  /** The same of numbers that have been answered; undefined: of too few. */
  highest(answers: readonly bigint[]): bigint | undefined {
    return answers.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0))[this.majority - 1];
  }

  /**
   * Asks all at once. `decide` sees the answers as they come, and how many may still come; what it gives back ends the matter, and
   * calls the other questions off. A server that refuses, fails or is too slow has no say.
   * @throws chain_unavailable when all have spoken and it gives back nothing
   */
  poll<A, R>(read: Read<A>, decide: (answers: readonly A[], outstanding: number) => R | undefined): Promise<R> {
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    const called = new AbortController();
    const { signal } = called;
    const timer = setTimeout(() => called.abort(), QUESTION_MS);
    const answers: A[] = [];
    let outstanding = this.servers.length;
    const look = (): void => {
      const decision = decide(answers, outstanding);
      if (decision !== undefined) resolve(decision);
      else if (outstanding === 0) reject(this.#unavailable(answers.length));
    };
    for (const server of this.servers) {
      read(server, signal)
        .then((answer) => void answers.push(answer), passFailure)
        .then(() => {
          outstanding -= 1;
          look();
        })
        .catch(reject);
    }
    return promise.finally(() => {
      clearTimeout(timer);
      // A read that fails may have left calls behind.
      if (answers.length < this.servers.length) called.abort();
    });
  }

  #unavailable(answered: number): Error {
    if (answered >= this.majority) {
      this.#metrics.chainServersDisagreed();
      this.#log.warn({ answered, servers: this.servers.length }, "the chain's servers do not agree");
    }
    return fail("chain_unavailable", { retryAfter: RETRY_AFTER });
  }
}

/** Silence and refusals are no answers; everything else is a mistake of ours. */
function passFailure(error: unknown): void {
  if (!(error instanceof RpcFailure || error instanceof RpcRefusal)) throw error;
}
