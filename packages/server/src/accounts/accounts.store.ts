import type { Insertable, Kysely, Selectable, Updateable } from "kysely";
import type { AvatarsTable, Tables, UsersTable } from "../db/tables.ts";
import { emailKey } from "./emails.ts";
import { nameKey } from "./names.ts";

type Db = Kysely<Tables>;
export type UserRow = Selectable<UsersTable>;

export async function findUserByName(db: Db, username: string): Promise<UserRow | null> {
  return (
    (await db.selectFrom("users").selectAll().where("username_key", "=", nameKey(username)).executeTakeFirst()) ?? null
  );
}

export async function findUserById(db: Db, id: number): Promise<UserRow | null> {
  return (await db.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
}

export async function findUserIdByInviteCode(db: Db, code: string): Promise<number | null> {
  const row = await db.selectFrom("users").select("id").where("invite_code", "=", code).executeTakeFirst();
  return row?.id ?? null;
}

export async function isEmailTaken(db: Db, email: string): Promise<boolean> {
  const row = await db.selectFrom("users").select("id").where("email_key", "=", emailKey(email)).executeTakeFirst();
  return row !== undefined;
}

/** Null when a unique column (name, email address, invite code) says no; the transaction lives on. */
export async function insertUser(
  db: Db,
  user: Omit<Insertable<UsersTable>, "username_key" | "email_key">,
): Promise<UserRow | null> {
  const row = await db
    .insertInto("users")
    .values({
      ...user,
      username_key: nameKey(user.username),
      email_key: user.email == null ? null : emailKey(user.email),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export type UserChange = Pick<
  Updateable<UsersTable>,
  "email" | "password_hash" | "evm_address" | "sol_address" | "admin_level" | "suspended_until"
>;

/** Fields that are undefined stay as they are. */
export async function updateUser(db: Db, id: number, change: UserChange, now: number): Promise<void> {
  const { email } = change;
  const key = email === undefined ? undefined : email === null ? null : emailKey(email);
  await db
    .updateTable("users")
    .set({ ...change, email_key: key, updated_at: now })
    .where("id", "=", id)
    .execute();
}

export async function findAvatar(db: Db, userId: number): Promise<Selectable<AvatarsTable> | null> {
  return (await db.selectFrom("avatars").selectAll().where("user_id", "=", userId).executeTakeFirst()) ?? null;
}

export async function findAvatarEtag(db: Db, userId: number): Promise<string | null> {
  return (await db.selectFrom("avatars").select("etag").where("user_id", "=", userId).executeTakeFirst())?.etag ?? null;
}

export async function putAvatar(db: Db, avatar: Insertable<AvatarsTable>): Promise<void> {
  const { user_id: _, ...values } = avatar;
  await db
    .insertInto("avatars")
    .values(avatar)
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(values))
    .execute();
}

export async function removeAvatar(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("avatars").where("user_id", "=", userId).execute();
}

/** Appends to the audit log, in the transaction of what it tells of. */
export async function insertAudit(
  db: Db,
  entry: { actor: string; action: string; userId: number; details: object | null; now: number },
): Promise<void> {
  await db
    .insertInto("audit_log")
    .values({
      actor: entry.actor,
      action: entry.action,
      subject: `user:${entry.userId}`,
      details: entry.details === null ? null : JSON.stringify(entry.details),
      created_at: entry.now,
    })
    .execute();
}
