import type { AppContext } from "../../context.ts";
import { type AppError, fail } from "../../errors.ts";
import type { Draft, OpenStep, StoredDraft } from "../append/draft.ts";
import { countOpen, lockAsker } from "./interactions.store.ts";
import { storeQuestion } from "./sending.ts";

/** Questions that an agent may have open at once: each is a row that waits. */
export const OPEN_CARDS_MAX = 100;

/**
 * The open questions of the agents of one batch of messages. The agents' rows are locked, in the order of their ids, so
 * that an agent's questions are counted one after the other, on all nodes.
 */
export class OpenQuestions implements OpenStep {
  readonly #open = new Map<number, number>();

  private constructor() {}

  static async open(ctx: AppContext, drafts: readonly Draft[]): Promise<OpenStep | null> {
    const askers = new Set(drafts.flatMap(({ question, agent_id }) => (question === null ? [] : (agent_id ?? []))));
    if (askers.size === 0) return null;
    const questions = new OpenQuestions();
    for (const agentId of [...askers].sort((a, b) => a - b)) {
      await lockAsker(ctx.db, agentId);
      questions.#open.set(agentId, await countOpen(ctx.db, agentId));
    }
    return questions;
  }

  refusal(draft: Draft): AppError | null {
    return draft.question !== null && this.#openOf(draft) >= OPEN_CARDS_MAX ? fail("card_limit_reached") : null;
  }

  note(draft: Draft): void {
    if (draft.question !== null) this.#open.set(draft.agent_id ?? 0, this.#openOf(draft) + 1);
  }

  async write(ctx: AppContext, stored: readonly StoredDraft[]): Promise<void> {
    for (const { draft, answer } of stored)
      if (draft.question !== null) await storeQuestion(ctx, answer.row, draft.question);
  }

  #openOf({ agent_id }: Draft): number {
    return this.#open.get(agent_id ?? 0) ?? 0;
  }
}
