import type { Kysely } from "kysely";
import type { ChainKind } from "../chains/chain.ts";
import { paddedList } from "../db/padded-list.ts";
import type { Tables } from "../db/tables.ts";

type Db = Kysely<Tables>;

const COLUMN = { evm: "evm_address", solana: "sol_address" } as const;

/** The addresses of users, at most 512, on that kind of chain; of who has none there is no entry. */
export async function profileAddresses(
  db: Db,
  chain: ChainKind,
  userIds: readonly number[],
): Promise<Map<number, string>> {
  const rows = await db
    .selectFrom("users")
    .select(["id", `${COLUMN[chain]} as address`])
    .where("id", "in", paddedList(userIds))
    .where(COLUMN[chain], "is not", null)
    .execute();
  return new Map(rows.map(({ id, address }) => [id, address ?? ""]));
}

/** How many users have that address in their profile. */
export async function countWithAddress(db: Db, chain: ChainKind, address: string): Promise<number> {
  const row = await db
    .selectFrom("users")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where(COLUMN[chain], "=", address)
    .executeTakeFirstOrThrow();
  return Number(row.n);
}
