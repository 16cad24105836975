import { nameKey } from "../../accounts/names/names.ts";
import type { Db } from "../../db/db.ts";
import { isItem } from "../../db/statements/item-kind.ts";

/** Counts the people of these imports, by import and whether they have claimed their accounts. */
export async function countPeople(
  db: Db,
  importIds: readonly number[],
): Promise<ReadonlyMap<number, { claimed: number; unclaimed: number }>> {
  if (importIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("claimable_accounts")
    .select(["import_id", (eb) => eb.fn.countAll<number | string>().as("people")])
    .select((eb) => eb.fn.count<number | string>("claimed_at").as("claimed"))
    .where("import_id", "in", importIds)
    .groupBy("import_id")
    .execute();
  return new Map(
    rows.map(({ import_id, people, claimed }) => [
      import_id,
      { claimed: Number(claimed), unclaimed: Number(people) - Number(claimed) },
    ]),
  );
}

export interface UnclaimedRow {
  import_id: number;
  username: string;
  display_name: string | null;
  email: string | null;
  suspended_until: number | null;
  link_expires_at: number | null;
}

/** Returns a page of the people of open imports who have not claimed their accounts, in the order in which they were made. */
export function listUnclaimed(
  db: Db,
  importId: number | undefined,
  { limit, offset }: { limit: number; offset: number },
): Promise<UnclaimedRow[]> {
  return db
    .selectFrom("claimable_accounts as claimable")
    .innerJoin("imports", "imports.id", "claimable.import_id")
    .innerJoin("users", "users.id", "claimable.user_id")
    .leftJoin("shown_profiles as shown", "shown.user_id", "claimable.user_id")
    .leftJoin("claim_links as link", "link.user_id", "claimable.user_id")
    .select(["claimable.import_id", "users.username", "shown.display_name", "users.email", "users.suspended_until"])
    .select("link.expires_at as link_expires_at")
    .where("claimable.claimed_at", "is", null)
    .where("imports.status", "=", "done")
    .where("users.erased_at", "is", null)
    .$if(importId !== undefined, (all) => all.where("claimable.import_id", "=", importId ?? 0))
    .orderBy("claimable.import_id")
    .orderBy("claimable.user_id")
    .limit(limit)
    .offset(offset)
    .execute();
}

/** Returns what a user is called; null if they have no display name. */
export async function displayNameOf(db: Db, userId: number): Promise<string | null> {
  const query = db.selectFrom("shown_profiles").select("display_name").where("user_id", "=", userId);
  return (await query.executeTakeFirst())?.display_name ?? null;
}

/** The channels that a user is a member of, without deleted ones and direct conversations. */
const channelsOf = (db: Db, userId: number) =>
  db
    .selectFrom("channel_members as mine")
    .innerJoin("channels", "channels.id", "mine.channel_id")
    .leftJoin("direct_channels as direct", "direct.channel_id", "channels.id")
    .leftJoin("direct_agents as with_agent", "with_agent.channel_id", "channels.id")
    .where("mine.user_id", "=", userId)
    .where("channels.deleted_at", "is", null)
    .where("direct.channel_id", "is", null)
    .where("with_agent.channel_id", "is", null);

/** Returns the first of them by name, and how many there are. */
export async function firstChannelsOf(
  db: Db,
  userId: number,
  limit: number,
): Promise<{ channels: { slug: string; name: string }[]; count: number }> {
  const channels = await channelsOf(db, userId)
    .select(["channels.slug", "channels.name"])
    .orderBy("channels.name")
    .orderBy("channels.id")
    .limit(limit)
    .execute();
  const { count } = await channelsOf(db, userId)
    .select((eb) => eb.fn.countAll<number | string>().as("count"))
    .executeTakeFirstOrThrow();
  return { channels, count: Number(count) };
}

/** Returns the agent of a name that an open import made; undefined if there is none. */
export async function importedAgent(db: Db, name: string): Promise<{ agentId: number; name: string } | undefined> {
  const row = await db
    .selectFrom("names")
    .innerJoin("import_items", "import_items.parley_id", "names.agent_id")
    .innerJoin("imports", "imports.id", "import_items.import_id")
    .select(["names.agent_id", "names.name"])
    .where("names.name_key", "=", nameKey(name))
    .where(isItem("agent"))
    .where("imports.status", "=", "done")
    .executeTakeFirst();
  return row === undefined || row.agent_id === null ? undefined : { agentId: row.agent_id, name: row.name };
}
