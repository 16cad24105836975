import { RESUME_EVENTS_MAX } from "@parley/protocol/limits";
import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import { loadEvents } from "../../event-log/events.ts";
import { extendedAfter } from "../../event-log/extensions.ts";
import { freshFeed } from "../../event-log/feed/feed.ts";

/** The events for a reconnecting socket (protocol §8). */
export type Resumed =
  | { recovered: true; framesJson: string[]; lastSeq: number }
  | {
      recovered: false;
      lastSeq: number;
      /** An import has added messages after the client's position, which are no news (protocol §14.7). */
      isExtended: boolean;
    };

/** Events loaded per step for a resuming socket; bounds the wasted reads when the events turn out too large. */
const RESUME_STEP = 100;

/**
 * Returns all durable frames after `afterSeq`, once and in order, if there are at most 1,000 with about `bytesMax`
 * bytes and the client's data has the same epoch; otherwise none, and the client pages through the history.
 */
export async function resume(
  ctx: AppContext,
  channel: Channel,
  afterSeq: number,
  epoch: string,
  bytesMax = Number.POSITIVE_INFINITY,
): Promise<Resumed> {
  const feed = await freshFeed(ctx, channel.id);
  const upTo = feed.lastSeq;
  const lost = async (): Promise<Resumed> => {
    const isExtended = (await extendedAfter(ctx.db, channel.id, afterSeq)) !== null;
    return { recovered: false, lastSeq: upTo, isExtended };
  };
  if (epoch !== ctx.epoch || afterSeq > upTo || upTo - afterSeq > RESUME_EVENTS_MAX) return lost();
  const kept = feed.framesAfter(afterSeq);
  if (kept !== null) return { recovered: true, framesJson: kept, lastSeq: upTo };
  const frames: string[] = [];
  let [reached, bytes] = [afterSeq, 0];
  while (reached < upTo) {
    const events = await loadEvents(ctx, channel.id, reached, RESUME_STEP);
    for (const { seq, frame } of events) {
      if (reached === upTo) break;
      if (seq !== reached + 1) return lost();
      frames.push(frame);
      reached = seq;
      bytes += frame.length;
    }
    if (events.length === 0 || bytes > bytesMax) return lost();
  }
  return { recovered: true, framesJson: frames, lastSeq: upTo };
}
