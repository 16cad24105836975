import type { FailedTransactionMetadata } from "litesvm";

/** The litesvm error numbers that our transactions meet, each with its JSON-RPC name and the text of a validator. */
const FIELDLESS: Readonly<Record<number, [string, string]>> = {
  2: ["AccountNotFound", "Attempt to debit an account but found no record of a prior credit."],
  4: ["InsufficientFundsForFee", "Insufficient funds for fee"],
  6: ["AlreadyProcessed", "This transaction has already been processed"],
  7: ["BlockhashNotFound", "Blockhash not found"],
  11: ["SignatureFailure", "Transaction did not pass signature verification"],
};

/** The reason why a transaction failed: `err` of the JSON-RPC, and the text of its message. */
export interface SolanaError {
  err: unknown;
  words: string;
}

export const ALREADY_PROCESSED: SolanaError = errorOf(6);
export const BLOCKHASH_NOT_FOUND: SolanaError = errorOf(7);

export function errorOf(cause: ReturnType<FailedTransactionMetadata["err"]>): SolanaError {
  if (typeof cause === "number") {
    const [err, words] = FIELDLESS[cause] ?? [`Error${cause}`, `Error ${cause}`];
    return { err, words };
  }
  if ("accountIndex" in cause) {
    const { accountIndex } = cause;
    const words = `Transaction results in an account (${accountIndex}) with insufficient funds for rent`;
    return { err: { InsufficientFundsForRent: { account_index: accountIndex } }, words };
  }
  const inner = "err" in cause ? cause.err() : null;
  const code = typeof inner === "object" && inner !== null && "code" in inner ? inner.code : null;
  return {
    err: { InstructionError: [cause.index, code === null ? "InvalidAccountData" : { Custom: code }] },
    words: `Error processing Instruction ${cause.index}: ${
      code === null ? "invalid account data for instruction" : `custom program error: 0x${code.toString(16)}`
    }`,
  };
}
