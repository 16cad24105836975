import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { timeOfEvent } from "./events.store.ts";

/** How far a client of the event stream has come, as `Last-Event-ID` tells it. */
export interface StreamPosition {
  /** By channel, the number of the last durable event it has. */
  seqs: ReadonlyMap<number, number>;
  /** What was told before this moment it has, in the other channels too. 0: unknown. */
  at: number;
  /** The incarnation of the data the numbers are of; null: the client does not say. */
  epoch: string | null;
}

/** Channels an id names: the ones spoken of last, since each costs ten bytes an event. What the others missed is found by the time. */
const CHANNELS_NAMED = 50;
const PLACE = String.raw`[1-9]\d{0,14}:\d{1,15}`;
const FORM = new RegExp(`^((?:${PLACE})(?:,${PLACE}){0,${CHANNELS_NAMED - 1}})?(?:@(\\d{1,15})/([0-9a-f]{1,64}))?$`);

/**
 * Reads `Last-Event-ID`: an id of the stream, `<channel_id>:<seq>,…@<ms>/<epoch>`, or `<channel_id>:<seq>` alone, which stands for the moment of
 * that event. null: there is none. Errors: `invalid_cursor`.
 */
export async function streamPosition(ctx: AppContext, lastEventId: string | null): Promise<StreamPosition | null> {
  if (lastEventId === null || lastEventId === "") return null;
  const match = FORM.exec(lastEventId);
  if (match === null)
    throw fail("invalid_cursor", { message: "Last-Event-ID is an id of this stream, or <channel_id>:<seq>." });
  const [, places = "", told, epoch = null] = match;
  const seqs = new Map<number, number>();
  for (const place of places.split(",").filter(Boolean)) {
    const [channelId = 0, seq = 0] = place.split(":").map(Number);
    seqs.set(channelId, seq);
  }
  const [first] = seqs;
  const at = told !== undefined ? Number(told) : first && (await timeOfEvent(ctx.db, ...first));
  return { seqs, at: at ?? 0, epoch };
}

/**
 * What a stream has sent: the id of its events.
 *
 * Promise: who comes back with an id is told, of every channel and of the mentions, all that was not sent before the event with that id. So
 * a stream that breaks while it catches up in one channel loses nothing of another.
 */
export class SentPosition {
  readonly #ctx: AppContext;
  /** The channel spoken of last comes last. */
  readonly #seqs: Map<number, number>;
  /** While the stream catches up, what was told before now is not all sent: the client's own moment still stands. null: it has. */
  #since: number | null;

  constructor(ctx: AppContext, from: StreamPosition | null) {
    this.#ctx = ctx;
    // Numbers of other data mean nothing here; what is said of the channels since that moment is told.
    const isOfOther = from !== null && from.epoch !== null && from.epoch !== ctx.epoch;
    this.#seqs = new Map(isOfOther ? [] : from?.seqs);
    this.#since = from?.at ?? null;
  }

  /** All that was told by now is sent. */
  caughtUp(): void {
    this.#since = null;
  }

  set(channelId: number, seq: number): void {
    this.#seqs.delete(channelId);
    this.#seqs.set(channelId, seq);
  }

  /** Names only these channels from now on. */
  keep(channelIds: ReadonlySet<number>): void {
    for (const channelId of this.#seqs.keys()) if (!channelIds.has(channelId)) this.#seqs.delete(channelId);
  }

  toString(): string {
    const places = [...this.#seqs].slice(-CHANNELS_NAMED).map(([channelId, seq]) => `${channelId}:${seq}`);
    return `${places.join(",")}@${this.#since ?? this.#ctx.clock.now()}/${this.#ctx.epoch}`;
  }
}
