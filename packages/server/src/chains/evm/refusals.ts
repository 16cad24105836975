import type { Refused } from "../rpc/broadcast-transaction.ts";
import type { RpcRefusal } from "../rpc/failure.ts";

/**
 * Nodes share no error codes, only roughly the same wording (geth, Nethermind, Besu, Erigon, reth, anvil). The first
 * match wins.
 */
const WORDS: readonly [RegExp, Refused][] = [
  [/already ?(known|imported|exists|in)|known transaction/i, "known"],
  [/nonce (is )?too low|old ?nonce|nonce has already been used/i, "nonce_used"],
  [/underpriced|(less|lower) than (the )?(block|current)? ?base ?fee|(gas price|fee|tip)[^.]*too low/i, "underpriced"],
  [/insufficient ?(funds|balance)|enough funds|upfront cost/i, "insufficient_funds"],
  [/revert|invalid opcode|out of gas|stack (under|over)flow/i, "would_fail"],
];
/** Error code of eth_call and eth_estimateGas: execution reverted. */
const REVERTED = 3;

/** Returns the meaning of a server's refusal; null if it is unknown. */
export function meaningOf({ code, text }: RpcRefusal): Refused | null {
  if (code === REVERTED) return "would_fail";
  return WORDS.find(([words]) => words.test(text))?.[1] ?? null;
}
