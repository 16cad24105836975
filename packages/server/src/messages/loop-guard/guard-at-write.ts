import type { AppContext } from "../../context.ts";
import type { AppError } from "../../errors.ts";
import type { Draft, OpenStep } from "../append/draft.ts";
import { lastClear, newestSpeakers, stateAfter } from "./loop-guard.store.ts";
import { clearedInMemory, guardRefusal } from "./loop-guard.ts";
import { afterAgent, CLEAR, type GuardState, QUIET_MS } from "./loop-guard-rules.ts";

/**
 * Messages of webhooks lie between those of agents. The count in memory, which every message passes first, looks further
 * back; here the newest matter, which that count may not know yet.
 */
const NEWEST = 200;

/**
 * Counts what is stored in a channel, in the transaction that has locked its row: until the commit nobody else can store
 * a message there, on any node.
 */
export async function stateUnderLock(ctx: AppContext, channelId: number): Promise<GuardState> {
  const quietSince = ctx.clock.now() - QUIET_MS;
  const clearedAt = clearedInMemory(ctx, channelId) ?? (await lastClear(ctx.db, channelId, quietSince));
  return stateAfter(await newestSpeakers(ctx.db, channelId, NEWEST), Math.max(quietSince, clearedAt));
}

/** Returns a channel's latest senders, newest first. */
export const speakersIn = ({ db }: AppContext, channelId: number, limit: number) =>
  newestSpeakers(db, channelId, limit);

/** Decides on the messages of a batch, channel by channel, in their order and under the channel's lock. */
export class GuardOfBatch implements OpenStep {
  readonly #limit: number;
  readonly #now: number;
  /** Of the channel that was entered last. */
  #state: GuardState = CLEAR;

  private constructor({ config, clock }: AppContext) {
    this.#limit = config.agentLoopLimit;
    this.#now = clock.now();
  }

  static async open(ctx: AppContext, drafts: readonly Draft[]): Promise<OpenStep | null> {
    return drafts.some(({ isGuarded }) => isGuarded === true) ? new GuardOfBatch(ctx) : null;
  }

  async enter(ctx: AppContext, channelId: number, drafts: readonly Draft[]): Promise<void> {
    if (drafts.some(({ isGuarded }) => isGuarded === true)) this.#state = await stateUnderLock(ctx, channelId);
  }

  refusal({ isGuarded, agent_id }: Draft): AppError | null {
    return isGuarded === true && agent_id !== null ? guardRefusal(this.#state, agent_id, this.#limit, this.#now) : null;
  }

  note({ sender_type, agent_id, sender_name }: Draft): void {
    if (sender_type === "user") this.#state = CLEAR;
    else if (agent_id !== null) this.#state = afterAgent(this.#state, agent_id, sender_name, this.#now);
  }
}
