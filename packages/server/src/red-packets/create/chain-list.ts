import type { ChainRecord } from "@parley/protocol/chains";
import { chainsOf } from "../../chains/chains.ts";
import type { AppContext } from "../../context.ts";
import { platformRecipient } from "../../payments/offers/offers.ts";
import { paysPackets } from "./packet-assets.ts";

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
