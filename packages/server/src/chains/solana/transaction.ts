import {
  type Address,
  type CompiledTransactionMessage,
  getBase58Decoder,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getPublicKeyFromAddress,
  getTransactionDecoder,
  verifySignature,
} from "@solana/kit";
import { SYSTEM_PROGRAM_ADDRESS } from "@solana-program/system";
import { TOKEN_PROGRAM_ADDRESS } from "@solana-program/token";
import type { Asset, Transfer } from "../chain.ts";
import { RpcFailure } from "../rpc/failure.ts";
import { solMoves, solTransfers, tokenTransfers } from "./moves.ts";
import type { RpcTransaction } from "./shapes.ts";

/** The effects of a transaction in a block that matter here. */
export interface Landed {
  succeeded: boolean;
  slot: number;
  /** Epoch milliseconds. */
  time: number;
  payer: string;
  transfers: readonly Transfer[];
  references: readonly string[];
  /** The signed transaction in hex. */
  data: string;
  /** Lamports: the network's fee, and the rent of token accounts that it created. */
  cost: bigint;
}

type Message = CompiledTransactionMessage & { version: "legacy" | 0 };

/**
 * Reads a transaction and its meta data. The transaction's own signatures prove its signers and the accounts it names.
 * Balances are only the server's claim; they must at least be consistent.
 * @throws RpcFailure if they are not
 */
export async function readLanded(signature: string, answer: RpcTransaction, assets: readonly Asset[]): Promise<Landed> {
  const message = await prove(signature, answer.transaction[0]);
  const { slot, blockTime, meta } = answer;
  const accounts = accountsOf(message, meta.loadedAddresses);
  const sol = solMoves(accounts, meta);
  const succeeded = meta.err === null;
  return {
    succeeded,
    slot,
    time: blockTime * 1000,
    payer: accounts[0] ?? "",
    transfers: succeeded ? [...solTransfers(sol, assets), ...(await tokenTransfers(accounts, meta, assets))] : [],
    references: succeeded ? referencesOf(message, meta) : [],
    data: Buffer.from(answer.transaction[0], "base64").toString("hex"),
    cost: sol.fee + sol.rent,
  };
}

/** Returns the message that this signature signs. */
async function prove(signature: string, base64: string): Promise<Message> {
  const message = await signedMessage(signature, base64).catch(() => null);
  if (message === null) throw new RpcFailure("malformed");
  return message;
}

/**
 * Returns null if these bytes lack this signature or another one that they need. @throws an Error if they are no
 * transaction
 */
async function signedMessage(signature: string, base64: string): Promise<Message | null> {
  const { messageBytes, signatures } = getTransactionDecoder().decode(getBase64Encoder().encode(base64));
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
  if (message.version === 1) return null;
  const signers = message.staticAccounts.slice(0, message.header.numSignerAccounts);
  for (const [i, signer] of signers.entries()) {
    const bytes = signatures[signer];
    if (bytes == null || (i === 0 && getBase58Decoder().decode(bytes) !== signature)) return null;
    if (!(await verifySignature(await getPublicKeyFromAddress(signer), bytes, messageBytes))) return null;
  }
  return signers.length === 0 ? null : message;
}

/** Returns all accounts, in the order by which instructions and balances index them. */
function accountsOf(message: Message, loaded: RpcTransaction["meta"]["loadedAddresses"]): readonly Address[] {
  const { writable = [], readonly = [] } = loaded ?? {};
  const tables = message.version === 0 ? (message.addressTableLookups ?? []) : [];
  const count = (indices: "writableIndexes" | "readonlyIndexes") =>
    tables.reduce((sum, table) => sum + table[indices].length, 0);
  if (writable.length !== count("writableIndexes") || readonly.length !== count("readonlyIndexes")) {
    throw new RpcFailure("malformed");
  }
  return [...message.staticAccounts, ...writable, ...readonly] as Address[];
}

/**
 * Returns the accounts that are only named: they neither sign nor are writable (Solana Pay, "Reference"). Programs,
 * tokens and owners of token accounts are named for other reasons. Accounts from look-up tables are not proven and do
 * not count.
 */
function referencesOf({ staticAccounts, header, instructions }: Message, meta: RpcTransaction["meta"]): string[] {
  const named = staticAccounts.slice(staticAccounts.length - header.numReadonlyNonSignerAccounts);
  const programs = instructions.flatMap(({ programAddressIndex }) => staticAccounts[programAddressIndex] ?? []);
  const others = new Set<string>([...programs, SYSTEM_PROGRAM_ADDRESS, TOKEN_PROGRAM_ADDRESS]);
  for (const { mint, owner } of meta.postTokenBalances) others.add(mint).add(owner);
  return named.filter((account) => !others.has(account));
}

/** Returns a text that is equal for two servers if they saw the same. */
export function landedKey(landed: Landed): string {
  return JSON.stringify(landed, (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value));
}
