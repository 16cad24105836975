import { type Blockhash, isBlockhash } from "@solana/kit";
import { fail } from "../../errors.ts";
import { RpcFailure } from "../rpc/failure.ts";
import type { RpcServer } from "../rpc/server.ts";
import { agreed, expectCluster, type Sighting, type SolanaNetwork, sightBy } from "./network.ts";
import { BlockHead, EpochInfo, LatestBlockhash, Slot, Valid } from "./shapes.ts";

/** A transaction can be included while its blockhash is among the newest 150 (`MAX_PROCESSING_AGE`). */
const BLOCKHASH_BLOCKS = 150n;
const RETRY_AFTER = 5;

/** How long a transaction with this blockhash can be included. */
export interface Lifetime {
  readonly blockhash: Blockhash;
  readonly lastValidBlockHeight: bigint;
}

/**
 * Returns a blockhash that a majority knows. Its last valid height is never above what a majority vouches for, so no
 * server can make a payout wait for ever. A height that is too low does no harm, because `lapseOf` checks again.
 * @throws chain_unavailable
 */
export async function freshLifetime(network: SolanaNetwork): Promise<Lifetime> {
  const { quorum } = network;
  const { hashes, height } = await quorum.poll(
    (server, signal) => offerBy(network, server, signal),
    (offers) => {
      const height = quorum.highest(offers.map(({ lastValidBlockHeight }) => BigInt(lastValidBlockHeight)));
      return height === undefined ? undefined : { hashes: offers.map(({ blockhash }) => blockhash), height };
    },
  );
  for (const blockhash of hashes) {
    if (await isKnown(network, blockhash)) return { blockhash, lastValidBlockHeight: height };
  }
  throw fail("chain_unavailable", { retryAfter: RETRY_AFTER });
}

async function offerBy(network: SolanaNetwork, server: RpcServer, signal: AbortSignal) {
  await expectCluster(network, server, signal);
  // Use a finalized blockhash, which servers that lag a little know too.
  const { value } = await server.call(LatestBlockhash, "getLatestBlockhash", [{ commitment: "finalized" }], signal);
  const { blockhash, lastValidBlockHeight } = value;
  if (!isBlockhash(blockhash)) throw new RpcFailure("malformed");
  return { blockhash, lastValidBlockHeight };
}

function isKnown({ quorum }: SolanaNetwork, blockhash: Blockhash): Promise<boolean> {
  return quorum.poll(
    async (server, signal) =>
      (await server.call(Valid, "isBlockhashValid", [blockhash, { commitment: "confirmed" }], signal)).value,
    (answers, outstanding) => {
      if (answers.filter(Boolean).length >= quorum.majority) return true;
      return outstanding === 0 ? false : undefined;
    },
  );
}

/** One of our transactions whose outcome is unknown. */
export interface Sent {
  readonly signature: string;
  readonly blockhash: string;
  readonly validUntil: bigint;
}

/**
 * Returns what a majority sees; "lapsed" if a majority does not have the transaction and never will, and no server has
 * it. A single server that has it rules out a second payment: the result is then "nothing".
 * @throws chain_unavailable
 */
export function lapseOf(network: SolanaNetwork, sent: Sent): Promise<Sighting | { seen: "lapsed" }> {
  const { quorum } = network;
  return quorum.poll(
    (server, signal) => lookBy(network, server, sent, signal),
    (looks, outstanding) => {
      const sightings = looks.map(({ sighting }) => sighting);
      const verdict = agreed(quorum.majority, sightings, outstanding);
      if (verdict?.seen !== "nothing") return verdict;
      const lapsed = looks.filter(({ isLapsed }) => isLapsed).length;
      if (lapsed + outstanding < quorum.majority) return verdict;
      if (outstanding > 0) return undefined;
      return sightings.every(({ seen }) => seen === "nothing") ? { seen: "lapsed" } : verdict;
    },
  );
}

/**
 * Returns what one server sees. There, the transaction has lapsed if the server's final blocks are past the height and
 * no longer know the blockhash, and a look-up at the same or a later state does not find it although the server's
 * history reaches back to the signing.
 */
async function lookBy(network: SolanaNetwork, server: RpcServer, sent: Sent, signal: AbortSignal) {
  await expectCluster(network, server, signal);
  // Read this first, so that later answers are at least as new: the transaction cannot be included in between.
  const final = await server.call(EpochInfo, "getEpochInfo", [{ commitment: "finalized" }], signal);
  const { sighting, slot } = await sightBy(network, server, sent.signature, signal);
  const isPast = BigInt(final.blockHeight) > sent.validUntil && slot >= final.absoluteSlot;
  if (sighting.seen !== "nothing" || !isPast) return { sighting, isLapsed: false };
  const [{ context, value: isValid }, remembers] = await Promise.all([
    server.call(Valid, "isBlockhashValid", [sent.blockhash, { commitment: "finalized" }], signal),
    reachesBack(server, sent.validUntil - BLOCKHASH_BLOCKS, signal),
  ]);
  return { sighting, isLapsed: !isValid && context.slot >= final.absoluteSlot && remembers };
}

/** Servers prune old blocks and forget the transactions in them. */
async function reachesBack(server: RpcServer, height: bigint, signal: AbortSignal): Promise<boolean> {
  const slot = await server.call(Slot, "getFirstAvailableBlock", [], signal);
  if (BigInt(slot) <= height) return true; // a block's height is never above its slot
  const options = { transactionDetails: "none", rewards: false, maxSupportedTransactionVersion: 0 };
  const { blockHeight } = await server.call(BlockHead, "getBlock", [slot, options], signal);
  return BigInt(blockHeight) <= height;
}
