import type { SetupSteps } from "@parley/protocol/site";
import { nameKey } from "../accounts/names/names.ts";
import { findKey } from "../accounts/shown/display-name.ts";
import type { Db } from "../db/db.ts";

export interface AdminUserRow {
  id: number;
  username: string;
  email: string | null;
  admin_level: number | null;
  suspended_until: number | null;
  created_at: number;
}

const COLUMNS = ["id", "username", "email", "admin_level", "suspended_until", "created_at"] as const;

export interface UserFilter {
  prefix?: string | undefined;
  suspended?: boolean | undefined;
  admin?: boolean | undefined;
}

/** Sorts after every name with the same prefix. */
const LAST = "\u{10ffff}";

/** Lists users ordered by name; a prefix becomes an index range. */
export function listUsers(
  db: Db,
  { prefix, suspended, admin }: UserFilter,
  now: number,
  page: { limit: number; offset: number },
): Promise<AdminUserRow[]> {
  let query = db.selectFrom("users").select(COLUMNS).where("erased_at", "is", null);
  if (prefix !== undefined && prefix !== "") {
    const key = nameKey(prefix);
    const shown = findKey(prefix);
    query = query.where((user) =>
      user.or([
        user.and([user("username_key", ">=", key), user("username_key", "<", `${key}${LAST}`)]),
        user(
          "id",
          "in",
          user
            .selectFrom("display_name_keys")
            .select("user_id")
            .where("find_key", ">=", shown)
            .where("find_key", "<", `${shown}${LAST}`),
        ),
      ]),
    );
  }
  if (suspended === true) query = query.where("suspended_until", ">", now);
  if (suspended === false) {
    query = query.where((user) => user.or([user("suspended_until", "is", null), user("suspended_until", "<=", now)]));
  }
  if (admin !== undefined) query = query.where("admin_level", admin ? "is not" : "is", null);
  return query.orderBy("username_key").limit(page.limit).offset(page.offset).execute();
}

/** Returns which first steps with the site are done (protocol §11). `ownerId`: the user who takes them. */
export async function findSetupSteps(db: Db, ownerId: number): Promise<SetupSteps> {
  const row = await db
    .selectNoFrom((eb) => [
      eb
        .exists(
          eb
            .selectFrom("users")
            .select("id")
            .where("id", "!=", ownerId)
            .where("erased_at", "is", null)
            // Anonymous owners of claimed keys have none.
            .where("password_hash", "is not", null),
        )
        .as("people"),
      eb.exists(eb.selectFrom("agents").select("id").where("last_seen_at", "is not", null)).as("agent"),
      eb
        .exists(
          eb
            .selectFrom("channels")
            .leftJoin("direct_channels as direct", "direct.channel_id", "channels.id")
            .leftJoin("direct_agents", "direct_agents.channel_id", "channels.id")
            .select("channels.id")
            .where("channels.slug", "!=", "general")
            .where("channels.deleted_at", "is", null)
            .where("direct.channel_id", "is", null)
            .where("direct_agents.channel_id", "is", null),
        )
        .as("channel"),
    ])
    .executeTakeFirstOrThrow();
  return { people: Boolean(row.people), agent: Boolean(row.agent), channel: Boolean(row.channel) };
}
