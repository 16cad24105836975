import type { Kysely } from "kysely";
import type { Clock } from "../clock.ts";
import { type AppContext, perServer } from "../context.ts";
import type { Log } from "../log.ts";
import { type Scheduler, systemScheduler } from "../realtime/scheduler.ts";
import type { Tables } from "./tables.ts";

/** Why the database takes no writes now. */
export type WriteProblem = "storage_full" | "storage_unavailable";

/** What was found holds so long; while writes are refused, or were since, only as long as a recovery may go unseen. */
const FRESH_MS = 10_000;
const DOUBT_MS = 1_000;
/** What a probe writes: where a row would still fit, a batch of messages would not. */
const PROBE_BYTES = 64 * 1024;

/**
 * Writes as much as a small batch of messages, over what the last probe wrote. Throws as every write does. Every page of it says `now`:
 * SQLite does not write a page again that would be the same.
 */
export async function probeWrite(db: Kysely<Tables>, now: number): Promise<void> {
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
  /** Rejects when the database takes no writes. */
  probe(): Promise<void>;
  problemOf(error: unknown): WriteProblem | undefined;
}

/** From the first refusal until a probe succeeds and nothing was refused meanwhile. */
interface Outage {
  readonly since: number;
  refused: number;
}

/**
 * Does the database take writes? Found out by a probe, and only when somebody asks: every 10 s at most, every second when there is
 * reason to doubt what was found before. From the first refusal on it asks by itself, so that the end of an outage is told.
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

  /** The database has refused something. Is it the first of an outage? Those after it are counted, and told when that is over. */
  refused(): boolean {
    this.#isDoubtful = true;
    const isFirst = this.#outage === null;
    this.#outage ??= this.#begin();
    this.#outage.refused += 1;
    return isFirst;
  }

  /** Asks no more by itself. */
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

  /** Why it takes no writes; null: it does, as far as is known. As slow as a write, when it is time to probe. */
  async problem(): Promise<WriteProblem | null> {
    const keptMs = this.#isDoubtful || this.#problem !== null ? DOUBT_MS : FRESH_MS;
    if (this.#parts.clock.monotonic() - this.#probedAt >= keptMs) this.#probing ??= this.#probe();
    await this.#probing;
    return this.#problem;
  }

  async #probe(): Promise<void> {
    const { log, probe, problemOf } = this.#parts;
    // What is refused while it runs may be later than what it finds.
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

/** Is the error one to be logged? What the database refuses is, once an outage (log-sparing.ts). */
export const isNews = (ctx: AppContext, error: unknown): boolean =>
  ctx.storageError(error) === undefined || writeHealth(ctx).refused();
