import type { TestWallet } from "./chains/wallets.ts";
import type { TestServer } from "./servers/test-server.ts";

const COLUMNS = {
  evm: ["evm_address", "evm_proven_at"],
  solana: ["sol_address", "sol_proven_at"],
} as const;

/** Stores an address in a user's profile as proven, without the signature that proves it. */
export async function giveProvenAddress(
  { ctx }: TestServer,
  username: string,
  { chain, address }: Pick<TestWallet, "chain" | "address">,
): Promise<void> {
  const [column, provenAt] = COLUMNS[chain];
  await ctx.db
    .updateTable("users")
    .set({ [column]: address, [provenAt]: ctx.clock.now() })
    .where("username", "=", username)
    .execute();
}
