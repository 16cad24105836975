import { type AssetAmount, USAGE_DAYS_MAX, type UsageEntry, type UsageQuery } from "@parley/protocol/budgets";
import type { AppContext } from "../context.ts";
import type { AgentDemandsTable, AgentUsageTable } from "../db/tables/budgets.ts";
import { fail } from "../errors.ts";
import { costText } from "./budget-rules.ts";
import { paymentsOf, slugsOf, usageBetween } from "./budgets.store.ts";
import { accountOf } from "./change-budgets.ts";
import { dateIn, nextDay, startOfDay } from "./period.ts";

const DAY_MS = 24 * 3_600_000;

/** The usage of an agent over some days, by day or by channel. */
export interface UsagePage {
  from: string;
  to: string;
  by: "day" | "channel";
  period_zone: string;
  usage: UsageEntry[];
}

/** Returns what an agent used, as far as it has a budget or reports it. Errors: `invalid_request` (the range). */
export async function usageOf(ctx: AppContext, agentId: number, query: UsageQuery): Promise<UsagePage> {
  const { zone } = await accountOf(ctx, agentId);
  const last = query.to === undefined ? ctx.clock.now() : middleOf(query.to);
  const first = query.from === undefined ? last - 29 * DAY_MS : middleOf(query.from);
  if (!(first <= last && last - first < USAGE_DAYS_MAX * DAY_MS))
    throw fail("invalid_request", {
      details: [{ path: "from", message: `must be a day before \`to\`, at most ${USAGE_DAYS_MAX - 1} days` }],
    });
  const [from, until] = [startOfDay(zone, first), nextDay(zone, last)];
  const rows = await usageBetween(ctx.db, agentId, from, until);
  const by = query.by ?? "day";
  const paid = await paymentsOf(ctx.db, agentId, { now: Number.MAX_SAFE_INTEGER, since: from, until });
  const usage = by === "day" ? byDay(zone, rows, paid) : await byChannel(ctx, rows);
  return { from: dateIn(zone, from), to: dateIn(zone, until - 1), by, period_zone: zone, usage };
}

/** A time that is on that day in nearly every time zone. NaN for a day that does not exist. */
const middleOf = (day: string): number => Date.parse(`${day}T12:00:00Z`);

function byDay(zone: string, rows: readonly AgentUsageTable[], paid: readonly AgentDemandsTable[]): UsageEntry[] {
  const used = Map.groupBy(rows, ({ bucket_at }) => dateIn(zone, bucket_at));
  const payments = Map.groupBy(paid, ({ settled_at }) => dateIn(zone, settled_at ?? 0));
  return [...new Set([...used.keys(), ...payments.keys()])]
    .sort()
    .map((day) => ({ ...sumOf(used.get(day) ?? []), day, payments: sumOfPayments(payments.get(day) ?? []) }));
}

async function byChannel(ctx: AppContext, rows: readonly AgentUsageTable[]): Promise<UsageEntry[]> {
  const used = Map.groupBy(rows, ({ channel_id }) => channel_id);
  const slugs = await slugsOf(ctx.db, [...used.keys()]);
  return [...used].map(([channel_id, all]) => ({
    ...sumOf(all),
    channel_id,
    channel_slug: slugs.get(channel_id) ?? null,
  }));
}

function sumOf(rows: readonly AgentUsageTable[]): UsageEntry {
  const sum = (field: "messages" | "characters" | "cards" | "input_tokens" | "output_tokens") =>
    rows.reduce((total, row) => total + row[field], 0);
  const costs = Map.groupBy(
    rows.filter(({ currency }) => currency !== ""),
    ({ currency }) => currency,
  );
  return {
    day: null,
    channel_id: null,
    channel_slug: null,
    messages: sum("messages"),
    characters: sum("characters"),
    cards: sum("cards"),
    input_tokens: sum("input_tokens"),
    output_tokens: sum("output_tokens"),
    costs: [...costs].map(([currency, all]) => ({
      currency,
      amount: costText(all.reduce((total, { cost }) => total + cost, 0)),
    })),
    models: [...new Set(rows.flatMap(({ model }) => (model === "" ? [] : [model])))].sort().slice(0, 20),
    payments: [],
  };
}

function sumOfPayments(paid: readonly AgentDemandsTable[]): AssetAmount[] {
  const sums = new Map<string, AssetAmount>();
  for (const { chain_id, currency, amount } of paid) {
    const key = `${chain_id} ${currency}`;
    const sum = BigInt(sums.get(key)?.amount ?? 0) + BigInt(amount);
    sums.set(key, { chain_id, currency, amount: String(sum) });
  }
  return [...sums.values()];
}
