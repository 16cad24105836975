import type { Db } from "../db/db.ts";
import { type ErasingStep, namePattern, withoutName } from "../erasure.ts";
import { erasedActor } from "./audit.ts";

const ACTS = 200;
const LINES = 1_000;

/** Replaces the user's name with their id in the log lines of their own acts. */
export const eraseActor: ErasingStep = async (ctx, { userId, username }, from) =>
  (await renameActor(ctx.db, username, erasedActor(userId), ACTS)) < ACTS ? null : from;

/** Removes the user's name from the details of log lines. The lines themselves stay: their subject is the user's id. */
export const eraseAuditDetails: ErasingStep = async (ctx, { username }, { a: after }) => {
  const newest = await newestLine(ctx.db);
  if (after >= newest) return null;
  const upTo = Math.min(after + LINES, newest);
  for (const { id, details } of await namingLines(ctx.db, username, after, upTo)) {
    const rewritten = details === null ? null : withoutName(details, username);
    if (rewritten !== null) await rewriteDetails(ctx.db, id, rewritten);
  }
  return { a: upTo, b: 0 };
};

/** Replaces the actor of up to `limit` lines, matched case-insensitively; returns how many. */
async function renameActor(db: Db, actor: string, to: string, limit: number): Promise<number> {
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
async function newestLine(db: Db): Promise<number> {
  const row = await db
    .selectFrom("audit_log")
    .select((of) => of.fn.max("id").as("id"))
    .executeTakeFirst();
  return Number(row?.id ?? 0);
}

/** Returns lines above `after`, up to `upTo`, whose details may name the user. */
function namingLines(
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

async function rewriteDetails(db: Db, id: number, details: string): Promise<void> {
  await db.updateTable("audit_log").set({ details }).where("id", "=", id).execute();
}
