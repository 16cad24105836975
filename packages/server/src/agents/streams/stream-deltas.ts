import type { Activity } from "@parley/protocol/activity";
import { RATES } from "@parley/protocol/limits";
import { mergeActivity } from "@parley/protocol/merge-activity";
import { type Scheduler, systemScheduler } from "../../base/scheduler.ts";
import { type AppContext, perServer } from "../../context.ts";
import { publishEvent } from "../../realtime/publish.ts";
import { channelTopic } from "../../realtime/topics.ts";
import { openStreams } from "./open-streams.ts";
import { findStream } from "./streams.store.ts";

/** The pieces of a stream that arrive in this time are one event. */
export const MERGE_MS = 100;

/** A piece of text that was committed. `status` is absent if it has not changed; `activity` has what changed. */
export interface Delta {
  channelId: number;
  offset: number;
  delta: string;
  status?: string | null | undefined;
  activity?: readonly Activity[] | undefined;
}

/** The part of a stream that waits to be sent. */
interface Waiting extends Delta {
  /** True if other nodes took pieces in between: the text is read again. */
  hasGap: boolean;
}

/**
 * Sends the pieces of streams to those who listen: of each stream at most one event in 100 ms. In a cluster the nodes that
 * take the pieces of one stream share that limit.
 */
export class StreamDeltas {
  readonly #ctx: AppContext;
  readonly #scheduler: Scheduler;
  /** null: something was sent just now, and nothing waits. */
  readonly #streams = new Map<number, Waiting | null>();

  constructor(ctx: AppContext, scheduler: Scheduler = systemScheduler) {
    this.#ctx = ctx;
    this.#scheduler = scheduler;
    openStreams(ctx).onOver = (streamId) => this.drop(streamId);
  }

  add(streamId: number, delta: Delta): void {
    const waiting = this.#streams.get(streamId);
    const isFirst = waiting === undefined;
    this.#streams.set(streamId, waiting == null ? { ...delta, hasGap: false } : merged(waiting, delta));
    if (isFirst) this.#send(streamId);
  }

  /** Forgets what waits of a stream that is over: its message says it all. */
  drop(streamId: number): void {
    if (this.#streams.has(streamId)) this.#streams.set(streamId, null);
  }

  #send(streamId: number): void {
    this.#publish(streamId)
      .catch((err: unknown) => this.#ctx.log.warn({ err, streamId }, "sending the text of a stream failed"))
      .finally(() => this.#scheduler.after(MERGE_MS, () => this.#next(streamId)));
  }

  #next(streamId: number): void {
    if (this.#streams.get(streamId) == null) this.#streams.delete(streamId);
    else this.#send(streamId);
  }

  async #publish(streamId: number): Promise<void> {
    if (this.#ctx.cluster !== null) {
      const taken = this.#ctx.limiter.take(RATES.streamDelta, `${streamId}`);
      if (!(taken instanceof Promise ? await taken : taken).allowed) return;
    }
    const waiting = this.#streams.get(streamId);
    if (waiting == null) return;
    this.#streams.set(streamId, null);
    const { channelId, offset, hasGap, status, activity } = waiting;
    const delta = hasGap ? ((await findStream(this.#ctx.db, streamId))?.content.slice(offset) ?? "") : waiting.delta;
    publishEvent(this.#ctx, channelTopic(channelId), "stream:delta", {
      channel_id: channelId,
      stream_id: streamId,
      offset,
      delta,
      ...(status === undefined ? {} : { status }),
      ...(activity === undefined ? {} : { activity }),
    });
  }
}

function merged(waiting: Waiting, next: Delta): Waiting {
  const status = next.status === undefined ? waiting.status : next.status;
  const activity =
    waiting.activity === undefined || next.activity === undefined
      ? (next.activity ?? waiting.activity)
      : mergeActivity(waiting.activity, next.activity);
  const news = { status, activity };
  const end = waiting.offset + waiting.delta.length;
  if (next.offset === end) return { ...waiting, delta: waiting.delta + next.delta, ...news };
  // A delta without text has no place in it.
  if (next.delta === "") return { ...waiting, ...news };
  if (waiting.delta === "") return { ...next, ...news, hasGap: false };
  return { ...waiting, offset: Math.min(waiting.offset, next.offset), ...news, hasGap: true };
}

/** The pieces of streams that this node sends. */
export const streamDeltas = perServer((ctx) => new StreamDeltas(ctx));
