import { type Blockhash, isBlockhash } from "@solana/kit";
import { fail } from "../errors.ts";
import { RpcFailure } from "./rpc-failure.ts";
import type { RpcServer } from "./rpc-server.ts";
import { agreed, expectCluster, type Sighting, type SolanaNetwork, sightBy } from "./solana-network.ts";
import { BlockHead, EpochInfo, LatestBlockhash, Slot, Valid } from "./solana-shapes.ts";

/** A transaction can be included while its blockhash is among the newest 150 (`MAX_PROCESSING_AGE`). */
const BLOCKHASH_BLOCKS = 150n;
const RETRY_AFTER = 5;

/** How long a transaction with this blockhash can be included. */
export interface Lifetime {
  readonly blockhash: Blockhash;
  readonly lastValidBlockHeight: bigint;
}

/**
 * A blockhash of which a majority knows. The height until which it holds is never more than a majority says, so that no server can make
 * a payout wait for ever; should it be too little, nothing is lost, because `lapseOf` asks anew.
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
  // A finalized one: the servers that are a little behind know it too.
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

/** A transaction of ours whose end is looked for. */
export interface Sent {
  readonly signature: string;
  readonly blockhash: string;
  readonly validUntil: bigint;
}

/**
 * What a majority sees of it; "lapsed" when a majority does not have it and never will, and nobody does. One server that has it forbids
 * to pay anew: then it is only "nothing".
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
 * What one server sees of it. It has lapsed there when its final blocks are past the height and do not know the blockhash any more, and a
 * look at the same state or a later one does not find it, though its memory reaches back to when it was signed.
 */
async function lookBy(network: SolanaNetwork, server: RpcServer, sent: Sent, signal: AbortSignal) {
  await expectCluster(network, server, signal);
  // First, so that whatever is found later is at least as new: it cannot be included in between.
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

/** Servers throw old blocks away, and know nothing of transactions in them. */
async function reachesBack(server: RpcServer, height: bigint, signal: AbortSignal): Promise<boolean> {
  const slot = await server.call(Slot, "getFirstAvailableBlock", [], signal);
  if (BigInt(slot) <= height) return true; // a block's height is never above its slot
  const options = { transactionDetails: "none", rewards: false, maxSupportedTransactionVersion: 0 };
  const { blockHeight } = await server.call(BlockHead, "getBlock", [slot, options], signal);
  return BigInt(blockHeight) <= height;
}
