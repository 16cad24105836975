import {
  formatTransaction,
  getAddress,
  keccak256,
  parseTransaction,
  serializeTransaction,
  type TransactionSerializable,
  type RpcTransaction as ViemRpcTransaction,
} from "viem";
import type { Asset, AuthorizationKey, Transfer } from "../chain.ts";
import { RpcFailure } from "../rpc/failure.ts";
import type { RpcLog, RpcReceipt, RpcTransaction } from "./shapes.ts";
import { signerOf } from "./signature.ts";

/** Legacy, EIP-2930, EIP-1559, EIP-4844, EIP-7702: the types whose hash can be recomputed. */
const TYPES = /^0x0?[0-4]$/;
/** keccak256("Transfer(address,address,uint256)"), the event of ERC-20. */
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
/** keccak256("AuthorizationUsed(address,bytes32)") of EIP-3009: the authorizer and the nonce. */
export const AUTHORIZATION_USED = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";
/** Length in hex digits of a call with its arguments, 0x included, by selector: `transfer`, `transferFrom`. */
const CALLS: Readonly<Record<string, number>> = { "0xa9059cbb": 2 + 8 + 2 * 64, "0x23b872dd": 2 + 8 + 3 * 64 };
const REFERENCE = 64;

/** The effects of a mined transaction that matter here. */
export interface Mined {
  succeeded: boolean;
  /**
   * True if it was signed for this chain, and so is on no other. Unknown, and false, for the oldest transactions and
   * for unsigned types.
   */
  isOfChain: boolean;
  blockHash: string;
  blockNumber: number;
  payer: string;
  transfers: readonly Transfer[];
  references: readonly string[];
  /** The calldata in hex, without 0x. */
  data: string;
  authorizations: readonly AuthorizationKey[];
  feePaid: bigint;
}

/**
 * Reads a mined transaction and its receipt. The transaction's hash proves recipient, value, calldata and sender. The
 * receipt is only the server's claim; it must at least be consistent.
 * @throws RpcFailure if it is not
 */
export async function readMined(
  hash: string,
  transaction: RpcTransaction,
  receipt: RpcReceipt,
  { chainId, assets }: { chainId: number; assets: readonly Asset[] },
  findSigner = signerOf,
): Promise<Mined> {
  expectFit(hash, receipt);
  const isKnownType = TYPES.test(transaction.type ?? "0x0");
  const isOfChain = isKnownType && (await prove(hash, transaction, chainId, findSigner));
  const succeeded = receipt.status === "0x1";
  // The sender and value of other types (such as rollup deposits) cannot be proven, so they pay for nothing.
  const counts = succeeded && isKnownType;
  return {
    succeeded,
    isOfChain,
    blockHash: receipt.blockHash.toLowerCase(),
    blockNumber: Number(BigInt(receipt.blockNumber)),
    payer: getAddress(transaction.from),
    transfers: counts ? transfersOf(transaction, receipt.logs, assets) : [],
    references: counts ? referencesOf(transaction.input) : [],
    data: transaction.input.slice(2).toLowerCase(),
    authorizations: counts ? authorizationsOf(receipt.logs, assets) : [],
    feePaid: BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice) + BigInt(receipt.l1Fee ?? "0x0"),
  };
}

function expectFit(hash: string, { transactionHash, blockHash, logs }: RpcReceipt): void {
  const fits =
    sameHex(transactionHash, hash) &&
    logs.every(
      (log) => sameHex(log.transactionHash, hash) && sameHex(log.blockHash, blockHash) && log.removed !== true,
    );
  if (!fits) throw new RpcFailure("malformed");
}

const sameHex = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/**
 * Checks the transaction against its hash. Returns true if it was signed for this chain, false if for no specific
 * chain. @throws RpcFailure
 */
async function prove(
  hash: string,
  transaction: RpcTransaction,
  chainId: number,
  findSigner: typeof signerOf,
): Promise<boolean> {
  const signed = signedBy(hash, transaction);
  // The oldest transactions name no chain; all others name theirs.
  if (signed === null || (signed.chainId ?? chainId) !== chainId) throw new RpcFailure("malformed");
  const signer = await findSigner(signed.hash, signed.signature);
  if (signer !== getAddress(transaction.from)) throw new RpcFailure("malformed");
  return signed.chainId !== undefined;
}

