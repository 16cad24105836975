import type { Clock } from "../../clock.ts";
import type { Asset, Block } from "../chain.ts";
import { RpcFailure } from "../rpc/failure.ts";
import type { RpcQuorum } from "../rpc/quorum.ts";
import type { RpcServer } from "../rpc/server.ts";
import { Hash, MaybeTransaction, Statuses } from "./shapes.ts";
import { type Landed, landedKey, readLanded } from "./transaction.ts";

/** A cluster of Solana and its servers. */
export interface SolanaNetwork {
  readonly genesisHash: string;
  readonly assets: readonly Asset[];
  readonly quorum: RpcQuorum;
  readonly clock: Clock;
}

/**
 * A transaction as one server or a majority sees it now. `processed` ones count as waiting: a fork may still drop them.
 */
export type Sighting = { seen: "nothing" } | { seen: "waiting" } | { seen: "landed"; landed: Landed; isFinal: boolean };

/**
 * Checks the server's cluster, unless it was checked recently: addresses change hands. A transaction exists on one
 * cluster only, so an answer in between could at worst concern worthless coins, and a majority of the servers would
 * have to change hands at once.
 */
export async function expectCluster(
  { genesisHash }: SolanaNetwork,
  server: RpcServer,
  signal: AbortSignal,
): Promise<void> {
  if (server.isOwn) return;
  if ((await server.call(Hash, "getGenesisHash", [], signal)) !== genesisHash) throw server.disown();
  server.own();
}

/**
 * Returns the transaction's block. A slot's number is as good as a hash: only one block of a slot ever becomes final.
 */
export const blockOf = ({ slot, time }: Landed): Block => ({ hash: String(slot), number: slot, time });

/** @throws chain_unavailable */
export function sight(network: SolanaNetwork, signature: string): Promise<Sighting> {
  return network.quorum.poll(
    async (server, signal) => {
      await expectCluster(network, server, signal);
      return (await sightBy(network, server, signature, signal)).sighting;
    },
    (sightings, outstanding) => agreed(network.quorum.majority, sightings, outstanding),
  );
}

/** Returns what one server sees, and as of which slot. @throws RpcFailure, RpcRefusal */
export async function sightBy(
  { assets }: SolanaNetwork,
  server: RpcServer,
  signature: string,
  signal: AbortSignal,
): Promise<{ sighting: Sighting; slot: number }> {
  const { context, value } = await server.call(
    Statuses,
    "getSignatureStatuses",
    [[signature], { searchTransactionHistory: true }],
    signal,
  );
  const [status] = value;
  const { slot } = context;
  if (status === null) return { sighting: { seen: "nothing" }, slot };
  const commitment = status.confirmationStatus;
  if (commitment === "processed") return { sighting: { seen: "waiting" }, slot };
  const options = { commitment, encoding: "base64", maxSupportedTransactionVersion: 0 };
  const answer = await server.call(MaybeTransaction, "getTransaction", [signature, options], signal);
  if (answer === null) return { sighting: { seen: "waiting" }, slot };
  if (answer.slot !== status.slot || (answer.meta.err === null) !== (status.err === null)) {
    throw new RpcFailure("malformed");
  }
  const landed = await readLanded(signature, answer, assets);
  return { sighting: { seen: "landed", landed, isFinal: commitment === "finalized" }, slot };
}

/** Returns what a majority of the servers sees; undefined while there is no majority. */
export function agreed(majority: number, sightings: readonly Sighting[], outstanding: number): Sighting | undefined {
  const landed = sightings.filter((sighting) => sighting.seen === "landed");
  const groups = [...Map.groupBy(landed, (sighting) => landedKey(sighting.landed)).values()];
  const same = groups.find((group) => group.length >= majority);
  if (same?.[0] !== undefined) {
    const final = same.filter(({ isFinal }) => isFinal).length;
    if (final < majority && final + outstanding >= majority) return undefined; // the others may still report it as final
    return { ...same[0], isFinal: final >= majority };
  }
  const absent = sightings.filter(({ seen }) => seen === "nothing").length;
  if (absent >= majority) return { seen: "nothing" };
  // Some servers are ahead of others: the transaction is there, but no majority can tell yet what it did.
  const present = sightings.length - absent;
  return outstanding === 0 && present >= majority && groups.length <= 1 ? { seen: "waiting" } : undefined;
}
