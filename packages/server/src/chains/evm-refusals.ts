import type { RpcRefusal } from "./rpc-failure.ts";
import type { Refused } from "./rpc-hand-over.ts";

/**
 * Nodes agree on no codes, only, roughly, on words (geth, Nethermind, Besu, Erigon, reth, anvil). The first that fits counts.
 */
const WORDS: readonly [RegExp, Refused][] = [
  [/already ?(known|imported|exists|in)|known transaction/i, "known"],
  [/nonce (is )?too low|old ?nonce|nonce has already been used/i, "nonce_used"],
  [/underpriced|(less|lower) than (the )?(block|current)? ?base ?fee|(gas price|fee|tip)[^.]*too low/i, "underpriced"],
  [/insufficient ?(funds|balance)|enough funds|upfront cost/i, "insufficient_funds"],
  [/revert|invalid opcode|out of gas|stack (under|over)flow/i, "would_fail"],
];
/** Of eth_call and eth_estimateGas: execution reverted. */
const REVERTED = 3;

/** What a server's refusal means; null: something we do not know. */
export function meaningOf({ code, text }: RpcRefusal): Refused | null {
  if (code === REVERTED) return "would_fail";
  return WORDS.find(([words]) => words.test(text))?.[1] ?? null;
}
