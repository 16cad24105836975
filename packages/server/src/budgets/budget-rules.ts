import {
  type AssetAmount,
  type BudgetLimits,
  type BudgetName,
  type BudgetState,
  COST_DECIMALS,
  type Cost,
} from "@parley/protocol/budgets";

/** The budgets that a message or a card uses. */
export const COUNTED = ["messages_per_day", "characters_per_day", "cards_per_day"] as const;
type Counted = (typeof COUNTED)[number];

/** What an agent has used in its period. Absent: nothing. */
export type Used = Partial<Record<Counted, number>> & {
  /** Reported costs in billionths, in the currency of the budget. */
  cost?: number;
  /** The share of each budget, 80 or 100 percent, of which owner and agent were told. */
  told?: Record<string, number>;
};

/** Returns the limits in force: the owner's or the ceiling, whichever is lower. */
export function effective(limits: BudgetLimits, ceilings: BudgetLimits): BudgetLimits {
  const counts = Object.fromEntries(COUNTED.map((name) => [name, lower(limits[name], ceilings[name])]));
  const [own, most] = [limits.cost_per_day ?? null, ceilings.cost_per_day ?? null];
  // A ceiling in another currency cannot be compared, so it takes precedence.
  const isOwn = own !== null && (most === null || (own.currency === most.currency && costOf(own) <= costOf(most)));
  return {
    ...counts,
    cost_per_day: isOwn ? own : most,
    payments_per_day: lowerAssets(limits.payments_per_day, ceilings.payments_per_day),
    payment_max: lowerAssets(limits.payment_max, ceilings.payment_max),
  };
}

function lower(own: number | null | undefined, most: number | null | undefined): number | null {
  if (own == null || most == null) return own ?? most ?? null;
  return Math.min(own, most);
}

type Assets = readonly AssetAmount[] | null | undefined;

/** An asset that one of two lists leaves out may not be paid. */
function lowerAssets(own: Assets, most: Assets): AssetAmount[] | null {
  if (own == null || most == null) return own == null && most == null ? null : [...(own ?? most ?? [])];
  return own.flatMap((asset) => {
    const ceiling = most.find((other) => isSameAsset(asset, other));
    if (ceiling === undefined) return [];
    return [BigInt(asset.amount) <= BigInt(ceiling.amount) ? asset : ceiling];
  });
}

type Asset = Pick<AssetAmount, "chain_id" | "currency">;

export const isSameAsset = (one: Asset, other: Asset): boolean =>
  one.chain_id === other.chain_id && one.currency === other.currency;

/** Returns the limit of an asset; null: none. An asset that a list leaves out has the limit 0. */
export function assetLimit(list: Assets, asset: Asset): bigint | null {
  if (list == null) return null;
  return BigInt(list.find((one) => isSameAsset(one, asset))?.amount ?? 0);
}

/** Returns a cost in billionths of its currency's unit. */
export function costOf({ amount }: Pick<Cost, "amount">): number {
  const [whole = "0", part = ""] = amount.split(".");
  return Number(`${whole}${part.padEnd(COST_DECIMALS, "0")}`);
}

/** Returns billionths as a decimal number. */
export function costText(billionths: number): string {
  const digits = String(billionths).padStart(COST_DECIMALS + 1, "0");
  const part = digits.slice(-COST_DECIMALS).replace(/0+$/, "");
  return `${digits.slice(0, -COST_DECIMALS)}${part === "" ? "" : `.${part}`}`;
}

/** A message or card that is about to be sent. */
export interface Spending {
  messages: number;
  characters: number;
  cards: number;
}

/**
 * Returns the first budget that a message exceeds; null if there is room. A cost is only known when it has been spent:
 * the message that reports it is sent as long as anything is left, and none after it.
 */
export function exceeded(
  limits: BudgetLimits,
  used: Used,
  { messages, characters, cards }: Spending,
): BudgetName | null {
  const wanted = { messages_per_day: messages, characters_per_day: characters, cards_per_day: cards };
  for (const name of COUNTED) {
    const limit = limits[name];
    if (limit != null && wanted[name] > 0 && (used[name] ?? 0) + wanted[name] > limit) return name;
  }
  const cost = limits.cost_per_day;
  return cost != null && (used.cost ?? 0) >= costOf(cost) ? "cost_per_day" : null;
}

/** Payments of the current period, reserved or made, by asset. */
export type Paid = readonly AssetAmount[];

/** Returns what is left of each budget that has a limit. */
export function statesOf(limits: BudgetLimits, used: Used, paid: Paid): BudgetState[] {
  const states: BudgetState[] = [];
  for (const budget of COUNTED) {
    const limit = limits[budget];
    const gone = used[budget] ?? 0;
    if (limit != null) states.push({ budget, limit, used: gone, remaining: Math.max(0, limit - gone) });
  }
  const cost = limits.cost_per_day;
  if (cost != null) {
    const { amount: limit, currency } = cost;
    const remaining = costText(Math.max(0, costOf(cost) - (used.cost ?? 0)));
    states.push({ budget: "cost_per_day", currency, limit, used: costText(used.cost ?? 0), remaining });
  }
  for (const { amount: limit, ...asset } of limits.payments_per_day ?? []) {
    const gone = BigInt(paid.find((one) => isSameAsset(one, asset))?.amount ?? 0);
    const left = BigInt(limit) - gone;
    const remaining = String(left > 0n ? left : 0n);
    states.push({ budget: "payments_per_day", ...asset, limit, used: String(gone), remaining });
  }
  for (const { amount: limit, ...asset } of limits.payment_max ?? [])
    states.push({ budget: "payment_max", ...asset, limit, used: "0", remaining: limit });
  return states;
}

/** Returns the share of a budget that is used, as far as somebody is told: 0, 80 or 100 percent. */
export function shareOf({ budget, limit, used }: BudgetState): 0 | 80 | 100 {
  if (budget === "payment_max") return 0;
  const [most, gone] = budget === "cost_per_day" ? [costBig(limit), costBig(used)] : [BigInt(limit), BigInt(used)];
  if (gone >= most) return gone === 0n ? 0 : 100;
  return gone * 5n >= most * 4n ? 80 : 0;
}

const costBig = (amount: BudgetState["limit"]): bigint => BigInt(costOf({ amount: String(amount) }));

/** The name of a budget of one asset, by which it is remembered who was told. */
export const keyOf = ({ budget, chain_id, currency }: BudgetState): string =>
  budget === "payments_per_day" ? `${budget} ${chain_id} ${currency}` : budget;
