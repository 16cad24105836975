import type { Db } from "../db/db.ts";
import type { Actor } from "../messages/own-fields.ts";

/** Returns false if the actor has already given it. */
export async function insertReaction(
  db: Db,
  messageId: number,
  { kind, id }: Actor,
  reaction: string,
  now: number,
): Promise<boolean> {
  const inserted = await db
    .insertInto("reactions")
    .values({ message_id: messageId, actor_kind: kind, actor_id: id, reaction, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning("created_at")
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Returns false if the actor has not given it. */
export async function deleteReaction(
  db: Db,
  messageId: number,
  { kind, id }: Actor,
  reaction: string,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("reactions")
    .where("message_id", "=", messageId)
    .where("actor_kind", "=", kind)
    .where("actor_id", "=", id)
    .where("reaction", "=", reaction)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteReactionsOf(db: Db, messageIds: readonly number[]): Promise<void> {
  await db.deleteFrom("reactions").where("message_id", "in", messageIds).execute();
}

/** Someone who reacted; an agent that has no name of its own has none here. */
export interface ReactorRow {
  kind: "user" | "agent";
  name: string | null;
}

/** Returns who gave a reaction, in the reverse order of the primary key: users, then agents, the newest accounts first. */
export function findReactors(
  db: Db,
  messageId: number,
  reaction: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<ReactorRow[]> {
  return db
    .selectFrom("reactions as r")
    .leftJoin("users as u", (join) => join.onRef("u.id", "=", "r.actor_id").on("r.actor_kind", "=", "user"))
    .select((eb) => [
      "r.actor_kind as kind",
      eb.fn
        .coalesce(
          "u.username",
          eb
            .selectFrom("names as n")
            .whereRef("n.agent_id", "=", "r.actor_id")
            .where("r.actor_kind", "=", "agent")
            .select((of) => of.fn.min("n.name").as("name")),
        )
        .$castTo<string | null>()
        .as("name"),
    ])
    .where("r.message_id", "=", messageId)
    .where("r.reaction", "=", reaction)
    .orderBy("r.actor_kind", "desc")
    .orderBy("r.actor_id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
}

/** Returns the actor's reactions to these messages. */
export function reactionsBy(
  db: Db,
  { kind, id }: Actor,
  messageIds: readonly number[],
): Promise<{ message_id: number; reaction: string }[]> {
  return db
    .selectFrom("reactions")
    .select(["message_id", "reaction"])
    .where("message_id", "in", messageIds)
    .where("actor_kind", "=", kind)
    .where("actor_id", "=", id)
    .execute();
}

/** A reaction of a user, with the channel of its message. */
export interface GivenReaction {
  message_id: number;
  reaction: string;
  channel_id: number;
  slug: string;
  deleted_at: number | null;
}

/** Returns up to `limit` reactions of a user, in no particular order. */
export function reactionsOf(db: Db, userId: number, limit: number): Promise<GivenReaction[]> {
  return db
    .selectFrom("reactions")
    .innerJoin("messages", "messages.id", "reactions.message_id")
    .innerJoin("channels", "channels.id", "messages.channel_id")
    .select([
      "reactions.message_id",
      "reactions.reaction",
      "messages.channel_id",
      "channels.slug",
      "channels.deleted_at",
    ])
    .where("reactions.actor_kind", "=", "user")
    .where("reactions.actor_id", "=", userId)
    .limit(limit)
    .execute();
}
