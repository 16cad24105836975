import type { RefusalReason } from "../chain.ts";
import { RpcRefusal } from "./failure.ts";
import type { Read, RpcQuorum } from "./quorum.ts";

/** Why a server did not accept a transaction. "known": it already has this transaction. */
export type Refused = RefusalReason | "known";

/**
 * Sends a signed transaction to every server, so one that only claims to have accepted it cannot suppress it. Returns
 * the reason a majority gives for refusing it; null if it was accepted. `meaningOf` classifies the chain's refusals;
 * null if a refusal concerns the server, not the transaction.
 * @throws chain_unavailable
 */
export async function handOver(
  quorum: RpcQuorum,
  send: Read<unknown>,
  meaningOf: (refusal: RpcRefusal) => Refused | null,
): Promise<RefusalReason | null> {
  const take: Read<Refused | "taken"> = async (server, signal) => {
    try {
      await send(server, signal);
      return "taken";
    } catch (error) {
      const refused = error instanceof RpcRefusal ? meaningOf(error) : null;
      if (refused === null) throw error;
      return refused;
    }
  };
  const result = await quorum.poll<Refused | "taken", Refused | "taken">(take, (answers, outstanding) => {
    if (outstanding > 0) return undefined;
    if (answers.includes("taken") || answers.includes("known")) return "taken";
    return answers.find((answer) => answers.filter((other) => other === answer).length >= quorum.majority);
  });
  return result === "taken" || result === "known" ? null : result;
}
