import type { BudgetLimits } from "@parley/protocol/budgets";
import type { Selectable } from "kysely";
import type { Db } from "../db/db.ts";
import type { AgentBudgetsTable, AgentDemandsTable, AgentUsageTable } from "../db/tables/budgets.ts";
import type { Used } from "./budget-rules.ts";

/** An agent's budgets as they are computed with. */
export interface BudgetRow {
  agentId: number;
  limits: BudgetLimits;
  ceilings: BudgetLimits;
  zone: string;
  periodAt: number | null;
  used: Used;
}

function rowOf(row: Selectable<AgentBudgetsTable>): BudgetRow {
  return {
    agentId: row.agent_id,
    limits: JSON.parse(row.limits) as BudgetLimits,
    ceilings: JSON.parse(row.ceilings) as BudgetLimits,
    zone: row.period_zone,
    periodAt: row.period_at,
    used: JSON.parse(row.used) as Used,
  };
}

export async function findBudget(db: Db, agentId: number): Promise<BudgetRow | null> {
  const row = await db.selectFrom("agent_budgets").selectAll().where("agent_id", "=", agentId).executeTakeFirst();
  return row === undefined ? null : rowOf(row);
}

/** Reads an agent's budgets and locks them until the transaction ends, so that all spending is counted in turn. */
export async function lockBudget(db: Db, agentId: number): Promise<BudgetRow | null> {
  const row = await db
    .updateTable("agent_budgets")
    .set((eb) => ({ period_at: eb.ref("period_at") }))
    .where("agent_id", "=", agentId)
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? null : rowOf(row);
}

export async function writeBudget(
  db: Db,
  { agentId, limits, ceilings, zone, periodAt, used }: BudgetRow,
): Promise<void> {
  const values = {
    limits: JSON.stringify(limits),
    ceilings: JSON.stringify(ceilings),
    period_zone: zone,
    period_at: periodAt,
    used: JSON.stringify(used),
  };
  await db
    .insertInto("agent_budgets")
    .values({ agent_id: agentId, ...values })
    .onConflict((conflict) => conflict.column("agent_id").doUpdateSet(values))
    .execute();
}

/**
 * The reports of different models, currencies and channels that are kept apart in a quarter of an hour. Agents choose
 * these names freely, so each message could otherwise be a row.
 */
const REPORTS_MAX = 50;

/** Returns the row to which a message adds: beyond the limit it has neither model nor cost. */
async function placeOf(db: Db, row: AgentUsageTable): Promise<AgentUsageTable> {
  if (row.model === "") return row;
  const { agent_id, bucket_at, channel_id, model, currency } = row;
  const known = await db
    .selectFrom("agent_usage")
    .select(["channel_id", "model", "currency"])
    .where("agent_id", "=", agent_id)
    .where("bucket_at", "=", bucket_at)
    .where("model", "!=", "")
    .limit(REPORTS_MAX)
    .execute();
  const isKnown = known.some(
    (one) => one.channel_id === channel_id && one.model === model && one.currency === currency,
  );
  return isKnown || known.length < REPORTS_MAX ? row : { ...row, model: "", currency: "", cost: 0 };
}

/** Adds to the usage of a quarter of an hour. */
export async function addUsage(db: Db, row: AgentUsageTable): Promise<void> {
  await db
    .insertInto("agent_usage")
    .values(await placeOf(db, row))
    .onConflict((conflict) =>
      conflict.columns(["agent_id", "bucket_at", "channel_id", "model", "currency"]).doUpdateSet((eb) => ({
        messages: eb("agent_usage.messages", "+", eb.ref("excluded.messages")),
        characters: eb("agent_usage.characters", "+", eb.ref("excluded.characters")),
        cards: eb("agent_usage.cards", "+", eb.ref("excluded.cards")),
        input_tokens: eb("agent_usage.input_tokens", "+", eb.ref("excluded.input_tokens")),
        output_tokens: eb("agent_usage.output_tokens", "+", eb.ref("excluded.output_tokens")),
        cost: eb("agent_usage.cost", "+", eb.ref("excluded.cost")),
      })),
    )
    .execute();
}

