import type { Millis } from "../columns.ts";

/** The limits of an agent's spending (protocol §12.8). Agents without a row have none. */
export interface AgentBudgetsTable {
  agent_id: number;
  /** The owner's, as JSON. */
  limits: string;
  /** The administrators', as JSON. */
  ceilings: string;
  /** The time zone whose days are the periods. */
  period_zone: string;
  updated_at: Millis;
}

/** What an agent has used of a budget since the beginning of its current period. */
export interface AgentSpendingTable {
  agent_id: number;
  budget: string;
  period_at: Millis;
  /** Decimal digits. */
  used: string;
  /** The share in percent of which owner and agent were told in this period: 0, 80 or 100. */
  told: number;
}

/** The usage that agents report with messages, summed up by quarters of an hour. */
export interface AgentUsageTable {
  agent_id: number;
  bucket_at: Millis;
  channel_id: number;
  model: string;
  /** Empty without a cost. */
  currency: string;
  messages: number;
  input_tokens: number;
  output_tokens: number;
  /** In billionths of the currency's unit. */
  cost: number;
}

/** The payments that were demanded of agents with a budget. */
export interface AgentDemandsTable {
  payment_id: string;
  agent_id: number;
  chain_id: number;
  currency: string;
  /** Decimal digits, in the smallest unit. */
  amount: string;
  /** `released`: the demand lapsed or the payment was undone. */
  state: "reserved" | "settled" | "released";
  lapses_at: Millis;
  settled_at: Millis | null;
}
