import type { CreatePacketBody } from "@parley/protocol/red-packets";
import { askChain } from "../../chains/ask-chain.ts";
import { type Asset, type Chain, findAsset } from "../../chains/chain.ts";
import { chainsOf } from "../../chains/chains.ts";
import { limitOf } from "../../config/amounts.ts";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import { slowly } from "../../http/acts/slow.ts";
import { ledgerCurrency, POINTS } from "../../ledger/account-names.ts";
import { payoutRequests } from "../claim/payout-port.ts";

/** Paying out a share may cost at most a third of it (protocol §6). */
const SHARE_OF_FEES = 3n;
/** The default minimum share of a token is a hundredth (10^-2) of a whole one. */
const TOKEN_PARTS = 2;

/** Where a packet on a chain is funded, and from where it is paid out. */
export interface Network {
  readonly chain: Chain;
  readonly asset: Asset;
  readonly treasury: string;
}

/** The asset of a packet. */
export interface PacketAsset {
  readonly currency: string;
  readonly decimals: number;
  readonly ledgerCurrency: string;
  /** null for points. */
  readonly network: Network | null;
}

const LEDGER: PacketAsset = { currency: POINTS, decimals: 0, ledgerCurrency: POINTS, network: null };

type RequestedAsset = Pick<CreatePacketBody, "chain" | "chain_id" | "currency" | "token_address" | "tx_hash">;

/**
 * Returns the requested asset. Points with a field that only a chain has are refused: the client means something else.
 * Errors: `unsupported_chain`.
 */
export function packetAsset(ctx: AppContext, requested: RequestedAsset): PacketAsset {
  const { chain: kind = "ledger", currency = null, token_address: tokenAddress = null } = requested;
  if (kind === "ledger") {
    const others = [requested.chain_id, tokenAddress, requested.tx_hash];
    if (others.some((field) => field != null) || (currency ?? POINTS) !== POINTS) throw fail("unsupported_chain");
    return LEDGER;
  }
  const chain = chainsOf(ctx).find(kind, requested.chain_id ?? undefined);
  const asset = chain === null ? null : findAsset(chain, { currency, tokenAddress });
  if (chain === null || !paysPackets(ctx, chain) || asset === null || chain.treasury === null) {
    throw fail("unsupported_chain");
  }
  return {
    currency: asset.currency,
    decimals: asset.decimals,
    ledgerCurrency: ledgerCurrency(kind, chain.chainId, asset),
    network: { chain, asset, treasury: chain.treasury },
  };
}

/** Returns whether packets can be funded to and paid from a wallet of the platform on that chain. */
export const paysPackets = (ctx: AppContext, { payer, treasury }: Chain): boolean =>
  payer !== null && treasury !== null && payoutRequests.find(ctx) !== null;

/**
 * Returns the least a share may be (protocol §6): three times what its payout can cost at worst, so that nobody can
 * make the platform burn more than they put in; and enough for a wallet that is empty. Tokens have no price here: their
 * least share is a setting, and a hundredth of a whole token without one. May ask the chain, for the account `owner`. Errors:
 * `chain_unavailable`.
 */
export async function leastShare(ctx: AppContext, { network }: PacketAsset, owner: string): Promise<bigint> {
  if (network === null) return 1n;
  const { chain, asset } = network;
  const configured = limitOf(ctx.config.packetShareMin, asset) ?? 0n;
  if (asset.tokenAddress !== null) {
    return highest(configured, configured > 0n ? 1n : 10n ** BigInt(Math.max(0, asset.decimals - TOKEN_PARTS)));
  }
  const least = await askChain(ctx, chain, { owner }, () => slowly(ctx, "chain", () => chain.leastTransfer(asset)));
  return highest(configured, SHARE_OF_FEES * chain.worstTransferFee(asset), least);
}

const highest = (...amounts: readonly bigint[]): bigint => amounts.reduce((most, one) => (one > most ? one : most));
