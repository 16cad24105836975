import type { Insertable, Selectable } from "kysely";
import type { Db } from "../../db/db.ts";
import type { LoginChallengesTable, TotpSecretsTable } from "../../db/tables/factors.ts";

export type TotpRow = Selectable<TotpSecretsTable>;
export type LoginChallengeRow = Selectable<LoginChallengesTable>;

/** The factors of a user. */
export interface Factors {
  /** Epoch milliseconds since when there is an authenticator app; null: there is none. */
  totpSince: number | null;
  recoveryCodes: number;
  passkeys: number;
}

export async function factorsOf(db: Db, userId: number): Promise<Factors> {
  const row = await db
    .selectFrom("users")
    .select((eb) => [
      eb
        .selectFrom("totp_secrets")
        .select("totp_secrets.confirmed_at")
        .whereRef("totp_secrets.user_id", "=", "users.id")
        .as("totp_since"),
      eb
        .selectFrom("recovery_codes")
        .select((count) => count.fn.countAll<number | string>().as("n"))
        .whereRef("recovery_codes.user_id", "=", "users.id")
        .as("codes"),
      eb
        .selectFrom("passkeys")
        .select((count) => count.fn.countAll<number | string>().as("n"))
        .whereRef("passkeys.user_id", "=", "users.id")
        .as("passkeys"),
    ])
    .where("users.id", "=", userId)
    .executeTakeFirstOrThrow();
  const totpSince = row.totp_since;
  return { totpSince, recoveryCodes: Number(row.codes), passkeys: Number(row.passkeys) };
}

export async function findTotp(db: Db, userId: number): Promise<TotpRow | null> {
  return (await db.selectFrom("totp_secrets").selectAll().where("user_id", "=", userId).executeTakeFirst()) ?? null;
}

/** Stores a secret that waits for its first code, in place of an earlier one. False if one is confirmed. */
export async function putTotp(db: Db, row: Insertable<TotpSecretsTable>): Promise<boolean> {
  const { user_id: _, ...values } = row;
  const put = await db
    .insertInto("totp_secrets")
    .values(row)
    .onConflict((conflict) =>
      conflict.column("user_id").doUpdateSet(values).where("totp_secrets.confirmed_at", "is", null),
    )
    .returning("user_id")
    .executeTakeFirst();
  return put !== undefined;
}

export async function confirmTotp(db: Db, userId: number, step: number, now: number): Promise<void> {
  await db
    .updateTable("totp_secrets")
    .set({ confirmed_at: now, last_step: step })
    .where("user_id", "=", userId)
    .execute();
}

/** Uses a step of a confirmed secret. Of concurrent calls with the same step, on any nodes, one returns true. */
export async function useStep(db: Db, userId: number, step: number): Promise<boolean> {
  const used = await db
    .updateTable("totp_secrets")
    .set({ last_step: step })
    .where("user_id", "=", userId)
    .where("confirmed_at", "is not", null)
    .where("last_step", "<", step)
    .returning("user_id")
    .executeTakeFirst();
  return used !== undefined;
}

/** Replaces a user's recovery codes. */
export async function putRecoveryCodes(db: Db, userId: number, hashes: readonly string[]): Promise<void> {
  await db.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
  await db
    .insertInto("recovery_codes")
    .values(hashes.map((code_hash) => ({ user_id: userId, code_hash })))
    .execute();
}

/** Uses a recovery code up. Of concurrent calls with the same code, on any nodes, one returns true. */
export async function takeRecoveryCode(db: Db, userId: number, hash: string): Promise<boolean> {
  const taken = await db
    .deleteFrom("recovery_codes")
    .where("user_id", "=", userId)
    .where("code_hash", "=", hash)
    .returning("user_id")
    .executeTakeFirst();
  return taken !== undefined;
}

/** Removes the authenticator app of a user with its recovery codes. */
export async function removeTotp(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("totp_secrets").where("user_id", "=", userId).execute();
  await db.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
}

/** Stores a login that waits for its second factor. A user has at most `keep`; the oldest are removed first. */
export async function insertLoginChallenge(
  db: Db,
  row: Insertable<LoginChallengesTable>,
  keep: number,
  now: number,
): Promise<void> {
  await db.deleteFrom("login_challenges").where("expires_at", "<=", now).execute();
  await db.insertInto("login_challenges").values(row).execute();
  await db
    .deleteFrom("login_challenges")
    .where("user_id", "=", row.user_id)
    .where("id", "<=", (eb) =>
      eb
        .selectFrom("login_challenges as kept")
        .select("kept.id")
        .where("kept.user_id", "=", row.user_id)
        .orderBy("kept.id", "desc")
        .limit(1)
        .offset(keep),
    )
    .execute();
}

export async function findLoginChallenge(db: Db, hash: string): Promise<LoginChallengeRow | null> {
  return (await db.selectFrom("login_challenges").selectAll().where("id_hash", "=", hash).executeTakeFirst()) ?? null;
}

/** Counts a try of a challenge and returns it; null if it has expired or has no tries left. */
export async function takeTry(db: Db, hash: string, most: number, now: number): Promise<LoginChallengeRow | null> {
  const row = await db
    .updateTable("login_challenges")
    .set((eb) => ({ tries: eb("tries", "+", 1) }))
    .where("id_hash", "=", hash)
    .where("tries", "<", most)
    .where("expires_at", ">", now)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Ends all logins of a user that wait for a second factor. */
export async function removeLoginChallenges(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("login_challenges").where("user_id", "=", userId).execute();
}

export async function removeLoginChallenge(db: Db, id: number): Promise<void> {
  await db.deleteFrom("login_challenges").where("id", "=", id).execute();
}
