import type { DurableEventName } from "@parley/protocol/events";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { hook } from "../hook.ts";
import type { BrokerMessage, BrokerRecord, BrokerRoot } from "../realtime/broker/broker.ts";
import { publishControl } from "../realtime/control/control.ts";
import { channelTopic } from "../realtime/topics.ts";
import { countOf, eventsOfSpans, fieldsOf, type PublishedEvent, spanData } from "./event-spans.ts";
import { EXTENDED, firstOfRun } from "./extensions.ts";
import { isOfMessage } from "./gone-events.ts";
import {
  CARRIES_MESSAGE,
  eventFrame,
  featureOf,
  isHidden,
  type MessageRow,
  previewsOf,
  recordJson,
} from "./message-json.ts";
import {
  advanceChannel,
  channelState,
  type EventRow,
  eventsAfter,
  findMessages,
  insertEvents,
  messagesAfter,
} from "./rows.ts";
import { threadOf } from "./thread-summary.ts";

export interface EventInput {
  /** The event's own fields, beside `channel_id` and `seq`. */
  data?: Record<string, unknown>;
  /** The message it concerns, after the change. */
  message?: { row: MessageRow; channelSlug: string };
  /** The message that began its thread, after the change, if the event changes what that says about the thread. */
  root?: Pick<MessageRow, "id" | "thread">;
}

/** A message with its record, if that is written already. */
type Shown = NonNullable<EventInput["message"]> & { json?: string };

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
  const events = inputs.map(({ event, data = {}, message, root }, at) => ({
    seq: first + at,
    event,
    data: JSON.stringify(data),
    message,
    root,
  }));
  const created_at = ctx.clock.now();
  const rows = events.map(({ message, root: _, ...row }) => ({
    ...row,
    channel_id: channelId,
    message_id: message?.row.id ?? null,
    created_at,
  }));
  await insertEvents(ctx.db, rows);
  publishAfterCommit(ctx, channelId, () =>
    events.map(({ seq, event, data, ...about }) =>
      busMessage(channelId, { seq, event, fields: fieldsOf(data) }, about),
    ),
  );
  return lastSeq;
}

/**
 * Appends events whose contents are stored elsewhere as one row (event-spans.ts) with their count and `about`. `message`:
 * the message that all of them concern, after the change. Errors: `channel_not_found`.
 */
export async function appendSpan(
  ctx: AppContext,
  channelId: number,
  span: { name: `span:${string}`; about: object },
  events: readonly PublishedEvent[],
  message?: EventInput["message"],
): Promise<void> {
  const seq = await takeNumbers(ctx, channelId, events.length);
  const first = seq - events.length + 1;
  const data = spanData(events.length, span.about);
  const created_at = ctx.clock.now();
  const message_id = message?.row.id ?? null;
  await insertEvents(ctx.db, [{ channel_id: channelId, seq, event: span.name, message_id, data, created_at }]);
  publishAfterCommit(ctx, channelId, () =>
    events.map((told, at) => busMessage(channelId, { ...told, seq: first + at }, { message })),
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
  for (const listener of beforePublication.of(ctx)) listener(channelId, messages);
  ctx.broker.publish(channelTopic(channelId), messages);
  for (const listener of onCommit.of(ctx)) listener(channelId);
}

/**
 * Receives events between their commit on this node and their publication: on a node of a cluster, the feeds compare
 * them with what they have delivered.
 */
export const beforePublication = hook<(channelId: number, messages: readonly BrokerMessage[]) => void>();

function busMessage(
  channelId: number,
  { event, fields, seq }: PublishedEvent & { seq: number },
  { message, root }: Pick<EventInput, "root"> & { message?: Shown | undefined },
): BrokerMessage {
  if (message === undefined) return { event, seq, frame: eventFrame(event, channelId, seq, fields, undefined) };
  const json = message.json ?? recordJson(message.row, message.channelSlug);
  // Not stored with the event, so that no log keeps a preview that was removed.
  const shown =
    event === "message:preview" ? `${fields},"previews":${JSON.stringify(previewsOf(message.row))}` : fields;
  return {
    event,
    seq,
    frame: eventFrame(event, channelId, seq, shown, CARRIES_MESSAGE.has(event) ? json : undefined),
    message: busRecord(message.row, json),
    ...(root === undefined ? {} : { root: busRoot(root) }),
  };
}

/** Returns a row's record for the broker and the feeds. */
export const busRecord = (row: MessageRow, json: string): BrokerRecord => ({
  id: row.id,
  seq: row.seq,
  json,
  reacted: row.reactions !== null,
  ...(row.thread === null ? {} : { threaded: true }),
  ...(isHidden(row) ? { hidden: true } : {}),
  ...(featureOf(row) === undefined ? {} : { featured: true }),
});

/** Returns what the broker and the feeds carry of a thread's root. */
export const busRoot = ({ id, thread }: Pick<MessageRow, "id" | "thread">): BrokerRoot => ({
  id,
  thread: JSON.stringify(threadOf(thread)),
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
  const named = events.flatMap(({ message_id }) => (message_id === null ? [] : [message_id]));
  const subjects = await messagesById(ctx, named, rows);
  const subjectOf = ({ message_id }: EventRow) => (message_id === null ? undefined : subjects.get(message_id));
  const about = recordsOnce(slug, subjects);
  const all = rows.map((row) => busMessage(channelId, { event: "message:new", fields: "", seq: row.seq }, about(row)));
  const wanted = firstOf(events, seq, limit);
  const spans = await eventsOfSpans(ctx, wanted, subjectOf);
  for (const row of wanted) {
    const subject = subjectOf(row);
    for (const told of spans.get(row) ?? [toldOf(row, subject)]) {
      if (told.seq > seq) all.push(busMessage(channelId, told, subject === undefined ? {} : about(subject)));
    }
  }
  const sorted = all.sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0)).slice(0, limit);
  const extended = wanted.find(({ event }) => event === EXTENDED);
  return extended === undefined ? sorted : withoutRun(channelId, sorted, extended);
}

