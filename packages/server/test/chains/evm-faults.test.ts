import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Hex } from "viem";
import type { Chain, Observed } from "../../src/chains/chain.ts";
import { Anvil, accountOf } from "../support/chains/anvil.ts";
import { evmOver } from "../support/chains/evm.ts";
import { type Fault, RpcProxy } from "../support/chains/rpc-proxy.ts";
import { forAllTests } from "../support/for-all-tests.ts";

/** Servers that lie or are silent (guarantees P16), in front of an honest one. Confirmations are 3. */

const TREASURY = accountOf(0).address;
const ALICE = accountOf(1).address;
const MALLORY = accountOf(3).address;
const AMOUNT = 250n;
/** The timeout for tests of silence. Other tests use the usual one, because a busy machine is not a lie. */
const CALL_MS = 250;

type Json = Record<string, unknown>;
type Log = { address: string; topics: string[]; data: string };

let proxies: RpcProxy[];
let trouble: string[];
let overLiar: Chain;
let overThree: Chain;
let hasty: Chain;
let honest: Chain;

const anvil = await forAllTests(Anvil.start());
const usdc = await anvil.token("USDC", 6, [ALICE], 1_000_000n);
/** Final: a token transfer and a coin transfer. Not deep enough: a coin transfer. Reverted: a token transfer. */
const tokenPaid = await anvil.call("TestToken", usdc, "transfer", [TREASURY, AMOUNT], { from: 1 });
const coinPaid = await anvil.send(1, TREASURY, AMOUNT, `0x${"ab".repeat(32)}`);
const reverted = await anvil.call("TestToken", usdc, "transfer", [TREASURY, 10n ** 30n], { from: 1 });
await anvil.mine(2);
const fresh = await anvil.send(1, TREASURY, AMOUNT);

beforeEach(() => {
  proxies = [new RpcProxy(anvil.url), new RpcProxy(anvil.url), new RpcProxy(anvil.url)];
  trouble = [];
  const onTrouble = (what: string) => void trouble.push(what);
  const urls = proxies.map(({ url }) => url);
  overLiar = evmOver(urls.slice(0, 1), { usdc, onTrouble });
  overThree = evmOver(urls, { usdc, onTrouble });
  hasty = evmOver(urls, { usdc, callMs: CALL_MS, onTrouble });
  honest = evmOver(anvil.url, { usdc });
});
afterEach(async () => {
  for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
});

const proxy = (index: number): RpcProxy => {
  const found = proxies[index];
  if (found === undefined) throw new Error("There is no such proxy.");
  return found;
};
const fault = (index: number, faults: Record<string, Fault>): void => {
  for (const [method, what] of Object.entries(faults)) proxy(index).faults.set(method, what);
};
const lie = (about: (result: Json) => unknown): Fault => ({ kind: "lie", about: (result) => about(result as Json) });
const codeOf = (error: { code?: string }): string => error.code ?? String(error);
const observed = (chain: Chain, hash: Hex): Promise<Observed | string> => chain.observe(hash).catch(codeOf);

/** Returns whether this report would cause a credit: the whole amount, to our wallet, final. */
const isCredit = (seen: Observed | string): boolean =>
  typeof seen !== "string" &&
  seen.state === "final" &&
  seen.transfers.some(({ recipient, amount }) => recipient === TREASURY && amount >= AMOUNT);

const logs = (change: (log: Log) => object) =>
  lie((receipt) => ({ ...receipt, logs: (receipt.logs as Log[]).map((log) => ({ ...log, ...change(log) })) }));
const topic = (address: string): string => `0x${address.slice(2).toLowerCase().padStart(64, "0")}`;

