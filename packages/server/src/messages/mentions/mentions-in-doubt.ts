import { startBackgroundJob } from "../../base/background-job.ts";
import { type AppContext, perServer } from "../../context.ts";
import { type MessageRow, recordJson } from "../../event-log/message-json.ts";
import type { Appended } from "../append/draft.ts";
import { itemsOfMessage } from "../inbox/inbox-rows.ts";
import { findByClientKeys, findMessage } from "../messages.store.ts";
import { type Mentioned, publishMentions, type ReachedAgent } from "./resolve-mentions.ts";

const AGAIN_MS = 1_000;
const KEPT_MAX = 1_000;
/**
 * How long a statement may still commit after its connection was lost: it may wait for a lock, and PostgreSQL notices
 * the loss only at the end. It ends every statement after 10 s (db/postgres/postgres.ts).
 */
export const MAY_COMMIT_MS = 12_000;
/** The fields that must be unchanged: a message that was deleted or rewritten meanwhile is not announced. */
const SAME = ["channel_id", "sender_name", "content", "deleted_at"] as const;
/** If the commit failed, another message may have its id by now. */
const SAME_BY_ID = [...SAME, "seq", "created_at"] as const;

interface Doubtful {
  /** The row as far as it is known: with an id of 0, it is looked up by its client key. */
  readonly row: MessageRow;
  readonly channelSlug: string;
  readonly mentioned: Mentioned;
}

/** Messages with mentions whose commit is in doubt. */
const waiting = perServer((): (Doubtful & { until: number })[] => []);

const checking = perServer((ctx) => {
  startBackgroundJob(ctx, AGAIN_MS, "checking whether a mention was committed failed", () => publishCommitted(ctx));
  return "started";
});

/**
 * Queues a message whose transaction lost the database before its outcome was known. Its mentions are announced if the
 * database shows the commit while it may still happen.
 */
export function mentionsInDoubt(ctx: AppContext, message: Doubtful): void {
  checking(ctx);
  const doubtful = waiting(ctx);
  if (doubtful.length < KEPT_MAX) doubtful.push({ ...message, until: ctx.clock.monotonic() + MAY_COMMIT_MS });
}

/**
 * Ends the doubt about messages that a retry has now stored, with the same client key or the same id: its own commit
 * announces the mentions. An id is given again only if the commit failed.
 */
export function noLongerInDoubt(ctx: AppContext, answers: readonly (Appended | Error)[]): void {
  const doubtful = waiting(ctx);
  if (doubtful.length === 0) return;
  const stored = answers.flatMap((answer) => (answer instanceof Error || answer.deduplicated ? [] : [answer.row]));
  const keys = new Set(stored.map(({ client_key }) => client_key));
  const ids = new Set(stored.map(({ id }) => id));
  const left = doubtful.filter(({ row }) => (row.id === 0 ? !keys.has(row.client_key) : !ids.has(row.id)));
  doubtful.splice(0, doubtful.length, ...left);
}

async function publishCommitted(ctx: AppContext): Promise<void> {
  const doubtful = waiting(ctx);
  for (const next of [...doubtful]) {
    const { row, mentioned, channelSlug, until } = next;
    const isOver = ctx.clock.monotonic() > until;
    const found = await committedRow(ctx, row);
    const at = doubtful.indexOf(next);
    if (at === -1 || (found === undefined && !isOver)) continue;
    doubtful.splice(at, 1);
    if (found === undefined) continue;
    const items = await itemsOfMessage(ctx.db, found.id);
    const idOf = ({ agentId, agentName }: ReachedAgent) =>
      items.find((item) => item.agent_id === agentId && item.agent_name === agentName)?.id ?? 0;
    publishMentions(ctx, mentioned, mentioned.agents.map(idOf), {
      channelId: found.channel_id,
      channelSlug,
      json: recordJson(found, channelSlug),
      at: found.created_at,
    });
  }
}

async function committedRow(ctx: AppContext, row: MessageRow): Promise<MessageRow | undefined> {
  if (row.id !== 0) {
    const found = await findMessage(ctx.db, row.id);
    return SAME_BY_ID.every((field) => found?.[field] === row[field]) ? found : undefined;
  }
  const [found] = await findByClientKeys(ctx.db, [row.client_key ?? ""]);
  return SAME.every((field) => found?.[field] === row[field]) ? found : undefined;
}
