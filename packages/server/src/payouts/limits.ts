/** What keeps a transfer waiting. */
export function capProblem(
  amount: bigint,
  { perTransfer, perDay, today }: { perTransfer: bigint | null; perDay: bigint | null; today: bigint },
): "transfer_cap" | "daily_cap" | null {
  if (perTransfer !== null && amount > perTransfer) return "transfer_cap";
  return perDay !== null && today + amount > perDay ? "daily_cap" : null;
}

/** The UTC day of a time, as caps count them: `2026-11-21`. */
export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10);

/** The first nonce from `from` on that is free. */
export function firstFree(from: bigint, taken: ReadonlySet<bigint>): bigint {
  let nonce = from;
  while (taken.has(nonce)) nonce += 1n;
  return nonce;
}

/** The first nonce that is missing below one that is taken, so that what has that one waits for ever; null: none is. */
export function firstGap(from: bigint, taken: ReadonlySet<bigint>): bigint | null {
  const free = firstFree(from, taken);
  return [...taken].some((nonce) => nonce > free) ? free : null;
}

/** Milliseconds until something that is so old is looked at again: often in the beginning, then at most every 15 s. */
export const lookAgainMs = (ageMs: number): number => Math.max(500, Math.min(15_000, Math.floor(ageMs / 8)));

/** Milliseconds until what was refused so often is tried again: from 5 s on, doubled each time, at most 10 min. */
export const tryAgainMs = (refusals: number): number => Math.min(600_000, 5_000 * 2 ** Math.min(refusals, 10));

/** What waits for the operator, for money or for tomorrow is looked at again after so long. */
export const HELD_MS = 30_000;

/** So often a chain may say that a transfer would fail, over some 20 minutes, until it is given up. */
export const REFUSALS_MAX = 8;

/** How often the fee of one nonce may be raised (guarantees P13). */
export const BUMPS_MAX = 3;
