/** Gas prices (EIP-1559), in the native coin's smallest unit. */
export interface GasPrice {
  /** The maximum, tip included. */
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** The current market: the base fee of the newest block, and the usual tip. */
export interface MarketPrice {
  readonly base: bigint;
  readonly tip: bigint;
}

/**
 * Returns a price that lets the base fee double, which takes six full blocks, before the transaction has to wait.
 * `limit` is the maximum; null if it is too low.
 */
export function priceOf({ base, tip }: MarketPrice, limit: bigint): GasPrice | null {
  if (base + tip > limit) return null;
  return { maxFeePerGas: least(2n * base + tip, limit), maxPriorityFeePerGas: tip };
}

/**
 * Returns a price at which servers replace the old transaction: at least an eighth more of both, and not below the
 * market. null if that is above the limit.
 */
export function raisedPrice(old: GasPrice, market: MarketPrice, limit: bigint): GasPrice | null {
  const maxPriorityFeePerGas = most(anEighthMore(old.maxPriorityFeePerGas), market.tip);
  const needed = most(anEighthMore(old.maxFeePerGas), market.base + maxPriorityFeePerGas);
  if (needed > limit) return null;
  return { maxFeePerGas: least(most(needed, 2n * market.base + maxPriorityFeePerGas), limit), maxPriorityFeePerGas };
}

/** Rounds up and adds at least one, because an eighth of zero would change nothing. */
const anEighthMore = (fee: bigint): bigint => (fee * 9n + 7n) / 8n + (fee === 0n ? 1n : 0n);
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const most = (a: bigint, b: bigint): bigint => (a > b ? a : b);
