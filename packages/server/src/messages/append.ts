import { type AppContext, perServer } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import type { BusMessage } from "../realtime/broker.ts";
import { channelTopic } from "../realtime/topics.ts";
import { type Appended, type Draft, fingerprint, type Waiting, writeBatch } from "./append-batch.ts";
import { newsListeners } from "./news.ts";
import { eventFrame } from "./record.ts";

/** At most this many go into one transaction: it bounds how long the loop is held. */
const BATCH_MAX = 256;
/** Turns of the loop a busy queue waits for more at most. */
const TURNS_MAX = 4;
/** Refuse to queue more: an answer now beats one after the client gave up. */
const QUEUE_MAX = 20_000;

/**
 * The append queue: the one road a message takes into the database.
 *
 * Promises: messages of one channel get numbers in the order of `append` calls; an answer resolves after the commit; the frames go to the
 * broker after the commit and before the answers resolve. One drain at a time: what queued while the last one ran is one transaction, so
 * an idle server commits at once and a busy one commits bigger batches. There is no timer: a busy queue drains after a turn of the loop
 * that brought nothing new, because clients who were answered together come back together, and else would split into two groups that
 * wait for each other's commits.
 */
export class AppendQueue {
  readonly #ctx: AppContext;
  #waiting: Waiting[] = [];
  #scheduled = false;
  #lastBatch = 0;
  #idle: Promise<void> = Promise.resolve();

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
  }

  append(draft: Draft): Promise<Appended> {
    if (this.#waiting.length >= QUEUE_MAX) throw fail("overloaded", { retryAfter: 1 });
    return new Promise((resolve, reject) => {
      this.#waiting.push({ draft, hash: fingerprint(draft), resolve, reject });
      if (!this.#scheduled) this.#schedule();
    });
  }

  /** Resolves when all that was queued is answered. */
  async settled(): Promise<void> {
    while (this.#scheduled) {
      await new Promise(setImmediate);
      await this.#idle;
    }
  }

  /** After the I/O of this turn, so that every request that arrived together is in the batch. */
  #schedule(): void {
    this.#scheduled = true;
    setImmediate(() => this.#turn(this.#lastBatch > 1 ? TURNS_MAX : 0));
  }

  #turn(turnsLeft: number): void {
    const queued = this.#waiting.length;
    if (turnsLeft === 0 || queued >= BATCH_MAX) {
      this.#idle = this.#drain();
      return;
    }
    setImmediate(() => this.#turn(this.#waiting.length > queued ? turnsLeft - 1 : 0));
  }

  async #drain(): Promise<void> {
    const batch = this.#takeBatch();
    this.#lastBatch = batch.length;
    try {
      await this.#commit(batch);
    } catch (error) {
      await this.#commitEach(batch, error);
    }
    this.#scheduled = false;
    if (this.#waiting.length > 0) this.#schedule();
  }

  /** A draft with an expectation goes alone, since what stands before it in the batch counts as spoken. */
  #takeBatch(): Waiting[] {
    const alone = this.#waiting.findIndex((waiting) => waiting.draft.expectedLastSeq !== null);
    const size = alone === -1 ? BATCH_MAX : Math.min(Math.max(alone, 1), BATCH_MAX);
    if (this.#waiting.length <= size) {
      const all = this.#waiting;
      this.#waiting = [];
      return all;
    }
    return this.#waiting.splice(0, size);
  }

  /**
   * One bad message must not sink its batch: each is tried alone. Not when the database went away: then the commit may stand, and trying
   * again would store twice what came without a key.
   */
  async #commitEach(batch: readonly Waiting[], error: unknown): Promise<void> {
    if (batch.length === 1 || this.#ctx.storageError(error) !== undefined) {
      for (const waiting of batch) waiting.reject(error);
      return;
    }
    for (const waiting of batch) {
      try {
        await this.#commit([waiting]);
      } catch (cause) {
        waiting.reject(cause);
      }
    }
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    const started = this.#ctx.clock.monotonic();
    const answers = await transact(this.#ctx, (ctx) => writeBatch(ctx, batch));
    this.#ctx.metrics.batchCommitted(batch.length, (this.#ctx.clock.monotonic() - started) / 1000);
    publishAppended(this.#ctx, answers);
    batch.forEach((waiting, index) => {
      const answer = answers[index];
      if (answer instanceof Error) waiting.reject(answer);
      else if (answer !== undefined) waiting.resolve(answer);
    });
  }
}

export const appendQueue = perServer((ctx) => new AppendQueue(ctx));

/**
 * Writes a message in the caller's transaction, beside what it may not stand without (a packet and its value), and publishes it after the
 * commit. Everything else goes through the queue. Errors: `channel_not_found`.
 */
export async function appendWithin(ctx: AppContext, draft: Draft): Promise<Appended> {
  const ignored = () => {};
  const [answer] = await writeBatch(ctx, [{ draft, hash: fingerprint(draft), resolve: ignored, reject: ignored }]);
  if (answer === undefined) throw new Error("A message was written without an answer.");
  if (answer instanceof Error) throw answer;
  ctx.afterCommit(() => publishAppended(ctx.root, [answer]));
  return answer;
}

/** Tells of messages that were committed. */
function publishAppended(ctx: AppContext, answers: readonly (Appended | Error)[]): void {
  const byTopic = new Map<number, BusMessage[]>();
  for (const answer of answers) {
    if (answer instanceof Error || answer.deduplicated) continue;
    const { row, json } = answer;
    const frame = eventFrame("message:new", row.channel_id, row.seq, "{}", json);
    const message: BusMessage = {
      event: "message:new",
      frame,
      seq: row.seq,
      message: { id: row.id, seq: row.seq, json },
    };
    const list = byTopic.get(row.channel_id);
    if (list === undefined) byTopic.set(row.channel_id, [message]);
    else list.push(message);
  }
  const listeners = newsListeners(ctx);
  for (const [channelId, messages] of byTopic) {
    ctx.broker.publish(channelTopic(channelId), messages);
    for (const listener of listeners) listener(channelId);
  }
}
