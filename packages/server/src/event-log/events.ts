import type { DurableEventName } from "@parley/protocol/events";
import { type AppContext, perServer } from "../context.ts";
import { fail } from "../errors.ts";
import type { BrokerMessage, BrokerRecord } from "../realtime/broker/broker.ts";
import { publishControl } from "../realtime/control/control.ts";
import { channelTopic } from "../realtime/topics.ts";
import { eventsOfSpan, fieldsOf, type PublishedEvent, spanData } from "./event-spans.ts";
import { isOfMessage } from "./gone-events.ts";
import { CARRIES_MESSAGE, eventFrame, type MessageRow, recordJson } from "./message-json.ts";
import {
  advanceChannel,
  channelState,
  type EventRow,
  eventsAfter,
  findMessages,
  insertEvents,
  messagesAfter,
} from "./rows.ts";

export interface EventInput {
  /** The event's own fields, beside `channel_id` and `seq`. */
  data?: Record<string, unknown>;
  /** The message it concerns, after the change. */
  message?: { row: MessageRow; channelSlug: string };
}

/**
 * Locks the channel's row until the transaction ends, so that its messages cannot change between read and write. Call
 * inside `transact`, before the first read. Errors: `channel_not_found`.
 */
export async function lockChannel(ctx: AppContext, channelId: number): Promise<void> {
  if (!(await tryLockChannel(ctx, channelId))) throw fail("channel_not_found");
}

/** Does the same; returns false, without a lock, if the channel is gone. */
export async function tryLockChannel(ctx: AppContext, channelId: number): Promise<boolean> {
  return (await advanceChannel(ctx.db, channelId, 0, 0)) !== null;
}

/**
 * Assigns the channel's next seq to a durable event, logs it, and publishes it after the commit. Call inside
 * `transact`, with the change the event describes. Errors: `channel_not_found`.
 */
export async function appendEvent(
  ctx: AppContext,
  channelId: number,
  event: DurableEventName,
  input: EventInput = {},
): Promise<number> {
  return appendEvents(ctx, channelId, [{ event, ...input }]);
}

/** Appends several events of one channel in order. Returns the last one's seq. Errors: `channel_not_found`. */
export async function appendEvents(
  ctx: AppContext,
  channelId: number,
  inputs: readonly (EventInput & { event: DurableEventName })[],
): Promise<number> {
  const lastSeq = await takeNumbers(ctx, channelId, inputs.length);
  const first = lastSeq - inputs.length + 1;
  const events = inputs.map(({ event, data = {}, message }, at) => ({
    seq: first + at,
    event,
    data: JSON.stringify(data),
    message,
  }));
  const created_at = ctx.clock.now();
  const rows = events.map(({ message, ...row }) => ({
    ...row,
    channel_id: channelId,
    message_id: message?.row.id ?? null,
    created_at,
  }));
  await insertEvents(ctx.db, rows);
  publishAfterCommit(ctx, channelId, () =>
    events.map(({ seq, event, data, message }) => busMessage(channelId, seq, event, fieldsOf(data), message)),
  );
  return lastSeq;
}

/**
 * Appends events whose contents are stored elsewhere as one row (event-spans.ts) with their count and `about`. Errors:
 * `channel_not_found`.
 */
export async function appendSpan(
  ctx: AppContext,
  channelId: number,
  span: { name: `span:${string}`; about: object },
  events: readonly PublishedEvent[],
): Promise<void> {
  const seq = await takeNumbers(ctx, channelId, events.length);
  const first = seq - events.length + 1;
  const data = spanData(events.length, span.about);
  const created_at = ctx.clock.now();
  await insertEvents(ctx.db, [{ channel_id: channelId, seq, event: span.name, message_id: null, data, created_at }]);
  publishAfterCommit(ctx, channelId, () =>
    events.map(({ event, fields }, at) => busMessage(channelId, first + at, event, fields, undefined)),
  );
}

