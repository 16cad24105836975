/** Prices of gas as of EIP-1559, in the native coin's smallest unit. */
export interface GasPrice {
  /** The most, tip included. */
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** Today: what the newest block takes for a unit of gas, and what tip is usual. */
export interface MarketPrice {
  readonly base: bigint;
  readonly tip: bigint;
}

/** Room for the base fee to double, which takes six full blocks, before the transaction has to wait. `limit` is the most; null: too little. */
export function priceOf({ base, tip }: MarketPrice, limit: bigint): GasPrice | null {
  if (base + tip > limit) return null;
  return { maxFeePerGas: least(2n * base + tip, limit), maxPriorityFeePerGas: tip };
}

/** A price at which servers replace the old transaction: an eighth more of both, and not below today's. null: above the limit. */
export function raisedPrice(old: GasPrice, market: MarketPrice, limit: bigint): GasPrice | null {
  const maxPriorityFeePerGas = most(anEighthMore(old.maxPriorityFeePerGas), market.tip);
  const needed = most(anEighthMore(old.maxFeePerGas), market.base + maxPriorityFeePerGas);
  if (needed > limit) return null;
  return { maxFeePerGas: least(most(needed, 2n * market.base + maxPriorityFeePerGas), limit), maxPriorityFeePerGas };
}

/** Rounded up, and more by one at least: an eighth of nothing would change nothing. */
const anEighthMore = (fee: bigint): bigint => (fee * 9n + 7n) / 8n + (fee === 0n ? 1n : 0n);
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const most = (a: bigint, b: bigint): bigint => (a > b ? a : b);
