import type { Chain, Observed } from "../chains/chain.ts";
import type { AppContext } from "../context.ts";
import { isSettlement } from "./settlements.store.ts";

/** Signed transfers of one transaction that are looked up. */
const AUTHORIZATIONS_READ = 100;

/** Has it brought a transfer to the chain that was signed for a demand of this server? Then it is that one's payment, and no other's. */
export function isSettledHere(
  ctx: AppContext,
  { chainId }: Chain,
  { authorizations = [] }: Observed,
): Promise<boolean> {
  const keys = authorizations.map(({ token, ...key }) => ({ token_address: token, ...key }));
  return isSettlement(ctx.db, chainId, keys.slice(0, AUTHORIZATIONS_READ));
}
