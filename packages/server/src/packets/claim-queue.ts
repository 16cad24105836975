import { type AppContext, perServer } from "../context.ts";
import { transact } from "../db/transact.ts";
import { AppError, fail } from "../errors.ts";
import { type ClaimDraft, type Claimed, writeClaims } from "./claim-batch.ts";

/** At most this many go into one transaction. */
const BATCH_MAX = 256;
/** Turns of the loop a busy queue waits for more at most. */
const TURNS_MAX = 4;
/** Refuse to queue more. */
const QUEUE_MAX = 20_000;

interface Waiting {
  draft: ClaimDraft;
  resolve(claimed: Claimed): void;
  reject(error: unknown): void;
}

/**
 * Claims on their way into the database, in the order they came. As with messages (messages/append.ts): what comes while one transaction
 * runs goes into the next one together, an idle queue commits at once, and an answer resolves after the commit.
 */
class ClaimQueue {
  readonly #ctx: AppContext;
  #waiting: Waiting[] = [];
  #scheduled = false;
  #lastBatch = 0;

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
  }

  claim(draft: ClaimDraft): Promise<Claimed> {
    if (this.#waiting.length >= QUEUE_MAX) throw fail("overloaded", { retryAfter: 1 });
    return new Promise((resolve, reject) => {
      this.#waiting.push({ draft, resolve, reject });
      if (!this.#scheduled) this.#schedule();
    });
  }

  #schedule(): void {
    this.#scheduled = true;
    setImmediate(() => this.#turn(this.#lastBatch > 1 ? TURNS_MAX : 0));
  }

  #turn(turnsLeft: number): void {
    const queued = this.#waiting.length;
    if (turnsLeft === 0 || queued >= BATCH_MAX) void this.#drain();
    else setImmediate(() => this.#turn(this.#waiting.length > queued ? turnsLeft - 1 : 0));
  }

  async #drain(): Promise<void> {
    const batch = this.#waiting.splice(0, BATCH_MAX);
    this.#lastBatch = batch.length;
    try {
      await this.#commit(batch);
    } catch (error) {
      await this.#commitEach(batch, error);
    }
    this.#scheduled = false;
    if (this.#waiting.length > 0) this.#schedule();
  }

  /** One that fails must not sink the others: each is tried alone. A claim that was written after all is found, and answered. */
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
    const drafts = batch.map(({ draft }) => draft);
    const answers = await transact(this.#ctx, (ctx) => writeClaims(ctx, drafts));
    batch.forEach((waiting, index) => {
      const answer = answers[index];
      if (answer === undefined || answer instanceof AppError) waiting.reject(answer ?? fail("internal_error"));
      else waiting.resolve(answer);
    });
  }
}

export const claimQueue: (ctx: AppContext) => ClaimQueue = perServer((ctx) => new ClaimQueue(ctx));
