import type { Insertable, Kysely, Selectable } from "kysely";
import { Prepared } from "../db/prepared.ts";
import type { Tables } from "../db/tables.ts";
import type { PaidResourcesTable } from "../db/tables-payments.ts";

type Db = Kysely<Tables>;
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

/** False when there is one of that name. */
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
  db.selectFrom("paid_resources").select("body").where("slug", "=", of.slug),
);

export function findPaid(db: Db, slug: string): Promise<PaidFacts | undefined> {
  return FIND.first(db, { slug });
}

export async function readPaid(db: Db, slug: string): Promise<Uint8Array | null> {
  return (await READ.first(db, { slug }))?.body ?? null;
}

/** All of them, by name. */
export function listPaid(db: Db): Promise<PaidFacts[]> {
  return db.selectFrom("paid_resources").select(FACTS).orderBy("slug").execute();
}

/** How often things were paid for, by their path. */
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

export async function deletePaid(db: Db, slug: string): Promise<boolean> {
  const result = await db.deleteFrom("paid_resources").where("slug", "=", slug).executeTakeFirst();
  return result.numDeletedRows === 1n;
}
