import { isRetryable } from "@parley/protocol/errors";
import { SCHEDULED_KEPT_DAYS, SCHEDULED_LATE_SECONDS } from "@parley/protocol/scheduled";
import { notify } from "../accounts/notices.ts";
import { absentUser } from "../accounts/sessions/absent-user.ts";
import { agentOfKey } from "../agents/keys/keys.ts";
import { writableChannel } from "../channels/access/access.ts";
import { findChannel } from "../channels/channel-cache.ts";
import { runOnOne } from "../cluster/duties.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { AppError } from "../errors.ts";
import { actingFor, rightsNow } from "../http/acts/act.ts";
import { type AgentIdentity, memberKey, type UserIdentity } from "../http/identity.ts";
import { postMessage, sentId } from "../messages/append/post-message.ts";
import { addNotice } from "../messages/inbox/notices.ts";
import { tell } from "./scheduled.service.ts";
import * as store from "./scheduled.store.ts";
import { fileIdsOf } from "./scheduled-record.ts";

const PASS_MS = 1_000;
const FORGET_MS = 10 * 60_000;
/** Messages of one pass, and how many senders have theirs sent at once. */
const BATCH = 200;
const AT_ONCE = 8;
/** A node that has not finished by then has died, or will find that another one has. */
const TAKEN_MS = 30_000;
/** How soon a message that could not be sent is tried again. */
const RETRY_MIN_MS = 2_000;
const RETRY_MAX_MS = 60_000;
const DAY_MS = 86_400_000;

/** Sends what is due, every second and on one node, until the server closes. */
export function startScheduled(ctx: AppContext): void {
  runOnOne(ctx, "send scheduled messages", PASS_MS, "sending scheduled messages failed", () => sendDue(ctx));
  runOnOne(ctx, "forget scheduled messages", FORGET_MS, "forgetting scheduled messages failed", () =>
    store.forgetEnded(ctx.db, ctx.clock.now() - SCHEDULED_KEPT_DAYS * DAY_MS, BATCH),
  );
}

/**
 * Sends the messages that are due, those of one sender in order. Each is sent once: its `client_msg_id` is its id, so
 * a node that repeats what another one did finds that message.
 */
export async function sendDue(ctx: AppContext): Promise<void> {
  const now = ctx.clock.now();
  const due = await store.dueScheduled(ctx.db, { now, takenBefore: now - TAKEN_MS }, BATCH);
  const queues = [...Map.groupBy(due, ({ user_id, agent_id }) => `${user_id} ${agent_id}`).values()];
  const work = async () => {
    for (let queue = queues.shift(); queue !== undefined; queue = queues.shift())
      for (const row of queue) await sendOne(ctx, row);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function sendOne(ctx: AppContext, row: store.ScheduledRow): Promise<void> {
  const now = ctx.clock.now();
  if (!(await store.takeScheduled(ctx.db, row, now))) return;
  if (now - row.send_at > SCHEDULED_LATE_SECONDS * 1_000) return endLate(ctx, row);
  try {
    return await end(ctx, row, { messageId: await post(ctx, row) });
  } catch (error) {
    const refusal = error instanceof AppError ? error : null;
    if (refusal !== null && !isRetryable(refusal.code)) return end(ctx, row, { failure: refusal.code });
    if (refusal === null) ctx.log.warn({ err: error, scheduled_id: row.id }, "sending a scheduled message failed");
    const wait = Math.min(RETRY_MAX_MS, Math.max(RETRY_MIN_MS, (refusal?.retryAfter ?? 0) * 1_000));
    await store.releaseScheduled(ctx.db, row.id, ctx.clock.now() + wait);
  }
}

/** Ends a message whose time is over: an earlier try may have sent it before its node died. */
async function endLate(ctx: AppContext, row: store.ScheduledRow): Promise<void> {
  const sender =
    row.user_id === null
      ? ({ kind: "agent", id: row.agent_id ?? 0 } as const)
      : ({ kind: "user", id: row.user_id } as const);
  const messageId = await sentId(ctx, { key: memberKey(sender) }, keyOf(row));
  await end(ctx, row, messageId === null ? { failure: "missed" } : { messageId });
}

const keyOf = ({ id }: store.ScheduledRow): string => `scheduled-${id}`;

/** Sends with the rights that the sender has now. Errors: those of a send, and those of `absentUser` and `agentOfKey`. */
async function post(root: AppContext, row: store.ScheduledRow): Promise<number> {
  const since = rightsNow(root);
  const caller = await senderOf(root, row);
  const ctx = actingFor(root, caller, since);
  const channel = await writableChannel(ctx, caller, { id: row.channel_id });
  const fileIds = fileIdsOf(row);
  const { id } = await postMessage(ctx, {
    caller,
    channel,
    content: row.content,
    replyToId: row.reply_to_id,
    threadRootId: row.thread_root_id,
    alsoInChannel: row.also_in_channel === 1,
    linkPreviews: row.without_previews !== 1,
    ...(fileIds.length === 0 ? {} : { fileIds }),
    clientMsgId: keyOf(row),
    ...(row.agent_name === null ? {} : { agentName: row.agent_name }),
  });
  return id;
}

function senderOf(ctx: AppContext, row: store.ScheduledRow): Promise<UserIdentity | AgentIdentity> {
  return row.user_id === null ? agentOfKey(ctx, row.key_id ?? "") : absentUser(ctx, row.user_id);
}

type Ending = { messageId: number } | { failure: string };

function end(ctx: AppContext, { id }: store.ScheduledRow, ending: Ending): Promise<void> {
  const failure = "failure" in ending ? ending.failure : null;
  return transact(ctx, async (ctx) => {
    const row = await store.endScheduled(ctx.db, id, {
      status: failure === null ? "sent" : "failed",
      failure,
      message_id: "messageId" in ending ? ending.messageId : null,
      ended_at: ctx.clock.now(),
    });
    if (row === undefined) return;
    await tell(ctx, row);
    if (failure !== null) await tellOfFailure(ctx, row, failure);
  });
}

async function tellOfFailure(ctx: AppContext, row: store.ScheduledRow, failure: string): Promise<void> {
  const channel = await findChannel(ctx, { id: row.channel_id });
  if (row.user_id !== null) {
    const about = channel === null ? {} : { channel: { id: channel.id, name: channel.name } };
    await notify(ctx, row.user_id, { code: "scheduled_failed", ...about, detail: failure });
  } else if (row.agent_id !== null) {
    const text = `A scheduled message could not be sent: ${failure}.`;
    const notice = { type: "scheduled_failed", text, details: { scheduled_id: row.id, code: failure } };
    addNotice(ctx, { agentId: row.agent_id, agentName: row.agent_name, channel, notice });
  }
}
