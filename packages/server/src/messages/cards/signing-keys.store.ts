import type { Selectable } from "kysely";
import type { Db } from "../../db/db.ts";
import type { SigningKeysTable } from "../../db/tables/cards.ts";

export type SigningKeyRow = Selectable<SigningKeysTable>;

/** Returns all keys, the newest first. */
export function findSigningKeys(db: Db): Promise<SigningKeyRow[]> {
  return db.selectFrom("signing_keys").selectAll().orderBy("generation", "desc").execute();
}

/** Returns the key that signs. */
export function currentSigningKey(db: Db): Promise<SigningKeyRow | undefined> {
  return db.selectFrom("signing_keys").selectAll().orderBy("generation", "desc").limit(1).executeTakeFirst();
}

/** Stores a key, unless another process has just stored one of that generation. */
export async function insertSigningKey(db: Db, key: SigningKeyRow): Promise<void> {
  await db
    .insertInto("signing_keys")
    .values(key)
    .onConflict((conflict) => conflict.column("generation").doNothing())
    .execute();
}

/** Retires all keys below a generation. */
export async function retireBelow(db: Db, generation: number, now: number): Promise<void> {
  await db
    .updateTable("signing_keys")
    .set({ retired_at: now })
    .where("generation", "<", generation)
    .where("retired_at", "is", null)
    .execute();
}
