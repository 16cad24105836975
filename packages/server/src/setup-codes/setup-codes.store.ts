import type { Insertable, Selectable } from "kysely";
import { userNamed } from "../accounts/names/user-named.ts";
import type { Db } from "../db/db.ts";
import { lockRows } from "../db/dialect.ts";
import type { SetupCodesTable } from "../db/tables/setup-codes.ts";

/** The key of the name of a code whose name was freed. No name has an empty key. */
const FREED = "";

export type SetupCodeRow = Selectable<SetupCodesTable>;

/** An agent, or the key of the name that is held for one. */
export interface CodesOf {
  agentId: number | null;
  nameKey: string | null;
}

export const insertSetupCode = async (db: Db, row: Insertable<SetupCodesTable>): Promise<number> =>
  (await db.insertInto("setup_codes").values(row).returning("id").executeTakeFirstOrThrow()).id;

export const findSetupCode = (db: Db, hash: string): Promise<SetupCodeRow | undefined> =>
  db.selectFrom("setup_codes").selectAll().where("code_hash", "=", hash).executeTakeFirst();

/** Returns the codes that can still be used, of an agent or a held name. */
const openCodes = (db: Db, { agentId, nameKey }: CodesOf, now: number) =>
  db
    .selectFrom("setup_codes")
    .where("used_at", "is", null)
    .where("ended_at", "is", null)
    .where("expires_at", ">", now)
    .where((code) =>
      code.or([
        ...(agentId === null ? [] : [code("agent_id", "=", agentId), code("name_key", "in", namesOf(db, agentId))]),
        ...(nameKey === null ? [] : [code("name_key", "=", nameKey)]),
      ]),
    );

const namesOf = (db: Db, agentId: number) => db.selectFrom("names").select("name_key").where("agent_id", "=", agentId);

export async function countOpenCodes(db: Db, of: CodesOf, now: number): Promise<number> {
  const count = openCodes(db, of, now).select((eb) => eb.fn.countAll<number | string>().as("count"));
  return Number((await count.executeTakeFirstOrThrow()).count);
}

/** Returns for whom a name is held by codes that can still be used; undefined if for nobody. */
export const holderOf = (db: Db, nameKey: string, now: number): Promise<{ owner_id: number | null } | undefined> =>
  openCodes(db, { agentId: null, nameKey }, now).select("owner_id").limit(1).executeTakeFirst();

/** Ends the codes of an agent that can still be used. */
export async function endOpenCodes(db: Db, agentId: number, now: number): Promise<void> {
  await db
    .updateTable("setup_codes")
    .set({ ended_at: now })
    .where("used_at", "is", null)
    .where("ended_at", "is", null)
    .where((code) => code.or([code("agent_id", "=", agentId), code("name_key", "in", namesOf(db, agentId))]))
    .execute();
}

