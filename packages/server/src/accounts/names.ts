import { USERNAME_MAX, USERNAME_MIN } from "@parley/protocol/limits";
import { DELETED_USER } from "@parley/protocol/privacy";
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";
import { fail } from "../errors.ts";

/** Names nobody may register, so that no one can pass for the house (contract, section 2). Compared by `nameKey`. */
const RESERVED: ReadonlySet<string> = new Set([
  "admin",
  "root",
  "administrator",
  "system",
  "moderator",
  "mod",
  "owner",
  "everyone",
  "here",
  "channel",
  "platformagent",
  DELETED_USER,
]);

const USERNAME = new RegExp(`^[A-Za-z0-9][A-Za-z0-9_.-]{${USERNAME_MIN - 1},${USERNAME_MAX - 1}}$`);

/**
 * What makes two names the same name: case does not count, and a space may be written as `_` in a mention. Users and agents
 * share one namespace by this key (contract, sections 2 and 5).
 */
export function nameKey(name: string): string {
  return name.toLowerCase().replaceAll(" ", "_");
}

/** Is this a name of the house? */
export function isReservedName(name: string): boolean {
  return RESERVED.has(nameKey(name));
}

/** Can a user have this name at all, whether or not somebody has it already? (contract, section 2) */
export function isUsername(name: string): boolean {
  return USERNAME.test(name) && !isReservedName(name);
}

/** @throws invalid_username */
export function checkUsername(name: string): void {
  if (!isUsername(name)) throw fail("invalid_username");
}

export type NameHolder = { kind: "user"; userId: number } | { kind: "agent"; agentId: number };

/** What is kept of a name that is retired. */
export const retiredHash = (name: string): string => Bun.SHA256.hash(nameKey(name), "hex");

async function isRetired(db: Kysely<Tables>, name: string): Promise<boolean> {
  const found = await db
    .selectFrom("retired_names")
    .select("retired_at")
    .where("name_hash", "=", retiredHash(name))
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * Takes a name for a user or an agent, in the transaction the caller is in. False when somebody has it, the same holder
 * included, or had it and is erased. Conflicts are asked by the statement itself, so that a race has one winner and PostgreSQL's
 * transaction lives on.
 */
export async function claimName(db: Kysely<Tables>, name: string, holder: NameHolder): Promise<boolean> {
  const claimed = await db
    .insertInto("names")
    .values({
      name_key: nameKey(name),
      name,
      kind: holder.kind,
      user_id: holder.kind === "user" ? holder.userId : null,
      agent_id: holder.kind === "agent" ? holder.agentId : null,
    })
    .onConflict((conflict) => conflict.column("name_key").doNothing())
    .returning("name_key")
    .executeTakeFirst();
  if (claimed === undefined) return false;
  // Asked after the claim, which waits for an erasure that is just giving the name up.
  if (!(await isRetired(db, name))) return true;
  await db.deleteFrom("names").where("name_key", "=", nameKey(name)).execute();
  return false;
}

/** Does a user or an agent have this name, or had it and is erased? */
export async function isNameTaken(db: Kysely<Tables>, name: string): Promise<boolean> {
  const found = await db
    .selectFrom("names")
    .select("name_key")
    .where("name_key", "=", nameKey(name))
    .executeTakeFirst();
  return found !== undefined || isRetired(db, name);
}
