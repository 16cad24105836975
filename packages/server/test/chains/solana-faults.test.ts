import { expect, test } from "bun:test";
import { address } from "@solana/kit";
import { describeFaults, type Faults, lie } from "../support/chains/describe-faults.ts";
import { makeToken, SOL, send, solanaOver, solTransfer, tokenTransfer, wallet } from "../support/chains/solana.ts";
import { hashOf } from "../support/chains/solana-cluster.ts";
import { SolanaShim } from "../support/chains/solana-shim.ts";
import { forAllTests } from "../support/for-all-tests.ts";

/** Servers that lie or are silent. */

const AMOUNT = 250n;
const ERR = { InstructionError: [0, { Custom: 1 }] };

type Json = Record<string, unknown>;

const shim = await forAllTests(new SolanaShim());
const { cluster } = shim;
const alice = await wallet(cluster);
const mint = await makeToken(cluster, alice, [alice.address], 1_000_000n);
const treasury = address((await solanaOver(cluster, shim.url)).treasury ?? "");
const transfer = await tokenTransfer(alice, treasury, { mint, amount: AMOUNT });
await send(cluster, alice, transfer); // creates the account
cluster.advance(5); // with another blockhash, the same transfer is another transaction
/** Final: a token transfer. Not final: a SOL transfer. Failed: a SOL transfer. */
const paid = (await send(cluster, alice, transfer)).signature;
const beyond = [solTransfer(alice, treasury, 10_000n * SOL)];
const failed = (await send(cluster, alice, beyond, { skipPreflight: true })).signature;
cluster.finalize();
const fresh = (await send(cluster, alice, [solTransfer(alice, treasury, SOL)])).signature;
cluster.advance();

const meta = (change: (meta: Json) => object): Faults => ({
  getTransaction: lie((answer) => ({ ...answer, meta: { ...(answer.meta as Json), ...change(answer.meta as Json) } })),
});
const status = (change: object | null): Faults => ({
  getSignatureStatuses: lie((answer) => {
    const [old] = answer.value as [Json];
    return { ...answer, value: [change === null ? null : { ...old, ...change }] };
  }),
});
const tokens = (list: "preTokenBalances" | "postTokenBalances", change: Json | ((balance: Json) => Json)) => {
  const of = (balance: Json) => (typeof change === "function" ? change(balance) : change);
  return meta((old) => ({ [list]: (old[list] as Json[]).map((balance) => ({ ...balance, ...of(balance) })) }));
};

/** False reports about the final token transfer. A single server that makes one of them gets no credit. */
const BAD: [string, Faults][] = [
  ["is on another cluster", { getGenesisHash: { kind: "lie", about: () => hashOf("elsewhere") } }],
  ["says it failed", meta(() => ({ err: { InstructionError: [0, { Custom: 1 }] } }))],
  ["reports neither an error nor success", meta(({ err: _, ...rest }) => ({ ...rest, err: undefined }))],
  ["calls it failed only in its status", status({ err: "AccountNotFound" })],
  ["has a status of another slot", status({ slot: 5 })],
  ["has an invalid commitment", status({ confirmationStatus: "rooted" })],
  ["calls it only confirmed", status({ confirmationStatus: "confirmed" })],
  ["calls it only processed", status({ confirmationStatus: "processed" })],
  ["does not know it", status(null)],
  ["knows it but does not have it", { getTransaction: lie(() => null) }],
  ["does not know its time", { getTransaction: lie((answer) => ({ ...answer, blockTime: null })) }],
  ["has no token balances", meta(() => ({ preTokenBalances: [], postTokenBalances: [] }))],
  ["has one balance too few", meta(({ preBalances }) => ({ preBalances: (preBalances as Json[]).slice(1) }))],
  ["invents lamports", meta(({ postBalances }) => ({ postBalances: (postBalances as number[]).map((b) => b + 1) }))],
  ["reports another token", tokens("postTokenBalances", { mint: hashOf("another token") })],
  ["reports another owner", tokens("postTokenBalances", { owner: alice.address })],
  ["reports an invalid owner", tokens("postTokenBalances", { owner: "1".repeat(60) })],
  ["reports another account", tokens("postTokenBalances", { accountIndex: 0 })],
  ["reports an invalid account", tokens("postTokenBalances", { accountIndex: 200 })],
  ["reports other decimals", tokens("postTokenBalances", { uiTokenAmount: { amount: "1000000", decimals: 2 } })],
  ["reports an invalid amount", tokens("postTokenBalances", { uiTokenAmount: { amount: "1e9", decimals: 6 } })],
  ["invents tokens", tokens("postTokenBalances", { uiTokenAmount: { amount: "99999999", decimals: 6 } })],
  [
    "reports accounts that the transaction does not load",
    meta(() => ({ loadedAddresses: { writable: [hashOf("x")], readonly: [] } })),
  ],
  [
    "has the bytes of another transaction",
    {
      getTransaction: lie((answer) => ({
        ...answer,
        transaction: [shim.cluster.transactions.at(-1)?.bytes, "base64"],
      })),
    },
  ],
  [
    "has bytes that are not a transaction",
    { getTransaction: lie((answer) => ({ ...answer, transaction: ["AAAA", "base64"] })) },
  ],
  [
    "has another encoding",
    { getTransaction: lie((answer) => ({ ...answer, transaction: { message: {}, signatures: [] } })) },
  ],
  ["hangs", { "*": { kind: "hang" } }],
  ["hangs at the transaction", { getTransaction: { kind: "hang" } }],
  ["limits our requests", { "*": { kind: "status", status: 429 } }],
  ["fails", { "*": { kind: "status", status: 500 } }],
  ["sends without end", { getTransaction: { kind: "raw", bytes: new Uint8Array(5 * 1024 * 1024).fill(0x20) } }],
  ["breaks off", { getTransaction: { kind: "truncate" } }],
  ["sends no JSON", { getTransaction: { kind: "raw", bytes: "<html>" } }],
  [
    "does not support the version",
    {
      getTransaction: { kind: "refuse", code: -32015, message: "Transaction version (1) is not supported" },
    },
  ],
  ["has lost that block", { getTransaction: { kind: "refuse", code: -32009, message: "Slot was skipped" } }],
];

