import type { ChainAsset, ChainRecord } from "@parley/protocol/chains";
import type { ParleyClient } from "@parley/sdk/client";
import { useEffect } from "react";
import { useParley } from "../app/parley-context.ts";
import { Store, useStore } from "../app/store.ts";
import { untilDone } from "../app/until-done.ts";

/** A coin or token, and where it is. */
export type Coin = ChainAsset & Pick<ChainRecord, "chain" | "chain_id">;

/** What this server takes; read once, when it is first needed. */
export class Chains {
  /** null: not known yet. */
  readonly list = new Store<readonly ChainRecord[] | null>(null);
  readonly #client: ParleyClient;
  #reading: Promise<void> | null = null;

  constructor(client: ParleyClient) {
    this.#client = client;
  }

  /** Throws `ParleyError`; the next call tries again. */
  read(): Promise<void> {
    this.#reading ??= this.#client.payments.chains().then(
      ({ chains }) => this.list.set(chains),
      (error: unknown) => {
        this.#reading = null;
        throw error;
      },
    );
    return this.#reading;
  }
}

/** The chains of this server; null until they are known. */
export function useChains(): readonly ChainRecord[] | null {
  const parley = useParley();
  useEffect(
    () =>
      untilDone(
        () => parley.chains.read(),
        (error) => parley.complain(error),
      ),
    [parley],
  );
  return useStore(parley.chains.list);
}

/** The coins of those chains that are good for one or the other. */
export const coinsFor = (chains: readonly ChainRecord[] | null, use: "packets" | "payments"): Coin[] =>
  (chains ?? [])
    .filter((chain) => chain[use])
    .flatMap(({ chain, chain_id, assets }) => assets.map((asset) => ({ ...asset, chain, chain_id })));

/** Names a coin in a form. */
export const keyOf = ({ chain_id, currency }: Pick<Coin, "chain_id" | "currency">): string => `${chain_id} ${currency}`;
