import { type AppContext, perServer } from "../context.ts";
import type { Chain, ChainKind } from "./chain.ts";

/** The chains of this server; empty unless the settings name some. */
export class Chains {
  readonly #chains: Chain[] = [];

  /** Adds a chain. Called once per chain at startup; tests add chains of their own. */
  add(chain: Chain): void {
    this.#chains.push(chain);
  }

  /** Returns the chain of that kind and, if given, that id; null if it is not configured. */
  find(kind: ChainKind, chainId?: number): Chain | null {
    return this.#chains.find((chain) => chain.kind === kind && (chainId ?? chain.chainId) === chain.chainId) ?? null;
  }

  get all(): readonly Chain[] {
    return this.#chains;
  }
}

/** Returns the chains of this server. Complete once the server has started. */
export const chainsOf: (ctx: AppContext) => Chains = perServer(() => new Chains());
