import { USERS_FOUND_MAX } from "@parley/protocol/limits";
import type { AppContext } from "../../context.ts";
import type { Db } from "../../db/db.ts";
import { fail } from "../../errors.ts";
import type { Identity } from "../../http/identity.ts";
import { nameKey } from "../names/names.ts";

/** Returns the first users whose names begin with the prefix, and whether each is online. */
export async function findUsers(ctx: AppContext, prefix: string): Promise<{ username: string; is_online: boolean }[]> {
  const found = await usersByPrefix(ctx.db, prefix, USERS_FOUND_MAX);
  const online = await onlineOf(ctx, found);
  return found.map(({ id, username }) => ({ username, is_online: online.has(id) }));
}

/**
 * Returns the users among the names, separated by commas, who are online.
 * @throws session_required
 */
export async function presenceOf(ctx: AppContext, caller: Identity, usernames: string): Promise<string[]> {
  if (caller.kind === "guest" && !ctx.config.guestRead) throw fail("session_required");
  const found = await usersByNames(ctx.db, [...new Set(usernames.split(","))]);
  const online = await onlineOf(ctx, found);
  return found.filter(({ id }) => online.has(id)).map(({ username }) => username);
}

/** Returns the ids of those who are online on any node. */
async function onlineOf(ctx: AppContext, users: readonly FoundUser[]): Promise<Set<number>> {
  const states = await Promise.all(
    users.map(async ({ id }) => ({ id, isOnline: await ctx.presence.isUserOnline(id) })),
  );
  return new Set(states.filter(({ isOnline }) => isOnline).map(({ id }) => id));
}

/** Sorts after every name with the same prefix. */
const LAST = "\u{10ffff}";

interface FoundUser {
  id: number;
  username: string;
}

/** Returns the first users, by name, whose names begin with the prefix, which becomes an index range. Accounts without a login are left out. */
function usersByPrefix(db: Db, prefix: string, limit: number): Promise<FoundUser[]> {
  const key = nameKey(prefix);
  return db
    .selectFrom("users")
    .select(["id", "username"])
    .where("username_key", ">=", key)
    .where("username_key", "<", `${key}${LAST}`)
    .where("erased_at", "is", null)
    .where("password_hash", "is not", null)
    .orderBy("username_key")
    .limit(limit)
    .execute();
}

/** Returns the users with these names; unknown names are left out. */
function usersByNames(db: Db, names: readonly string[]): Promise<FoundUser[]> {
  return db
    .selectFrom("users")
    .select(["id", "username"])
    .where("username_key", "in", names.map(nameKey))
    .where("erased_at", "is", null)
    .orderBy("id")
    .execute();
}
