import { type ChainRecord, ChainsResponse } from "@parley/protocol/chains";
import { chainsOf } from "../../chains/chains.ts";
import type { AppContext } from "../../context.ts";
import { type Route, route } from "../../http/route.ts";
import { platformRecipient } from "../../payments/offers/offers.ts";
import { paysPackets } from "./packet-assets.ts";

/** Routes that list the assets of red packets and prices. */
export const chainRoutes: readonly Route[] = [
  route({
    name: "listChains",
    method: "GET",
    path: "/api/chains",
    summary: "List the chains, coins and tokens that red packets and prices can use.",
    tag: "Payments",
    auth: "open",
    documentedActs: "see the service",
    answers: { 200: ChainsResponse },
    errors: [],
    handle: ({ ctx }) => ({ chains: chainList(ctx) }),
  }),
];

/** Returns the chains and assets that forms offer. The server accepts everything listed as possible here. */
export function chainList(ctx: AppContext): ChainRecord[] {
  return chainsOf(ctx).all.map((chain) => ({
    chain: chain.kind,
    chain_id: chain.chainId,
    assets: chain.assets.map(({ currency, tokenAddress, decimals }) => ({
      currency,
      token_address: tokenAddress,
      decimals,
    })),
    packets: paysPackets(ctx, chain),
    payments: platformRecipient(ctx, chain) !== null,
  }));
}
