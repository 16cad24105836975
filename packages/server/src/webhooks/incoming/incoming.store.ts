import type { Insertable, Selectable, Updateable } from "kysely";
import type { Db } from "../../db/db.ts";
import type { IncomingWebhooksTable } from "../../db/tables/webhooks.ts";

export type IncomingRow = Selectable<IncomingWebhooksTable>;

export function incomingOf(db: Db, channelId: number): Promise<IncomingRow[]> {
  return db.selectFrom("incoming_webhooks").selectAll().where("channel_id", "=", channelId).orderBy("id").execute();
}

export function findIncoming(db: Db, id: number): Promise<IncomingRow | undefined> {
  return db.selectFrom("incoming_webhooks").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function insertIncoming(db: Db, row: Insertable<IncomingWebhooksTable>): Promise<IncomingRow> {
  return db.insertInto("incoming_webhooks").values(row).returningAll().executeTakeFirstOrThrow();
}

/** Returns the changed row; undefined if it is gone. */
export function updateIncoming(
  db: Db,
  id: number,
  change: Updateable<IncomingWebhooksTable>,
): Promise<IncomingRow | undefined> {
  return db.updateTable("incoming_webhooks").set(change).where("id", "=", id).returningAll().executeTakeFirst();
}

export async function deleteIncoming(db: Db, id: number): Promise<void> {
  await db.deleteFrom("incoming_webhooks").where("id", "=", id).execute();
}
