import { type AppContext, perServer } from "../context.ts";
import type { Chain, ChainKind } from "./chain.ts";

/** The chains this server works with; none, unless the settings name some. */
export class Chains {
  readonly #chains: Chain[] = [];

  /** At start, once each; tests add chains of their own. */
  add(chain: Chain): void {
    this.#chains.push(chain);
  }

  /** The chain of that kind and, when a number is given, of that id; null: it is not configured. */
  find(kind: ChainKind, chainId?: number): Chain | null {
    return this.#chains.find((chain) => chain.kind === kind && (chainId ?? chain.chainId) === chain.chainId) ?? null;
  }

  get all(): readonly Chain[] {
    return this.#chains;
  }
}

/** The chains of this server. Complete once it has started. */
export const chainsOf: (ctx: AppContext) => Chains = perServer(() => new Chains());
