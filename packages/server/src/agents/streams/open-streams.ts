import { type AppContext, perServer } from "../../context.ts";
import { onControl, onControlLost } from "../../realtime/control/control.ts";
import { openAfter } from "./streams.store.ts";

const READ_AT_ONCE = 1_000;

/**
 * Where streams may be open, so that the join of a channel without any runs no query. All nodes hear of each start and
 * end. An entry may be too many, never too few, once all were read.
 */
class OpenStreams {
  readonly #ctx: AppContext;
  readonly #byChannel = new Map<number, Set<number>>();
  #isComplete = false;
  /** How often what is known was lost: a read that began before counts for nothing. */
  #losses = 0;
  /** Called with each stream that is over. */
  onOver: (streamId: number) => void = () => {};

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
    onControl(ctx, "stream_opened", ({ channelId, streamId }) => this.add(channelId, streamId));
    onControl(ctx, "stream_over", ({ channelId, streamId }) => {
      this.remove(channelId, streamId);
      this.onOver(streamId);
    });
    onControlLost(ctx, () => {
      this.#isComplete = false;
      this.#losses += 1;
    });
  }

  mayHave(channelId: number): boolean {
    return !this.#isComplete || this.#byChannel.has(channelId);
  }

  /** True if none is open anywhere. */
  get isEmpty(): boolean {
    return this.#isComplete && this.#byChannel.size === 0;
  }

  /** Reads all from the database unless they are known. */
  async complete(): Promise<void> {
    if (this.#isComplete) return;
    const losses = this.#losses;
    let after = 0;
    for (;;) {
      const rows = await openAfter(this.#ctx.db, after, READ_AT_ONCE);
      for (const { channel_id, id } of rows) this.add(channel_id, id);
      if (rows.length < READ_AT_ONCE) break;
      after = rows.at(-1)?.id ?? after;
    }
    this.#isComplete = losses === this.#losses;
  }

  /** Leaves of a channel's entries those that are open, which were just read. */
  correct(channelId: number, open: ReadonlySet<number>, known: readonly number[]): void {
    for (const id of known) if (!open.has(id)) this.remove(channelId, id);
  }

  idsIn(channelId: number): number[] {
    return [...(this.#byChannel.get(channelId) ?? [])];
  }

  add(channelId: number, streamId: number): void {
    const ids = this.#byChannel.get(channelId);
    if (ids === undefined) this.#byChannel.set(channelId, new Set([streamId]));
    else ids.add(streamId);
  }

  remove(channelId: number, streamId: number): void {
    const ids = this.#byChannel.get(channelId);
    if (ids?.delete(streamId) && ids.size === 0) this.#byChannel.delete(channelId);
  }
}

/** Where streams may be open on all nodes. */
export const openStreams = perServer((ctx) => new OpenStreams(ctx));
