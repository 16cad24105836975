import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { address } from "@solana/kit";
import type { Chain, Observed } from "../../src/chains/chain.ts";
import { type Clock, systemClock } from "../../src/clock.ts";
import { type Fault, RpcProxy } from "../support/chains/rpc-proxy.ts";
import { makeToken, SOL, send, solanaOver, solTransfer, tokenTransfer, wallet } from "../support/chains/solana.ts";
import { hashOf } from "../support/chains/solana-cluster.ts";
import { SolanaShim } from "../support/chains/solana-shim.ts";
import { forAllTests } from "../support/for-all-tests.ts";

/** Servers that lie or are silent (guarantees P16), in front of an honest one. */

const AMOUNT = 250n;
/** The timeout for tests of silence. Other tests use the usual one, because a busy machine is not a lie. */
const CALL_MS = 250;

type Json = Record<string, unknown>;

let proxies: RpcProxy[];
let trouble: string[];
let overThree: Chain;

const shim = await forAllTests(new SolanaShim());
const { cluster } = shim;
const alice = await wallet(cluster);
const mint = await makeToken(cluster, alice, [alice.address], 1_000_000n);
const honest = await solanaOver(cluster, shim.url, { usdc: mint });
const treasury = address(honest.treasury ?? "");
const transfer = await tokenTransfer(alice, treasury, { mint, amount: AMOUNT });
await send(cluster, alice, transfer);
// creates the account
cluster.advance(5);
/** Final: a token transfer. Not final: a SOL transfer. Failed: a SOL transfer. */
const paid = (await send(cluster, alice, transfer)).signature;
const beyond = [solTransfer(alice, treasury, 10_000n * SOL)];
const failed = (await send(cluster, alice, beyond, { skipPreflight: true })).signature;
cluster.finalize();
const fresh = (await send(cluster, alice, [solTransfer(alice, treasury, SOL)])).signature;
cluster.advance();

beforeEach(async () => {
  proxies = [new RpcProxy(shim.url), new RpcProxy(shim.url), new RpcProxy(shim.url)];
  trouble = [];
  overThree = await over(proxies);
});
afterEach(async () => {
  for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
});

const over = (servers: readonly RpcProxy[], options: { callMs?: number; clock?: Clock } = {}): Promise<Chain> =>
  solanaOver(
    shim.cluster,
    servers.map(({ url }) => url),
    { usdc: mint, onTrouble: (what) => void trouble.push(what), ...options },
  );
const fault = (index: number, faults: Record<string, Fault>): void => {
  for (const [method, what] of Object.entries(faults)) proxies[index]?.faults.set(method, what);
};
const lie = (about: (result: Json) => unknown): Fault => ({ kind: "lie", about: (result) => about(result as Json) });
const meta = (change: (meta: Json) => object): Record<string, Fault> => ({
  getTransaction: lie((answer) => ({ ...answer, meta: { ...(answer.meta as Json), ...change(answer.meta as Json) } })),
});
const status = (change: object | null): Record<string, Fault> => ({
  getSignatureStatuses: lie((answer) => {
    const [old] = answer.value as [Json];
    return { ...answer, value: [change === null ? null : { ...old, ...change }] };
  }),
});
const tokens = (list: "preTokenBalances" | "postTokenBalances", change: (balance: Json) => object) =>
  meta((old) => ({ [list]: (old[list] as Json[]).map((balance) => ({ ...balance, ...change(balance) })) }));
const observed = (chain: Chain, hash: string): Promise<Observed | string> =>
  chain.observe(hash).catch((error) => error.code ?? String(error));

/** Returns whether this report would cause a credit: the whole amount, to our wallet, final. */
const isCredit = (seen: Observed | string): boolean =>
  typeof seen !== "string" &&
  seen.state === "final" &&
  seen.transfers.some(({ recipient, amount }) => recipient === treasury && amount >= AMOUNT);

