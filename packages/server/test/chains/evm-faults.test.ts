import { expect, test } from "bun:test";
import type { Hex } from "viem";
import { Anvil, accountOf } from "../support/chains/anvil.ts";
import { describeFaults, type Faults, lie } from "../support/chains/describe-faults.ts";
import { evmOver } from "../support/chains/evm.ts";
import { forAllTests } from "../support/for-all-tests.ts";

/** Servers that lie or are silent. Confirmations are 3. */

const TREASURY = accountOf(0).address;
const ALICE = accountOf(1).address;
const MALLORY = accountOf(3).address;
const AMOUNT = 250n;

type Json = Record<string, unknown>;
type Log = { address: string; topics: string[]; data: string };

const anvil = await forAllTests(Anvil.start());
const usdc = await anvil.token("USDC", 6, [ALICE], 1_000_000n);
/** Final: a token transfer and a coin transfer. Not deep enough: a coin transfer. Reverted: a token transfer. */
const tokenPaid = await anvil.call("TestToken", usdc, "transfer", [TREASURY, AMOUNT], { from: 1 });
const coinPaid = await anvil.send(1, TREASURY, AMOUNT, `0x${"ab".repeat(32)}`);
const reverted = await anvil.call("TestToken", usdc, "transfer", [TREASURY, 10n ** 30n], { from: 1 });
await anvil.mine(2);
const fresh = await anvil.send(1, TREASURY, AMOUNT);

const logs = (change: (log: Log) => object) =>
  lie((receipt) => ({ ...receipt, logs: (receipt.logs as Log[]).map((log) => ({ ...log, ...change(log) })) }));
const topic = (address: string): string => `0x${address.slice(2).toLowerCase().padStart(64, "0")}`;

/** False reports about the final token transfer. A single server that makes one of them gets no credit. */
const BAD: [string, Faults][] = [
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

/** False claims: when one of three servers makes them, they have no effect. */
const INVENTED: [string, Hex, Faults][] = [
  [
    "says a reverted transfer succeeded",
    reverted,
    { eth_getTransactionReceipt: lie((receipt) => ({ ...receipt, status: "0x1" })) },
  ],
  ["says a transfer is deep enough", fresh, { eth_blockNumber: { kind: "lie", about: () => "0xffffff" } }],
  [
    "says more was transferred",
    tokenPaid,
    { eth_getTransactionReceipt: logs(() => ({ data: `0x${"f".repeat(64)}` })) },
  ],
  [
    "says somebody else had paid",
    tokenPaid,
    { eth_getTransactionReceipt: logs(({ topics }) => ({ topics: [topics[0], topic(MALLORY), topics[2]] })) },
  ],
  ["says it was earlier", tokenPaid, { eth_getBlockByNumber: lie((block) => ({ ...block, timestamp: "0x1" })) }],
];

const { fault, over, observed } = describeFaults({
  url: anvil.url,
  treasury: TREASURY,
  paid: [tokenPaid, coinPaid],
  amount: AMOUNT,
  fresh,
  over: (urls, options) => evmOver(urls, { usdc, ...options }),
  bad: BAD,
  invented: INVENTED,
  denied: { eth_getTransactionReceipt: lie((receipt) => ({ ...receipt, status: "0x0", logs: [] })) },
  moved: { eth_chainId: lie(() => "0x1") },
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
    fault(0, { [method]: lie(() => forged) });
  }
  expect(await (await over(3)).observe(hash)).toMatchObject({ state: "unknown" });
  // A single server is not believed either: the fields do not have that hash.
  expect(await observed(await over(1), hash)).toBe("chain_unavailable");
});
