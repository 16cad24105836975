import { RpcFailure } from "./failure.ts";

/** Limits the concurrent requests to one server, so that slow and large answers cannot pile up in memory. */
export class RpcTurns {
  readonly #atOnce: number;
  #running = 0;
  readonly #waiting = new Set<() => void>();

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Runs `act` when a place is free. @throws RpcFailure if the signal is aborted before that; whatever `act` throws */
  async run<T>(signal: AbortSignal | undefined, act: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) this.#running += 1;
    else await this.#turn(signal);
    try {
      return await act();
    } finally {
      const [next] = this.#waiting;
      if (next === undefined) this.#running -= 1;
      else {
        this.#waiting.delete(next);
        next(); // passes its place on
      }
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(go);
        reject(new RpcFailure("timeout"));
      };
      const go = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      if (signal?.aborted === true) return leave();
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiting.add(go);
    });
  }
}