/** False reports about the final token transfer. A single server that makes one of them gets no credit. */
const BAD: [string, Record<string, Fault>][] = [
  ["is on another chain", { eth_chainId: { kind: "lie", about: () => "0x1" } }],
  ["has a receipt without a log", { eth_getTransactionReceipt: lie((receipt) => ({ ...receipt, logs: [] })) }],
  ["has the log of another contract", { eth_getTransactionReceipt: logs(() => ({ address: MALLORY })) }],
  [
    "has another recipient",
    { eth_getTransactionReceipt: logs(({ topics }) => ({ topics: [...topics.slice(0, 2), topic(MALLORY)] })) },
  ],
  ["has a smaller amount", { eth_getTransactionReceipt: logs(() => ({ data: `0x${"1".padStart(64, "0")}` })) }],
  [
    "has another event",
    { eth_getTransactionReceipt: logs(({ topics }) => ({ topics: [topic(MALLORY), ...topics.slice(1)] })) },
  ],
  [
    "has an NFT's event",
    { eth_getTransactionReceipt: logs(({ topics, data }) => ({ topics: [...topics, data], data: "0x" })) },
  ],
  [
    "has a log of another transaction",
    { eth_getTransactionReceipt: logs(() => ({ transactionHash: `0x${"1".repeat(64)}` })) },
  ],
  ["has a log of another block", { eth_getTransactionReceipt: logs(() => ({ blockHash: `0x${"1".repeat(64)}` })) }],
  ["has a removed log", { eth_getTransactionReceipt: logs(() => ({ removed: true })) }],
  [
    "has non-zero bytes before an address",
    {
      eth_getTransactionReceipt: logs(({ topics }) => ({
        topics: [topics[0], topics[1], `0x01${topic(TREASURY).slice(4)}`],
      })),
    },
  ],
  ["says it was reverted", { eth_getTransactionReceipt: lie((receipt) => ({ ...receipt, status: "0x0" })) }],
  ["has an invalid status", { eth_getTransactionReceipt: lie((receipt) => ({ ...receipt, status: "0x2" })) }],
  ["has a receipt without status", { eth_getTransactionReceipt: lie(({ status: _, ...receipt }) => receipt) }],
  [
    "has the receipt of another transaction",
    { eth_getTransactionReceipt: lie((receipt) => ({ ...receipt, transactionHash: `0x${"1".repeat(64)}` })) },
  ],
  [
    "has it in a block that is not on the chain",
    { eth_getTransactionReceipt: lie((receipt) => ({ ...receipt, blockHash: `0x${"1".repeat(64)}` })) },
  ],
  ["has no receipt", { eth_getTransactionReceipt: lie(() => null) }],
  ["has no transaction, but a receipt", { eth_getTransactionByHash: lie(() => null) }],
  ["has another sender", { eth_getTransactionByHash: lie((transaction) => ({ ...transaction, from: MALLORY })) }],
  [
    "has another calldata",
    { eth_getTransactionByHash: lie((transaction) => ({ ...transaction, input: `${transaction.input}00` })) },
  ],
  ["has another signature", { eth_getTransactionByHash: lie((transaction) => ({ ...transaction, r: transaction.s })) }],
  [
    "has an unknown transaction type",
    { eth_getTransactionByHash: lie((transaction) => ({ ...transaction, type: "0x7e" })) },
  ],
  ["has a stale head", { eth_blockNumber: { kind: "lie", about: () => "0x2" } }],
  ["has replaced the block", { eth_getBlockByNumber: lie((block) => ({ ...block, hash: `0x${"1".repeat(64)}` })) }],
  ["has another block at that height", { eth_getBlockByNumber: lie((block) => ({ ...block, number: "0x1" })) }],
  ["has lost the block", { eth_getBlockByNumber: lie(() => null) }],
  ["hangs", { "*": { kind: "hang" } }],
  ["hangs at the receipt", { eth_getTransactionReceipt: { kind: "hang" } }],
  ["limits our requests", { "*": { kind: "status", status: 429, headers: { "retry-after": "1" } } }],
  ["fails", { "*": { kind: "status", status: 500 } }],
  ["redirects us", { "*": { kind: "status", status: 302, headers: { location: "http://127.0.0.1:1/" } } }],
  [
    "sends without end",
    { eth_getTransactionReceipt: { kind: "raw", bytes: new Uint8Array(5 * 1024 * 1024).fill(0x20) } },
  ],
  ["breaks off", { eth_getTransactionReceipt: { kind: "truncate" } }],
  ["sends no JSON", { eth_getTransactionReceipt: { kind: "raw", bytes: "<html>" } }],
  [
    "answers another call",
    { eth_getTransactionReceipt: { kind: "raw", bytes: '{"jsonrpc":"2.0","id":9999,"result":null}' } },
  ],
  ["returns nothing", { eth_getTransactionReceipt: { kind: "raw", bytes: '{"jsonrpc":"2.0"}' } }],
  ["returns an error", { eth_getTransactionReceipt: { kind: "refuse", code: -32603, message: "internal error" } }],
  [
    "returns a number instead of a string",
    { eth_getTransactionReceipt: lie((receipt) => ({ ...receipt, blockNumber: 7 })) },
  ],
];

describe("a server that", () => {
  test.each(BAD)("%s gives no credit alone and changes nothing among three", async (_, faults) => {
    fault(0, faults);
    const alone = evmOver(proxy(0).url, { usdc, callMs: CALL_MS });
    expect(isCredit(await observed(alone, tokenPaid))).toBe(false);
    expect(await overThree.observe(tokenPaid)).toEqual(await honest.observe(tokenPaid));
  });

  test("is honest gives the credit alone", async () => {
    expect(isCredit(await observed(overLiar, tokenPaid))).toBe(true);
    expect(isCredit(await observed(overLiar, coinPaid))).toBe(true);
    expect(trouble).toEqual([]);
  });
});

