import { type AppContext, perServer } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { noteRead } from "./read-listeners.ts";
import { advanceReadMark } from "./reading.store.ts";

/** Maximum per transaction; bounds how long the event loop is blocked. */
const BATCH_MAX = 256;
/** Queue limit: an error now is better than an answer after the client gave up. */
const QUEUE_MAX = 20_000;

interface Mark {
  channelId: number;
  userId: number;
  seq: number;
  resolve(moved: boolean): void;
  reject(error: unknown): void;
}

/**
 * Batches read marks. One message in a busy channel makes all its viewers mark it as read; marks that arrive during a
 * commit share the next transaction, so they do not delay the next message.
 */
export class ReadMarks {
  readonly #ctx: AppContext;
  #waiting: Mark[] = [];
  #isScheduled = false;

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
  }

  /** Resolves after the commit with whether the mark moved. Errors: `overloaded`. */
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
    // The same order on every node prevents deadlocks.
    const batch = this.#waiting.splice(0, BATCH_MAX).sort((a, b) => a.channelId - b.channelId || a.userId - b.userId);
    try {
      const moved = await transact(this.#ctx, async (ctx) => {
        const answers: boolean[] = [];
        for (const mark of batch) answers.push(await advanceReadMark(ctx.db, mark.channelId, mark.userId, mark.seq));
        return answers;
      });
      for (const [at, mark] of batch.entries()) {
        const isMoved = moved[at] ?? false;
        if (isMoved) noteRead(this.#ctx, { userId: mark.userId, channelId: mark.channelId, rootId: null });
        mark.resolve(isMoved);
      }
    } catch (error) {
      for (const mark of batch) mark.reject(error);
    }
    this.#isScheduled = false;
    this.#schedule();
  }
}

export const readMarks = perServer((ctx) => new ReadMarks(ctx));
