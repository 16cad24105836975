import { startBackgroundJob } from "../base/background-job.ts";
import { type AppContext, perServer } from "../context.ts";
import { hook } from "../hook.ts";

const TICK_MS = 1_000;
/**
 * Ticks between the last good moment and now. The broker notices after 3 s that it has lost something, and a process
 * that was paused notices it a little after its first tick.
 */
const TICKS_BACK = 6;

/** Receives the topic whose messages may have been lost; null: it may be any. */
export type DoubtHandler = (topic: string | null) => void;

/** Knows when the broker of this node may have lost messages. */
class Doubts {
  /** The times of the last ticks, oldest first, in epoch milliseconds. */
  readonly #ticks: number[];
  readonly #ctx: AppContext;

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
    this.#ticks = [ctx.clock.now()];
    ctx.broker.onHealth(() => this.report(null));
    // It may have committed events that it did not publish.
    ctx.cluster?.onNodes(({ gone }) => gone.length > 0 && this.report(null));
    ctx.cluster?.onRejoined(() => this.report(null));
    startBackgroundJob(ctx, TICK_MS, "noting the time failed", async () => this.#tick());
  }

  /** A moment before which nothing was lost, if the doubt has just begun; in epoch milliseconds. */
  get lastGoodAt(): number {
    return this.#ticks[0] ?? 0;
  }

  report(topic: string | null): void {
    for (const handler of handlers.of(this.#ctx)) handler(topic);
  }

  #tick(): void {
    this.#ticks.push(this.#ctx.clock.now());
    if (this.#ticks.length > TICKS_BACK) this.#ticks.shift();
  }
}

const handlers = hook<DoubtHandler>();
const doubts = perServer((ctx) => new Doubts(ctx));

/**
 * Calls the handler when the broker begins or ceases to doubt any topic, and whenever messages may have been lost in
 * another way. Returns a function that ends it. On a lone server nothing is ever lost.
 */
export function onDoubt(ctx: AppContext, handler: DoubtHandler): () => void {
  if (ctx.cluster === null) return () => {};
  startDoubts(ctx);
  return handlers(ctx, handler);
}

/** Reports that messages of a topic may have been lost although the broker does not doubt it. */
export function reportLoss(ctx: AppContext, topic: string): void {
  if (ctx.cluster !== null) doubts(ctx).report(topic);
}

/** Returns a moment before which nothing was lost, for a doubt that has just begun; in epoch milliseconds. */
export const lastGoodAt = (ctx: AppContext): number => doubts(ctx).lastGoodAt;

/** Starts to note the good moments of a node of a cluster. */
export function startDoubts(ctx: AppContext): void {
  if (ctx.cluster !== null) doubts(ctx);
}
