import type {
  Asset,
  AuthorizationKey,
  Chain,
  Observed,
  TransactionState,
  Transfer,
} from "../../../src/chains/chain.ts";
import { AppError, fail } from "../../../src/errors.ts";

export const ETH: Asset = { currency: "ETH", tokenAddress: null, decimals: 18 };
export const USDC: Asset = { currency: "USDC", tokenAddress: "0xUsdc", decimals: 6 };
export const TREASURY = "0xTreasury";

/** A transaction as a test defines it. */
export interface ScriptedTransaction {
  state: TransactionState;
  isFinal?: boolean;
  time: number;
  transfers: Transfer[];
  references?: string[];
  /** In hex. */
  data?: string;
  authorizations?: AuthorizationKey[];
}

/**
 * A chain whose state is defined by a test. Addresses are texts that begin with 0x, hashes with 0xh; a fee is 1,000.
 */
export class ScriptedChain implements Chain {
  readonly kind = "evm";
  readonly chainId = 31_337;
  readonly assets = [ETH, USDC];
  readonly treasury = TREASURY;
  readonly payer = {} as Chain["payer"];
  fee = 1_000n;
  isSilent = false;
  looks = 0;
  /** Addresses that can receive nothing, because they have no account for the token. */
  readonly withoutAccount = new Set<string>();
  readonly #transactions = new Map<string, ScriptedTransaction>();
  #hashes = 0;

  /** Puts a transaction on the chain, or changes it; returns its hash. */
  put(transaction: ScriptedTransaction, hash = `0xh${++this.#hashes}`): string {
    this.#transactions.set(hash, transaction);
    return hash;
  }

  /** Removes a transaction, as a reorganisation does. */
  drop(hash: string): void {
    this.#transactions.delete(hash);
  }

  async observe(hash: string): Promise<Observed> {
    this.looks += 1;
    if (this.isSilent) throw fail("chain_unavailable");
    const found = this.#transactions.get(hash);
    const state = found?.state ?? "unknown";
    const isThere = state === "confirming" || state === "final";
    return {
      state,
      isFinal: found?.isFinal ?? state === "final",
      block: found === undefined || state === "pending" ? null : { hash: "0xblock", number: 1, time: found.time },
      payer: isThere ? (found?.transfers[0]?.sender ?? null) : null,
      transfers: isThere ? (found?.transfers ?? []) : [],
      references: isThere ? (found?.references ?? []) : [],
      ...(found?.data === undefined ? {} : { data: found.data }),
      authorizations: isThere ? (found?.authorizations ?? []) : [],
    };
  }

  isAddress = (text: string): boolean => this.normalAddress(text) !== null;
  normalAddress = (text: string): string | null => (/^0x[A-Za-z0-9]+$/.test(text) ? text : null);
  normalHash = (text: string): string | null => (/^0xh[0-9]+$/.test(text) ? text : null);
  reference = (random: Uint8Array): string => `0x${Buffer.from(random).toString("hex")}`;

  async estimateTransferFee(): Promise<bigint> {
    if (this.isSilent) throw fail("chain_unavailable");
    return this.fee;
  }

  worstTransferFee = (): bigint => this.fee;
  leastTransfer = async (): Promise<bigint> => {
    if (this.isSilent) throw fail("chain_unavailable");
    return 0n;
  };

  canReceive = async (_: Asset, address: string): Promise<boolean> => {
    if (this.isSilent) throw fail("chain_unavailable");
    return !this.withoutAccount.has(address);
  };

  async balance(): Promise<bigint> {
    throw new AppError("internal_error");
  }
}