/** False reports about the final token transfer. A single server that makes one of them gets no credit. */
const BAD: [string, () => Record<string, Fault>][] = [
  ["is on another cluster", () => ({ getGenesisHash: { kind: "lie", about: () => hashOf("elsewhere") } })],
  ["says it failed", () => meta(() => ({ err: { InstructionError: [0, { Custom: 1 }] } }))],
  ["reports neither an error nor success", () => meta(({ err: _, ...rest }) => ({ ...rest, err: undefined }))],
  ["calls it failed only in its status", () => status({ err: "AccountNotFound" })],
  ["has a status of another slot", () => status({ slot: 5 })],
  ["has an invalid commitment", () => status({ confirmationStatus: "rooted" })],
  ["calls it only confirmed", () => status({ confirmationStatus: "confirmed" })],
  ["calls it only processed", () => status({ confirmationStatus: "processed" })],
  ["does not know it", () => status(null)],
  ["knows it but does not have it", () => ({ getTransaction: lie(() => null) })],
  ["does not know its time", () => ({ getTransaction: lie((answer) => ({ ...answer, blockTime: null })) })],
  ["has no token balances", () => meta(() => ({ preTokenBalances: [], postTokenBalances: [] }))],
  ["has one balance too few", () => meta(({ preBalances }) => ({ preBalances: (preBalances as Json[]).slice(1) }))],
  [
    "invents lamports",
    () => meta(({ postBalances }) => ({ postBalances: (postBalances as number[]).map((b) => b + 1) })),
  ],
  ["reports another token", () => tokens("postTokenBalances", () => ({ mint: hashOf("another token") }))],
  ["reports another owner", () => tokens("postTokenBalances", () => ({ owner: alice.address }))],
  ["reports an invalid owner", () => tokens("postTokenBalances", () => ({ owner: "1".repeat(60) }))],
  ["reports another account", () => tokens("postTokenBalances", () => ({ accountIndex: 0 }))],
  ["reports an invalid account", () => tokens("postTokenBalances", () => ({ accountIndex: 200 }))],
  [
    "reports other decimals",
    () => tokens("postTokenBalances", () => ({ uiTokenAmount: { amount: "1000000", decimals: 2 } })),
  ],
  [
    "reports an invalid amount",
    () => tokens("postTokenBalances", () => ({ uiTokenAmount: { amount: "1e9", decimals: 6 } })),
  ],
  ["invents tokens", () => tokens("postTokenBalances", () => ({ uiTokenAmount: { amount: "99999999", decimals: 6 } }))],
  [
    "reports accounts that the transaction does not load",
    () => meta(() => ({ loadedAddresses: { writable: [hashOf("x")], readonly: [] } })),
  ],
  [
    "has the bytes of another transaction",
    () => {
      const other = shim.cluster.transactions.at(-1)?.bytes;
      return { getTransaction: lie((answer) => ({ ...answer, transaction: [other, "base64"] })) };
    },
  ],
  [
    "has bytes that are not a transaction",
    () => ({ getTransaction: lie((answer) => ({ ...answer, transaction: ["AAAA", "base64"] })) }),
  ],
  [
    "has another encoding",
    () => ({ getTransaction: lie((answer) => ({ ...answer, transaction: { message: {}, signatures: [] } })) }),
  ],
  ["hangs", () => ({ "*": { kind: "hang" } })],
  ["hangs at the transaction", () => ({ getTransaction: { kind: "hang" } })],
  ["limits our requests", () => ({ "*": { kind: "status", status: 429 } })],
  ["fails", () => ({ "*": { kind: "status", status: 500 } })],
  ["sends without end", () => ({ getTransaction: { kind: "raw", bytes: new Uint8Array(5 * 1024 * 1024).fill(0x20) } })],
  ["breaks off", () => ({ getTransaction: { kind: "truncate" } })],
  ["sends no JSON", () => ({ getTransaction: { kind: "raw", bytes: "<html>" } })],
  [
    "does not support the version",
    () => ({
      getTransaction: { kind: "refuse", code: -32015, message: "Transaction version (1) is not supported" },
    }),
  ],
  ["has lost that block", () => ({ getTransaction: { kind: "refuse", code: -32009, message: "Slot was skipped" } })],
];

describe("a server that", () => {
  test.each(BAD)("%s gives no credit alone and changes nothing among three", async (_, faults) => {
    fault(0, faults());
    const alone = await over(proxies.slice(0, 1), { callMs: CALL_MS });
    expect(isCredit(await observed(alone, paid))).toBe(false);
    expect(await overThree.observe(paid)).toEqual(await honest.observe(paid));
  });

  test("is honest gives the credit alone", async () => {
    expect(isCredit(await observed(await over(proxies.slice(0, 1)), paid))).toBe(true);
    expect(trouble).toEqual([]);
  });
});