/** Returns the usage of an agent from a time up to another, oldest first. */
export async function usageBetween(db: Db, agentId: number, from: number, to: number): Promise<AgentUsageTable[]> {
  const rows = await db
    .selectFrom("agent_usage")
    .select(["bucket_at", "channel_id", "model", "currency"])
    .select(({ fn }) => [
      fn.sum<number | string>("messages").as("messages"),
      fn.sum<number | string>("characters").as("characters"),
      fn.sum<number | string>("cards").as("cards"),
      fn.sum<number | string>("input_tokens").as("input_tokens"),
      fn.sum<number | string>("output_tokens").as("output_tokens"),
      fn.sum<number | string>("cost").as("cost"),
    ])
    .where("agent_id", "=", agentId)
    .where("bucket_at", ">=", from)
    .where("bucket_at", "<", to)
    .groupBy(["bucket_at", "channel_id", "model", "currency"])
    .orderBy("bucket_at")
    .execute();
  return rows.map(({ bucket_at, channel_id, model, currency, ...sums }) => ({
    agent_id: agentId,
    bucket_at,
    channel_id,
    model,
    currency,
    messages: Number(sums.messages),
    characters: Number(sums.characters),
    cards: Number(sums.cards),
    input_tokens: Number(sums.input_tokens),
    output_tokens: Number(sums.output_tokens),
    cost: Number(sums.cost),
  }));
}

/** Returns an agent's reserved payments that hold at a time, and its payments since another. */
export function paymentsOf(
  db: Db,
  agentId: number,
  { now, since, until }: { now: number; since: number; until?: number },
): Promise<AgentDemandsTable[]> {
  return db
    .selectFrom("agent_demands")
    .selectAll()
    .where("agent_id", "=", agentId)
    .where((eb) =>
      eb.or([
        eb.and([eb("state", "=", "reserved"), eb("lapses_at", ">", now)]),
        eb.and([
          eb("state", "=", "settled"),
          eb("settled_at", ">=", since),
          ...(until === undefined ? [] : [eb("settled_at", "<", until)]),
        ]),
      ]),
    )
    .execute();
}

/** Stores a reserved payment, or extends it; a payment that was made stays settled. */
export async function reserve(db: Db, row: Omit<AgentDemandsTable, "state" | "settled_at">): Promise<void> {
  await db
    .insertInto("agent_demands")
    .values({ ...row, state: "reserved", settled_at: null })
    .onConflict((conflict) =>
      conflict
        .column("payment_id")
        .doUpdateSet({ lapses_at: row.lapses_at, state: "reserved" })
        .where("agent_demands.state", "!=", "settled"),
    )
    .execute();
}

/** Notes a payment, whether it was reserved or not. */
export async function settle(db: Db, row: Omit<AgentDemandsTable, "state">): Promise<void> {
  const { amount, settled_at } = row;
  await db
    .insertInto("agent_demands")
    .values({ ...row, state: "settled" })
    .onConflict((conflict) => conflict.column("payment_id").doUpdateSet({ state: "settled", amount, settled_at }))
    .execute();
}

export async function release(db: Db, paymentId: string): Promise<void> {
  await db
    .updateTable("agent_demands")
    .set({ state: "released", settled_at: null })
    .where("payment_id", "=", paymentId)
    .execute();
}

/** Deletes reserved payments that lapsed before this time without a payment. */
export async function forgetLapsed(db: Db, before: number): Promise<void> {
  await db.deleteFrom("agent_demands").where("state", "!=", "settled").where("lapses_at", "<", before).execute();
}

/** Returns the verified owner of an agent, and its first name. */
export function ownerOf(db: Db, agentId: number) {
  return db
    .selectFrom("agents")
    .leftJoin("names", "names.agent_id", "agents.id")
    .select(["agents.owner_user_id", "agents.owner_verified", "names.name"])
    .where("agents.id", "=", agentId)
    .orderBy("names.name_key")
    .limit(1)
    .executeTakeFirst();
}

/** Returns the slugs of these channels, by id. */
export async function slugsOf(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom("channels").select(["id", "slug"]).where("id", "in", ids).execute();
  return new Map(rows.map(({ id, slug }) => [id, slug]));
}
