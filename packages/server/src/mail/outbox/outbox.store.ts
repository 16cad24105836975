import type { Insertable, Selectable } from "kysely";
import type { Db } from "../../db/db.ts";
import type { MailsTable } from "../../db/tables/mails.ts";

export type MailRow = Selectable<MailsTable>;

export async function insertMail(db: Db, row: Omit<Insertable<MailsTable>, "id">): Promise<void> {
  await db.insertInto("mails").values(row).execute();
}

/** Returns ids of mails that may be tried now, the one that is due longest first. */
export async function dueMails(db: Db, now: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom("mails")
    .select("id")
    .where("ended_at", "is", null)
    .where("state", "=", "waiting")
    .where("due_at", "<=", now)
    .where("claimed_until", "<=", now)
    .orderBy("due_at")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Takes a mail for one try until `until`. Returns null if another node has it, or if it does not wait any more. */
export async function claimMail(
  db: Db,
  id: number,
  { now, until }: { now: number; until: number },
): Promise<MailRow | null> {
  const row = await db
    .updateTable("mails")
    .set((eb) => ({ claimed_until: until, tries: eb("tries", "+", 1) }))
    .where("id", "=", id)
    .where("state", "=", "waiting")
    .where("ended_at", "is", null)
    .where("due_at", "<=", now)
    .where("claimed_until", "<=", now)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Identifies the claim of a node on a mail: another claim has another time or number of tries. */
export type Claim = Pick<MailRow, "id" | "tries" | "claimed_until">;

const claimed = (db: Db, { id, tries, claimed_until }: Claim) =>
  db
    .updateTable("mails")
    .where("id", "=", id)
    .where("tries", "=", tries)
    .where("claimed_until", "=", claimed_until)
    .where("ended_at", "is", null);

/** Notes that the mail server is about to get the mail. Returns false if the claim is over: it must not get it then. */
export async function markHandingOver(db: Db, claim: Claim): Promise<boolean> {
  const { numUpdatedRows } = await claimed(db, claim)
    .set({ state: "handing_over" })
    .where("state", "=", "waiting")
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Ends a mail, unless the claim is over. Its address and parameters are needed no more if it was sent to nobody. */
export async function endMail(
  db: Db,
  claim: Claim,
  end: { state: Exclude<MailRow["state"], "waiting" | "handing_over">; reason: string | null; now: number },
): Promise<void> {
  await claimed(db, claim).set({ state: end.state, reason: end.reason, ended_at: end.now, claimed_until: 0 }).execute();
}

/** Lets a mail wait for another try, unless the claim is over. `isCounted`: the try counts. */
export async function putBack(
  db: Db,
  claim: Claim,
  { dueAt, reason, isCounted }: { dueAt: number; reason: string; isCounted: boolean },
): Promise<void> {
  await claimed(db, claim)
    .set((eb) => ({
      state: "waiting",
      due_at: dueAt,
      reason,
      claimed_until: 0,
      tries: isCounted ? eb.ref("tries") : eb("tries", "-", 1),
    }))
    .execute();
}

/** Deletes a mail whose claim holds, with what it was asked for. */
export async function deleteMail(db: Db, { id, tries, claimed_until }: Claim): Promise<void> {
  await db
    .deleteFrom("mails")
    .where("id", "=", id)
    .where("tries", "=", tries)
    .where("claimed_until", "=", claimed_until)
    .execute();
}

/** Notes whom a mail turned out to be for, so that their erasure removes it. */
export async function setMailUser(db: Db, id: number, userId: number): Promise<void> {
  await db.updateTable("mails").set({ user_id: userId }).where("id", "=", id).execute();
}

/** Ends the mails whose handing over nobody has answered: the mail server has them, or has not. Returns how many. */
export async function endUnsure(db: Db, now: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable("mails")
    .set({
      state: "unsure",
      ended_at: now,
      claimed_until: 0,
      reason: "the server ended before the mail server answered",
    })
    .where("state", "=", "handing_over")
    .where("claimed_until", "<=", now)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Ends all claims, when no other node can have one. */
export async function endClaims(db: Db): Promise<void> {
  await db.updateTable("mails").set({ claimed_until: 0 }).where("claimed_until", ">", 0).execute();
}

const restored = (db: Db, now: number) =>
  db
    .updateTable("mails")
    .set({ state: "dropped", ended_at: now, claimed_until: 0, reason: "restored" })
    .where("ended_at", "is", null);

/** Ends the mails that were asked for before the data was restored: perhaps they were sent in what was lost. */
export async function endOfOtherEpochs(db: Db, epoch: string, now: number): Promise<number> {
  const { numUpdatedRows } = await restored(db, now).where("epoch", "<>", epoch).executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Ends all mails that have not ended, as a restore does. Returns them, the oldest first. */
export async function endWaiting(
  db: Db,
  now: number,
): Promise<Pick<MailRow, "id" | "kind" | "user_id" | "created_at">[]> {
  const ended = await restored(db, now).returning(["id", "kind", "user_id", "created_at"]).execute();
  return ended.toSorted((one, other) => one.id - other.id);
}

/** Deletes mails that ended before a time. */
export async function forgetEnded(db: Db, before: number): Promise<void> {
  await db.deleteFrom("mails").where("ended_at", "is not", null).where("ended_at", "<", before).execute();
}

/** Mails of a user that were asked for in a time, epoch milliseconds, and not dropped. */
interface Asked {
  userId: number;
  since: number;
  until: number;
}

const countAsked = (db: Db, kind: MailRow["kind"], { userId, since, until }: Asked) =>
  db
    .selectFrom("mails")
    .select((eb) => eb.fn.countAll<number | string>().as("count"))
    .where("user_id", "=", userId)
    .where("kind", "=", kind)
    .where("created_at", ">", since)
    .where("created_at", "<=", until)
    .where("state", "<>", "dropped");

/** Counts a user's mails of a kind. */
export async function countSince(db: Db, { kind, ...asked }: Asked & { kind: MailRow["kind"] }): Promise<number> {
  const { count } = await countAsked(db, kind, asked).executeTakeFirstOrThrow();
  return Number(count);
}

/** Counts a user's mails of one security notice. */
export async function countNotices(db: Db, { notice, ...asked }: Asked & { notice: string }): Promise<number> {
  // `_` would match any character, but no two notices differ in that.
  const { count } = await countAsked(db, "security_notice", asked)
    .where("parameters", "like", `{"notice":"${notice}"%`)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Removes what is left of a user's mails. */
export async function removeMailsOf(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("mails").where("user_id", "=", userId).execute();
}

/** Lists a user's mails, for the copy of their data. */
export const mailsOf = (
  db: Db,
  { userId, last, limit }: { userId: number; last: MailRow | undefined; limit: number },
): Promise<MailRow[]> =>
  db
    .selectFrom("mails")
    .selectAll()
    .where("user_id", "=", userId)
    .where("id", ">", last?.id ?? 0)
    .orderBy("id")
    .limit(limit)
    .execute();

/** A mail with the name of its user; null: nobody with an account. */
export type NamedMailRow = MailRow & { user: string | null };

const named = (db: Db) =>
  db
    .selectFrom("mails")
    .leftJoin("users", "users.id", "mails.user_id")
    .selectAll("mails")
    .select("users.username as user");

/** Lists mails in a state, the newest first. */
export const mailsIn = (db: Db, state: MailRow["state"], limit: number): Promise<NamedMailRow[]> =>
  named(db).where("mails.state", "=", state).orderBy("mails.id", "desc").limit(limit).execute();

/** The figures of the outbox. */
export interface OutboxFigures {
  waiting: number;
  /** The mail that has been due longest; null: none is. */
  oldestDueAt: number | null;
  unsure: number;
}

export async function outboxFigures(db: Db): Promise<OutboxFigures> {
  const open = await db
    .selectFrom("mails")
    .select((eb) => [eb.fn.countAll<number | string>().as("count"), eb.fn.min("due_at").as("oldest")])
    .where("ended_at", "is", null)
    .executeTakeFirstOrThrow();
  const unsure = await db
    .selectFrom("mails")
    .select((eb) => eb.fn.countAll<number | string>().as("count"))
    .where("state", "=", "unsure")
    .executeTakeFirstOrThrow();
  return {
    waiting: Number(open.count),
    oldestDueAt: open.oldest === null ? null : Number(open.oldest),
    unsure: Number(unsure.count),
  };
}