/**
 * Leaves out the messages of the run for which `history:extended` stands. Later events may be incomplete, because these
 * messages took their room: they are read next time.
 */
function withoutRun(channelId: number, events: readonly BrokerMessage[], row: EventRow): BrokerMessage[] {
  const after = firstOfRun(row) - 1;
  const before = events.filter(({ seq = 0 }) => seq <= after);
  const frame = eventFrame(EXTENDED, channelId, row.seq, "", undefined);
  return [...before, { event: EXTENDED, seq: row.seq, after, frame }];
}

/** Returns the first rows, up to the one with which they have `limit` events after `seq`, or more. */
function firstOf(rows: readonly EventRow[], seq: number, limit: number): EventRow[] {
  let count = 0;
  return rows.filter((row) => {
    if (count >= limit) return false;
    count += Math.min(countOf(row), row.seq - seq);
    return true;
  });
}

/** Returns what events carry of messages. The record of a message with many events is written once. */
function recordsOnce(channelSlug: string, subjects: ReadonlyMap<number, MessageRow>) {
  const known = new Map<MessageRow, Pick<EventInput, "root"> & { message: Shown }>();
  return (row: MessageRow) => {
    const before = known.get(row);
    if (before !== undefined) return before;
    const root = row.thread_root_id === null ? undefined : subjects.get(row.thread_root_id);
    const message = { row, channelSlug, json: recordJson(row, channelSlug) };
    const made = { message, ...(root === undefined ? {} : { root }) };
    known.set(row, made);
    return made;
  };
}

/** Returns an event as it is sent: without its message, nothing but the deletion is left to tell. */
function toldOf(row: EventRow, subject: MessageRow | undefined): PublishedEvent & { seq: number } {
  const { seq, event, message_id, data } = row;
  // Its data only says which import has changed the message.
  if (subject !== undefined && event === "message:update") return { seq, event, fields: "" };
  if (subject !== undefined || !isOfMessage(event)) return { seq, event, fields: fieldsOf(data) };
  return { seq, event: "message:delete", fields: `"message_id":${message_id}` };
}

/** Returns the messages with these ids, and the roots of the threads of all these messages and of `rows`. */
async function messagesById(
  ctx: AppContext,
  ids: readonly number[],
  rows: readonly MessageRow[],
): Promise<Map<number, MessageRow>> {
  const rootsOf = (messages: readonly MessageRow[]) => messages.flatMap(({ thread_root_id: id }) => id ?? []);
  const found = await findMessages(ctx.db, [...new Set([...ids, ...rootsOf(rows)])]);
  const known = new Map(found.map((row) => [row.id, row]));
  // A reply that was deleted or edited.
  const others = new Set(rootsOf(found).filter((id) => !known.has(id)));
  for (const row of await findMessages(ctx.db, [...others])) known.set(row.id, row);
  return known;
}

/**
 * Receives each channel in which this node has committed something, once per batch. Listeners run on the send path, so
 * a listener must only record the channel.
 */
export const onCommit = hook<(channelId: number) => void>();
