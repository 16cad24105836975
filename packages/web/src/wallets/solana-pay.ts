import { formatUnits } from "./units.ts";

interface SolanaTransfer {
  readonly to: string;
  /** In the smallest unit. */
  readonly amount: string;
  readonly decimals: number;
  /** The token's mint; null: SOL. */
  readonly mint: string | null;
  /** An extra account, so that the transfer identifies its purpose. */
  readonly reference: string;
  /** The payee's label, shown to the payer. */
  readonly label: string;
}

/** Returns a link that asks Solana wallets for a transfer (Solana Pay, transfer request). */
export function solanaPayLink({ to, amount, decimals, mint, reference, label }: SolanaTransfer): string {
  const query = new URLSearchParams({ amount: formatUnits(amount, decimals) });
  if (mint !== null) query.set("spl-token", mint);
  query.set("reference", reference);
  query.set("label", label);
  // The specification requires %20 for spaces, not +.
  return `solana:${to}?${query.toString().replaceAll("+", "%20")}`;
}
