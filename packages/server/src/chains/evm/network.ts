import type { Asset, Block } from "../chain.ts";
import { RpcFailure } from "../rpc/failure.ts";
import type { RpcQuorum } from "../rpc/quorum.ts";
import type { RpcServer } from "../rpc/server.ts";
import { MaybeHeader, MaybeReceipt, MaybeTransaction, Quantity } from "./shapes.ts";
import { type signerOf, signerOnce } from "./signature.ts";
import { type Mined, minedKey, readMined } from "./transaction.ts";

/** The number of blocks required, counting the transaction's own, or the chain's own finality. */
export type Confirmations = number | "finalized";

/** An EVM chain and its servers. */
export interface EvmNetwork {
  readonly chainId: number;
  readonly assets: readonly Asset[];
  readonly confirmations: Confirmations;
  readonly quorum: RpcQuorum;
}

/** A transaction as a majority sees it now. */
export type Sighting = { seen: "nothing" } | { seen: "waiting" } | { seen: "mined"; mined: Mined };

/** Whether a block is still on the chain, and how deep. */
export interface Standing {
  /** False if a reorganisation has replaced the block. */
  stands: boolean;
  /** As deep as the settings require. */
  isFinal: boolean;
  block: Block;
}

/** Checks which chain the server is on: addresses change hands, and an answer from another chain is worthless. */
export async function expectChain(network: EvmNetwork, server: RpcServer, signal: AbortSignal): Promise<void> {
  const chainId = await server.call(Quantity, "eth_chainId", [], signal);
  if (BigInt(chainId) !== BigInt(network.chainId)) throw server.disown();
  server.own();
}

/** Like `expectChain`, but accepts a recent answer. Enough for data that itself shows its chain. */
async function rememberChain(network: EvmNetwork, server: RpcServer, signal: AbortSignal): Promise<void> {
  if (!server.isOwn) await expectChain(network, server, signal);
}

/** @throws chain_unavailable */
export function sight(network: EvmNetwork, hash: string): Promise<Sighting> {
  const findSigner = signerOnce(); // the servers give the same answer, and recovering the signer is the most expensive part
  return network.quorum.agree(
    (server, signal) => sightBy(network, server, hash, findSigner, signal),
    (sighting) => (sighting.seen === "mined" ? minedKey(sighting.mined) : sighting.seen),
  );
}

async function sightBy(
  network: EvmNetwork,
  server: RpcServer,
  hash: string,
  findSigner: typeof signerOf,
  signal: AbortSignal,
): Promise<Sighting> {
  const [transaction, receipt] = await Promise.all([
    server.call(MaybeTransaction, "eth_getTransactionByHash", [hash], signal),
    server.call(MaybeReceipt, "eth_getTransactionReceipt", [hash], signal),
    rememberChain(network, server, signal),
  ]);
  if (transaction === null && receipt !== null) throw new RpcFailure("malformed");
  // The two answers may come from before and after a new block: treat the transaction as waiting.
  if (transaction !== null && receipt !== null && receipt.blockHash === transaction.blockHash) {
    const mined = await readMined(hash, transaction, receipt, network, findSigner);
    if (!mined.isOfChain) await expectChain(network, server, signal);
    return { seen: "mined", mined };
  }
  await expectChain(network, server, signal);
  return { seen: transaction === null ? "nothing" : "waiting" };
}

/** Returns whether the block is still on the chain, and how deep. @throws chain_unavailable */
export function standingOf(network: EvmNetwork, mined: Mined): Promise<Standing> {
  const { majority } = network.quorum;
  const { blockHash, blockNumber } = mined;
  return network.quorum.poll(
    (server, signal) => placeBy(network, server, mined, signal),
    (places, outstanding) => {
      const same = [...Map.groupBy(places, ({ hash, time }) => `${hash} ${time}`).values()].find(
        (group) => group.length >= majority,
      );
      if (same?.[0] === undefined) return undefined;
      const { hash, time } = same[0];
      const final = same.filter(({ isFinal }) => isFinal).length;
      if (final < majority && final + outstanding >= majority) return undefined; // the others may still report it as final
      return {
        stands: hash === blockHash,
        isFinal: final >= majority,
        block: { hash: blockHash, number: blockNumber, time },
      };
    },
  );
}

/** Returns the block that one server has at that height; "none" if a reorganisation has made its chain shorter. */
async function placeBy(
  network: EvmNetwork,
  server: RpcServer,
  { blockHash, blockNumber }: Mined,
  signal: AbortSignal,
): Promise<{ hash: string; time: number; isFinal: boolean }> {
  const [header, settled] = await Promise.all([
    server.call(MaybeHeader, "eth_getBlockByNumber", [`0x${blockNumber.toString(16)}`, false], signal),
    settledHeight(network, server, signal),
    rememberChain(network, server, signal),
  ]);
  const hash = header === null ? "none" : header.hash.toLowerCase();
  if (hash !== blockHash) await expectChain(network, server, signal);
  if (header === null) return { hash, time: 0, isFinal: false };
  if (BigInt(header.number) !== BigInt(blockNumber)) throw new RpcFailure("malformed");
  const time = Number(BigInt(header.timestamp)) * 1000;
  return { hash, time, isFinal: blockNumber <= settled };
}

/** Returns the highest block that this server considers final; -1 if there is none yet. */
export async function settledHeight(network: EvmNetwork, server: RpcServer, signal: AbortSignal): Promise<number> {
  if (network.confirmations === "finalized") {
    const header = await server.call(MaybeHeader, "eth_getBlockByNumber", ["finalized", false], signal);
    return header === null ? -1 : Number(BigInt(header.number));
  }
  const head = Number(BigInt(await server.call(Quantity, "eth_blockNumber", [], signal)));
  return head - network.confirmations + 1;
}
