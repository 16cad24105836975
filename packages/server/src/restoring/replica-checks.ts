import { Alarm } from "../base/timers.ts";
import type { AppContext } from "../context.ts";
import { hasFilesInReplica } from "../files/replica/replica-files.ts";
import { fileCopies } from "../files/storage/open-storage.ts";
import type { CommandRun, RunCommand } from "../operations/backups/scheduled-backups.ts";
import { openReplica } from "../replica/open-replica.ts";
import { lastCheck } from "./last-check.ts";

/** The hour of the night, in the time zone of the server. */
const HOUR = 3;
const RETRY_MS = 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
/** A check that is older when the server starts is made soon. */
const OLD_MS = 36 * 60 * 60_000;
const SOON_MS = 15 * 60_000;
const REASON_LENGTH_MAX = 1_000;

/**
 * Restores the replica every night, in a process of its own, so that the server's thread is not involved. A failure is
 * logged, counted and tried again every hour.
 */
export class ReplicaChecks {
  readonly #ctx: AppContext;
  readonly #run: RunCommand;
  readonly #alarm: Alarm;
  readonly #startedAt: number;
  /** When the newest check succeeded; null: none did, or the replica did not say. */
  #newest: number | null = null;
  #seconds: number | null = null;
  #failures = 0;
  #lastReason: string | undefined;
  #running: Promise<void> = Promise.resolve();
  #command: CommandRun | undefined;
  #stopped = false;

  constructor(ctx: AppContext, run: RunCommand) {
    this.#ctx = ctx;
    this.#run = run;
    this.#startedAt = ctx.clock.now();
    this.#alarm = new Alarm(ctx.clock, () => {
      this.#running = this.pass();
    });
  }

  start(): void {
    const { clock, config, metrics } = this.#ctx;
    metrics.replicaChecksFrom(() => ({
      // A clock that was set back makes nothing younger than new.
      ageSeconds: Math.max(0, clock.now() - (this.#newest ?? this.#startedAt)) / 1000,
      seconds: this.#seconds,
      failures: this.#failures,
      filesMissing: hasFilesInReplica(config) ? fileCopies(this.#ctx).missing : null,
    }));
    this.#running = this.#begin();
    this.#ctx.onClose(async () => {
      this.#stopped = true;
      this.#alarm.clear();
      this.#command?.kill();
      await this.#running;
    });
  }

  async #begin(): Promise<void> {
    const { clock, config, log } = this.#ctx;
    try {
      const last = await lastCheck(openReplica(config));
      this.#newest = last === null ? null : Math.min(last.at, clock.now());
    } catch (err) {
      log.warn({ err }, "the replica did not say when it was checked");
    }
    if (this.#stopped) return;
    const isOld = this.#newest === null || clock.now() - this.#newest > OLD_MS;
    this.#alarm.set(isOld ? SOON_MS : untilNight(clock.now()));
  }

  /** Makes one check. Never rejects. */
  async pass(): Promise<void> {
    const { clock, log } = this.#ctx;
    const started = clock.monotonic();
    try {
      this.#command = this.#run(["restore", "check"]);
      const { code, output } = await this.#command.ended;
      this.#command = undefined;
      if (code !== 0) throw new Error(output.trim().slice(-REASON_LENGTH_MAX) || `restore check ended with ${code}.`);
      this.#seconds = (clock.monotonic() - started) / 1000;
      this.#newest = clock.now();
      this.#lastReason = undefined;
      log.info({ seconds: Math.round(this.#seconds) }, "restored the replica to check it");
      if (!this.#stopped) this.#alarm.set(untilNight(clock.now()));
    } catch (error) {
      if (this.#stopped) return;
      this.#failures += 1;
      const reason = (error as Error).message;
      // What is wrong with the replica is wrong at each try.
      if (reason !== this.#lastReason)
        log.error({ reason }, "the replica could not be restored; it is tried every hour");
      this.#lastReason = reason;
      this.#alarm.set(RETRY_MS);
    }
  }
}

/** Returns the milliseconds until the next night. */
export function untilNight(now: number): number {
  const night = new Date(now);
  night.setHours(HOUR, 0, 0, 0);
  const ahead = night.getTime() - now;
  return ahead > 0 ? ahead : ahead + DAY_MS;
}