/**
 * Returns what was signed, and the signature. Reads them from the bytes that have the transaction's hash, because a
 * server may add fields that are not in them, such as another chain. null if these fields do not have that hash.
 */
function signedBy(hash: string, transaction: RpcTransaction) {
  try {
    const { r, s, v, yParity, ...fields } = formatTransaction(transaction as ViemRpcTransaction);
    const serialized = serializeTransaction(
      { ...fields, data: fields.input } as TransactionSerializable,
      yParity === undefined ? { r, s, v } : { r, s, v, yParity },
    );
    if (keccak256(serialized) !== hash) return null;
    const signed = parseTransaction(serialized);
    const unsigned = { ...signed, r: undefined, s: undefined, v: undefined, yParity: undefined };
    return {
      chainId: signed.chainId,
      hash: keccak256(serializeTransaction(unsigned as TransactionSerializable)),
      signature: `0x${word(signed.r)}${word(signed.s)}0${signed.yParity}`,
    };
  } catch {
    return null; // no transaction has such fields
  }
}

const word = (number: string = "0x"): string => number.slice(2).padStart(64, "0");

/** Counts native coins only at the top level: transfers inside contracts would need traces and are not supported. */
function transfersOf(transaction: RpcTransaction, logs: readonly RpcLog[], assets: readonly Asset[]): Transfer[] {
  const transfers: Transfer[] = [];
  const native = assets.find(({ tokenAddress }) => tokenAddress === null);
  const value = BigInt(transaction.value);
  if (native !== undefined && value > 0n && transaction.to != null) {
    const [sender, recipient] = [getAddress(transaction.from), getAddress(transaction.to)];
    transfers.push({ asset: native, sender, recipient, amount: value });
  }
  for (const log of logs) {
    const transfer = tokenTransferOf(log, assets);
    if (transfer !== null) transfers.push(transfer);
  }
  return transfers;
}

/** Uses the amount of the log, which the token itself booked: less than was sent if the token takes a fee. */
function tokenTransferOf({ address, topics, data }: RpcLog, assets: readonly Asset[]): Transfer | null {
  const asset = assets.find(({ tokenAddress }) => tokenAddress !== null && sameHex(tokenAddress, address));
  const [event, sender, recipient, ...more] = topics;
  if (asset === undefined || event === undefined || !sameHex(event, TRANSFER) || more.length > 0) return null;
  const [from, to] = [addressOf(sender), addressOf(recipient)];
  if (from === null || to === null || data.length !== 66) return null;
  const amount = BigInt(data);
  return amount === 0n ? null : { asset, sender: from, recipient: to, amount };
}

function authorizationsOf(logs: readonly RpcLog[], assets: readonly Asset[]): AuthorizationKey[] {
  return logs.flatMap(({ address, topics: [event, authorizer, nonce] }) => {
    const token = assets.find(({ tokenAddress }) => tokenAddress !== null && sameHex(tokenAddress, address));
    const from = addressOf(authorizer);
    if (token?.tokenAddress == null || from === null || nonce === undefined) return [];
    if (event === undefined || !sameHex(event, AUTHORIZATION_USED)) return [];
    return [{ token: token.tokenAddress, authorizer: from, nonce: nonce.toLowerCase() }];
  });
}

function addressOf(topic: string | undefined): string | null {
  return topic === undefined || !/^0x0{24}/.test(topic) ? null : getAddress(`0x${topic.slice(26)}`);
}

/**
 * Returns the first 32 bytes after a token call's arguments or, in a plain transfer, of its data. Wallets may append
 * marks of their own.
 */
function referencesOf(input: string): string[] {
  const length = CALLS[input.slice(0, 10).toLowerCase()];
  const rest = length === undefined || input.length < length ? input.slice(2) : input.slice(length);
  return rest.length < REFERENCE ? [] : [`0x${rest.slice(0, REFERENCE).toLowerCase()}`];
}

/** Returns a text that is equal for two servers if they saw the same. */
export function minedKey(mined: Mined): string {
  return JSON.stringify(mined, (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value));
}
