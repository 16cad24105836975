import type { AppContext } from "../context.ts";
import type { Db } from "../db/db.ts";
import { GRANTS, POINTS, userAccount } from "../ledger/account-names.ts";
import { postedTo, postTransfer } from "../ledger/ledger.ts";

/**
 * Grants a new user their initial points, inside the transaction that makes the user. They are not earned, so they do
 * not count towards honor.
 */
export async function grantInitialPoints(ctx: AppContext, userId: number): Promise<void> {
  const amount = BigInt(ctx.config.initialPoints);
  if (amount === 0n) return;
  const legs = [
    { account: GRANTS, amount: -amount },
    { account: userAccount(userId), amount },
  ];
  await postTransfer(ctx, { key: grantKey(userId), kind: "grant", currency: POINTS, legs });
}

/** The key of the transfer that grants a user their initial points. */
export const grantKey = (userId: number): string => `grant:${userId}`;

const HOLD_MS = 24 * 60 * 60_000;

/** Points that cannot leave an account yet. */
interface Hold {
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
  const until = (user.claimed_at ?? user.created_at) + HOLD_MS;
  const isHeld = user.invited_by !== null || ctx.config.profile === "production";
  if (!isHeld || until <= ctx.clock.now()) return null;
  // The amount that was granted, which may differ from the current setting.
  const amount = await postedTo(ctx, grantKey(userId), userAccount(userId));
  return amount > 0n ? { amount, until } : null;
}

/**
 * Returns when a user registered or, if an import made the account, claimed it, and who invited them; undefined if there
 * is no such user.
 */
function findRegistered(
  db: Db,
  userId: number,
): Promise<{ created_at: number; claimed_at: number | null; invited_by: number | null } | undefined> {
  return db
    .selectFrom("users")
    .leftJoin("claimable_accounts as claimable", "claimable.user_id", "users.id")
    .select(["users.created_at", "users.invited_by", "claimable.claimed_at"])
    .where("users.id", "=", userId)
    .executeTakeFirst();
}