/** Reserves `count` seqs; returns the last one. */
async function takeNumbers(ctx: AppContext, channelId: number, count: number): Promise<number> {
  const place = await advanceChannel(ctx.db, channelId, count, 0);
  if (place === null) throw fail("channel_not_found");
  return place.lastSeq;
}

function publishAfterCommit(ctx: AppContext, channelId: number, messages: () => BrokerMessage[]): void {
  ctx.afterCommit(
    () => publishDurable(ctx, channelId, messages()),
    () => publishControl(ctx.root, "events_in_doubt", channelId),
  );
}

/** Publishes durable events of a channel that this node has just committed. Their seqs are consecutive. */
export function publishDurable(ctx: AppContext, channelId: number, messages: readonly BrokerMessage[]): void {
  beforePublication(ctx).check?.(channelId, messages);
  ctx.broker.publish(channelTopic(channelId), messages);
  for (const listener of commitListeners(ctx)) listener(channelId);
}

/** Receives events between their commit on this node and their publication. */
type Check = (channelId: number, messages: readonly BrokerMessage[]) => void;

/** On a node of a cluster, the feeds compare what this node commits with what they have delivered. */
export const beforePublication = perServer((): { check: Check | null } => ({ check: null }));

function busMessage(
  channelId: number,
  seq: number,
  event: string,
  fields: string,
  message: EventInput["message"],
): BrokerMessage {
  if (message === undefined) return { event, seq, frame: eventFrame(event, channelId, seq, fields, undefined) };
  const json = recordJson(message.row, message.channelSlug);
  return {
    event,
    seq,
    frame: eventFrame(event, channelId, seq, fields, CARRIES_MESSAGE.has(event) ? json : undefined),
    message: busRecord(message.row, json),
  };
}

/** Returns a row's record for the broker and the feeds. */
export const busRecord = (row: MessageRow, json: string): BrokerRecord => ({
  id: row.id,
  seq: row.seq,
  json,
  reacted: row.reactions !== null,
});

/**
 * Loads up to `limit` durable events after `seq` from the database, in order. Messages are in their current state, so
 * none contains a deleted text.
 */
export async function loadEvents(
  ctx: AppContext,
  channelId: number,
  seq: number,
  limit: number,
): Promise<BrokerMessage[]> {
  const slug = (await channelState(ctx.db, channelId))?.slug ?? "";
  const rows = await messagesAfter(ctx.db, channelId, seq, limit);
  const events = await eventsAfter(ctx.db, channelId, seq, limit);
  const ids = [...new Set(events.flatMap(({ message_id }) => (message_id === null ? [] : [message_id])))];
  const subjects = new Map((await findMessages(ctx.db, ids)).map((row) => [row.id, row]));
  const all = rows.map((row) => busMessage(channelId, row.seq, "message:new", "", { row, channelSlug: slug }));
  for (const row of events) {
    if (all.length >= rows.length + limit) break; // spans filled the limit
    const subject = row.message_id === null ? undefined : subjects.get(row.message_id);
    const message = subject === undefined ? undefined : { row: subject, channelSlug: slug };
    for (const told of (await eventsOfSpan(ctx, row)) ?? [toldOf(row, subject)]) {
      if (told.seq > seq) all.push(busMessage(channelId, told.seq, told.event, told.fields, message));
    }
  }
  return all.sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0)).slice(0, limit);
}

/** Returns an event as it is sent: without its message, nothing but the deletion is left to tell. */
function toldOf(row: EventRow, subject: MessageRow | undefined): PublishedEvent & { seq: number } {
  const { seq, event, message_id, data } = row;
  if (subject !== undefined || !isOfMessage(event)) return { seq, event, fields: fieldsOf(data) };
  return { seq, event: "message:delete", fields: `"message_id":${message_id}` };
}

/** Receives each channel in which this node has committed something, once per batch. */
export type CommitListener = (channelId: number) => void;

/** Commit listeners. They run on the send path, so a listener must only record the channel. */
export const commitListeners = perServer((): Set<CommitListener> => new Set());
