import { provenAddress } from "../accounts/wallets.service.ts";
import type { Chain } from "../chains/chain.ts";
import type { AppContext } from "../context.ts";

/**
 * Returns the addresses from which a transfer counts as this user's: the profile's, once the user has proven it with a
 * signature. Until then it is only shown, because anyone can enter anyone's address (protocol §2).
 */
export async function ownAddresses(ctx: AppContext, chain: Chain, userId: number): Promise<string[]> {
  const proven = await provenAddress(ctx, chain.kind, userId);
  const address = proven === null ? null : chain.normalAddress(proven);
  return address === null ? [] : [address];
}
