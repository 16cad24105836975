import { provenAddress } from "../accounts/wallets/wallets.service.ts";
import type { Chain, ChainKind } from "../chains/chain.ts";
import type { AppContext } from "../context.ts";
import type { Db } from "../db/db.ts";
import { SizedStatement } from "../db/statements/sized-statement.ts";

/** A profile's address on one kind of chain. */
export interface ProfileAddress {
  readonly address: string;
  /** The user has signed a challenge with it. Until then it is only shown (protocol §2). */
  readonly isProven: boolean;
}

const COLUMNS = { evm: ["evm_address", "evm_proven_at"], solana: ["sol_address", "sol_proven_at"] } as const;

const ofUsers = (chain: ChainKind) => {
  const [address, provenAt] = COLUMNS[chain];
  return new SizedStatement({ id: 0 }, (db, rows) =>
    db
      .selectFrom("users")
      .select(["id", `${address} as address`, `${provenAt} as proven_at`])
      .where(
        "id",
        "in",
        rows.map(({ id }) => id),
      )
      .where(address, "is not", null)
      .compile(),
  );
};
const OF_USERS = { evm: ofUsers("evm"), solana: ofUsers("solana") };

/** Returns the users' addresses on that kind of chain, by user. Users without one are left out. */
export async function profileAddresses(
  db: Db,
  chain: ChainKind,
  userIds: readonly number[],
): Promise<Map<number, ProfileAddress>> {
  const wanted = userIds.map((id) => ({ id }));
  const rows = await OF_USERS[chain].run<{ id: number; address: string; proven_at: number | null }>(db, wanted);
  return new Map(rows.map(({ id, address, proven_at }) => [id, { address, isProven: proven_at !== null }]));
}

/**
 * Returns the addresses from which a transfer counts as this user's: the profile's, once the user has proven it with a
 * signature. Until then it is only shown, because anyone can enter anyone's address (protocol §2).
 */
export async function ownAddresses(ctx: AppContext, chain: Chain, userId: number): Promise<string[]> {
  const proven = await provenAddress(ctx, chain.kind, userId);
  const address = proven === null ? null : chain.normalAddress(proven);
  return address === null ? [] : [address];
}
