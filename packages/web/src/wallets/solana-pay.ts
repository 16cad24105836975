import { inUnits } from "./units.ts";

interface SolanaTransfer {
  readonly to: string;
  /** In the smallest unit. */
  readonly amount: string;
  readonly decimals: number;
  /** The token's mint; null: SOL. */
  readonly mint: string | null;
  /** An account that is added, so that the transfer says what it is for. */
  readonly reference: string;
  /** Who asks, for the person who pays. */
  readonly label: string;
}

/** The address by which wallets of Solana are asked for a transfer (Solana Pay, transfer request). */
export function solanaPayLink({ to, amount, decimals, mint, reference, label }: SolanaTransfer): string {
  const query = new URLSearchParams({ amount: inUnits(amount, decimals) });
  if (mint !== null) query.set("spl-token", mint);
  query.set("reference", reference);
  query.set("label", label);
  // By its specification spaces are %20, not +.
  return `solana:${to}?${query.toString().replaceAll("+", "%20")}`;
}
