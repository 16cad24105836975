import type { NameProblem } from "@parley/protocol/error-details";
import { USERNAME_MAX, USERNAME_MIN } from "@parley/protocol/limits";
import { DELETED_USER } from "@parley/protocol/privacy";
import type { Db } from "../../db/db.ts";
import { type AppError, fail } from "../../errors.ts";
import { lookAlikeKey } from "../../unicode/skeleton.ts";

/** Names that nobody may register, because they would seem official (protocol §2). Compared by `nameKey`. */
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
 * Returns the key by which two names are the same: case does not count, and a mention may write a space as `_`. Users
 * and agents share one namespace by this key (protocol §2, §5).
 */
export function nameKey(name: string): string {
  return name.toLowerCase().replaceAll(" ", "_");
}

/** Returns true if the name is reserved. */
export function isReservedName(name: string): boolean {
  return RESERVED.has(nameKey(name));
}

/**
 * Maps `I`, `i`, `l` and `1` in either case to one letter. Only used for reserved names: it is stricter than UTS 39 and
 * would reject honestly different names.
 */
const looseKey = (name: string): string => lookAlikeKey(lookAlikeKey(name.toLowerCase()).toUpperCase());

let reservedLooks: ReadonlySet<string> | undefined;

/** Returns true if a name could be mistaken for a reserved one: `adm1n`, `rnoderator`. */
export function looksReserved(name: string): boolean {
  reservedLooks ??= new Set(
    [...RESERVED].flatMap((each) => [looseKey(each), lookAlikeKey(each), lookAlikeKey(each.toUpperCase())]),
  );
  return reservedLooks.has(lookAlikeKey(name)) || reservedLooks.has(looseKey(name));
}

/** Returns true if a user may have this name, whether or not it is taken (protocol §2). */
export function isUsername(name: string): boolean {
  return USERNAME.test(name) && !looksReserved(name);
}

/** The error details for a name that is reserved or looks like a reserved one. */
export const reservedDetails = (path: string): NameProblem[] => [
  { path, rule: "reserved", message: "is reserved, or looks like a reserved name" },
];

/** @throws invalid_username */
export function checkUsername(name: string): void {
  if (!USERNAME.test(name)) throw fail("invalid_username");
  if (looksReserved(name)) throw fail("invalid_username", { details: reservedDetails("username") });
}

/** `agentId` null: an agent that does not exist yet (held-names.ts). */
export type NameHolder = { kind: "user"; userId: number } | { kind: "agent"; agentId: number | null };

/** The stored hash of a retired name. */
export const retiredHash = (name: string): string => Bun.SHA256.hash(nameKey(name), "hex");

/** The stored hash of a retired name's look. No name key contains a space, so no name has this hash. */
export const retiredLookHash = (name: string): string => Bun.SHA256.hash(`look ${lookAlikeKey(name)}`, "hex");

async function isRetired(db: Db, name: string): Promise<boolean> {
  const found = await db
    .selectFrom("retired_names")
    .select("retired_at")
    .where("name_hash", "in", [retiredHash(name), retiredLookHash(name)])
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * Claims a name for a user or an agent, in the caller's transaction. Returns false when the name or a look-alike is
 * held by anybody, including the same holder, or was held by an erased account. The unique indexes decide in the
 * statement itself, so that a race has one winner and the PostgreSQL transaction stays usable.
 */
export async function claimName(db: Db, name: string, holder: NameHolder): Promise<boolean> {
  const claimed = await db
    .insertInto("names")
    .values({
      name_key: nameKey(name),
      name,
      skeleton: lookAlikeKey(name),
      kind: holder.kind,
      user_id: holder.kind === "user" ? holder.userId : null,
      agent_id: holder.kind === "agent" ? holder.agentId : null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning("name_key")
    .executeTakeFirst();
  if (claimed === undefined) return false;
  // Checked after the claim, because the claim waits for a concurrent erasure that retires the name.
  if (!(await isRetired(db, name))) return true;
  await db.deleteFrom("names").where("name_key", "=", nameKey(name)).execute();
  return false;
}

/**
 * Returns the name that prevents this one from being claimed: the name itself when it is held or retired, else a
 * look-alike. Null when the name is free. Names of the user `ownerId` are not in the way.
 */
export async function nameInTheWay(db: Db, name: string, ownerId?: number): Promise<string | null> {
  const all = await db
    .selectFrom("names")
    .select(["name_key", "name", "user_id"])
    .where((eb) => eb.or([eb("name_key", "=", nameKey(name)), eb("skeleton", "=", lookAlikeKey(name))]))
    .execute();
  const rows = all.filter(({ user_id }) => ownerId === undefined || user_id !== ownerId);
  const found = rows.find((row) => row.name_key === nameKey(name)) ?? rows[0];
  if (found !== undefined) return found.name;
  return (await isRetired(db, name)) ? name : null;
}

/** Returns the error for a name that `other` prevents from being claimed; its details name a look-alike. */
export function nameTaken(code: "username_taken" | "agent_name_taken", name: string, other: string | null): AppError {
  if (other === null || nameKey(other) === nameKey(name)) return fail(code);
  const path = code === "username_taken" ? "username" : "agent_name";
  const message = `looks like ${JSON.stringify(other)}`;
  return fail(code, { details: [{ path, rule: "looks_like", name: other, message }] });
}

/** Characters that surround a name without changing how it is read: `[ann]`, `ann ✓`. */
const DECORATION = /[^\p{L}\p{N}\p{M} _.-]/gu;
const EDGES = /^[ _.-]+|[ _.-]+$/g;

/**
 * Checks a free text that is shown where names are, such as the name of a webhook: nobody may take it for a user or an
 * agent, or for one of the reserved names. It may look like no name that is held or retired (protocol §2), in any case,
 * also with signs or other spaces around and between its letters. It may look like the username of `ownerId`, whose text it is. Returns the details of the error, or null.
 */
export async function impersonation(
  db: Db,
  path: string,
  text: string,
  ownerId?: number,
): Promise<NameProblem[] | null> {
  for (const reading of readingsOf(text)) {
    if (looksReserved(reading)) return reservedDetails(path);
    const other = await nameInTheWay(db, reading, ownerId);
    if (other !== null)
      return [{ path, rule: "looks_like", name: other, message: `looks like ${JSON.stringify(other)}` }];
  }
  return null;
}

/** Returns the ways in which a reader may take the text for a name. */
function readingsOf(text: string): Set<string> {
  // Other spaces may be too thin to see.
  const joined = text.replaceAll(/[^\S ]/g, "");
  const plain = [text, joined].flatMap((each) => {
    const compatible = each.normalize("NFKC");
    return [compatible, compatible.replaceAll(DECORATION, "")].map((name) => name.replaceAll(/ +/g, " ").trim());
  });
  const bare = plain.map((name) => name.replaceAll(EDGES, ""));
  // The key of looks maps `I` to `l`, but not `i`: a letter of another script may hide in either case.
  const all = [...plain, ...bare].flatMap((name) => [name, name.toLowerCase(), name.toUpperCase()]);
  return new Set(all.filter((name) => name !== ""));
}
