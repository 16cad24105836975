import type { ChainAsset, ChainRecord } from "@parley/protocol/chains";
import type { UserClient } from "@parley/sdk";
import { Store } from "../state/store.ts";

/** A coin or token, and its chain. */
export type Coin = ChainAsset & Pick<ChainRecord, "chain" | "chain_id">;

/** The chains this server accepts; loaded once, on first use. */
export class Chains {
  /** null: not loaded yet. */
  readonly list = new Store<readonly ChainRecord[] | null>(null);
  readonly #client: UserClient;
  #reading: Promise<void> | null = null;

  constructor(client: UserClient) {
    this.#client = client;
  }

  /** Loads the list. Throws `ParleyError`; the next call retries. */
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

/** Returns the coins that can be used for packets or payments. */
export const coinsFor = (chains: readonly ChainRecord[] | null, use: "packets" | "payments"): Coin[] =>
  (chains ?? [])
    .filter((chain) => chain[use])
    .flatMap(({ chain, chain_id, assets }) => assets.map((asset) => ({ ...asset, chain, chain_id })));

/** The key of a coin in a form. */
export const keyOf = ({ chain_id, currency }: Pick<Coin, "chain_id" | "currency">): string => `${chain_id} ${currency}`;
