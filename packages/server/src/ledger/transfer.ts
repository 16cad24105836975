/** One account's part in a transfer: the amount it receives (negative: gives), in the smallest unit of the currency. */
export interface Leg {
  account: string;
  amount: bigint;
  /** The minimum balance that the transfer must leave on the account; none when absent. */
  onHold?: bigint;
}

/** A movement of value, to be posted. */
export interface Transfer {
  /** The idempotency key: the same key never moves anything twice. */
  key: string;
  kind: string;
  currency: string;
  legs: readonly Leg[];
}

/** Amounts on chain are 256-bit words. */
export const AMOUNT_MAX = 2n ** 256n;

/** A transfer has fewer legs than this: an entry's id is `transfer id × LEGS_MAX + leg`. */
export const LEGS_MAX = 1024;

const ACCOUNT = /^[a-z_]+:[A-Za-z0-9_.:-]{1,100}$/;
const WORD = /^[A-Za-z0-9_.:-]{1,200}$/;

/** Returns what makes a transfer invalid; undefined when it may be posted. */
export function transferProblem({ key, kind, currency, legs }: Transfer): string | undefined {
  if (![key, kind, currency].every((word) => WORD.test(word))) return "key, kind and currency must be plain words";
  const odd = legs.find(({ account, amount }) => !ACCOUNT.test(account) || amount === 0n || abs(amount) > AMOUNT_MAX);
  if (odd !== undefined) return `${odd.account} cannot receive ${odd.amount}`;
  if (new Set(legs.map(({ account }) => account)).size < legs.length) return "an account has more than one leg";
  if (legs.length < 2) return "it has fewer than two legs";
  if (legs.length >= LEGS_MAX) return `it has ${legs.length} legs`;
  const sum = legs.reduce((total, { amount }) => total + amount, 0n);
  return sum === 0n ? undefined : `the legs sum to ${sum}`;
}

const abs = (amount: bigint): bigint => (amount < 0n ? -amount : amount);

/** Sorts the legs into one global order, which prevents deadlocks between transfers of the same accounts. */
export function inOrder(legs: readonly Leg[]): Leg[] {
  return [...legs].sort((a, b) => (a.account < b.account ? -1 : 1));
}
