import type { Insertable, Selectable } from "kysely";
import type { Db } from "../../db/db.ts";
import type { IdentitiesTable, IdentitySessionsTable } from "../../db/tables/identities.ts";

export type IdentityRow = Selectable<IdentitiesTable>;

export async function findIdentity(db: Db, issuer: string, subject: string): Promise<IdentityRow | null> {
  const row = await db
    .selectFrom("identities")
    .selectAll()
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .executeTakeFirst();
  return row ?? null;
}

/** Inserts an identity and returns its id; null if somebody has it, also a concurrent transaction. */
export async function insertIdentity(db: Db, identity: Insertable<IdentitiesTable>): Promise<number | null> {
  const row = await db
    .insertInto("identities")
    .values(identity)
    .onConflict((conflict) => conflict.columns(["issuer", "subject"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Notes a login with an identity; false if it is no longer linked. */
export async function touchIdentity(db: Db, id: number, label: string | null, now: number): Promise<boolean> {
  const row = await db
    .updateTable("identities")
    .set({ label, last_login_at: now })
    .where("id", "=", id)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Lists a user's identities, oldest first. */
export function listIdentities(db: Db, userId: number): Promise<IdentityRow[]> {
  return db.selectFrom("identities").selectAll().where("user_id", "=", userId).orderBy("id").execute();
}

export async function removeIdentity(db: Db, id: number): Promise<void> {
  await db.deleteFrom("identities").where("id", "=", id).execute();
}

export async function removeIdentities(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("identities").where("user_id", "=", userId).execute();
}

export async function insertIdentitySession(db: Db, session: Insertable<IdentitySessionsTable>): Promise<void> {
  await db.insertInto("identity_sessions").values(session).execute();
}

/** True if the session began with an identity. */
export async function isIdentitySession(db: Db, sessionId: number): Promise<boolean> {
  const row = await db
    .selectFrom("identity_sessions")
    .select("session_id")
    .where("session_id", "=", sessionId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the sessions that began with an identity. */
export function sessionsOfIdentity(db: Db, identityId: number): Promise<{ id: number; user_id: number }[]> {
  return db
    .selectFrom("identity_sessions")
    .innerJoin("sessions", "sessions.id", "identity_sessions.session_id")
    .select(["sessions.id", "sessions.user_id"])
    .where("identity_sessions.identity_id", "=", identityId)
    .execute();
}

/**
 * Returns the sessions that began with an identity of the provider: those of one subject, of one session of the
 * provider, or of both. A session of the subject for which the provider named none of its own counts as each.
 */
export function sessionsAtProvider(
  db: Db,
  { issuer, subject, providerSession }: { issuer: string; subject: string | null; providerSession: string | null },
): Promise<{ id: number; user_id: number }[]> {
  return db
    .selectFrom("identity_sessions")
    .innerJoin("identities", "identities.id", "identity_sessions.identity_id")
    .innerJoin("sessions", "sessions.id", "identity_sessions.session_id")
    .select(["sessions.id", "sessions.user_id"])
    .where("identities.issuer", "=", issuer)
    .$if(subject !== null, (query) => query.where("identities.subject", "=", subject as string))
    .$if(providerSession !== null, (query) =>
      query.where((eb) =>
        eb.or([
          eb("identity_sessions.provider_session", "=", providerSession),
          ...(subject === null ? [] : [eb("identity_sessions.provider_session", "is", null)]),
        ]),
      ),
    )
    .execute();
}

/**
 * Notes that something was used. False if it was used before, also in a concurrent transaction. Rows that are over are
 * removed.
 */
export async function useOnce(db: Db, hash: string, expires_at: number, now: number): Promise<boolean> {
  await db.deleteFrom("used_once").where("expires_at", "<=", now).execute();
  const row = await db
    .insertInto("used_once")
    .values({ hash, expires_at })
    .onConflict((conflict) => conflict.doNothing())
    .returning("hash")
    .executeTakeFirst();
  return row !== undefined;
}
