import type { PayoutStatus } from "@parley/protocol/red-packets";
import { type AppContext, perServer } from "../context.ts";
import type { PayoutRow } from "./payouts.store.ts";

/** What became of a payout. */
export interface PayoutNews {
  readonly key: string;
  readonly status: PayoutStatus;
  /** Of the transfer that is on its way, or has paid; null: there is none, or none any more. */
  readonly hash: string | null;
}

type Listener = (ctx: AppContext, news: PayoutNews) => Promise<void>;

const listeners = perServer((): Listener[] => []);

/** Hears of every payout that was requested, for the life of the server, in the transaction that changes it. */
export function onPayout(ctx: AppContext, listener: Listener): void {
  listeners(ctx).push(listener);
}

/** Tells who waits for a payout. Inside the transaction, so that neither stands without the other. */
export async function tell(ctx: AppContext, { key, purpose }: PayoutRow, news: Omit<PayoutNews, "key">): Promise<void> {
  if (purpose === "gap") return;
  for (const listener of listeners(ctx)) await listener(ctx, { key, ...news });
}
