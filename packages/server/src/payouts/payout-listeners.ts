import type { PayoutStatus } from "@parley/protocol/red-packets";
import { type AppContext, perServer } from "../context.ts";
import type { PayoutRow } from "./payouts.store.ts";

/** A change of a payout. */
export interface PayoutChange {
  readonly key: string;
  readonly status: PayoutStatus;
  /** Hash of the transfer that is on its way or has paid; null if there is none or none any more. */
  readonly hash: string | null;
}

type Listener = (ctx: AppContext, change: PayoutChange) => Promise<void>;

const listeners = perServer((): Listener[] => []);

/**
 * Registers a listener for changes of requested payouts, for the life of the server. It runs in the transaction that
 * changes the payout.
 */
export function onPayout(ctx: AppContext, listener: Listener): void {
  listeners(ctx).push(listener);
}

/** Notifies the listeners inside the transaction, so that the payout and their changes commit together. */
export async function notifyPayoutListeners(
  ctx: AppContext,
  { key, purpose }: PayoutRow,
  change: Omit<PayoutChange, "key">,
): Promise<void> {
  if (purpose === "gap") return;
  for (const listener of listeners(ctx)) await listener(ctx, { key, ...change });
}
