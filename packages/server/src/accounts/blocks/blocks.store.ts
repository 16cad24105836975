import type { Insertable } from "kysely";
import type { Db } from "../../db/db.ts";
import type { UserBlocksTable } from "../../db/tables/accounts.ts";
import type { MemberKey } from "../../http/identity.ts";

/** Returns the keys of everybody whom the user has blocked. */
export async function blockedKeys(db: Db, blockerId: number): Promise<MemberKey[]> {
  const rows = await db.selectFrom("user_blocks").select("blocked_key").where("blocker_id", "=", blockerId).execute();
  return rows.map(({ blocked_key }) => blocked_key as MemberKey);
}

/** Returns true if the user `blockerId` has blocked `blocked`. */
export async function isBlocked(db: Db, blockerId: number, blocked: MemberKey): Promise<boolean> {
  const row = await db
    .selectFrom("user_blocks")
    .select("created_at")
    .where("blocker_id", "=", blockerId)
    .where("blocked_key", "=", blocked)
    .executeTakeFirst();
  return row !== undefined;
}

export async function countBlocks(db: Db, blockerId: number): Promise<number> {
  const { n } = await db
    .selectFrom("user_blocks")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where("blocker_id", "=", blockerId)
    .executeTakeFirstOrThrow();
  return Number(n);
}

/** Inserts a block; an existing one stays unchanged. */
export async function insertBlock(db: Db, block: Insertable<UserBlocksTable>): Promise<void> {
  await db
    .insertInto("user_blocks")
    .values(block)
    .onConflict((conflict) => conflict.columns(["blocker_id", "blocked_key"]).doNothing())
    .execute();
}

export async function deleteBlock(db: Db, blockerId: number, blocked: MemberKey): Promise<void> {
  await db.deleteFrom("user_blocks").where("blocker_id", "=", blockerId).where("blocked_key", "=", blocked).execute();
}

export interface BlockRow {
  user_id: number | null;
  /** Null for an agent that no longer has a name. */
  name: string | null;
  created_at: number;
}

const blockRows = (db: Db, blockerId: number) =>
  db
    .selectFrom("user_blocks as block")
    .leftJoin("users as u", "u.id", "block.user_id")
    .select(["block.user_id", "block.created_at"])
    .select((eb) =>
      eb.fn
        .coalesce(
          "u.username",
          eb
            .selectFrom("names as n")
            .whereRef("n.agent_id", "=", "block.agent_id")
            .select((of) => of.fn.min("n.name").as("name")),
        )
        .$castTo<string | null>()
        .as("name"),
    )
    .where("block.blocker_id", "=", blockerId);

export async function findBlock(db: Db, blockerId: number, blocked: MemberKey): Promise<BlockRow | null> {
  return (await blockRows(db, blockerId).where("block.blocked_key", "=", blocked).executeTakeFirst()) ?? null;
}

export function listBlocks(db: Db, blockerId: number): Promise<BlockRow[]> {
  return blockRows(db, blockerId).orderBy("name").orderBy("block.blocked_key").execute();
}

/** Removes all blocks by and against a user; returns the ids of the other users who had blocked them. */
export async function removeBlocks(db: Db, userId: number): Promise<number[]> {
  await db.deleteFrom("user_blocks").where("blocker_id", "=", userId).execute();
  const rows = await db.deleteFrom("user_blocks").where("user_id", "=", userId).returning("blocker_id").execute();
  return rows.map(({ blocker_id }) => blocker_id);
}
