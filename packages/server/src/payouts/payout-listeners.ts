import type { PayoutStatus } from "@parley/protocol/red-packets";
import type { AppContext } from "../context.ts";
import { hook } from "../hook.ts";
import type { PayoutRow } from "./payouts.store.ts";

/** A change of a payout. */
export interface PayoutChange {
  readonly key: string;
  readonly status: PayoutStatus;
  /** Hash of the transfer that is on its way or has paid; null if there is none or none any more. */
  readonly hash: string | null;
}

/** Receives each change of a requested payout, in the transaction that changes it. */
export const onPayout = hook<(ctx: AppContext, change: PayoutChange) => Promise<void>>();

/** Notifies the listeners inside the transaction, so that the payout and their changes commit together. */
export async function notifyPayoutListeners(
  ctx: AppContext,
  { key, purpose }: PayoutRow,
  change: Omit<PayoutChange, "key">,
): Promise<void> {
  if (purpose === "gap") return;
  for (const listener of onPayout.of(ctx)) await listener(ctx, { key, ...change });
}
