import { sql } from "kysely";
import type { Db } from "../db/db.ts";

/**
 * Adds a reference to the bytes of a hash, whether or not they are stored. Returns whether it is the only one, and the
 * key to store them under: `newKey`, unless the bytes have one.
 */
export async function addReference(
  db: Db,
  { sha256, size }: { sha256: string; size: number },
  newKey: string,
): Promise<{ isOnly: boolean; key: string }> {
  const row = await db
    .insertInto("file_blobs")
    .values({ sha256, size_bytes: size, refs: 1, unused_at: null, removing_until: null, storage_key: newKey })
    .onConflict((conflict) =>
      conflict
        .column("sha256")
        .doUpdateSet({ refs: sql<number>`file_blobs.refs + 1`, unused_at: null, removing_until: null }),
    )
    .returning(["refs", "storage_key"])
    .executeTakeFirstOrThrow();
  return { isOnly: row.refs === 1, key: row.storage_key ?? sha256 };
}

/** Returns the key under which the storage has the bytes of a hash. */
export async function keyOf(db: Db, sha256: string): Promise<string> {
  const row = await db.selectFrom("file_blobs").select("storage_key").where("sha256", "=", sha256).executeTakeFirst();
  return row?.storage_key ?? sha256;
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

/**
 * Forgets a hash to which nothing refers, and lists its key for removal. The same bytes get another key when they are
 * uploaded again. Does nothing if the hash is in use.
 */
export async function retire(db: Db, sha256: string, now: number): Promise<void> {
  const row = await db
    .deleteFrom("file_blobs")
    .where("sha256", "=", sha256)
    .where("refs", "=", 0)
    .returning("storage_key")
    .executeTakeFirst();
  if (row === undefined) return;
  await db
    .insertInto("file_removals")
    .values({ storage_key: row.storage_key ?? sha256, created_at: now })
    .onConflict((conflict) => conflict.column("storage_key").doNothing())
    .execute();
}

/** Returns keys to remove from the storage that were retired by `until`, those that failed last at the end. */
export async function keysToRemove(db: Db, until: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("file_removals")
    .select("storage_key")
    .where("created_at", "<=", until)
    .orderBy("created_at")
    .limit(limit)
    .execute();
  return rows.map(({ storage_key }) => storage_key);
}

export async function keyRemoved(db: Db, key: string): Promise<void> {
  await db.deleteFrom("file_removals").where("storage_key", "=", key).execute();
}

/** Puts a removal that failed behind those that are due at `now`. */
export async function postponeRemoval(db: Db, key: string, now: number): Promise<void> {
  await db.updateTable("file_removals").set({ created_at: now }).where("storage_key", "=", key).execute();
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
