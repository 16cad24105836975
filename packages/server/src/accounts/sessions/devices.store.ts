import type { Insertable } from "kysely";
import type { Db } from "../../db/db.ts";
import type { LoginDevicesTable } from "../../db/tables/accounts.ts";

/** Returns the browser with that token hash, and the user it belongs to. */
export async function findDevice(
  db: Db,
  tokenHash: string,
  usedAfter: number,
): Promise<{ id: number; user_id: number } | null> {
  const row = await db
    .selectFrom("login_devices")
    .select(["id", "user_id"])
    .where("token_hash", "=", tokenHash)
    .where("last_used_at", ">", usedAfter)
    .executeTakeFirst();
  return row ?? null;
}

export async function hasDevice(db: Db, userId: number): Promise<boolean> {
  const query = db.selectFrom("login_devices").select("id").where("user_id", "=", userId).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

export async function insertDevice(db: Db, device: Insertable<LoginDevicesTable>): Promise<void> {
  await db.insertInto("login_devices").values(device).execute();
}

/** Records a use of the browser; false when it has been removed. */
export async function touchDevice(db: Db, id: number, userAgent: string | null, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("login_devices")
    .set({ last_used_at: now, user_agent: userAgent })
    .where("id", "=", id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Removes a user's browsers except the `keep` last used. */
export async function removeOldestDevices(db: Db, userId: number, keep: number): Promise<void> {
  await db
    .deleteFrom("login_devices")
    .where("user_id", "=", userId)
    .where("id", "not in", (eb) =>
      eb
        .selectFrom("login_devices as kept")
        .select("kept.id")
        .where("kept.user_id", "=", userId)
        .orderBy("kept.last_used_at", "desc")
        .orderBy("kept.id", "desc")
        .limit(keep),
    )
    .execute();
}

export interface DeviceRow {
  user_agent: string | null;
  created_at: number;
  last_used_at: number;
}

/** Lists a user's browsers, last used first. */
export function listDevices(db: Db, userId: number): Promise<DeviceRow[]> {
  return db
    .selectFrom("login_devices")
    .select(["user_agent", "created_at", "last_used_at"])
    .where("user_id", "=", userId)
    .orderBy("last_used_at", "desc")
    .orderBy("id", "desc")
    .execute();
}

export async function removeDevices(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("login_devices").where("user_id", "=", userId).execute();
}
