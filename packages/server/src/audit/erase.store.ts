import type { Db } from "../db/db.ts";
import { namePattern } from "../erasure.ts";

/** Replaces the actor of up to `limit` lines, matched case-insensitively; returns how many. */
export async function renameActor(db: Db, actor: string, to: string, limit: number): Promise<number> {
  const rows = await db
    .selectFrom("audit_log")
    .select("id")
    .where((eb) => eb(eb.fn<string>("lower", ["actor"]), "=", actor.toLowerCase()))
    .limit(limit)
    .execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await db.updateTable("audit_log").set({ actor: to }).where("id", "in", ids).execute();
  return ids.length;
}

/** Returns the id of the newest line; 0 if there is none. */
export async function newestLine(db: Db): Promise<number> {
  const row = await db
    .selectFrom("audit_log")
    .select((of) => of.fn.max("id").as("id"))
    .executeTakeFirst();
  return Number(row?.id ?? 0);
}

/** Returns lines above `after`, up to `upTo`, whose details may name the user. */
export function namingLines(
  db: Db,
  username: string,
  after: number,
  upTo: number,
): Promise<{ id: number; details: string | null }[]> {
  return db
    .selectFrom("audit_log")
    .select(["id", "details"])
    .where("id", ">", after)
    .where("id", "<=", upTo)
    .where("details", "like", namePattern(username))
    .execute();
}

export async function rewriteDetails(db: Db, id: number, details: string): Promise<void> {
  await db.updateTable("audit_log").set({ details }).where("id", "=", id).execute();
}
