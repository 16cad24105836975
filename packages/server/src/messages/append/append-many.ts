import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import { isUniqueViolation } from "../../db/database.ts";
import { transact } from "../../db/transact.ts";
import type { AgentIdentity, UserIdentity } from "../../http/identity.ts";
import { storeCalls } from "../mentions/here.ts";
import { ownRecord } from "../own-fields.ts";
import { appendAllWithin } from "./append.ts";
import type { Appended, Draft } from "./draft.ts";
import { inTurn } from "./slow-mode.ts";

/** Messages that were sent together. */
export interface SentTogether {
  /** The records as JSON text, in order. */
  records: readonly string[];
  /** True if all were sent before. */
  deduplicated: boolean;
}

/**
 * Writes the checked messages of a sender to a channel in one transaction, with consecutive `seq`: all or none. Errors:
 * `slow_mode`, those of `storeCalls` and of a refused draft.
 */
export async function appendMany(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  channel: Channel,
  drafts: readonly Draft[],
): Promise<SentTogether> {
  const append = () => storeCalls(ctx, caller, drafts, write);
  const write = async () => {
    const commit = () => transact(ctx, (ctx) => appendAllWithin(ctx, drafts));
    const answers = await commit().catch((error: unknown) => {
      // Another node has just sent them: then they are found.
      if (isUniqueViolation(error)) return commit();
      throw error;
    });
    return { answers, deduplicated: answers.every(({ deduplicated }) => deduplicated) };
  };
  const turn = { caller, channel, clientKey: drafts[0]?.client_key ?? null, messages: drafts.length };
  const sent = channel.slow_mode_seconds === 0 ? await append() : await inTurn(ctx, turn, append);
  const records = await Promise.all(sent.answers.map((answer) => recordOf(ctx, caller, answer)));
  return { records, deduplicated: sent.deduplicated };
}

const recordOf = async (
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  { row, json, deduplicated }: Appended,
): Promise<string> => (deduplicated ? await ownRecord(ctx, caller, row, json) : json);
