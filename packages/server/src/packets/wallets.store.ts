import type { Kysely } from "kysely";
import type { ChainKind } from "../chains/chain.ts";
import { SizedStatement } from "../db/sized-statement.ts";
import type { Tables } from "../db/tables.ts";

type Db = Kysely<Tables>;

const COLUMN = { evm: "evm_address", solana: "sol_address" } as const;

const ofUsers = (chain: ChainKind) =>
  new SizedStatement({ id: 0 }, (db, rows) =>
    db
      .selectFrom("users")
      .select(["id", `${COLUMN[chain]} as address`])
      .where(
        "id",
        "in",
        rows.map(({ id }) => id),
      )
      .where(COLUMN[chain], "is not", null)
      .compile(),
  );
const OF_USERS = { evm: ofUsers("evm"), solana: ofUsers("solana") };

/** The addresses of users on that kind of chain; of who has none there is no entry. */
export async function profileAddresses(
  db: Db,
  chain: ChainKind,
  userIds: readonly number[],
): Promise<Map<number, string>> {
  const wanted = userIds.map((id) => ({ id }));
  const rows = await OF_USERS[chain].run<{ id: number; address: string }>(db, wanted);
  return new Map(rows.map(({ id, address }) => [id, address]));
}
