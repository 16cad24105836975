import type { Kysely } from "kysely";
import type { Clock } from "../clock.ts";
import { type AppContext, perServer } from "../context.ts";
import type { Log } from "../log.ts";
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
  readonly log: Pick<Log, "warn" | "info">;
  /** Rejects when the database takes no writes. */
  probe(): Promise<void>;
  problemOf(error: unknown): WriteProblem | undefined;
}

/**
 * Does the database take writes? Found out by a probe, and only when somebody asks: every 10 s at most, every second when there is
 * reason to doubt what was found before.
 */
export class WriteHealth {
  readonly #parts: Parts;
  #problem: WriteProblem | null = null;
  #isDoubtful = false;
  #probedAt = Number.NEGATIVE_INFINITY;
  #probing: Promise<void> | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The database has refused something. */
  doubt(): void {
    this.#isDoubtful = true;
  }

  /** Why it takes no writes; null: it does, as far as is known. As slow as a write, when it is time to probe. */
  async problem(): Promise<WriteProblem | null> {
    const keptMs = this.#isDoubtful || this.#problem !== null ? DOUBT_MS : FRESH_MS;
    if (this.#parts.clock.monotonic() - this.#probedAt >= keptMs) this.#probing ??= this.#probe();
    await this.#probing;
    return this.#problem;
  }

  async #probe(): Promise<void> {
    const { clock, log, probe, problemOf } = this.#parts;
    // What is refused while it runs may be later than what it finds.
    this.#isDoubtful = false;
    const before = this.#problem;
    try {
      await probe();
      this.#problem = null;
      if (before !== null) log.info({}, "the database takes writes again");
    } catch (error) {
      this.#problem = problemOf(error) ?? "storage_unavailable";
      if (before === null) log.warn({ err: error }, "the database takes no writes");
    }
    this.#probedAt = clock.monotonic();
    this.#probing = null;
  }
}

export const writeHealth = perServer(
  ({ clock, log, db, storageError }: AppContext) =>
    new WriteHealth({ clock, log, probe: () => probeWrite(db, clock.now()), problemOf: storageError }),
);
