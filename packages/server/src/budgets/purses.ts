import type { UsageReport } from "@parley/protocol/budgets";
import type { AppContext } from "../context.ts";
import type { AppError } from "../errors.ts";
import { costOf, effective, exceeded, type Spending } from "./budget-rules.ts";
import { addUsage, lockBudget, writeBudget } from "./budgets.store.ts";
import { type Account, exhausted, inPeriod, statesIn, tellOf } from "./budgets.ts";

/** Usage is summed up by quarters of an hour: every time zone's days consist of them. */
const BUCKET_MS = 15 * 60_000;

/** A message of an agent whose spending is counted. */
export interface CountedMessage {
  agentId: number;
  channelId: number;
  content: string;
  cards: number;
  usage: UsageReport | null;
  /** A new text of a message that was counted when it was sent: only its characters count. */
  isEdit?: boolean;
}

interface Counted extends Spending {
  message: CountedMessage;
}

/**
 * The budgets of the agents of one batch of messages. They are locked before anything else of the batch is, in the
 * order of their ids, so that batches cannot deadlock, and written once, with the messages.
 */
export class Purses {
  readonly #accounts = new Map<number, Account | null>();
  readonly #taken: Counted[] = [];

  private constructor() {}

  static async open(ctx: AppContext, agentIds: Iterable<number>): Promise<Purses> {
    const purses = new Purses();
    for (const agentId of [...new Set(agentIds)].sort((a, b) => a - b)) {
      const row = await lockBudget(ctx.db, agentId);
      purses.#accounts.set(agentId, row === null ? null : inPeriod(row, ctx.clock.now()));
    }
    return purses;
  }

  /** Returns the refusal if a budget has no room for the message. */
  refusal(message: CountedMessage): AppError | null {
    const account = this.#accounts.get(message.agentId) ?? null;
    if (account === null) return null;
    const name = exceeded(effective(account.limits, account.ceilings), account.used, spendingOf(message));
    const state = statesIn(account, []).find(({ budget }) => budget === name);
    return state === undefined ? null : exhausted(state, account);
  }

  /** Counts a message, also beyond a budget: what has been shown is spent. */
  charge(message: CountedMessage): void {
    const account = this.#accounts.get(message.agentId) ?? null;
    const spending = spendingOf(message);
    if (account !== null) {
      const { cost_per_day: cost } = effective(account.limits, account.ceilings);
      account.used = {
        ...account.used,
        messages_per_day: (account.used.messages_per_day ?? 0) + spending.messages,
        characters_per_day: (account.used.characters_per_day ?? 0) + spending.characters,
        cards_per_day: (account.used.cards_per_day ?? 0) + spending.cards,
        cost: (account.used.cost ?? 0) + costIn(cost?.currency, message.usage),
      };
    }
    this.#taken.push({ ...spending, message });
  }

  /** Writes what was taken, and tells owners and agents. Call it once, in the transaction of the messages. */
  async close(ctx: AppContext): Promise<void> {
    const bucket_at = Math.floor(ctx.clock.now() / BUCKET_MS) * BUCKET_MS;
    for (const { message, messages, characters, cards } of this.#taken) {
      const { agentId: agent_id, channelId: channel_id, usage } = message;
      const cost = usage?.cost ?? null;
      await addUsage(ctx.db, {
        agent_id,
        bucket_at,
        channel_id,
        model: usage?.model ?? "",
        currency: cost?.currency ?? "",
        messages,
        characters,
        cards,
        input_tokens: usage?.input_tokens ?? 0,
        output_tokens: usage?.output_tokens ?? 0,
        cost: cost === null ? 0 : costOf(cost),
      });
    }
    const spenders = new Set(this.#taken.map(({ message }) => message.agentId));
    for (const [agentId, account] of this.#accounts) {
      if (account === null || !spenders.has(agentId)) continue;
      await tellOf(ctx, account, []);
      await writeBudget(ctx.db, account);
    }
  }
}

const spendingOf = ({ content, cards, isEdit }: CountedMessage): Spending => ({
  messages: isEdit === true ? 0 : 1,
  characters: [...content].length,
  cards,
});

/** Returns a reported cost in billionths; 0 in another currency than the budget's, which cannot be compared. */
const costIn = (currency: string | undefined, usage: UsageReport | null): number =>
  usage?.cost != null && usage.cost.currency === currency ? costOf(usage.cost) : 0;
