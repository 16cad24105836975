import type { Db } from "../../db/db.ts";
import { PaddedStatement } from "../../db/statements/padded-statement.ts";

/** A user who follows a thread, and how far they have read it. */
export interface FollowerRow {
  root_id: number;
  user_id: number;
  is_following: number;
  last_read_seq: number;
}

const FOLLOWERS = new PaddedStatement<FollowerRow>((db, ids) =>
  db
    .selectFrom("thread_follows")
    .select(["root_id", "user_id", "is_following", "last_read_seq"])
    .where("root_id", "in", ids),
);

/** Returns the followers of these threads by thread, also those who no longer follow. */
export async function followersByThread(
  db: Db,
  rootIds: readonly number[],
): Promise<ReadonlyMap<number, readonly FollowerRow[]>> {
  if (rootIds.length === 0) return new Map();
  return Map.groupBy(await FOLLOWERS.all(db, rootIds), ({ root_id }) => root_id);
}
