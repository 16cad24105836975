import type { Insertable, Selectable, Updateable } from "kysely";
import type { Db } from "../db/db.ts";
import { holdRows } from "../db/dialect.ts";
import type { AvatarsTable, UsersTable } from "../db/tables/users.ts";
import { nameKey } from "./names/names.ts";
import { userNamed } from "./names/user-named.ts";

export type UserRow = Selectable<UsersTable>;

export async function findUserByName(db: Db, username: string): Promise<UserRow | null> {
  return (await userNamed(db, username).selectAll().executeTakeFirst()) ?? null;
}

/** As `findUserByName`; inside a transaction the user's row stays as it is until that ends. */
export async function heldUserByName(db: Db, username: string): Promise<UserRow | null> {
  return (await holdRows(db, userNamed(db, username).selectAll()).executeTakeFirst()) ?? null;
}

export async function findUserById(db: Db, id: number): Promise<UserRow | null> {
  return (await db.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
}

export async function findUserByInviteCode(db: Db, code: string): Promise<UserRow | null> {
  return (await db.selectFrom("users").selectAll().where("invite_code", "=", code).executeTakeFirst()) ?? null;
}

/** Returns true if any account has this level. */
export async function hasAdmin(db: Db, level: number): Promise<boolean> {
  return (await usersOfLevel(db, level).limit(1).executeTakeFirst()) !== undefined;
}

/** Selects the users who have this level. */
export const usersOfLevel = (db: Db, level: number) =>
  db.selectFrom("users").select("id").where("admin_level", "=", level);

/** Inserts a user; null when the name or the invite code is taken. A conflict does not abort the transaction. */
export async function insertUser(db: Db, user: Omit<Insertable<UsersTable>, "username_key">): Promise<UserRow | null> {
  const row = await db
    .insertInto("users")
    .values({
      ...user,
      username_key: nameKey(user.username),
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

/** Updates a user. Fields that are undefined keep their value. */
export async function updateUser(db: Db, id: number, change: UserChange, now: number): Promise<void> {
  await db
    .updateTable("users")
    .set((eb) => {
      // A changed address loses its proof.
      const kept = <P extends "evm_proven_at" | "sol_proven_at">(
        proven: P,
        column: "evm_address" | "sol_address",
        address: string | null | undefined,
      ) =>
        address === undefined ? undefined : eb.case().when(column, "=", address).then(eb.ref(proven)).else(null).end();
      return {
        ...change,
        evm_proven_at: kept("evm_proven_at", "evm_address", change.evm_address),
        sol_proven_at: kept("sol_proven_at", "sol_address", change.sol_address),
        updated_at: now,
      };
    })
    .where("id", "=", id)
    .execute();
}

/** Sets the language of mails to a user who has none yet. */
export async function setFirstLanguage(db: Db, userId: number, language: string): Promise<void> {
  await db.updateTable("users").set({ language }).where("id", "=", userId).where("language", "is", null).execute();
}

/** Sets the language of mails to a user. */
export async function setLanguage(db: Db, userId: number, language: string): Promise<void> {
  await db.updateTable("users").set({ language }).where("id", "=", userId).execute();
}

export async function findAvatar(db: Db, userId: number): Promise<Selectable<AvatarsTable> | null> {
  return (await db.selectFrom("avatars").selectAll().where("user_id", "=", userId).executeTakeFirst()) ?? null;
}

export async function findAvatarEtag(db: Db, userId: number): Promise<string | null> {
  return (await db.selectFrom("avatars").select("etag").where("user_id", "=", userId).executeTakeFirst())?.etag ?? null;
}

/** Returns the picture ETags of those users who have a picture. */
export function findAvatarEtags(db: Db, names: readonly string[]): Promise<{ username: string; etag: string }[]> {
  return db
    .selectFrom("users")
    .innerJoin("avatars", "avatars.user_id", "users.id")
    .select(["users.username", "avatars.etag"])
    .where("users.username_key", "in", names.map(nameKey))
    .where("users.erased_at", "is", null)
    .orderBy("users.id")
    .execute();
}

/** Returns the ids of the channels that the user is a member of. */
export async function channelsOfUser(db: Db, userId: number): Promise<number[]> {
  const rows = await db.selectFrom("channel_members").select("channel_id").where("user_id", "=", userId).execute();
  return rows.map(({ channel_id }) => channel_id);
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

/** Locks the user's row until the transaction ends, and returns it. */
export async function lockUser(db: Db, id: number): Promise<UserRow | null> {
  const row = await db
    .updateTable("users")
    .set((eb) => ({ updated_at: eb.ref("updated_at") }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}
