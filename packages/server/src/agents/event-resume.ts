import { PENDING_MENTIONS_MAX, RESUME_EVENTS_MAX } from "@parley/protocol/limits";
import { readableChannel } from "../channels/access.ts";
import type { AppContext } from "../context.ts";
import { AppError } from "../errors.ts";
import type { AgentIdentity } from "../http/identity.ts";
import { resume } from "../messages/history.service.ts";
import { recordJson } from "../messages/record.ts";
import { frameOf } from "../realtime/publish.ts";
import { newestTimes } from "./events.store.ts";
import { mentioningMessages } from "./mentions.store.ts";
import type { StreamPosition } from "./stream-position.ts";

/**
 * What is committed may be told some time after the moment it was made, on a slow disk, and events of two channels in another order than
 * their times: so much is looked through again rather than lost.
 */
const OVERLAP_MS = 10_000;

/** What the stream missed of one channel: all after the position up to `lastSeq`, in order; null: more than can be sent again. */
export interface Missed {
  frames: string[] | null;
  lastSeq: number;
}

/** null: the channel is not to be read any more. */
export async function missedOf(
  ctx: AppContext,
  caller: AgentIdentity,
  channelId: number,
  from: StreamPosition,
): Promise<Missed | null> {
  try {
    const channel = await readableChannel(ctx, caller, { id: channelId });
    const after = from.seqs.get(channelId) ?? (await seqBefore(ctx, channelId, from.at));
    const resumed = await resume(ctx, channel, after, from.epoch ?? ctx.epoch);
    return { frames: resumed.recovered ? resumed.framesJson : null, lastSeq: resumed.lastSeq };
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/**
 * The pending mentions the stream missed, as the frames that would have been pushed. A message's mention is sent before the message: who has
 * that has the mention, unless an edit added it. More than 1,000 are not sent again: `reset` tells the agent to read them (protocol §5).
 */
export async function missedMentions(ctx: AppContext, caller: AgentIdentity, from: StreamPosition): Promise<string[]> {
  const rows = await mentioningMessages(ctx.db, caller.agentId, from.at - OVERLAP_MS, PENDING_MENTIONS_MAX + 1);
  if (rows.length > PENDING_MENTIONS_MAX) return [frameOf("reset", '{"reason":"mentions"}')];
  const isCurrent = from.epoch === null || from.epoch === ctx.epoch;
  const frames: string[] = [];
  for (const row of rows) {
    const isOfEdit = row.mentioned_at > row.created_at;
    if (isCurrent && !isOfEdit && row.seq <= (from.seqs.get(row.channel_id) ?? -1)) continue;
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
async function seqBefore(ctx: AppContext, channelId: number, at: number): Promise<number> {
  const newest = await newestTimes(ctx.db, channelId, RESUME_EVENTS_MAX);
  const before = newest.find(({ created_at }) => created_at < at - OVERLAP_MS);
  // Fewer were read than there may be: the channel's beginning. Else more were missed than can be sent again, and `resume` says so.
  return before?.seq ?? 0;
}
