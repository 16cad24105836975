import type { AppContext } from "../../context.ts";
import { holdRows } from "../../db/dialect.ts";
import { fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { honorLevel } from "../../points/score.ts";

/** The session of a user for whom the server acts later, such as by a scheduled message: no session has this id. */
export const NO_SESSION = 0;

/**
 * Returns a user as the caller of what they have asked the server to do later. It proves no password: nothing that asks
 * for one can be done so. Errors: `account_suspended`, `user_not_found` after the account was deleted.
 */
export async function absentUser(ctx: AppContext, userId: number): Promise<UserIdentity> {
  const row = await ctx.db
    .selectFrom("users")
    .leftJoin("honor", "honor.user_id", "users.id")
    .select(["users.username", "users.admin_level", "users.suspended_until", "users.erased_at", "honor.total_points"])
    .where("users.id", "=", userId)
    .executeTakeFirst();
  if (row === undefined || row.erased_at !== null) throw fail("user_not_found");
  if ((row.suspended_until ?? 0) > ctx.clock.now()) throw fail("account_suspended");
  return {
    kind: "user",
    sessionId: NO_SESSION,
    userId,
    key: `u${userId}`,
    username: row.username,
    adminLevel: row.admin_level,
    honorLevel: honorLevel(ctx.config.honorThresholds, row.total_points ?? 0),
    authenticatedAt: 0,
    lacksFactor: false,
  };
}

/** Returns the user as they are now, and holds their row until the transaction ends. Errors: those of `absentUser`. */
export async function holdAbsentUser(ctx: AppContext, userId: number): Promise<UserIdentity> {
  await holdRows(ctx.db, ctx.db.selectFrom("users").select("id").where("id", "=", userId)).execute();
  return absentUser(ctx, userId);
}
