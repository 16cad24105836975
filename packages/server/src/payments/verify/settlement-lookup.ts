import type { Chain, Observed } from "../../chains/chain.ts";
import type { AppContext } from "../../context.ts";
import { isSettlement } from "../settle/settlements.store.ts";

/** At most this many signed transfers of one transaction are looked up. */
const AUTHORIZATIONS_READ = 100;

/** True if the transaction settles an authorization signed for a demand of this server; it can pay only that demand. */
export function isSettledHere(
  ctx: AppContext,
  { chainId }: Chain,
  { authorizations = [] }: Observed,
): Promise<boolean> {
  const keys = authorizations.map(({ token, ...key }) => ({ token_address: token, ...key }));
  return isSettlement(ctx.db, chainId, keys.slice(0, AUTHORIZATIONS_READ));
}
