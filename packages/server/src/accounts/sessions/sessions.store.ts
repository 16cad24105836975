import type { Insertable } from "kysely";
import type { Db } from "../../db/db.ts";
import { holdRows } from "../../db/dialect.ts";
import type { SessionsTable } from "../../db/tables/users.ts";

export interface SessionWithUser {
  id: number;
  user_id: number;
  username: string;
  admin_level: number | null;
  suspended_until: number | null;
  /** Points earned by activity; null if none. */
  total_points: number | null;
  authenticated_at: number;
  last_seen_at: number;
  expires_at: number;
  /** 1 if the user has an authenticator app or a passkey, or an identity provider vouches for the session. */
  has_factor: number;
}

function sessionsWithUsers(db: Db) {
  return db
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .leftJoin("honor", "honor.user_id", "sessions.user_id")
    .select([
      "sessions.id",
      "sessions.user_id",
      "users.username",
      "users.admin_level",
      "users.suspended_until",
      "honor.total_points",
      "sessions.authenticated_at",
      "sessions.last_seen_at",
      "sessions.expires_at",
    ])
    .select((eb) => {
      const totp = eb
        .selectFrom("totp_secrets")
        .select("totp_secrets.user_id")
        .whereRef("totp_secrets.user_id", "=", "sessions.user_id")
        .where("totp_secrets.confirmed_at", "is not", null);
      const passkey = eb
        .selectFrom("passkeys")
        .select("passkeys.id")
        .whereRef("passkeys.user_id", "=", "sessions.user_id");
      const provider = eb
        .selectFrom("identity_sessions")
        .select("identity_sessions.session_id")
        .whereRef("identity_sessions.session_id", "=", "sessions.id");
      return eb
        .case()
        .when(eb.or([eb.exists(totp), eb.exists(passkey), eb.exists(provider)]))
        .then(1)
        .else(0)
        .end()
        .as("has_factor");
    });
}

/**
 * Returns the session with that token hash, with the user fields its identity needs. The caller checks whether it has
 * expired.
 */
export async function findSession(db: Db, tokenHash: string): Promise<SessionWithUser | null> {
  return (await sessionsWithUsers(db).where("sessions.token_hash", "=", tokenHash).executeTakeFirst()) ?? null;
}

/**
 * Returns a session as it is now, and holds its user's row and its own until the transaction ends: nobody ends it, or
 * changes the user's level or suspension, meanwhile. Null if it has ended.
 */
export async function holdSession(db: Db, id: number, userId: number): Promise<SessionWithUser | null> {
  // In the order in which everything that ends sessions locks them.
  await holdRows(db, db.selectFrom("users").select("id").where("id", "=", userId)).execute();
  await holdRows(db, db.selectFrom("sessions").select("id").where("id", "=", id)).execute();
  return (await sessionsWithUsers(db).where("sessions.id", "=", id).executeTakeFirst()) ?? null;
}

export async function insertSession(db: Db, session: Insertable<SessionsTable>): Promise<SessionWithUser> {
  const { id } = await db.insertInto("sessions").values(session).returning("id").executeTakeFirstOrThrow();
  return sessionsWithUsers(db).where("sessions.id", "=", id).executeTakeFirstOrThrow();
}

/** Updates `last_seen_at`; returns the ids of the sessions that still exist. */
export async function touchSessions(db: Db, ids: readonly number[], now: number): Promise<number[]> {
  const rows = await db
    .updateTable("sessions")
    .set({ last_seen_at: now })
    .where("id", "in", ids)
    .returning("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** Records that the password was entered again in this session. */
export async function setAuthenticatedAt(db: Db, id: number, now: number): Promise<void> {
  await db.updateTable("sessions").set({ authenticated_at: now }).where("id", "=", id).execute();
}

export interface SessionRow {
  id: number;
  created_at: number;
  last_seen_at: number;
  expires_at: number;
  user_agent: string | null;
  address: string | null;
}

/** Lists the user's live sessions, last used first. */
export async function listSessions(db: Db, userId: number, now: number, idleBefore: number): Promise<SessionRow[]> {
  return db
    .selectFrom("sessions")
    .select(["id", "created_at", "last_seen_at", "expires_at", "user_agent", "address"])
    .where("user_id", "=", userId)
    .where("expires_at", ">", now)
    .where("last_seen_at", ">", idleBefore)
    .orderBy("last_seen_at", "desc")
    .orderBy("id", "desc")
    .execute();
}

/** Removes a session; false when this user has no such session. */
export async function removeSession(db: Db, userId: number, id: number): Promise<boolean> {
  const row = await db
    .deleteFrom("sessions")
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

export async function removeSessionsExcept(db: Db, userId: number, except: number | null): Promise<void> {
  await db
    .deleteFrom("sessions")
    .where("user_id", "=", userId)
    .$if(except !== null, (query) => query.where("id", "!=", except as number))
    .execute();
}

/** Removes one user's sessions that are past their idle or absolute limit. */
export async function removeOverSessions(db: Db, userId: number, now: number, idleBefore: number): Promise<void> {
  await db
    .deleteFrom("sessions")
    .where("user_id", "=", userId)
    .where((row) => row.or([row("expires_at", "<=", now), row("last_seen_at", "<=", idleBefore)]))
    .execute();
}

/** Removes a user's sessions except the `keep` last used; returns the ids of the removed ones. */
export async function removeOldestSessions(db: Db, userId: number, keep: number): Promise<number[]> {
  const over = await db
    .selectFrom("sessions")
    .select("id")
    .where("user_id", "=", userId)
    .orderBy("last_seen_at", "desc")
    .orderBy("id", "desc")
    .limit(1_000)
    .offset(keep)
    .execute();
  if (over.length === 0) return [];
  const ids = over.map(({ id }) => id);
  await db.deleteFrom("sessions").where("id", "in", ids).execute();
  return ids;
}
