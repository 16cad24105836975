import type { FindUsersResponse } from "@parley/protocol/accounts";
import { USERS_FOUND_MAX } from "@parley/protocol/limits";
import type { ExpressionBuilder } from "kysely";
import type { AppContext } from "../../context.ts";
import type { Db } from "../../db/db.ts";
import type { Tables } from "../../db/tables/tables.ts";
import { fail } from "../../errors.ts";
import type { Identity } from "../../http/identity.ts";
import { nameKey } from "../names/names.ts";
import { findKey } from "../shown/display-name.ts";

/**
 * Returns the first users whose usernames begin with the prefix, then those of whose display names a word does, and
 * whether each is online.
 */
export async function findUsers(ctx: AppContext, prefix: string): Promise<FindUsersResponse["users"]> {
  const byName = await usersByPrefix(ctx.db, prefix, USERS_FOUND_MAX);
  const shown = await usersByDisplayName(ctx.db, prefix, USERS_FOUND_MAX);
  const found = [...new Map([...byName, ...shown].map((user) => [user.id, user])).values()].slice(0, USERS_FOUND_MAX);
  const online = await onlineOf(ctx, found);
  return found.map(({ id, username, display_name }) => ({ username, display_name, is_online: online.has(id) }));
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

interface ShownUser extends FoundUser {
  display_name: string | null;
}

/**
 * Leaves out the anonymous owners of claimed keys, as whom nobody can log in. Accounts of an import are people who may
 * still come.
 */
const isPerson = (eb: ExpressionBuilder<Tables, "users">) =>
  eb.or([
    eb("users.password_hash", "is not", null),
    eb.exists(eb.selectFrom("identities").select("identities.id").whereRef("identities.user_id", "=", "users.id")),
    eb.exists(
      eb.selectFrom("claimable_accounts as own").select("own.user_id").whereRef("own.user_id", "=", "users.id"),
    ),
  ]);

/** Returns the first users, by name, whose names begin with the prefix, which becomes an index range. */
function usersByPrefix(db: Db, prefix: string, limit: number): Promise<ShownUser[]> {
  const key = nameKey(prefix);
  return db
    .selectFrom("users")
    .leftJoin("shown_profiles", "shown_profiles.user_id", "users.id")
    .select(["id", "username", "display_name"])
    .where("username_key", ">=", key)
    .where("username_key", "<", `${key}${LAST}`)
    .where("erased_at", "is", null)
    .where(isPerson)
    .orderBy("username_key")
    .limit(limit)
    .execute();
}

/** Returns the first users of whose display names a word begins with the prefix, which becomes an index range. */
function usersByDisplayName(db: Db, prefix: string, limit: number): Promise<ShownUser[]> {
  const key = findKey(prefix);
  if (key === "") return Promise.resolve([]);
  return db
    .selectFrom("display_name_keys")
    .innerJoin("users", "users.id", "display_name_keys.user_id")
    .innerJoin("shown_profiles", "shown_profiles.user_id", "users.id")
    .select(["users.id", "username", "display_name"])
    .where("find_key", ">=", key)
    .where("find_key", "<", `${key}${LAST}`)
    .where("erased_at", "is", null)
    .where(isPerson)
    .orderBy("find_key")
    .orderBy("users.id")
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
