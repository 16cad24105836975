import { type AppContext, perServer } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import { advanceReadMark } from "./reading.store.ts";

/** At most this many go into one transaction: it bounds how long the loop is held. */
const BATCH_MAX = 256;
/** Refuse to queue more: an answer now beats one after the client gave up. */
const QUEUE_MAX = 20_000;

interface Mark {
  channelId: number;
  userId: number;
  seq: number;
  resolve(moved: boolean): void;
  reject(error: unknown): void;
}

/**
 * One message in a busy channel makes all who look at it mark it as read. Marks that came while the last commit ran are one transaction,
 * so that they do not stand in the way of the next message.
 */
export class ReadMarks {
  readonly #ctx: AppContext;
  #waiting: Mark[] = [];
  #isScheduled = false;

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
  }

  /** Resolves after the commit: did the mark move? Errors: `overloaded`. */
  advance(channelId: number, userId: number, seq: number): Promise<boolean> {
    if (this.#waiting.length >= QUEUE_MAX) throw fail("overloaded", { retryAfter: 1 });
    return new Promise((resolve, reject) => {
      this.#waiting.push({ channelId, userId, seq, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => void this.#drain());
  }

  async #drain(): Promise<void> {
    // In one order on every node, so that two never wait for each other's rows.
    const batch = this.#waiting.splice(0, BATCH_MAX).sort((a, b) => a.channelId - b.channelId || a.userId - b.userId);
    try {
      const moved = await transact(this.#ctx, async (ctx) => {
        const answers: boolean[] = [];
        for (const mark of batch) answers.push(await advanceReadMark(ctx.db, mark.channelId, mark.userId, mark.seq));
        return answers;
      });
      for (const [at, mark] of batch.entries()) mark.resolve(moved[at] ?? false);
    } catch (error) {
      for (const mark of batch) mark.reject(error);
    }
    this.#isScheduled = false;
    this.#schedule();
  }
}

export const readMarks = perServer((ctx) => new ReadMarks(ctx));
