import { type Scheduler, systemScheduler } from "../base/scheduler.ts";
import type { Clock } from "../clock.ts";
import { type AppContext, perServer } from "../context.ts";
import type { Log } from "../logging/log.ts";
import type { Db } from "./db.ts";

/** Why the database accepts no writes now. */
export type WriteProblem = "storage_full" | "storage_unavailable";

/** How long a good result is reused. */
const FRESH_MS = 10_000;
/** How long a result is reused while writes are refused, or after a write was refused. */
const DOUBT_MS = 1_000;
/** The size of a probe: where a single row still fits, a batch of messages might not. */
const PROBE_BYTES = 64 * 1024;

/**
 * Writes as much as a small batch of messages, over the last probe. Throws as every write does. Every page contains
 * `now`, because SQLite does not rewrite an unchanged page.
 */
export async function probeWrite(db: Db, now: number): Promise<void> {
  const row = { key: "write_probe", value: "".padEnd(PROBE_BYTES, `${now} `) };
  await db
    .insertInto("meta")
    .values(row)
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value: row.value }))
    .execute();
}

interface Parts {
  readonly clock: Pick<Clock, "monotonic">;
  readonly scheduler: Scheduler;
  readonly log: Pick<Log, "warn" | "info">;
  /** Rejects if the database accepts no writes. */
  probe(): Promise<void>;
  problemOf(error: unknown): WriteProblem | undefined;
}

/** Lasts from the first refusal until a probe succeeds and nothing was refused meanwhile. */
interface Outage {
  readonly since: number;
  refused: number;
}

/**
 * Tracks whether the database accepts writes. Probes only on demand: every 10 s at most, or every second if the last
 * result is in doubt. From the first refusal on it probes by itself, so that the end of an outage is reported.
 */
export class WriteHealth {
  readonly #parts: Parts;
  #problem: WriteProblem | null = null;
  #isDoubtful = false;
  #probedAt = Number.NEGATIVE_INFINITY;
  #probing: Promise<void> | null = null;
  #outage: Outage | null = null;
  #cancelWatch = () => {};

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Records a refusal. Returns true if it is the first of an outage; later ones are counted and reported when the
   * outage ends.
   */
  refused(): boolean {
    this.#isDoubtful = true;
    const isFirst = this.#outage === null;
    this.#outage ??= this.#begin();
    this.#outage.refused += 1;
    return isFirst;
  }

  /** Stops probing by itself. */
  stop(): void {
    this.#cancelWatch();
  }

  #begin(): Outage {
    this.#watch();
    return { since: this.#parts.clock.monotonic(), refused: 0 };
  }

  #watch(): void {
    this.#cancelWatch = this.#parts.scheduler.after(DOUBT_MS, () => {
      void this.problem().then(() => {
        if (this.#outage !== null) this.#watch();
      });
    });
  }

  /**
   * Returns why the database accepts no writes; null if it does, as far as is known. As slow as a write if a probe is
   * due.
   */
  async problem(): Promise<WriteProblem | null> {
    const keptMs = this.#isDoubtful || this.#problem !== null ? DOUBT_MS : FRESH_MS;
    if (this.#parts.clock.monotonic() - this.#probedAt >= keptMs) this.#probing ??= this.#probe();
    await this.#probing;
    return this.#problem;
  }

  async #probe(): Promise<void> {
    const { log, probe, problemOf } = this.#parts;
    // A refusal during the probe may be later than its result.
    this.#isDoubtful = false;
    const before = this.#problem;
    try {
      await probe();
      this.#problem = null;
      if (!this.#isDoubtful) this.#end();
    } catch (error) {
      this.#problem = problemOf(error) ?? "storage_unavailable";
      if (before === null) log.warn({ err: error }, "the database takes no writes");
      this.#outage ??= this.#begin();
    }
    this.#probedAt = this.#parts.clock.monotonic();
    this.#probing = null;
  }

  #end(): void {
    const { clock, log } = this.#parts;
    if (this.#outage === null) return;
    const { since, refused } = this.#outage;
    this.#outage = null;
    this.#cancelWatch();
    log.info({ refused, seconds: Math.round((clock.monotonic() - since) / 1000) }, "the database works again");
  }
}

export const writeHealth = perServer((ctx) => {
  const { clock, log, db, storageError: problemOf } = ctx;
  const probe = () => probeWrite(db, clock.now());
  const made = new WriteHealth({ clock, log, scheduler: systemScheduler, probe, problemOf });
  ctx.onClose(() => made.stop());
  return made;
});

/**
 * Returns true if the error should be logged. Of the database's refusals, that is one per outage (outage-throttle.ts).
 */
export const isNews = (ctx: AppContext, error: unknown): boolean =>
  ctx.storageError(error) === undefined || writeHealth(ctx).refused();
