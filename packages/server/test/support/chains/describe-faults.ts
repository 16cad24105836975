import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Chain, Observed } from "../../../src/chains/chain.ts";
import { type Clock, systemClock } from "../../../src/clock.ts";
import { type Fault, RpcProxy } from "./rpc-proxy.ts";

/** The timeout for tests of silence. Other tests use the usual one, because a busy machine is not a lie. */
const CALL_MS = 250;

/** The faults of a server, by the method of the call. */
export type Faults = Record<string, Fault>;
type Json = Record<string, unknown>;

/** A fault that changes the true result. */
export const lie = (about: (result: Json) => unknown): Fault => ({
  kind: "lie",
  about: (result) => about(result as Json),
});

export interface ClientOptions {
  callMs?: number;
  clock?: Clock;
  /** Receives failures and disagreements. */
  onTrouble?: (what: string) => void;
}

/** A chain with payments to the treasury, of which the tests make servers lie. */
export interface ChainUnderTest {
  /** The honest server. */
  url: string;
  treasury: string;
  /** Final payments of at least `amount`. The faults are about the first. */
  paid: [string, ...string[]];
  amount: bigint;
  /** A payment that is not final. */
  fresh: string;
  over(urls: readonly string[], options: ClientOptions): Chain | Promise<Chain>;
  /** False reports about the payment. A single server that makes one of them gets no credit. */
  bad: readonly (readonly [string, Faults])[];
  /** False claims about a transaction. When one of three servers makes them, they have no effect. */
  invented: readonly (readonly [claim: string, hash: string, Faults])[];
  /** A report that the payment failed. */
  denied: Faults;
  /** A report that the server is on another chain. */
  moved: Faults;
}

/** Servers that lie or are silent (guarantees P16), in front of an honest one. Every chain passes these tests. */
export function describeFaults(chain: ChainUnderTest) {
  const [paid] = chain.paid;
  let proxies: RpcProxy[] = [];
  let trouble: string[] = [];

  beforeEach(() => {
    proxies = [new RpcProxy(chain.url), new RpcProxy(chain.url), new RpcProxy(chain.url)];
    trouble = [];
  });
  afterEach(async () => {
    for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
  });

  const proxy = (index: number): RpcProxy => {
    const found = proxies[index];
    if (found === undefined) throw new Error("There is no such proxy.");
    return found;
  };
  const fault = (index: number, faults: Faults): void => {
    for (const [method, what] of Object.entries(faults)) proxy(index).faults.set(method, what);
  };
  /** A client of the first servers, which may lie. */
  const over = async (servers: 1 | 2 | 3, options: ClientOptions = {}): Promise<Chain> => {
    const urls = proxies.slice(0, servers).map(({ url }) => url);
    return chain.over(urls, { onTrouble: (what) => void trouble.push(what), ...options });
  };
  const honest = async (hash: string): Promise<Observed> => (await chain.over([chain.url], {})).observe(hash);
  const observed = (client: Chain, hash: string): Promise<Observed | string> =>
    client.observe(hash).catch((error) => error.code ?? String(error));
  /** Returns whether this report would cause a credit: the whole amount, to our wallet, final. */
  const isCredit = (seen: Observed | string): boolean =>
    typeof seen !== "string" &&
    seen.state === "final" &&
    seen.transfers.some(({ recipient, amount }) => recipient === chain.treasury && amount >= chain.amount);

  describe("a server that", () => {
    test.each(chain.bad)("%s gives no credit alone and changes nothing among three", async (_, faults) => {
      fault(0, faults);
      expect(isCredit(await observed(await over(1, { callMs: CALL_MS }), paid))).toBe(false);
      expect(await (await over(3)).observe(paid)).toEqual(await honest(paid));
    });

    test("is honest gives the credit alone", async () => {
      const alone = await over(1);
      for (const hash of chain.paid) expect(isCredit(await observed(alone, hash))).toBe(true);
      expect(trouble).toEqual([]);
    });

    test("fails repeatedly is not used for a while", async () => {
      const alone = await over(1);
      fault(0, { "*": { kind: "status", status: 503 } });
      for (let i = 0; i < 6; i++) expect(await observed(alone, paid)).toBe("chain_unavailable");
      const asked = proxy(0).called.length;
      expect(await observed(alone, paid)).toBe("chain_unavailable");
      expect(proxy(0).called.length).toBe(asked);
    });

    test("moves to another chain is ignored within a minute", async () => {
      let later = 0;
      const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + later };
      const alone = await over(1, { clock });
      expect(isCredit(await observed(alone, paid))).toBe(true);
      fault(0, chain.moved);
      later = 60_001;
      expect(await observed(alone, paid)).toBe("chain_unavailable");
      expect(trouble).toContain("wrong_chain");
    });
  });

  test.each(chain.invented)("a single one of three servers that %s has no effect", async (_, hash, faults) => {
    fault(0, faults);
    expect(await (await over(3)).observe(hash)).toEqual(await honest(hash));
  });

  describe("a majority of servers", () => {
    test("is missing if two of three are silent, and nothing counts as unpaid", async () => {
      const hasty = await over(3, { callMs: CALL_MS });
      for (const index of [0, 1]) fault(index, { "*": { kind: "hang" } });
      expect(await observed(hasty, paid)).toBe("chain_unavailable");
      expect(await observed(hasty, chain.fresh)).toBe("chain_unavailable");
    });

    test("is missing if one of three lies and one is silent", async () => {
      fault(0, chain.denied);
      fault(1, { "*": { kind: "hang" } });
      // The two that respond must be heard even on a busy machine.
      expect(await observed(await over(3, { callMs: 2_500 }), paid)).toBe("chain_unavailable");
      expect(trouble).toContain("disagreement");
    });

    test("needs both servers to agree if there are two", async () => {
      const overTwo = await over(2);
      expect(isCredit(await observed(overTwo, paid))).toBe(true);
      fault(0, chain.denied);
      expect(await observed(overTwo, paid)).toBe("chain_unavailable");
    });

    test("can be formed by two servers that tell the same lie, which is the limit of the method", async () => {
      for (const index of [0, 1]) fault(index, chain.denied);
      expect(await (await over(3)).observe(paid)).toMatchObject({ state: "failed" });
    });

    test("does not wait for the slowest server", async () => {
      fault(2, { "*": { kind: "hang" } });
      expect(isCredit(await observed(await over(3, { callMs: 60_000 }), paid))).toBe(true);
    });
  });

  return { fault, over, observed };
}