/** False claims: when one of three servers makes them, they have no effect. */
const INVENTED: [string, () => string, () => Record<string, Fault>][] = [
  [
    "says a failed transfer succeeded",
    () => failed,
    () => ({ ...status({ err: null }), ...meta(() => ({ err: null })) }),
  ],
  ["says a transfer is final", () => fresh, () => status({ confirmationStatus: "finalized" })],
  [
    "says more was transferred",
    () => paid,
    () => tokens("postTokenBalances", () => ({ uiTokenAmount: { amount: "99999999", decimals: 6 } })),
  ],
  [
    "says somebody else had paid",
    () => paid,
    () => tokens("preTokenBalances", ({ owner }) => ({ owner: owner === treasury ? owner : hashOf("mallory") })),
  ],
  ["says it was earlier", () => paid, () => ({ getTransaction: lie((answer) => ({ ...answer, blockTime: 1 })) })],
];

test.each(INVENTED)("a single one of three servers that %s has no effect", async (_, hash, faults) => {
  fault(0, faults());
  expect(await overThree.observe(hash())).toEqual(await honest.observe(hash()));
});

test("a single server that claims our account had another owner before cannot increase a transfer", async () => {
  fault(
    0,
    tokens("preTokenBalances", ({ owner }) => ({ owner: owner === treasury ? hashOf("mallory") : owner })),
  );
  const { transfers } = await (await over(proxies.slice(0, 1))).observe(paid);
  expect(transfers).toMatchObject([{ recipient: treasury, amount: AMOUNT }]);
});

test("a transaction that nobody made stays unknown, whatever one of three servers says", async () => {
  const { signature } = await send(shim.cluster, alice, [solTransfer(alice, treasury, 1n)], { hold: true });
  const real = shim.cluster.find(paid);
  fault(0, {
    getSignatureStatuses: lie((answer) => ({
      ...answer,
      value: [{ slot: real?.block.slot, err: null, confirmationStatus: "finalized" }],
    })),
  });
  proxies[0]?.faults.set("getTransaction", { kind: "raw", bytes: await transactionText(paid) });
  expect(await overThree.observe(signature)).toMatchObject({ state: "unknown" });
  expect(await observed(await over(proxies.slice(0, 1)), signature)).toBe("chain_unavailable");
});

/** Changes what the server returns for a transaction, which a new client asks for in its third call. */
async function transactionText(signature: string): Promise<string> {
  const options = { commitment: "finalized", encoding: "base64" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 3, method: "getTransaction", params: [signature, options] });
  return (await fetch(shim.url, { method: "POST", body })).text();
}

describe("a majority of servers", () => {
  test("is missing if two of three are silent, and nothing counts as unpaid", async () => {
    const hasty = await over(proxies, { callMs: CALL_MS });
    for (const index of [0, 1]) fault(index, { "*": { kind: "hang" } });
    expect(await observed(hasty, paid)).toBe("chain_unavailable");
    expect(await observed(hasty, fresh)).toBe("chain_unavailable");
  });

  test("is missing if one of three lies and one is silent", async () => {
    fault(
      0,
      tokens("postTokenBalances", () => ({ uiTokenAmount: { amount: "1", decimals: 6 } })),
    );
    fault(1, { "*": { kind: "status", status: 500 } });
    expect(await observed(overThree, paid)).toBe("chain_unavailable");
    expect(trouble).toContain("disagreement");
  });

  test("needs both servers to agree if there are two", async () => {
    const overTwo = await over(proxies.slice(0, 2));
    expect(isCredit(await observed(overTwo, paid))).toBe(true);
    fault(0, status(null));
    expect(await observed(overTwo, paid)).toBe("chain_unavailable");
  });

  test("is awaited while the servers learn of a transaction one after the other", async () => {
    fault(0, status(null));
    fault(1, status({ confirmationStatus: "processed" }));
    expect(await overThree.observe(paid)).toMatchObject({ state: "pending", transfers: [] });
    fault(0, status({ confirmationStatus: "confirmed" }));
    fault(1, status({ confirmationStatus: "confirmed" }));
    expect(await overThree.observe(paid)).toMatchObject({ state: "confirming", isFinal: false });
  });

  test("does not wait for the slowest server", async () => {
    const patient = await over(proxies, { callMs: 60_000 });
    fault(2, { "*": { kind: "hang" } });
    expect(isCredit(await observed(patient, paid))).toBe(true);
  });
});

test("a server that moves to another cluster is ignored within a minute", async () => {
  let later = 0;
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + later };
  const alone = await over(proxies.slice(0, 1), { clock });
  expect(isCredit(await observed(alone, paid))).toBe(true);
  fault(0, { getGenesisHash: { kind: "lie", about: () => hashOf("elsewhere") } });
  later = 60_001;
  expect(await observed(alone, paid)).toBe("chain_unavailable");
  expect(trouble).toContain("wrong_chain");
});
