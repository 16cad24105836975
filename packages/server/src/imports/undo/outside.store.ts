import { sql } from "kysely";
import type { Db } from "../../db/db.ts";
import type { Block } from "../imports.store.ts";

/** Counts what the people of an import have outside it. Each statement takes some of them, by their ids. */
export interface OfImport {
  db: Db;
  importId: number;
}

/** True of a channel that the import has not made. */
const isOutside = (column: string, importId: number) =>
  sql<boolean>`not exists (select 1 from import_items as item where item.kind = 'channel'
    and item.parley_id = ${sql.ref(column)} and item.import_id = ${importId})`;

type Counted = { n: number | string } | undefined;
const numberOf = (row: Counted): number => Number(row?.n);

/** Counts the conversations that others have begun with these users. */
export async function countDirect({ db, importId }: OfImport, users: readonly number[]): Promise<number> {
  const withUsers = await db
    .selectFrom("direct_channels as direct")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where((eb) => eb.or([eb("direct.low_user_id", "in", users), eb("direct.high_user_id", "in", users)]))
    .where(isOutside("direct.channel_id", importId))
    .executeTakeFirst();
  const withAgents = await db
    .selectFrom("direct_agents as direct")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where("direct.user_id", "in", users)
    .where(isOutside("direct.channel_id", importId))
    .executeTakeFirst();
  return numberOf(withUsers) + numberOf(withAgents);
}

/** Counts the conversations that others have begun with these agents. */
export async function countAgentDirect({ db, importId }: OfImport, agents: readonly number[]): Promise<number> {
  const row = await db
    .selectFrom("direct_agents as direct")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where("direct.agent_id", "in", agents)
    .where(isOutside("direct.channel_id", importId))
    .executeTakeFirst();
  return numberOf(row);
}

/** Counts how often these users are members of other channels than conversations. */
export async function countMemberships({ db, importId }: OfImport, users: readonly number[]): Promise<number> {
  const row = await db
    .selectFrom("channel_members as member")
    .leftJoin("direct_channels as direct", "direct.channel_id", "member.channel_id")
    .leftJoin("direct_agents as with_agent", "with_agent.channel_id", "member.channel_id")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where("member.user_id", "in", users)
    .where("direct.channel_id", "is", null)
    .where("with_agent.channel_id", "is", null)
    .where(isOutside("member.channel_id", importId))
    .executeTakeFirst();
  return numberOf(row);
}

/** Counts how often these agents are in other channels than conversations. */
export async function countAgentMemberships({ db, importId }: OfImport, agents: readonly number[]): Promise<number> {
  const row = await db
    .selectFrom("channel_agents as member")
    .leftJoin("direct_agents as direct", "direct.channel_id", "member.channel_id")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where("member.agent_id", "in", agents)
    .where("direct.channel_id", "is", null)
    .where(isOutside("member.channel_id", importId))
    .executeTakeFirst();
  return numberOf(row);
}

/** Counts the other channels, the agents and the agents that are being set up that these users own. */
export async function countOwned({ db, importId }: OfImport, users: readonly number[]): Promise<number> {
  const channels = await db
    .selectFrom("channels")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where("owner_id", "in", users)
    .where(isOutside("channels.id", importId))
    .executeTakeFirst();
  const agents = await db
    .selectFrom("agents")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where("owner_user_id", "in", users)
    .executeTakeFirst();
  const codes = await db
    .selectFrom("setup_codes")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where("owner_id", "in", users)
    .executeTakeFirst();
  return numberOf(channels) + numberOf(agents) + numberOf(codes);
}

/** Counts the threads of other channels that these users follow, or have followed. */
export async function countFollows({ db, importId }: OfImport, users: readonly number[]): Promise<number> {
  const row = await db
    .selectFrom("thread_follows as follow")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where("follow.user_id", "in", users)
    .where(isOutside("follow.channel_id", importId))
    .where(
      sql<boolean>`not exists (select 1 from import_extensions as added where added.channel_id = follow.channel_id
        and added.import_id = ${importId})`,
    )
    .executeTakeFirst();
  return numberOf(row);
}

/** Counts the files of these users or agents that are not of the import. */
export async function countFiles(
  { db, importId }: OfImport,
  owner: "user_id" | "agent_id",
  ids: readonly number[],
  { first_id, last_id }: Block,
): Promise<number> {
  const row = await db
    .selectFrom("files")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where(owner, "in", ids)
    .where((eb) =>
      eb.or([eb("message_id", "is", null), eb("message_id", "<", first_id), eb("message_id", ">", last_id)]),
    )
    .where(
      sql<boolean>`not exists (select 1 from import_items as item where item.kind = 'file'
        and item.parley_id = files.id and item.import_id = ${importId})`,
    )
    .executeTakeFirst();
  return numberOf(row);
}

/** Returns the imports of other workspaces that use these accounts. */
export async function importsUsing({ db, importId }: OfImport, users: readonly number[]): Promise<number[]> {
  const rows = await db
    .selectFrom("import_items as item")
    .select("item.import_id")
    .distinct()
    // Literal: otherwise the index of everything but messages is not used.
    .where("item.kind", "=", sql.lit("user"))
    .where("item.parley_id", "in", users)
    .where("item.import_id", "<>", importId)
    .execute();
  return rows.map(({ import_id }) => import_id);
}
