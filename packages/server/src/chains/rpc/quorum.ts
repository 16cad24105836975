import { fail } from "../../errors.ts";
import type { Log } from "../../logging/log.ts";
import type { Metrics } from "../../metrics/metrics.ts";
import { RpcFailure, RpcRefusal } from "./failure.ts";
import type { RpcServer } from "./server.ts";

/** Seconds to wait before a retry. */
const RETRY_AFTER = 5;
/** A query may take several calls to each server; this bounds the wait for all of them. */
const QUESTION_MS = 9_000;

/** Reads from one server. The signal aborts when nobody waits for the answer any more. */
export type Read<A> = (server: RpcServer, signal: AbortSignal) => Promise<A>;

/**
 * Queries all servers of one chain at once. The answer of more than half of them counts (guarantees P16): of three
 * servers, one may lie or be silent; of two, none; a single one is trusted.
 */
export class RpcQuorum {
  readonly servers: readonly RpcServer[];
  /** More than half of all servers, including silent ones. */
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

  /** Returns the answer that a majority gives; answers with equal keys are equal. @throws chain_unavailable */
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

  /**
   * Returns the highest number that a majority vouches for by reporting it or a higher one. @throws chain_unavailable
   */
  vouched(read: Read<bigint>): Promise<bigint> {
    return this.poll(read, (answers, outstanding) => (outstanding > 0 ? undefined : this.highest(answers)));
  }

  /** Like `vouched`, for numbers already received; undefined if there are too few. */
  highest(answers: readonly bigint[]): bigint | undefined {
    return answers.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0))[this.majority - 1];
  }

  /**
   * Queries all servers at once. `decide` receives the answers so far and how many may still arrive; its first result
   * ends the poll and aborts the other queries. A server that refuses, fails or is too slow does not count.
   * @throws chain_unavailable if all have answered and it returns undefined
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
      // A failed read may have left calls running.
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

/** Ignores silence and refusals; rethrows everything else, which is a bug. */
function passFailure(error: unknown): void {
  if (!(error instanceof RpcFailure || error instanceof RpcRefusal)) throw error;
}
