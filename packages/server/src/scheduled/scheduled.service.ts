import type {
  AgentScheduleBody,
  ChangeScheduledBody,
  ScheduleBody,
  ScheduledListResponse,
  ScheduledMessage,
  ScheduledQuery,
} from "@parley/protocol/scheduled";
import { SCHEDULED_PER_SENDER, SCHEDULED_SECONDS_MAX, SCHEDULED_SECONDS_MIN } from "@parley/protocol/scheduled";
import { lockAccount } from "../accounts/erase/erase.ts";
import { lockAgent } from "../agents/agent-control.ts";
import { bindAgentName } from "../agents/name-binding.ts";
import { speakerOf } from "../agents/speaker.ts";
import { writableChannel } from "../channels/access/access.ts";
import { refOf } from "../channels/channel.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import { keepUnsent } from "../files/sending.ts";
import type { AgentIdentity, UserIdentity } from "../http/identity.ts";
import { pageByOffset } from "../http/pages.ts";
import { checkContent, checkedDraft, clientKey, mayBeEmpty } from "../messages/append/post-message.ts";
import { assertMayCall } from "../messages/mentions/here.ts";
import { publishEvent } from "../realtime/publish.ts";
import { userTopic } from "../realtime/topics.ts";
import * as store from "./scheduled.store.ts";
import { fileIdsOf, scheduledRecord } from "./scheduled-record.ts";

type Sender = UserIdentity | AgentIdentity;

/** After its time, a file is kept as long as a message may be late, and for a sender who looks why it failed. */
const FILES_KEPT_MS = 86_400_000;

const refOfSender = (caller: Sender): store.SenderRef =>
  caller.kind === "user" ? { userId: caller.userId } : { agentId: caller.agentId };

/**
 * Stores a message to be sent later (protocol §13.6). It passes the checks of a send now, and again when it is sent. A
 * request with the key of an earlier one returns what that one stored.
 * Errors: those of `writableChannel`, `checkedDraft` and `assertMayCall`, `invalid_send_at`, `scheduled_limit_reached`,
 * `idempotency_conflict`.
 */
export async function schedule(
  ctx: AppContext,
  caller: Sender,
  body: ScheduleBody | AgentScheduleBody,
  key: string | null = null,
): Promise<ScheduledMessage> {
  const request_key = key === null ? null : clientKey(caller, key);
  const request_hash = request_key === null ? null : hashOf(body);
  const earlier = request_key === null ? undefined : await store.findByRequest(ctx.db, request_key);
  if (earlier !== undefined) return repeated(ctx, earlier, request_hash);
  const send_at = timeIn(ctx, body.send_at);
  const channel = await writableChannel(ctx, caller, refOf(body));
  const agentName = caller.kind === "agent" ? await speakerIn(ctx, caller, body) : null;
  const { content = "", reply_to_id: replyToId, thread_root_id: threadRootId, file_ids: fileIds = [] } = body;
  const sent = { caller, channel, content, replyToId, threadRootId, alsoInChannel: body.also_in_channel };
  const draft = await checkedDraft(ctx, {
    ...sent,
    ...named(agentName),
    ...(fileIds.length === 0 ? {} : { fileIds }),
  });
  if (draft.mentioned.callsHere !== undefined) await assertMayCall(ctx, caller, channel.id);
  return transact(ctx, async (ctx) => {
    // Serializes what one sender schedules.
    if (caller.kind === "agent") await lockAgent(ctx, caller.agentId);
    else if (!(await lockAccount(ctx, caller.userId))) throw fail("session_required");
    if ((await store.countWaiting(ctx.db, refOfSender(caller))) >= SCHEDULED_PER_SENDER)
      throw fail("scheduled_limit_reached");
    if (fileIds.length > 0) await keepUnsent(ctx, fileIds, send_at + FILES_KEPT_MS);
    const row = await store.insertScheduled(ctx.db, {
      ...senderColumns(caller),
      agent_name: agentName,
      channel_id: channel.id,
      content,
      reply_to_id: replyToId ?? null,
      thread_root_id: threadRootId ?? null,
      also_in_channel: body.also_in_channel === true ? 1 : 0,
      without_previews: body.link_previews === false ? 1 : null,
      file_ids: fileIds.length === 0 ? null : JSON.stringify(fileIds),
      send_at,
      status: "waiting",
      request_key,
      request_hash,
      created_at: ctx.clock.now(),
    });
    if (row !== undefined) return tell(ctx, row);
    const twin = await store.findByRequest(ctx.db, request_key ?? "");
    if (twin === undefined) throw fail("overloaded", { retryAfter: 1 });
    return repeated(ctx, twin, request_hash);
  });
}

