import { type Insertable, type Selectable, sql } from "kysely";
import type { Db } from "../../db/db.ts";
import { Prepared } from "../../db/statements/prepared.ts";
import type { PaidResourcesTable } from "../../db/tables/payments.ts";

export type PaidFacts = Omit<Selectable<PaidResourcesTable>, "body">;

const FACTS = [
  "slug",
  "path",
  "description",
  "media_type",
  "size_bytes",
  "amount",
  "currency",
  "chain",
  "chain_id",
  "created_by",
  "created_at",
] as const;

/** Stores an item; returns false if there is one with that name. */
export async function insertPaid(db: Db, resource: Insertable<PaidResourcesTable>): Promise<boolean> {
  const result = await db
    .insertInto("paid_resources")
    .values(resource)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

const FIND = new Prepared((db, of: { slug: string }) =>
  db.selectFrom("paid_resources").select(FACTS).where("slug", "=", of.slug),
);
const READ = new Prepared((db, of: { slug: string }) =>
  db.selectFrom("paid_resources").select(["body", "media_type"]).where("slug", "=", of.slug),
);

export function findPaid(db: Db, slug: string): Promise<PaidFacts | undefined> {
  return FIND.first(db, { slug });
}

export interface PaidContent {
  body: Uint8Array;
  media_type: string;
}

export function readPaid(db: Db, slug: string): Promise<PaidContent | undefined> {
  return READ.first(db, { slug });
}

/** Returns all items, by name. */
export function listPaid(db: Db): Promise<PaidFacts[]> {
  return db.selectFrom("paid_resources").select(FACTS).orderBy("slug").execute();
}

/** Returns how often each path was paid for. */
export async function soldCounts(db: Db): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("payments")
    .select(["resource", (eb) => eb.fn.countAll<number | string>().as("n")])
    .where("state", "=", "granted")
    .where("resource", "in", (sold) => sold.selectFrom("paid_resources").select("path"))
    .groupBy("resource")
    .execute();
  return new Map(rows.map(({ resource, n }) => [resource, Number(n)]));
}

/** Removes an item from sale and keeps a copy for buyers. Returns false if there is no item with that name. */
export async function delistPaid(db: Db, slug: string, now: number): Promise<boolean> {
  await db
    .insertInto("removed_paid_resources")
    .columns([...KEPT, "body", "removed_at"])
    .expression((from) =>
      from
        .selectFrom("paid_resources")
        .select([...KEPT, "body", sql<number>`cast(${now} as bigint)`.as("removed_at")])
        .where("slug", "=", slug),
    )
    .execute();
  const result = await db.deleteFrom("paid_resources").where("slug", "=", slug).executeTakeFirst();
  return result.numDeletedRows === 1n;
}

const KEPT = ["path", "description", "media_type", "amount", "currency", "chain_id"] as const;

/** Returns the item that was last sold at that path. */
export function findRemoved(
  db: Db,
  path: string,
): Promise<(Pick<PaidFacts, (typeof KEPT)[number]> & { removed_at: number }) | undefined> {
  return db
    .selectFrom("removed_paid_resources")
    .select([...KEPT, "removed_at"])
    .where("path", "=", path)
    .orderBy("removed_at", "desc")
    .limit(1)
    .executeTakeFirst();
}

const READ_REMOVED = new Prepared((db, of: { path: string; since: number }) =>
  db
    .selectFrom("removed_paid_resources")
    .select(["body", "media_type"])
    .where("path", "=", of.path)
    .where("removed_at", ">=", of.since)
    .orderBy("removed_at")
    .limit(1),
);

/** Returns the content at that time, if it has been removed since. */
export function readRemoved(db: Db, path: string, since: number): Promise<PaidContent | undefined> {
  return READ_REMOVED.first(db, { path, since });
}

/** Deletes copies of items that were removed before that time. */
export async function forgetRemoved(db: Db, removedBefore: number): Promise<void> {
  await db.deleteFrom("removed_paid_resources").where("removed_at", "<", removedBefore).execute();
}
