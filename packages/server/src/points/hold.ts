import type { AppContext } from "../context.ts";
import { userAccount } from "../ledger/account-names.ts";
import { postedTo } from "../ledger/ledger.ts";
import { findRegistered } from "./hold.store.ts";
import { grantKey } from "./opening.ts";

const HOLD_MS = 24 * 60 * 60_000;

/** Points that cannot leave an account yet. */
export interface Hold {
  amount: bigint;
  /** The end of the hold, in epoch milliseconds. */
  until: number;
}

/**
 * Returns the points that a new account cannot spend for its first 24 h: its initial grant, if the account was invited,
 * and in production always (protocol §2). Null when all points can be spent. Pass the amount as `onHold` to the
 * transfer that spends: a hold can only end, so at worst a transfer that locks the balance later refuses too much.
 */
export async function findHold(ctx: AppContext, userId: number): Promise<Hold | null> {
  const user = await findRegistered(ctx.db, userId);
  if (user === undefined) return null;
  const until = user.created_at + HOLD_MS;
  const isHeld = user.invited_by !== null || ctx.config.profile === "production";
  if (!isHeld || until <= ctx.clock.now()) return null;
  // The amount that was granted, which may differ from the current setting.
  const amount = await postedTo(ctx, grantKey(userId), userAccount(userId));
  return amount > 0n ? { amount, until } : null;
}