/** Returns what an earlier request with the same key has stored, if it was the same request. */
function repeated(ctx: AppContext, row: store.ScheduledRow, hash: string | null): Promise<ScheduledMessage> {
  if (row.request_hash !== hash) throw fail("idempotency_conflict");
  return scheduledRecord(ctx, row);
}

/** Returns a hash of a request's fields, whatever their order. */
const hashOf = (body: object): string =>
  Bun.SHA256.hash(JSON.stringify(Object.entries(body).toSorted(([one], [other]) => (one < other ? -1 : 1))), "hex");

const senderColumns = (caller: Sender) =>
  caller.kind === "user"
    ? { user_id: caller.userId, agent_id: null, key_id: null }
    : { user_id: null, agent_id: caller.agentId, key_id: caller.keyId };

const named = (agentName: string | null) => (agentName === null ? {} : { agentName });

async function speakerIn(ctx: AppContext, caller: AgentIdentity, body: ScheduleBody | AgentScheduleBody) {
  const given = "agent_name" in body ? body.agent_name : null;
  return bindAgentName(ctx, caller.agentId, await speakerOf(ctx, caller.agentId, given));
}

/** Changes text or time of a message that waits. Errors: `scheduled_not_found`, `scheduled_over`, `invalid_send_at`, those of `checkContent`. */
export function change(
  ctx: AppContext,
  caller: Sender,
  id: number,
  body: ChangeScheduledBody,
): Promise<ScheduledMessage> {
  const { content, send_at } = body;
  if (content === undefined && send_at === undefined) throw fail("no_fields");
  const sendAt = send_at === undefined ? undefined : timeIn(ctx, send_at);
  return transact(ctx, async (ctx) => {
    const row = await waiting(ctx, caller, id);
    const fileIds = fileIdsOf(row);
    if (content !== undefined) checkContent(content, mayBeEmpty({ fileIds }));
    if (sendAt !== undefined && fileIds.length > 0) await keepUnsent(ctx, fileIds, sendAt + FILES_KEPT_MS);
    return tell(
      ctx,
      await store.changeScheduled(ctx.db, id, {
        ...(content === undefined ? {} : { content }),
        ...(sendAt === undefined ? {} : { send_at: sendAt, retry_at: null }),
      }),
    );
  });
}

/** Cancels a message that waits. Errors: `scheduled_not_found`, `scheduled_over`. */
export function cancel(ctx: AppContext, caller: Sender, id: number): Promise<ScheduledMessage> {
  return transact(ctx, async (ctx) => {
    const row = await waiting(ctx, caller, id);
    const fileIds = fileIdsOf(row);
    if (fileIds.length > 0) await keepUnsent(ctx, fileIds, null);
    return tell(ctx, await store.changeScheduled(ctx.db, id, { status: "cancelled", ended_at: ctx.clock.now() }));
  });
}

/** Lists what the caller has scheduled, by the time of sending. */
export async function list(
  ctx: AppContext,
  caller: Sender,
  query: ScheduledQuery,
): Promise<Omit<ScheduledListResponse, "success">> {
  const { shown, ...page } = await pageByOffset(query, (page) =>
    store.listScheduled(ctx.db, refOfSender(caller), query.status, page),
  );
  return { scheduled: await Promise.all(shown.map((row) => scheduledRecord(ctx, row))), ...page };
}

/** Returns a message that waits, and holds its row. */
async function waiting(ctx: AppContext, caller: Sender, id: number): Promise<store.ScheduledRow> {
  const row = await store.holdScheduled(ctx.db, refOfSender(caller), id);
  if (row === undefined) throw fail("scheduled_not_found");
  if (row.status !== "waiting") throw fail("scheduled_over");
  return row;
}

/** Returns the record of a message that has changed, and tells the sender's other devices of it. Call it inside `transact`. */
export async function tell(ctx: AppContext, row: store.ScheduledRow): Promise<ScheduledMessage> {
  const scheduled = await scheduledRecord(ctx, row);
  if (row.user_id !== null) publishEvent(ctx, userTopic(row.user_id), "scheduled:update", { scheduled });
  return scheduled;
}

function timeIn(ctx: AppContext, text: string): number {
  const at = Date.parse(text);
  const ahead = at - ctx.clock.now();
  if (!(ahead >= SCHEDULED_SECONDS_MIN * 1_000 && ahead <= SCHEDULED_SECONDS_MAX * 1_000))
    throw fail("invalid_send_at");
  return at;
}
