import { createHash } from "node:crypto";
import {
  type Address,
  type Base64EncodedWireTransaction,
  getBase58Decoder,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getSignatureFromTransaction,
  getTransactionDecoder,
  type Transaction,
} from "@solana/kit";
import { getTokenDecoder, TOKEN_PROGRAM_ADDRESS } from "@solana-program/token";
import { FailedTransactionMetadata, LiteSVM } from "litesvm";
import { ALREADY_PROCESSED, BLOCKHASH_NOT_FOUND, errorOf, type SolanaError } from "./solana-errors.ts";

export type Commitment = "processed" | "confirmed" | "finalized";

/** How many blocks each commitment is behind the tip. */
const LAG: Readonly<Record<Commitment, number>> = { processed: 0, confirmed: 1, finalized: 31 };
/** Some slots have no block, so slots run ahead of heights. */
const SLOTS_AHEAD = 1_000;
const MAX_AGE = 150;

export interface SolanaBlock {
  height: number;
  slot: number;
  hash: string;
  /** In seconds. */
  time: number;
}

interface TokenAmount {
  accountIndex: number;
  mint: string;
  owner: string;
  programId: string;
  uiTokenAmount: { amount: string; decimals: number };
}

interface Balances {
  lamports: bigint[];
  tokens: TokenAmount[];
}

export interface LandedTransaction {
  signature: string;
  bytes: string;
  block: SolanaBlock;
  error: SolanaError | null;
  fee: bigint;
  before: Balances;
  after: Balances;
}

/** A JSON-RPC error of a call. */
export class ClusterRefusal extends Error {
  readonly code: number;
  readonly err: unknown;
  constructor(code: number, message: string, err: unknown = null) {
    super(message);
    this.code = code;
    this.err = err;
  }
}

/**
 * A Solana cluster with one validator. litesvm runs the programs; this class adds blocks, commitments, the age of
 * blockhashes, and balances before and after. Each transaction makes a block; `advance` makes empty ones.
 */
export class SolanaCluster {
  readonly genesisHash = hashOf("genesis");
  readonly blocks: SolanaBlock[] = [];
  readonly transactions: LandedTransaction[] = [];
  /** True if transactions are accepted but never included. */
  isDropping = false;
  /** The oldest block that is still kept. */
  firstKept = 0;
  svm: LiteSVM = new LiteSVM().withBlockhashCheck(false);
  readonly decimals = new Map<string, number>();
  /** The price of a compute unit in recent blocks, in millionths of a lamport. */
  prices: bigint[] = [];
  #snapshot: Uint8Array | undefined;

  constructor() {
    this.advance(LAG.finalized + 1);
  }

  /** Returns the newest block of a commitment. */
  head(commitment: Commitment = "processed"): SolanaBlock {
    const block = this.blocks[Math.max(0, this.blocks.length - 1 - LAG[commitment])];
    if (block === undefined) throw new Error("There is always a block.");
    return block;
  }

  advance(count = 1): void {
    for (let i = 0; i < count; i++) {
      const height = this.blocks.length;
      const time = Math.floor(Date.now() / 1000);
      this.blocks.push({ height, slot: height + SLOTS_AHEAD, hash: hashOf(`${height}`), time });
    }
  }

  /** Makes all blocks final. */
  finalize(): void {
    this.advance(LAG.finalized);
  }

  /** Adds enough blocks that every current blockhash has expired, as of a final block. */
  expire(): void {
    this.advance(MAX_AGE + 1 + LAG.finalized);
  }

