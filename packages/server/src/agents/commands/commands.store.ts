import { type ExpressionBuilder, sql } from "kysely";
import type { Db } from "../../db/db.ts";
import type { CommandScope } from "../../db/tables/agent-commands.ts";
import type { Tables } from "../../db/tables/tables.ts";
import type { ListPlace } from "./command-lists.ts";

/** The owner of lists: one name of an agent. */
export interface Named {
  agentId: number;
  nameKey: string;
}

const isPlace =
  ({ nameKey }: Pick<Named, "nameKey">, { scope, channelId, language }: ListPlace) =>
  (eb: ExpressionBuilder<Tables, "agent_commands">) =>
    eb.and({ name_key: nameKey, scope, channel_id: channelId, language });

/** Writes a list in the place of the one before it, which makes it the newest of its agent. */
export async function storeList(db: Db, of: Named, place: ListPlace, commands: string, now: number): Promise<void> {
  await deleteList(db, of, place);
  await db
    .insertInto("agent_commands")
    .values({
      agent_id: of.agentId,
      name_key: of.nameKey,
      scope: place.scope,
      channel_id: place.channelId,
      language: place.language,
      commands,
      set_at: now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(["name_key", "scope", "channel_id", "language"])
        .doUpdateSet((eb) => ({ commands: eb.ref("excluded.commands"), set_at: eb.ref("excluded.set_at") })),
    )
    .execute();
}

export async function deleteList(db: Db, of: Pick<Named, "nameKey">, place: ListPlace): Promise<void> {
  await db.deleteFrom("agent_commands").where(isPlace(of, place)).execute();
}

/** Deletes all but the newest lists of an agent. */
export async function keepNewest(db: Db, agentId: number, kept: number): Promise<void> {
  const newest = db
    .selectFrom("agent_commands")
    .select("id")
    .where("agent_id", "=", agentId)
    .orderBy("id", "desc")
    .limit(kept);
  await db.deleteFrom("agent_commands").where("agent_id", "=", agentId).where("id", "not in", newest).execute();
}

/** Returns the stored commands of a place; undefined: none. */
export async function findList(db: Db, of: Pick<Named, "nameKey">, place: ListPlace): Promise<string | undefined> {
  const row = await db.selectFrom("agent_commands").select("commands").where(isPlace(of, place)).executeTakeFirst();
  return row?.commands;
}

/** A channel, and the lists that may apply to its readers. */
export interface Reading {
  channelId: number;
  /** The name of the agent of a direct conversation; null in other channels: every name that is there. */
  only: string | null;
  scopes: readonly CommandScope[];
  language: string;
  now: number;
}

/**
 * The lists of names that are in the channel: logged in, or of an agent that was added. A paused agent and one without
 * an accepted key answer nothing, so they are left out.
 */
function listsIn(db: Db, { channelId, only, scopes, language, now }: Reading) {
  const here = sql<number>`(select agent_id from agent_presence where channel_id = ${channelId} union select agent_id from channel_agents where channel_id = ${channelId})`;
  const query = db
    .selectFrom("agent_commands as c")
    .innerJoin("agents as a", "a.id", "c.agent_id")
    .where("c.agent_id", "in", here)
    .where("a.paused", "=", 0)
    .where("c.channel_id", "in", [0, channelId])
    .where("c.scope", "in", scopes)
    .where("c.language", "in", ["", language])
    .where((eb) =>
      eb.or([
        eb.exists(
          eb
            .selectFrom("channel_agents as m")
            .select("m.agent_id")
            .where("m.channel_id", "=", channelId)
            .whereRef("m.agent_id", "=", "c.agent_id"),
        ),
        eb.exists(
          eb
            .selectFrom("agent_presence as p")
            .select("p.agent_id")
            .where("p.channel_id", "=", channelId)
            .whereRef("p.agent_id", "=", "c.agent_id")
            .whereRef("p.name_key", "=", "c.name_key"),
        ),
      ]),
    )
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("api_keys as k")
          .select("k.id")
          .whereRef("k.agent_id", "=", "c.agent_id")
          .where((key) => key.or([key("k.revoked_at", "is", null), key("k.revoked_at", ">", now)])),
      ),
    );
  return only === null ? query : query.where("c.name_key", "=", only);
}

/** Returns a page of the names that have commands in the channel, in order. */
export async function namesWithLists(
  db: Db,
  reading: Reading,
  { limit, offset }: { limit: number; offset: number },
): Promise<string[]> {
  const rows = await listsIn(db, reading)
    .select("c.name_key")
    .distinct()
    .orderBy("c.name_key")
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(({ name_key }) => name_key);
}

/** Returns the lists of these names, without their commands. */
export async function listsOf(db: Db, reading: Reading, nameKeys: readonly string[]) {
  if (nameKeys.length === 0) return [];
  return listsIn(db, reading)
    .innerJoin("names as n", "n.name_key", "c.name_key")
    .select(["c.id", "c.agent_id", "c.name_key", "c.scope", "c.language", "n.name"])
    .where("c.name_key", "in", nameKeys)
    .execute();
}

/** Returns the commands of lists, by their ids. */
export async function commandsOfLists(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom("agent_commands").select(["id", "commands"]).where("id", "in", ids).execute();
  return new Map(rows.map(({ id, commands }) => [id, commands]));
}

/** Returns the lists of these names for a channel in which the command may be: the pattern may match a few more. */
export function listsWith(
  db: Db,
  { channelId, scopes }: Pick<Reading, "channelId" | "scopes">,
  command: string,
  nameKeys: readonly string[],
) {
  return db
    .selectFrom("agent_commands")
    .select(["name_key", "commands"])
    .where("name_key", "in", nameKeys)
    .where("channel_id", "in", [0, channelId])
    .where("scope", "in", scopes)
    .where("commands", "like", `%"command":"${command}"%`)
    .execute();
}

/** Deletes the lists of purged channels. */
export async function deleteOfPurged(db: Db): Promise<void> {
  await db
    .deleteFrom("agent_commands")
    .where("channel_id", "in", (eb) =>
      eb.selectFrom("channels").select("channels.id").where("channels.purged_at", "is not", null),
    )
    .execute();
}

/** Deletes the lists of all agents of which the user is the verified owner. */
export async function deleteOfOwner(db: Db, userId: number): Promise<void> {
  await db
    .deleteFrom("agent_commands")
    .where("agent_id", "in", (eb) =>
      eb.selectFrom("agents").select("agents.id").where("owner_user_id", "=", userId).where("owner_verified", "=", 1),
    )
    .execute();
}
