import { PENDING_MENTIONS_MAX, RESUME_EVENTS_MAX } from "@parley/protocol/limits";
import { readableChannel } from "../channels/access.ts";
import type { AppContext } from "../context.ts";
import { AppError, fail } from "../errors.ts";
import type { AgentIdentity } from "../http/identity.ts";
import { resume } from "../messages/history.service.ts";
import { recordJson } from "../messages/record.ts";
import { frameOf } from "../realtime/publish.ts";
import { newestTimes, timeOfEvent } from "./events.store.ts";
import { mentioningMessages } from "./mentions.store.ts";

/** The last event a client of the stream has: exact in its channel, and by its time a place in the others. */
export interface StreamPosition {
  channelId: number;
  seq: number;
  /** null: the event is unknown. */
  at: number | null;
}

/** Events of two channels may be delivered in another order than their times; so much is sent again rather than lost. */
const OVERLAP_MS = 1_000;

/** Reads `Last-Event-ID`; null when there is none. `invalid_cursor`. */
export async function streamPosition(ctx: AppContext, lastEventId: string | null): Promise<StreamPosition | null> {
  if (lastEventId === null || lastEventId === "") return null;
  const match = /^([1-9][0-9]{0,14}):(0|[1-9][0-9]{0,14})$/.exec(lastEventId);
  if (match === null) throw fail("invalid_cursor", { message: "Last-Event-ID is <channel_id>:<seq>." });
  const [channelId, seq] = [Number(match[1]), Number(match[2])];
  return { channelId, seq, at: (await timeOfEvent(ctx.db, channelId, seq)) ?? null };
}

/** What a channel's frames are resumed with: all after the position, in order; or, when that cannot be, the number to read from. */
export type Missed = { frames: string[] } | { lost: number };

/** What the stream missed of one channel. */
export async function missedOf(
  ctx: AppContext,
  caller: AgentIdentity,
  channelId: number,
  from: StreamPosition,
): Promise<Missed> {
  try {
    const channel = await readableChannel(ctx, caller, { id: channelId });
    const after = channelId === from.channelId ? from.seq : await seqBefore(ctx, channelId, from.at);
    const resumed = await resume(ctx, channel, after, ctx.epoch);
    return resumed.recovered ? { frames: resumed.framesJson } : { lost: resumed.lastSeq };
  } catch (error) {
    if (error instanceof AppError) return { frames: [] };
    throw error;
  }
}

/** The pending mentions the stream missed, as the frames that would have been pushed. */
export async function missedMentions(ctx: AppContext, caller: AgentIdentity, from: StreamPosition): Promise<string[]> {
  if (from.at === null) return [];
  const rows = await mentioningMessages(ctx.db, caller.agentId, from.at - OVERLAP_MS, PENDING_MENTIONS_MAX);
  const frames: string[] = [];
  for (const row of rows) {
    if (row.channel_id === from.channelId && row.seq <= from.seq) continue;
    try {
      const { slug } = await readableChannel(ctx, caller, { id: row.channel_id });
      frames.push(frameOf("mention:new", `{"channel_id":${row.channel_id},"chat_message":${recordJson(row, slug)}}`));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
  return frames;
}

/** A number of the channel before anything that happened since `at`. Too early a one costs repeats only. */
async function seqBefore(ctx: AppContext, channelId: number, at: number | null): Promise<number> {
  const newest = await newestTimes(ctx.db, channelId, RESUME_EVENTS_MAX);
  const before = at === null ? undefined : newest.find(({ created_at }) => created_at < at - OVERLAP_MS);
  // Fewer were read than there may be: the channel's beginning. Else more were missed than can be sent again, and `resume` says so.
  return before?.seq ?? 0;
}
