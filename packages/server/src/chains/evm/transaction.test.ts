import { describe, expect, test } from "bun:test";
import { type Hex, keccak256, parseTransaction, type TransactionSerializable, toHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { RpcReceipt, RpcTransaction } from "./shapes.ts";
import { readMined } from "./transaction.ts";

/** A server's answers for transactions of every type, checked against their hash. Chain 31337. */

const CHAIN = 31_337;
const COIN = { currency: "ETH", tokenAddress: null, decimals: 18 };
const TO = "0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f";
const BLOCK: Hex = `0x${"ab".repeat(32)}`;

const payer = privateKeyToAccount(generatePrivateKey());
const fees = { maxFeePerGas: 20n, maxPriorityFeePerGas: 1n };
const plain = { nonce: 3, gas: 90_000n, to: TO, value: 250n, data: `0x${"cd".repeat(32)}` } as const;
const accessList = [{ address: TO, storageKeys: [BLOCK] }] as const;

const TYPES: [string, TransactionSerializable][] = [
  ["legacy", { ...plain, type: "legacy", chainId: CHAIN, gasPrice: 10n }],
  ["legacy, of no chain", { ...plain, type: "legacy", gasPrice: 10n }],
  ["eip2930", { ...plain, type: "eip2930", chainId: CHAIN, gasPrice: 10n, accessList }],
  ["eip1559", { ...plain, ...fees, type: "eip1559", chainId: CHAIN, accessList }],
  [
    "eip4844",
    {
      ...{ ...plain, ...fees, type: "eip4844", chainId: CHAIN },
      ...{ maxFeePerBlobGas: 9n, blobVersionedHashes: [`0x01${"ef".repeat(31)}`] },
    },
  ],
  [
    "eip7702",
    {
      ...{ ...plain, ...fees, type: "eip7702", chainId: CHAIN },
      authorizationList: [{ address: TO, chainId: CHAIN, nonce: 1, r: BLOCK, s: BLOCK, yParity: 1 }],
    },
  ],
];
const NUMBERS: Record<string, Hex> = { legacy: "0x0", eip2930: "0x1", eip1559: "0x2", eip4844: "0x3", eip7702: "0x4" };

interface Told {
  hash: Hex;
  transaction: RpcTransaction;
  receipt: RpcReceipt;
}

/** The transaction in a server's JSON form. */
async function told(wanted: TransactionSerializable): Promise<Told> {
  const serialized = await payer.signTransaction(wanted);
  const hash = keccak256(serialized);
  const { type, data, ...fields } = parseTransaction(serialized) as Record<string, unknown> & { type: string };
  const inHex = (value: unknown) => (typeof value === "bigint" || typeof value === "number" ? toHex(value) : value);
  const quantities = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, inHex(value)]));
  const authorizations = (wanted.authorizationList ?? []).map((one) =>
    Object.fromEntries(Object.entries(one).map(([name, value]) => [name, inHex(value)])),
  );
  const place = { blockHash: BLOCK, blockNumber: "0x10", transactionIndex: "0x0" };
  return {
    hash,
    transaction: {
      ...{ ...quantities, ...place, hash, input: data, type: NUMBERS[type], from: payer.address.toLowerCase() },
      ...(authorizations.length > 0 ? { authorizationList: authorizations } : {}),
    } as unknown as RpcTransaction,
    receipt: {
      ...{ transactionHash: hash, blockHash: BLOCK, blockNumber: "0x10", status: "0x1", from: payer.address },
      ...{ gasUsed: "0x5208", effectiveGasPrice: "0x2", logs: [] },
    },
  };
}

const read = ({ hash, transaction, receipt }: Told, chainId = CHAIN) =>
  readMined(hash, transaction, receipt, { chainId, assets: [COIN] });

describe.each(TYPES)("an EVM transaction, %s", (_, wanted) => {
  test("has the recovered signer and the signed fields", async () => {
    expect(await read(await told(wanted))).toMatchObject({
      succeeded: true,
      isOfChain: wanted.chainId === CHAIN,
      payer: payer.address,
      transfers: [{ asset: COIN, sender: payer.address, recipient: TO, amount: 250n }],
      references: [plain.data],
    });
  });

  test("is rejected if the server changes any field", async () => {
    const { transaction, ...rest } = await told(wanted);
    const lies: Partial<Record<keyof RpcTransaction, string>>[] = [
      { from: TO.toLowerCase() },
      { to: payer.address },
      { value: "0xfb" },
      { input: `0x${"ce".repeat(32)}` },
      { nonce: "0x4" },
      { gas: "0x1" },
      { r: transaction.s },
      { s: transaction.r },
    ];
    for (const lie of lies) {
      const promise = read({ ...rest, transaction: { ...transaction, ...lie } });
      await expect(promise).rejects.toMatchObject({ reason: "malformed" });
    }
  });

  test("counts only on the chain it was signed for, whatever the server claims", async () => {
    const { transaction, ...rest } = await told(wanted);
    const { chainId, ...silent } = transaction as RpcTransaction & { chainId?: string };
    for (const one of chainId === undefined ? [] : [transaction, silent, { ...silent, chainId: "0x1" }]) {
      await expect(read({ ...rest, transaction: one }, 1)).rejects.toMatchObject({ reason: "malformed" });
    }
  });
});
