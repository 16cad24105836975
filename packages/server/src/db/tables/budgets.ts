import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** The limits of an agent's spending, and what it has used of them (protocol §12.8). Agents without a row have none. */
export interface AgentBudgetsTable {
  agent_id: number;
  /** The owner's, as JSON. */
  limits: string;
  /** The administrators', as JSON. */
  ceilings: string;
  /** The time zone whose days are the periods. */
  period_zone: string;
  /** When the period of `used` began; null: nothing was used yet. */
  period_at: Millis | null;
  /** What was used in that period, as JSON. */
  used: string;
}

/**
 * What agents with a budget sent, and the usage that agents report with messages, summed up by quarters of an hour.
 */
export interface AgentUsageTable {
  agent_id: number;
  bucket_at: Millis;
  channel_id: number;
  /** Empty without a report. */
  model: string;
  /** Empty without a cost. */
  currency: string;
  messages: number;
  characters: number;
  cards: number;
  input_tokens: number;
  output_tokens: number;
  /** In billionths of the currency's unit. */
  cost: number;
}

/** The payments that agents with a budget were asked for, and those that agents made. */
export interface AgentDemandsTable {
  payment_id: string;
  agent_id: number;
  chain_id: number;
  currency: string;
  /** Decimal digits, in the smallest unit. */
  amount: string;
  /** `released`: the payment was undone. A challenge that has lapsed stays `reserved`. */
  state: "reserved" | "settled" | "released";
  lapses_at: Millis;
  settled_at: Millis | null;
}

export const dataClasses: DataClasses = {
  agent_budgets: { erased: { keep: "agent_id limits ceilings period_zone period_at used" } },
  agent_usage: {
    erased: {
      keep: `agent_id bucket_at channel_id model currency messages characters cards input_tokens output_tokens cost`,
    },
    purged: "keep",
  },
  agent_demands: { erased: { keep: "payment_id agent_id chain_id currency amount state lapses_at settled_at" } },
};
