import { sql } from "kysely";
import type { Db } from "../../db/db.ts";

/** Returns stored bytes after a hash, in the order of the hashes. */
export function blobsAfter(db: Db, after: string, limit: number) {
  return db
    .selectFrom("file_blobs")
    .select(["sha256", "size_bytes as size"])
    .select(sql<string>`coalesce(storage_key, sha256)`.as("key"))
    .where("sha256", ">", after)
    .orderBy("sha256")
    .limit(limit)
    .execute();
}

/** True if files refer to the key, or if it waits for its removal. */
export async function isKnownKey(db: Db, key: string): Promise<boolean> {
  const used = await db.selectFrom("file_blobs").select("sha256").where("sha256", "=", key.slice(0, 64)).execute();
  if (used.length > 0) return true;
  const removed = await db.selectFrom("file_removals").select("storage_key").where("storage_key", "=", key).execute();
  return removed.length > 0;
}