/** False claims: when one of three servers makes them, they have no effect. */
const INVENTED: [string, string, Faults][] = [
  ["says a failed transfer succeeded", failed, { ...status({ err: null }), ...meta(() => ({ err: null })) }],
  ["says a transfer is final", fresh, status({ confirmationStatus: "finalized" })],
  [
    "says more was transferred",
    paid,
    tokens("postTokenBalances", { uiTokenAmount: { amount: "99999999", decimals: 6 } }),
  ],
  [
    "says somebody else had paid",
    paid,
    tokens("preTokenBalances", ({ owner }) => ({ owner: owner === treasury ? owner : hashOf("mallory") })),
  ],
  ["says it was earlier", paid, { getTransaction: lie((answer) => ({ ...answer, blockTime: 1 })) }],
];

const { fault, over, observed } = describeFaults({
  url: shim.url,
  treasury,
  paid: [paid],
  amount: AMOUNT,
  fresh,
  over: (urls, options) => solanaOver(cluster, urls, { usdc: mint, ...options }),
  bad: BAD,
  invented: INVENTED,
  denied: { ...status({ err: ERR }), ...meta(() => ({ err: ERR })) },
  moved: { getGenesisHash: lie(() => hashOf("elsewhere")) },
});

test("a single server that claims our account had another owner before cannot increase a transfer", async () => {
  fault(
    0,
    tokens("preTokenBalances", ({ owner }) => ({ owner: owner === treasury ? hashOf("mallory") : owner })),
  );
  const { transfers } = await (await over(1)).observe(paid);
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
  fault(0, { getTransaction: { kind: "raw", bytes: await transactionText(paid) } });
  expect(await (await over(3)).observe(signature)).toMatchObject({ state: "unknown" });
  expect(await observed(await over(1), signature)).toBe("chain_unavailable");
});

/** Changes what the server returns for a transaction, which a new client asks for in its third call. */
async function transactionText(signature: string): Promise<string> {
  const options = { commitment: "finalized", encoding: "base64" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 3, method: "getTransaction", params: [signature, options] });
  return (await fetch(shim.url, { method: "POST", body })).text();
}

test("a majority is awaited while the servers learn of a transaction one after the other", async () => {
  const overThree = await over(3);
  fault(0, status(null));
  fault(1, status({ confirmationStatus: "processed" }));
  expect(await overThree.observe(paid)).toMatchObject({ state: "pending", transfers: [] });
  fault(0, status({ confirmationStatus: "confirmed" }));
  fault(1, status({ confirmationStatus: "confirmed" }));
  expect(await overThree.observe(paid)).toMatchObject({ state: "confirming", isFinal: false });
});