  /**
   * Removes the newest transaction, as a fork without it does. Only an unconfirmed transaction can be lost this way.
   */
  dropNewest(): LandedTransaction {
    const dropped = this.transactions.pop();
    if (dropped === undefined || this.#snapshot === undefined) throw new Error("There is no transaction to drop.");
    this.svm = LiteSVM.fromBytes(this.#snapshot).withBlockhashCheck(false);
    return dropped;
  }

  isValid(blockhash: string, commitment: Commitment): boolean {
    const found = this.blocks.find(({ hash }) => hash === blockhash);
    const age = found === undefined ? -1 : this.head(commitment).height - found.height;
    return age >= 0 && age <= MAX_AGE;
  }

  commitmentOf({ block }: LandedTransaction): Commitment {
    const age = this.head().height - block.height;
    return age >= LAG.finalized ? "finalized" : age >= LAG.confirmed ? "confirmed" : "processed";
  }

  find(signature: string): LandedTransaction | undefined {
    return this.transactions.find((landed) => landed.signature === signature && landed.block.height >= this.firstKept);
  }

  /** Returns the error that the transaction would fail with now; null if it would succeed. */
  simulate(bytes: string, { sigVerify }: { sigVerify: boolean }): SolanaError | null {
    const transaction = decode(bytes);
    if (!this.isValid(lifetimeOf(transaction), "processed")) return BLOCKHASH_NOT_FOUND;
    const result = this.svm.withSigverify(sigVerify).simulateTransaction(transaction);
    this.svm.withSigverify(true);
    return result instanceof FailedTransactionMetadata ? errorOf(result.err()) : null;
  }

  /** Accepts the transaction and includes it at once. @throws ClusterRefusal if a validator would not accept it */
  send(bytes: string, { skipPreflight = false } = {}): string {
    const transaction = decode(bytes);
    const signature = getSignatureFromTransaction(transaction);
    const isKnown = this.transactions.some((landed) => landed.signature === signature);
    const error = this.isValid(lifetimeOf(transaction), "processed")
      ? isKnown
        ? ALREADY_PROCESSED
        : this.simulate(bytes, { sigVerify: true })
      : BLOCKHASH_NOT_FOUND;
    if (error !== null && !skipPreflight) {
      throw new ClusterRefusal(-32002, `Transaction simulation failed: ${error.words}`, error.err);
    }
    if (!this.isDropping && !isKnown && error !== BLOCKHASH_NOT_FOUND) this.#include(bytes, transaction, signature);
    return signature;
  }

  #include(bytes: string, transaction: Transaction, signature: string): void {
    this.#snapshot = this.svm.toBytes();
    const accounts = accountsOf(transaction);
    const before = this.#balances(accounts);
    const result = this.svm.sendTransaction(transaction);
    const error = result instanceof FailedTransactionMetadata ? errorOf(result.err()) : null;
    const after = this.#balances(accounts);
    const fee = sum(before.lamports) - sum(after.lamports);
    if (error !== null && fee === 0n) return; // the payer cannot even pay the fee, so no block includes it
    this.advance();
    this.transactions.push({ signature, bytes, block: this.head(), error, fee, before, after });
  }

  #balances(accounts: readonly Address[]): Balances {
    const tokens: TokenAmount[] = [];
    for (const [accountIndex, address] of accounts.entries()) {
      const account = this.svm.getAccount(address);
      if (!account.exists || account.programAddress !== TOKEN_PROGRAM_ADDRESS || account.data.length !== 165) continue;
      const { mint, owner, amount } = getTokenDecoder().decode(account.data);
      const uiTokenAmount = { amount: String(amount), decimals: this.decimals.get(mint) ?? 0 };
      tokens.push({ accountIndex, mint, owner, programId: TOKEN_PROGRAM_ADDRESS, uiTokenAmount });
    }
    return { lamports: accounts.map((address) => this.svm.getBalance(address) ?? 0n), tokens };
  }
}

/** Makes a base58 hash from a text. */
export const hashOf = (text: string): string => getBase58Decoder().decode(createHash("sha256").update(text).digest());

export const decode = (bytes: string): Transaction =>
  getTransactionDecoder().decode(getBase64Encoder().encode(bytes as Base64EncodedWireTransaction));

function messageOf({ messageBytes }: Transaction) {
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
  if (message.version === 1 || !("lifetimeToken" in message)) throw new ClusterRefusal(-32602, "invalid transaction");
  return message;
}

const lifetimeOf = (transaction: Transaction): string => messageOf(transaction).lifetimeToken;
const accountsOf = (transaction: Transaction): readonly Address[] => messageOf(transaction).staticAccounts;
const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n);
