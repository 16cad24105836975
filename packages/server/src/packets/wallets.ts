import { provenUser } from "../accounts/wallets.service.ts";
import type { Chain } from "../chains/chain.ts";
import type { AppContext } from "../context.ts";
import { countWithAddress, profileAddresses } from "./wallets.store.ts";

/**
 * The addresses from which a transfer counts as this user's: his profile's, if he has proven it. One that nobody has proven counts unless
 * it stands in two profiles: then somebody has written down another's, and only the packet's reference tells whose transfer it is.
 */
export async function ownAddresses(ctx: AppContext, chain: Chain, userId: number): Promise<string[]> {
  const stored = (await profileAddresses(ctx.db, chain.kind, [userId])).get(userId);
  const address = stored === undefined ? null : chain.normalAddress(stored);
  if (stored === undefined || address === null) return [];
  const prover = await provenUser(ctx, chain.kind, stored);
  const isOwn = prover === null ? (await countWithAddress(ctx.db, chain.kind, stored)) === 1 : prover === userId;
  return isOwn ? [address] : [];
}
