import { askChain } from "../../chains/ask-chain.ts";
import { findAsset } from "../../chains/chain.ts";
import { chainsOf } from "../../chains/chains.ts";
import type { AppContext } from "../../context.ts";
import { AppError, fail } from "../../errors.ts";
import { slowly } from "../../http/acts/slow.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { type ProfileAddress, profileAddresses } from "../../onchain/wallets.ts";
import type { PacketRow } from "../packets.store.ts";
import { payoutRequests } from "./payout-port.ts";

/** Where a claimer is paid, or why they cannot be; null: not looked up, because nothing would be paid. */
export type Payee = string | AppError | null;

/**
 * Finds where a claimer of a packet on a chain is paid. It may query the chain, so it runs before the claim's
 * transaction, which checks the result against the profile again (`confirmPayees`). Returns refusals instead of
 * throwing: an earlier claim is still answered.
 * Errors: `chain_unavailable`.
 */
export async function findPayee(ctx: AppContext, caller: UserIdentity, packet: PacketRow): Promise<string | AppError> {
  const chain = payingChain(ctx, packet);
  if (chain === null) return fail("chain_unavailable");
  const stored = (await profileAddresses(ctx.db, chain.kind, [caller.userId])).get(caller.userId);
  const address = provenIn(chain, stored);
  if (address === null) return addressRequired(caller.username, stored);
  const asset = findAsset(chain, { currency: packet.currency, tokenAddress: packet.token_address });
  if (asset === null) return fail("chain_unavailable");
  const ask = () => slowly(ctx, "chain", () => chain.canReceive(asset, address));
  if (await askChain(ctx, chain, { owner: caller.key }, ask)) return address;
  return fail("wallet_address_required", {
    message: `Your wallet ${address} has no account for ${asset.currency} yet. Create one in your wallet, then claim again.`,
    details: { reason: "no_token_account", address, currency: asset.currency, token_address: asset.tokenAddress },
  });
}

/** A claimer, with the result of `findPayee`. */
export interface Payable {
  readonly userId: number;
  readonly username: string;
  readonly payee: Payee;
}

/**
 * Checks the results against the profiles inside the claim's transaction: an address that was removed, or proven by
 * another user meanwhile, is not paid. Points need no address.
 */
export async function confirmPayees(
  ctx: AppContext,
  packet: PacketRow,
  claimers: readonly Payable[],
): Promise<(claimer: Payable) => string | null | AppError> {
  if (packet.chain === "ledger" || claimers.length === 0) return () => null;
  const chain = payingChain(ctx, packet);
  if (chain === null) return () => fail("chain_unavailable");
  const stored = await profileAddresses(ctx.db, chain.kind, [...new Set(claimers.map(({ userId }) => userId))]);
  return ({ userId, username, payee }) => {
    if (payee instanceof AppError) return payee;
    // The packet became active after the lookup.
    if (payee === null) return fail("packet_not_active");
    const now = stored.get(userId);
    return provenIn(chain, now) === payee ? payee : addressRequired(username, now);
  };
}

type PayingChain = NonNullable<ReturnType<typeof payingChain>>;

/** Returns the chain of a packet; null if it is no longer configured or nothing is paid out. */
function payingChain(ctx: AppContext, { chain, chain_id }: PacketRow) {
  if (chain === "ledger" || payoutRequests.find(ctx) === null) return null;
  return chainsOf(ctx).find(chain, chain_id ?? undefined);
}

const provenIn = (chain: PayingChain, stored: ProfileAddress | undefined): string | null =>
  stored?.isProven === true ? chain.normalAddress(stored.address) : null;

/** Names the two calls that prove an address, so that a program knows how to continue. */
function addressRequired(username: string, stored: ProfileAddress | undefined): AppError {
  const routes = `/api/user/${encodeURIComponent(username)}/wallets`;
  return fail("wallet_address_required", {
    details: {
      reason: stored === undefined ? "no_address" : "not_proven",
      address: stored?.address ?? null,
      challenge: `POST ${routes}/challenge`,
      proof: `POST ${routes}/proof`,
    },
  });
}
