import type { Kysely } from "kysely";
import type { Tables } from "../../db/tables/tables.ts";

type Db = Kysely<Tables>;

/** A user or agent who reacts. */
export interface Actor {
  kind: "user" | "agent";
  id: number;
}

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

export async function deleteReactionsOf(db: Db, messageId: number): Promise<void> {
  await db.deleteFrom("reactions").where("message_id", "=", messageId).execute();
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
