import type { Insertable, Selectable } from "kysely";
import type { Db } from "../../db/db.ts";
import { Prepared } from "../../db/statements/prepared.ts";
import type { WalletChallengesTable } from "../../db/tables/accounts.ts";

export type WalletChallengeRow = Selectable<WalletChallengesTable>;
/** Families of chains with wallets. */
export type WalletChain = WalletChallengesTable["chain"];

const ADDRESS = { evm: "evm_address", solana: "sol_address" } as const;
const PROVEN = { evm: "evm_proven_at", solana: "sol_proven_at" } as const;

export async function insertChallenge(db: Db, challenge: Insertable<WalletChallengesTable>): Promise<number> {
  const { id } = await db.insertInto("wallet_challenges").values(challenge).returning("id").executeTakeFirstOrThrow();
  return id;
}

/** Returns this user's challenge with this id; null if there is none. */
export async function findChallenge(db: Db, id: number, userId: number): Promise<WalletChallengeRow | null> {
  const row = await db
    .selectFrom("wallet_challenges")
    .selectAll()
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row ?? null;
}

/** Marks the challenge as used if it is still valid. Of two concurrent attempts, one succeeds. */
export async function consumeChallenge(db: Db, id: number, now: number): Promise<boolean> {
  const row = await db
    .updateTable("wallet_challenges")
    .set({ used_at: now })
    .where("id", "=", id)
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Removes at most `most` challenges that expired before that time. */
export async function forgetChallenges(db: Db, endedBefore: number, most: number): Promise<void> {
  await db
    .deleteFrom("wallet_challenges")
    .where("id", "in", (eb) =>
      eb
        .selectFrom("wallet_challenges as old")
        .select("old.id")
        .where("old.expires_at", "<", endedBefore)
        .orderBy("old.expires_at")
        .limit(most),
    )
    .execute();
}

/** Removes all challenges of one user. */
export async function forgetChallengesOf(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("wallet_challenges").where("user_id", "=", userId).execute();
}

/** Stores the address as proven for this user, and removes the proof from everybody else. */
export async function setProven(
  db: Db,
  { userId, chain, address, now }: { userId: number; chain: WalletChain; address: string; now: number },
): Promise<void> {
  await db
    .updateTable("users")
    .set({ [PROVEN[chain]]: null })
    .where(ADDRESS[chain], "=", address)
    .where("id", "<>", userId)
    .where(PROVEN[chain], "is not", null)
    .execute();
  await db
    .updateTable("users")
    .set({ [ADDRESS[chain]]: address, [PROVEN[chain]]: now, updated_at: now })
    .where("id", "=", userId)
    .execute();
}

const provenOn = (chain: WalletChain) =>
  new Prepared((db, of: { address: string }) =>
    db.selectFrom("users").select("id").where(ADDRESS[chain], "=", of.address).where(PROVEN[chain], "is not", null),
  );
const PROVEN_USER = { evm: provenOn("evm"), solana: provenOn("solana") };

/** Returns the user who has proven that address; null if nobody has. */
export async function findProvenUser(db: Db, chain: WalletChain, address: string): Promise<number | null> {
  return (await PROVEN_USER[chain].first(db, { address }))?.id ?? null;
}

const addressProvenBy = (chain: WalletChain) =>
  new Prepared((db, of: { userId: number }) =>
    db
      .selectFrom("users")
      .select(`${ADDRESS[chain]} as address`)
      .where("id", "=", of.userId)
      .where(PROVEN[chain], "is not", null),
  );
const PROVEN_ADDRESS = { evm: addressProvenBy("evm"), solana: addressProvenBy("solana") };

/** Returns the address that the user has proven; null if there is none. */
export async function findProvenAddress(db: Db, chain: WalletChain, userId: number): Promise<string | null> {
  return (await PROVEN_ADDRESS[chain].first(db, { userId }))?.address ?? null;
}
