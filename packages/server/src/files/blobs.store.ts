import { type Kysely, sql } from "kysely";
import type { Tables } from "../db/tables/tables.ts";

type Db = Kysely<Tables>;

/**
 * Adds a reference to the bytes of a hash, whether or not they are stored. Returns whether it is the only one; null
 * while a sweep removes the bytes.
 */
export async function addReference(
  db: Db,
  { sha256, size }: { sha256: string; size: number },
  now: number,
): Promise<{ isOnly: boolean } | null> {
  const row = await db
    .insertInto("file_blobs")
    .values({ sha256, size_bytes: size, refs: 1, unused_at: null, removing_until: null })
    .onConflict((conflict) =>
      conflict
        .column("sha256")
        .doUpdateSet({ refs: sql<number>`file_blobs.refs + 1`, unused_at: null, removing_until: null })
        .where((eb) =>
          eb.or([eb("file_blobs.removing_until", "is", null), eb("file_blobs.removing_until", "<=", now)]),
        ),
    )
    .returning("refs")
    .executeTakeFirst();
  return row === undefined ? null : { isOnly: row.refs === 1 };
}

/** Removes references to the bytes of a hash. Returns the bytes that nothing refers to any more: their number, or 0. */
export async function dropReferences(db: Db, sha256: string, count: number, now: number): Promise<number> {
  const row = await db
    .updateTable("file_blobs")
    .set({
      refs: sql<number>`refs - ${count}`,
      unused_at: sql<number | null>`case when refs = ${count} then ${sql.lit(now)} else unused_at end`,
    })
    .where("sha256", "=", sha256)
    .returning(["refs", "size_bytes"])
    .executeTakeFirst();
  return row === undefined || row.refs > 0 ? 0 : row.size_bytes;
}

/** Returns hashes to which nothing has referred since before `before`. */
export async function unusedBlobs(db: Db, before: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("file_blobs")
    .select("sha256")
    .where("unused_at", "is not", null)
    .where("unused_at", "<", before)
    .orderBy("unused_at")
    .limit(limit)
    .execute();
  return rows.map(({ sha256 }) => sha256);
}

/** Claims an unused hash for removal until that time; false if it is in use or claimed. */
export async function beginRemoval(db: Db, sha256: string, now: number, until: number): Promise<boolean> {
  const result = await db
    .updateTable("file_blobs")
    .set({ removing_until: until })
    .where("sha256", "=", sha256)
    .where("refs", "=", 0)
    .where((eb) => eb.or([eb("removing_until", "is", null), eb("removing_until", "<=", now)]))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Forgets a hash whose bytes were removed under that claim. */
export async function endRemoval(db: Db, sha256: string, until: number): Promise<void> {
  await db
    .deleteFrom("file_blobs")
    .where("sha256", "=", sha256)
    .where("refs", "=", 0)
    .where("removing_until", "=", until)
    .execute();
}

/** The owner of everything in the storage; the bytes of each hash count once. */
export const ALL = "all";

/** Adds to the bytes of an owner unless they would exceed the limit. Locks the owner's row. */
export async function addUsage(db: Db, owner: string, bytes: number, limit: number | null): Promise<boolean> {
  if (limit !== null && bytes > limit) return false;
  const row = await db
    .insertInto("file_usage")
    .values({ owner, bytes })
    .onConflict((conflict) => {
      const added = conflict.column("owner").doUpdateSet({ bytes: sql<number>`file_usage.bytes + ${bytes}` });
      return limit === null ? added : added.where("file_usage.bytes", "<=", limit - bytes);
    })
    .returning("bytes")
    .executeTakeFirst();
  return row !== undefined;
}

export async function reduceUsage(db: Db, owner: string, bytes: number): Promise<void> {
  await db
    .updateTable("file_usage")
    .set({ bytes: sql<number>`bytes - ${bytes}` })
    .where("owner", "=", owner)
    .execute();
}

export async function usageOf(db: Db, owner: string): Promise<number> {
  return (await db.selectFrom("file_usage").select("bytes").where("owner", "=", owner).executeTakeFirst())?.bytes ?? 0;
}

export async function forgetUsage(db: Db, owner: string): Promise<void> {
  await db.deleteFrom("file_usage").where("owner", "=", owner).execute();
}
