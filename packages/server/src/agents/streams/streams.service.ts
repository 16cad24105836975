import { STREAMS_IN_ACK } from "@parley/protocol/stream-limits";
import type { FinishReason, LiveStream, StreamFinishBody, StreamResponse } from "@parley/protocol/streams";
import { readableChannel } from "../../channels/access/access.ts";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import { findMessages } from "../../event-log/rows.ts";
import type { AgentIdentity, Identity } from "../../http/identity.ts";
import { cleanActivity } from "../../messages/activity/activity.ts";
import { type Posted, postedBefore } from "../../messages/append/post-message.ts";
import { cancelStream, finishStream } from "./end-stream.ts";
import { openStreams } from "./open-streams.ts";
import { assertOwn, streamOver } from "./own-stream.ts";
import { liveRecord, streamRecord } from "./stream-record.ts";
import { findStream, openIn, openOf, openOfIn, type StreamPlace, type StreamRow } from "./streams.store.ts";

/** The message that a stream has become. */
export interface Finished {
  posted: Posted;
  streamId: number;
  reason: FinishReason;
}

/**
 * Makes a stream a durable message (protocol §12.7). A repetition returns the first message again, for as long as it
 * exists. Errors: `stream_not_found`, `stream_over` (cancelled), those of `finishStream`.
 */
export async function finish(
  ctx: AppContext,
  caller: AgentIdentity,
  streamId: number,
  { message, usage, activity, ...card }: StreamFinishBody,
  more: { replyToId?: number | undefined; contentMax?: number } = {},
): Promise<Finished> {
  await assertOwn(ctx, caller, streamId);
  const posted = await finishStream(ctx, streamId, {
    caller,
    message: message ?? undefined,
    usage,
    activity: cleanActivity(activity),
    card,
    reason: "finished",
    ...more,
  });
  if (posted !== null) return { posted, streamId, reason: "finished" };
  const row = await findStream(ctx.db, streamId);
  if (row === undefined) throw fail("stream_not_found");
  const [sent] = row.message_id === null ? [] : await findMessages(ctx.db, [row.message_id]);
  if (sent === undefined) throw streamOver(row);
  const channel = await readableChannel(ctx, caller, { id: row.channel_id });
  return {
    posted: await postedBefore(ctx, caller, sent, channel.slug),
    streamId,
    reason: row.finish_reason ?? "finished",
  };
}

/** Ends a stream without a message; idempotent. Errors: `stream_not_found`, `stream_over` if it is a message already. */
export async function cancel(ctx: AppContext, caller: AgentIdentity, streamId: number): Promise<void> {
  await assertOwn(ctx, caller, streamId);
  const row = await cancelStream(ctx, streamId);
  if (row === undefined) throw fail("stream_not_found");
  if (row.state === "finished") throw streamOver(row);
}

/**
 * Returns the open stream of an agent in a thread, or in a channel outside of threads; null: there is none. A lone server
 * runs no query if nobody writes in the channel. In a cluster, another node may have begun one a moment ago.
 */
export async function openStreamOf(ctx: AppContext, agentId: number, place: StreamPlace): Promise<StreamRow | null> {
  if (ctx.cluster === null && !openStreams(ctx).mayHave(place.channel_id)) return null;
  return (await openOf(ctx.db, agentId, place)) ?? null;
}

/**
 * Returns the open stream of an agent in a thread, or outside of threads in answer to a message; without `rootId`, outside
 * of threads.
 */
export async function openAt(
  ctx: AppContext,
  agentId: number,
  { channelId, rootId }: { channelId: number; rootId: number | null },
): Promise<StreamRow | undefined> {
  const open = await openOfIn(ctx.db, agentId, channelId);
  const outside = open.find(({ thread_root_id }) => thread_root_id === null);
  if (rootId === null) return outside;
  const inThread = open.find(({ thread_root_id }) => thread_root_id === rootId);
  return inThread ?? (outside?.reply_to_id === rootId ? outside : undefined);
}

/** Returns a stream to those who may read its channel; to others it does not exist. Errors: `stream_not_found`. */
export async function readStream(
  ctx: AppContext,
  caller: Identity,
  streamId: number,
): Promise<StreamResponse["stream"]> {
  const row = await findStream(ctx.db, streamId);
  if (row === undefined) throw fail("stream_not_found");
  const channel = await readableChannel(ctx, caller, { id: row.channel_id }, "stream_not_found");
  return streamRecord(row, channel.slug);
}

/**
 * Returns what agents are writing in a channel now, for the ack of a join, in the order in which they began; undefined
 * if nothing. Runs no query if this node knows of no stream there.
 */
export function streamsIn(ctx: AppContext, channelId: number): undefined | Promise<LiveStream[] | undefined> {
  return openStreams(ctx).mayHave(channelId) ? readOpen(ctx, channelId) : undefined;
}

async function readOpen(ctx: AppContext, channelId: number): Promise<LiveStream[] | undefined> {
  const open = openStreams(ctx);
  const known = open.idsIn(channelId);
  const rows = await openIn(ctx.db, channelId, STREAMS_IN_ACK);
  const isAll = rows.length < STREAMS_IN_ACK;
  if (isAll) open.correct(channelId, new Set(rows.map(({ id }) => id)), known);
  return rows.length === 0 ? undefined : rows.reverse().map(liveRecord);
}
