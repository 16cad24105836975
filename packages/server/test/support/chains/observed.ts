import { expect } from "bun:test";
import type { Observed } from "../../../src/chains/chain.ts";

const OPEN: readonly Observed["state"][] = ["unknown", "pending", "confirming"];

/**
 * Expects that a reading which one of two servers may have changed is the truth, is not final yet and shows no other
 * transfers, or failed with `chain_unavailable`.
 */
export function expectNothingInvented(seen: Observed | string, real: Observed): void {
  if (seen === "chain_unavailable") return;
  if (typeof seen === "string") expect(seen).toBe("chain_unavailable");
  else if (!OPEN.includes(seen.state)) expect({ ...seen, isFinal: seen.isFinal || real.isFinal }).toEqual(real);
  else if (seen.transfers.length > 0) expect(seen.transfers).toEqual(real.transfers);
}