/** Uses the code if it still can be used. Of concurrent callers, one succeeds. */
export async function takeSetupCode(db: Db, id: number, now: number): Promise<boolean> {
  const row = await db
    .updateTable("setup_codes")
    .set({ used_at: now })
    .where("id", "=", id)
    .where("used_at", "is", null)
    .where("ended_at", "is", null)
    .where("expires_at", ">", now)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Notes the key that a code was exchanged for. */
export async function noteKey(db: Db, id: number, keyId: string): Promise<void> {
  await db.updateTable("setup_codes").set({ key_id: keyId }).where("id", "=", id).execute();
}

/** Counts the agents of a verified owner, and the names that open codes hold for more. */
export async function countAgents(db: Db, ownerId: number, now: number): Promise<number> {
  const agents = await db
    .selectFrom("agents")
    .select((eb) => eb.fn.countAll<number | string>().as("count"))
    .where("owner_user_id", "=", ownerId)
    .where("owner_verified", "=", 1)
    .executeTakeFirstOrThrow();
  const held = await db
    .selectFrom("setup_codes")
    .innerJoin("names", "names.name_key", "setup_codes.name_key")
    .select((eb) => eb.fn.count<number | string>("setup_codes.name_key").distinct().as("count"))
    .where("names.agent_id", "is", null)
    .where("owner_id", "=", ownerId)
    .where("used_at", "is", null)
    .where("ended_at", "is", null)
    .where("expires_at", ">", now)
    .executeTakeFirstOrThrow();
  return Number(agents.count) + Number(held.count);
}

/** Returns the agent's keys that somebody revoked or replaced, with the time. A key that only expired is not in it. */
export const revocationsOf = (db: Db, agentId: number): Promise<{ id: string; revoked_at: number | null }[]> =>
  db
    .selectFrom("api_keys")
    .select(["id", "revoked_at"])
    .where("agent_id", "=", agentId)
    .where("revoked_at", "is not", null)
    .where((key) => key.or([key("expires_at", "is", null), key("revoked_at", "<", key.ref("expires_at"))]))
    .orderBy("id")
    .execute();

/** Returns the user with this name, unless the account was deleted. */
export const findOwner = (db: Db, username: string): Promise<{ id: number; username: string } | undefined> =>
  userNamed(db, username).select(["id", "username"]).executeTakeFirst();

/** Returns what decides whether a person's code is still worth something. */
export const findPerson = (
  db: Db,
  userId: number,
): Promise<
  { username: string; admin_level: number | null; suspended_until: number | null; erased_at: number | null } | undefined
> =>
  db
    .selectFrom("users")
    .select(["username", "admin_level", "suspended_until", "erased_at"])
    .where("id", "=", userId)
    .executeTakeFirst();

/**
 * Takes their names from the codes that have ended, if no other code holds them, at most `most` names. Returns the keys of
 * these names, which the caller frees. Each is returned once: somebody else may have the name soon after.
 */
export async function takeEndedNames(db: Db, now: number, most: number): Promise<string[]> {
  const names = await db
    .selectFrom("setup_codes as ended")
    .select("ended.name_key")
    .distinct()
    .where("ended.name_key", "<>", FREED)
    .where("ended.used_at", "is", null)
    .where((code) => code.or([code("ended.expires_at", "<=", now), code("ended.ended_at", "is not", null)]))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("setup_codes as open")
            .select("open.id")
            .whereRef("open.name_key", "=", "ended.name_key")
            .where("open.used_at", "is", null)
            .where("open.ended_at", "is", null)
            .where("open.expires_at", ">", now),
        ),
      ),
    )
    .limit(most)
    .execute();
  if (names.length === 0) return [];
  const keys = names.flatMap(({ name_key }) => name_key ?? []);
  // Of two that do this at once, the second finds no code with the name any more.
  const held = db
    .selectFrom("setup_codes")
    .select(["id", "name_key"])
    .where("name_key", "in", keys)
    .where("used_at", "is", null)
    .where((code) => code.or([code("expires_at", "<=", now), code("ended_at", "is not", null)]));
  const codes = await lockRows(db, held.orderBy("id")).execute();
  for (const { id } of codes)
    await db.updateTable("setup_codes").set({ name_key: FREED }).where("id", "=", id).execute();
  return [...new Set(codes.flatMap(({ name_key }) => name_key ?? []))];
}

/** Deletes at most `most` codes that expired before a time. Those that hold a name stay until it is freed. */
export async function forgetSetupCodes(db: Db, expiredBefore: number, most: number): Promise<void> {
  await db
    .deleteFrom("setup_codes")
    .where("id", "in", (eb) =>
      eb
        .selectFrom("setup_codes as old")
        .select("old.id")
        .where("old.expires_at", "<", expiredBefore)
        .where((old) =>
          old.or([
            old("old.name_key", "is", null),
            old("old.name_key", "=", FREED),
            old("old.used_at", "is not", null),
          ]),
        )
        .limit(most),
    )
    .execute();
}

/** Deletes the codes that a user made, or of which they are the owner. Returns the keys of the names that these held. */
export async function forgetCodesOf(db: Db, userId: number): Promise<string[]> {
  const rows = await db
    .deleteFrom("setup_codes")
    .where((code) => code.or([code("owner_id", "=", userId), code("maker_id", "=", userId)]))
    .returning("name_key")
    .execute();
  return rows.flatMap(({ name_key }) => name_key ?? []);
}

/** Returns the codes that a user made, or of which they are the owner, oldest first. */
export const codesOfUser = (db: Db, userId: number) =>
  db
    .selectFrom("setup_codes")
    .select(["agent_id", "agent_name", "created_at", "expires_at", "ended_at", "used_at", "key_id"])
    .where((code) => code.or([code("owner_id", "=", userId), code("maker_id", "=", userId)]))
    .orderBy("id")
    .execute();
