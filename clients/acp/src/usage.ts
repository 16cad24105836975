import type { UsageUpdate } from "@agentclientprotocol/sdk";
import type { FinishFields } from "./answer.ts";

/** What sessions have cost. An agent names the sum of a session, and a message carries what was added since the last one. */
export class Costs {
  readonly #sums = new Map<string, number>();

  /** Notes that a session is new. Of one that continues, only what is added from now on counts. */
  begin(sessionId: string): void {
    this.#sums.set(sessionId, 0);
  }

  /** Returns the cost since the last call; null if the agent names none. */
  since(sessionId: string, { cost }: UsageUpdate): NonNullable<FinishFields["usage"]> | null {
    if (cost == null || !(cost.amount >= 0) || !/^[A-Z]{3,5}$/.test(cost.currency)) return null;
    const before = this.#sums.get(sessionId);
    this.#sums.set(sessionId, cost.amount);
    const added = cost.amount - (before ?? cost.amount);
    if (!(added > 0 && added < 1_000_000)) return null;
    const amount = added.toFixed(6).replace(/\.?0+$/, "");
    return { model: "agent", input_tokens: 0, output_tokens: 0, cost: { currency: cost.currency, amount } };
  }
}
