import { listenForCalls } from "../chains/rpc-listener.ts";

interface Call {
  id: number;
  method: string;
}

/**
 * A proxy between a server and its chain. A test can act at a chosen call, before the call reaches the chain or before
 * its response returns.
 */
export class SteppingProxy implements AsyncDisposable {
  readonly url: string;
  readonly #target: string;
  readonly #server: Bun.Server<undefined>;
  #trap: { method: string; after: boolean; act: () => void; answers: boolean } | null = null;

  constructor(target: string) {
    this.#target = target;
    this.#server = listenForCalls<Call>((asked) => this.#pass(asked));
    this.url = `http://127.0.0.1:${this.#server.port}`;
  }

  /**
   * Runs `act` once, at the next call of the method: before the call reaches the chain or, with `after`, before its
   * response returns. Resolves when `act` has run. Without `answers`, the call is never answered.
   */
  at(method: string, after: boolean, act: () => void, { answers = false } = {}): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const both = () => {
      act();
      resolve();
    };
    this.#trap = { method, after, act: both, answers };
    return promise;
  }

  async #pass(asked: Call | Call[]): Promise<Response> {
    const calls = Array.isArray(asked) ? asked : [asked];
    const trap = this.#trap !== null && calls.some(({ method }) => method === this.#trap?.method) ? this.#trap : null;
    if (trap !== null) this.#trap = null;
    if (trap?.after === false) {
      trap.act();
      if (!trap.answers) return new Promise(() => {});
    }
    const headers = { "content-type": "application/json" };
    const response = await fetch(this.#target, { method: "POST", headers, body: JSON.stringify(asked) });
    const text = await response.text();
    if (trap?.after === true) {
      trap.act();
      if (!trap.answers) return new Promise(() => {});
    }
    return new Response(text, { headers });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }
}
