import type { ChainKind } from "../chains/chain.ts";
import type { AppContext } from "../context.ts";
import { findReceipt, insertReceipt } from "./receipts.store.ts";

/** A transaction on a chain, and the one thing it pays for. */
export interface Receipt {
  readonly chain: ChainKind;
  readonly chainId: number;
  /** In the form of `Chain.normalHash`. */
  readonly txHash: string;
  readonly purpose: "packet" | "payment";
  /** Which one, such as a packet's id. */
  readonly subject: string;
}

/**
 * Takes a transaction for one purpose, in the caller's transaction. Returns false if it was taken for something else,
 * across packets and payments; true also if it was taken for the same before. It is never released.
 */
export async function takeReceipt(ctx: AppContext, receipt: Receipt): Promise<boolean> {
  const { purpose, subject } = receipt;
  if (await insertReceipt(ctx.db, { ...keyOf(receipt), purpose, subject, created_at: ctx.clock.now() })) return true;
  return !(await isTakenByOther(ctx, receipt));
}

/** Returns whether the transaction was taken for anything else. */
export async function isTakenByOther(ctx: AppContext, receipt: Receipt): Promise<boolean> {
  const found = await findReceipt(ctx.db, keyOf(receipt));
  return found !== undefined && (found.purpose !== receipt.purpose || found.subject !== receipt.subject);
}

const keyOf = ({ chain, chainId, txHash }: Receipt) => ({ chain, chain_id: chainId, tx_hash: txHash });
