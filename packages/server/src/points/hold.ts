import type { AppContext } from "../context.ts";
import { userAccount } from "./accounts.ts";
import { findRegistered } from "./hold.store.ts";
import { postedTo } from "./ledger.ts";
import { grantKey } from "./opening.ts";

const HOLD_MS = 24 * 60 * 60_000;

/** Points that cannot leave an account yet. */
export interface Hold {
  amount: bigint;
  /** When they can, in epoch milliseconds. */
  until: number;
}

/**
 * The points of a new account that stay on it for its first 24 h: its initial grant, when the account was invited, and in production always
 * (protocol §2). null: all points can be spent. Pass the amount as `onHold` to the transfer that spends: a hold only ends, so a transfer
 * that locks the balance later refuses too much at worst.
 */
export async function findHold(ctx: AppContext, userId: number): Promise<Hold | null> {
  const user = await findRegistered(ctx.db, userId);
  if (user === undefined) return null;
  const until = user.created_at + HOLD_MS;
  const isHeld = user.invited_by !== null || ctx.config.profile === "production";
  if (!isHeld || until <= ctx.clock.now()) return null;
  // What was granted, not what the setting says today.
  const amount = await postedTo(ctx, grantKey(userId), userAccount(userId));
  return amount > 0n ? { amount, until } : null;
}
