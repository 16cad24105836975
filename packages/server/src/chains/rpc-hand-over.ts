import type { RefusalReason } from "./chain.ts";
import { RpcRefusal } from "./rpc-failure.ts";
import type { Read, RpcQuorum } from "./rpc-quorum.ts";

/** Why a server did not take a transaction. "known": it has this very one already. */
export type Refused = RefusalReason | "known";

/**
 * Hands a signed transaction to every server: one that lies about having taken it cannot keep it from the others. Gives back why it is not on
 * its way, in the words of a majority; null: it is. `meaningOf` knows the chain's refusals; null: something about the server.
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
