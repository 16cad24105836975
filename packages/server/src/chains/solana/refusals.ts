import { type Static, Type } from "typebox";
import { Check } from "typebox/value";
import type { RefusalReason } from "../chain.ts";
import type { Refused } from "../rpc/broadcast-transaction.ts";
import type { RpcRefusal } from "../rpc/failure.ts";

/** Validators word a transaction's error (`TransactionError`) always the same. The first match wins. */
const WORDS: readonly [RegExp, Refused][] = [
  [/already been processed/i, "known"],
  [/blockhash not found/i, "expired"],
  [
    /insufficient (funds for fee|lamports)|no record of a prior credit|custom program error: 0x1$/i,
    "insufficient_funds",
  ],
  [/error processing instruction|insufficient funds for rent|invalid account/i, "would_fail"],
];

/** Returns the meaning of a server's refusal of sendTransaction; null if it concerns the server. */
export function meaningOf({ text }: RpcRefusal): Refused | null {
  return WORDS.find(([words]) => words.test(text.trim()))?.[1] ?? null;
}

const InstructionError = Type.Object({ InstructionError: Type.Tuple([Type.Integer(), Type.Unknown()]) });
const RentError = Type.Object({ InsufficientFundsForRent: Type.Object({ account_index: Type.Integer() }) });
/** Error 1 of the System and Token programs: insufficient funds. */
const Custom1 = Type.Object({ Custom: Type.Literal(1) });

/**
 * Returns the meaning of a simulation's error for a transaction whose payer pays everything; null if it does not
 * concern the transfer, for example if the server does not know the blockhash yet.
 */
export function meaningOfError(error: unknown): RefusalReason | null {
  if (error === "AccountNotFound" || error === "InsufficientFundsForFee") return "insufficient_funds";
  if (Check(RentError, error)) {
    return error.InsufficientFundsForRent.account_index === 0 ? "insufficient_funds" : "would_fail";
  }
  if (!Check(InstructionError, error)) return null;
  const [, cause]: Static<typeof InstructionError>["InstructionError"] = error.InstructionError;
  return Check(Custom1, cause) ? "insufficient_funds" : "would_fail";
}