/** False claims: when one of three servers makes them, they have no effect. */
const INVENTED: [string, () => Hex, Record<string, Fault>][] = [
  [
    "says a reverted transfer succeeded",
    () => reverted,
    { eth_getTransactionReceipt: lie((receipt) => ({ ...receipt, status: "0x1" })) },
  ],
  ["says a transfer is deep enough", () => fresh, { eth_blockNumber: { kind: "lie", about: () => "0xffffff" } }],
  [
    "says more was transferred",
    () => tokenPaid,
    { eth_getTransactionReceipt: logs(() => ({ data: `0x${"f".repeat(64)}` })) },
  ],
  [
    "says somebody else had paid",
    () => tokenPaid,
    { eth_getTransactionReceipt: logs(({ topics }) => ({ topics: [topics[0], topic(MALLORY), topics[2]] })) },
  ],
  ["says it was earlier", () => tokenPaid, { eth_getBlockByNumber: lie((block) => ({ ...block, timestamp: "0x1" })) }],
];

test.each(INVENTED)("a single one of three servers that %s has no effect", async (_, hash, faults) => {
  fault(0, faults);
  expect(await overThree.observe(hash())).toEqual(await honest.observe(hash()));
});

test("a transaction that nobody made stays unknown, whatever one of three servers says", async () => {
  const hash: Hex = `0x${"5".repeat(64)}`;
  const ask = async (method: string) =>
    (
      await fetch(anvil.url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [coinPaid] }),
      })
    ).json();
  for (const method of ["eth_getTransactionByHash", "eth_getTransactionReceipt"]) {
    const { result } = (await ask(method)) as { result: Json };
    const forged = { ...result, hash, transactionHash: hash };
    proxy(0).lie(method, () => forged);
  }
  expect(await overThree.observe(hash)).toMatchObject({ state: "unknown" });
  // A single server is not believed either: the fields do not have that hash.
  expect(await observed(overLiar, hash)).toBe("chain_unavailable");
});

describe("a majority of servers", () => {
  test("is missing if two of three are silent, and nothing counts as unpaid", async () => {
    for (const index of [0, 1]) fault(index, { "*": { kind: "hang" } });
    expect(await observed(hasty, tokenPaid)).toBe("chain_unavailable");
    expect(await observed(hasty, fresh)).toBe("chain_unavailable");
  });

  test("is missing if one of three lies and one is silent", async () => {
    fault(0, { eth_getTransactionReceipt: lie((receipt) => ({ ...receipt, status: "0x0" })) });
    fault(1, { "*": { kind: "hang" } });
    // The two that respond must be heard even on a busy machine.
    const urls = proxies.map(({ url }) => url);
    const patient = evmOver(urls, { usdc, callMs: 2_500, onTrouble: (what) => void trouble.push(what) });
    expect(await observed(patient, tokenPaid)).toBe("chain_unavailable");
    expect(trouble).toContain("disagreement");
  });

  test("needs both servers to agree if there are two", async () => {
    const overTwo = evmOver([proxy(0).url, proxy(1).url], { usdc });
    expect(isCredit(await observed(overTwo, tokenPaid))).toBe(true);
    fault(0, { eth_getTransactionReceipt: lie((receipt) => ({ ...receipt, status: "0x0" })) });
    expect(await observed(overTwo, tokenPaid)).toBe("chain_unavailable");
  });

  test("can be formed by two servers that tell the same lie, which is the limit of the method", async () => {
    for (const index of [0, 1]) {
      fault(index, { eth_getTransactionReceipt: lie((receipt) => ({ ...receipt, status: "0x0", logs: [] })) });
    }
    expect(await overThree.observe(tokenPaid)).toMatchObject({ state: "failed" });
  });

  test("does not wait for the slowest server", async () => {
    const patient = evmOver(
      proxies.map(({ url }) => url),
      { usdc, callMs: 60_000 },
    );
    fault(2, { "*": { kind: "hang" } });
    expect(isCredit(await observed(patient, tokenPaid))).toBe(true);
  });
});

test("a server that fails repeatedly is not used for a while", async () => {
  fault(0, { "*": { kind: "status", status: 503 } });
  for (let i = 0; i < 6; i++) expect(await observed(overLiar, tokenPaid)).toBe("chain_unavailable");
  const asked = proxy(0).called.length;
  expect(await observed(overLiar, tokenPaid)).toBe("chain_unavailable");
  expect(proxy(0).called.length).toBe(asked);
});
