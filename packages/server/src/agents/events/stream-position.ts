import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import { timeOfEvent } from "./events.store.ts";

/** How far a client of the event stream has read, as given by `Last-Event-ID`. */
export interface StreamPosition {
  /** The sequence number of the last durable event the client has, by channel. */
  seqs: ReadonlyMap<number, number>;
  /** The client has everything that was published before this moment, in the other channels too. 0: unknown. */
  at: number;
  /** The epoch of the data that the sequence numbers belong to; null: the client does not say. */
  epoch: string | null;
}

/**
 * Number of channels in an id: those with the latest events, since each costs ten bytes per event. Missed events of the
 * others are found by time.
 */
const CHANNELS_NAMED = 50;
const PLACE = String.raw`[1-9]\d{0,14}:\d{1,15}`;
const FORM = new RegExp(`^((?:${PLACE})(?:,${PLACE}){0,${CHANNELS_NAMED - 1}})?(?:@(\\d{1,15})/([0-9a-f]{1,64}))?$`);

/**
 * Parses `Last-Event-ID`: an id of the stream, `<channel_id>:<seq>,…@<ms>/<epoch>`, or `<channel_id>:<seq>` alone,
 * which means the time of that event. Returns null if there is none.
 * Errors: `invalid_cursor`.
 */
export async function streamPosition(ctx: AppContext, lastEventId: string | null): Promise<StreamPosition | null> {
  if (lastEventId === null || lastEventId === "") return null;
  const match = FORM.exec(lastEventId);
  if (match === null)
    throw fail("invalid_cursor", { message: "Last-Event-ID must be an id of this stream or <channel_id>:<seq>." });
  const [, places = "", time, epoch = null] = match;
  const seqs = new Map<number, number>();
  for (const place of places.split(",").filter(Boolean)) {
    const [channelId = 0, seq = 0] = place.split(":").map(Number);
    seqs.set(channelId, seq);
  }
  const [first] = seqs;
  const at = time !== undefined ? Number(time) : first && (await timeOfEvent(ctx.db, ...first));
  return { seqs, at: at ?? 0, epoch };
}

/**
 * The position a stream has sent up to: the id of its events.
 *
 * Promises: a client that resumes with an id gets, for every channel and the mentions, everything that was not sent
 * before the event with that id. So a stream that breaks while it catches up in one channel loses nothing of another.
 */
export class SentPosition {
  readonly #ctx: AppContext;
  /** In order of the last event: the latest channel is last. */
  readonly #seqs: Map<number, number>;
  /**
   * While the stream catches up, not everything published before now is sent, so the client's own time still applies.
   * null: caught up.
   */
  #since: number | null;
  /** While the broker may lose messages: a moment before which nothing was lost. */
  #heldAt: number | null = null;

  constructor(ctx: AppContext, from: StreamPosition | null) {
    this.#ctx = ctx;
    // Sequence numbers of another epoch mean nothing here; events since that time are sent instead.
    const isOfOther = from !== null && from.epoch !== null && from.epoch !== ctx.epoch;
    this.#seqs = new Map(isOfOther ? [] : from?.seqs);
    this.#since = from?.at ?? null;
  }

  /** Marks everything published until now as sent. */
  caughtUp(): void {
    this.#since = null;
  }

  /** Claims nothing that was published after this time. */
  hold(at: number): void {
    this.#heldAt = Math.min(at, this.#heldAt ?? at);
  }

  get isHeld(): boolean {
    return this.#heldAt !== null;
  }

  /** Ends the effect of `hold`. */
  release(): void {
    this.#heldAt = null;
  }

  /** Returns what a client would resume from now. */
  get now(): StreamPosition {
    return { seqs: this.#seqs, at: this.#at, epoch: this.#ctx.epoch };
  }

  get #at(): number {
    const at = Math.min(this.#since ?? Number.POSITIVE_INFINITY, this.#heldAt ?? Number.POSITIVE_INFINITY);
    return Number.isFinite(at) ? at : this.#ctx.clock.now();
  }

  set(channelId: number, seq: number): void {
    this.#seqs.delete(channelId);
    this.#seqs.set(channelId, seq);
  }

  /** Restricts the id to these channels from now on. */
  keep(channelIds: ReadonlySet<number>): void {
    for (const channelId of this.#seqs.keys()) if (!channelIds.has(channelId)) this.#seqs.delete(channelId);
  }

  toString(): string {
    const places = [...this.#seqs].slice(-CHANNELS_NAMED).map(([channelId, seq]) => `${channelId}:${seq}`);
    return `${places.join(",")}@${this.#at}/${this.#ctx.epoch}`;
  }
}
