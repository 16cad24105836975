import { isoTime } from "../base/iso-time.ts";
/** Returns the cap that a transfer exceeds, or null. */
export function capProblem(
  amount: bigint,
  { perTransfer, perDay, today }: { perTransfer: bigint | null; perDay: bigint | null; today: bigint },
): "transfer_cap" | "daily_cap" | null {
  if (perTransfer !== null && amount > perTransfer) return "transfer_cap";
  return perDay !== null && today + amount > perDay ? "daily_cap" : null;
}

/** Returns the UTC day of a time, as the caps count days: `2026-11-21`. */
export const dayOf = (now: number): string => isoTime(now).slice(0, 10);

/** Returns the first free nonce at or above `from`. */
export function firstFree(from: bigint, taken: ReadonlySet<bigint>): bigint {
  let nonce = from;
  while (taken.has(nonce)) nonce += 1n;
  return nonce;
}

/** Returns the first free nonce below a taken one, whose owner would wait for it forever. null: there is no gap. */
export function firstGap(from: bigint, taken: ReadonlySet<bigint>): bigint | null {
  const free = firstFree(from, taken);
  return [...taken].some((nonce) => nonce > free) ? free : null;
}

/** Milliseconds until something of that age is checked again: an eighth of its age, between 0.5 s and 15 s. */
export const pollAgainMs = (ageMs: number): number => Math.max(500, Math.min(15_000, Math.floor(ageMs / 8)));

/** Milliseconds of backoff after that many refusals: 5 s, doubled each time, at most 10 min. */
export const retryAfterMs = (refusals: number): number => Math.min(600_000, 5_000 * 2 ** Math.min(refusals, 10));

/** Milliseconds until a payout that waits for the operator, for money or for the next day is checked again. */
export const HELD_MS = 30_000;

/** A payout is given up after the chain has said this often, over some 20 minutes, that the transfer would fail. */
export const REFUSALS_MAX = 8;

/** How often the fee of one nonce may be raised (guarantees P13). */
export const FEE_REPLACEMENTS_MAX = 3;
