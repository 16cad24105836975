import type { AppContext } from "../../context.ts";
import { type AppError, fail } from "../../errors.ts";
import { recordJson } from "../../event-log/message-json.ts";
import { othersAfter } from "../messages.store.ts";
import { differingOf, withOwnFields } from "../own-fields.ts";
import type { Draft, OpenStep } from "./draft.ts";

/** Refuses a message if others have posted since the seq that its sender expects. Such a draft is alone in its batch. */
export class ExpectedContext implements OpenStep {
  readonly #refusals = new Map<Draft, AppError>();

  static async open(_: AppContext, drafts: readonly Draft[]): Promise<OpenStep | null> {
    return drafts.some(({ expectedLastSeq }) => expectedLastSeq !== null) ? new ExpectedContext() : null;
  }

  async enter(ctx: AppContext, channelId: number, drafts: readonly Draft[]): Promise<void> {
    for (const draft of drafts) {
      const { channelSlug, agent_id, expectedLastSeq: expected } = draft;
      if (expected === null) continue;
      const refusal = await missedError(ctx, { channelId, channelSlug, agentId: agent_id ?? 0, expected });
      if (refusal !== null) this.#refusals.set(draft, refusal);
    }
  }

  refusal(draft: Draft): AppError | null {
    return this.#refusals.get(draft) ?? null;
  }
}

/** Returns the error `context_stale` if others have posted since `expected`, or null. */
export async function missedError(
  ctx: AppContext,
  of: { channelId: number; channelSlug: string; agentId: number; expected: number },
): Promise<AppError | null> {
  const { channelId, channelSlug, agentId, expected } = of;
  const missed = await othersAfter(ctx.db, channelId, expected, agentId, 50);
  if (missed.length === 0) return null;
  const json = `[${missed.map((row) => recordJson(row, channelSlug)).join(",")}]`;
  const reader = { kind: "agent", id: agentId } as const;
  const messages = JSON.parse(await withOwnFields(ctx, reader, { json, ...differingOf(missed) }));
  return fail("context_stale", { details: { messages, last_seq: missed.at(-1)?.seq ?? expected } });
}
