import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { Alarm } from "../../base/alarm.ts";
import type { AppContext } from "../../context.ts";
import { StartupError } from "../../db/startup-error.ts";
import { spaceAt } from "../../metrics/disk.ts";
import { backupName, bytesOf, expendable, listBackups } from "./backup-files.ts";

/** A command of this program in a process of its own, which `kill` ends early. */
export interface CommandRun {
  ended: Promise<{ code: number | null; err: string }>;
  kill(): void;
}

/** Starts a command of this program with these arguments. */
export type RunCommand = (args: readonly string[]) => CommandRun;

/** Until it is verified, a backup has a name that no list shows. The folder in which it is restored begins like it. */
const DRAFT = ".draft-";
/** The copy and, while it is verified, the restored copy. */
const COPIES = 2;
const RETRY_MS = 10 * 60_000;
const REASON_LENGTH_MAX = 1_000;

/** Creates the folder, closed to other users. Throws a `StartupError` if it cannot be used. */
export function prepareBackupFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Writes nothing: a full disk of backups must not stop the chat.
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartupError(
      `PARLEY_BACKUP_DIR: the folder ${folder} cannot be used (${(error as Error).message}). Create it for the user that runs Parley.`,
      error,
    );
  }
}

/**
 * Makes a backup of the SQLite database every `PARLEY_BACKUP_MINUTES`, in processes of their own, so that the server's
 * thread is not involved. A backup gets its name when it has been restored beside it and checked; only then are old ones
 * deleted. A failed backup is logged, counted and tried again after ten minutes.
 */
export class ScheduledBackups {
  readonly #ctx: AppContext;
  readonly #folder: string;
  readonly #source: string;
  readonly #run: RunCommand;
  readonly #everyMs: number;
  readonly #alarm: Alarm;
  readonly #startedAt: number;
  #newest: { at: number; bytes: number } | null = null;
  /** Of the last backup that this process made; null: none yet. */
  #seconds: number | null = null;
  #failures = 0;
  #lastReason: string | undefined;
  #running: Promise<void> | undefined;
  #command: CommandRun | undefined;
  #stopped = false;

  constructor(ctx: AppContext, { folder, source, run }: { folder: string; source: string; run: RunCommand }) {
    this.#ctx = ctx;
    this.#folder = folder;
    this.#source = source;
    this.#run = run;
    this.#everyMs = ctx.config.backupMinutes * 60_000;
    this.#startedAt = ctx.clock.now();
    this.#alarm = new Alarm(ctx.clock, () => {
      this.#running = this.#pass();
    });
  }

  start(): void {
    this.#removeDrafts();
    this.#readNewest();
    // A newest backup of the future was made before the clock was set back.
    const age = this.#newest === null ? this.#everyMs : this.#ctx.clock.now() - this.#newest.at;
    this.#alarm.set(Math.min(this.#everyMs, Math.max(0, this.#everyMs - age)));
    this.#ctx.metrics.backupsFrom(() => ({
      ageSeconds: (this.#ctx.clock.now() - (this.#newest?.at ?? this.#startedAt)) / 1000,
      bytes: this.#newest?.bytes ?? null,
      seconds: this.#seconds,
      failures: this.#failures,
    }));
    this.#ctx.onClose(async () => {
      this.#stopped = true;
      this.#alarm.clear();
      this.#command?.kill();
      await this.#running;
    });
  }

  async #pass(): Promise<void> {
    const { clock, log } = this.#ctx;
    const started = clock.monotonic();
    try {
      const path = await this.#make();
      this.#seconds = (clock.monotonic() - started) / 1000;
      this.#readNewest();
      this.#lastReason = undefined;
      log.info({ path, seconds: Math.round(this.#seconds) }, "made and verified a backup");
      this.#alarm.set(this.#everyMs);
    } catch (error) {
      if (this.#stopped) return;
      this.#failures += 1;
      const reason = (error as Error).message;
      // A full disk fails in the same way for hours.
      if (reason !== this.#lastReason)
        log.error({ reason }, "the scheduled backup failed; it is tried again every ten minutes");
      this.#lastReason = reason;
      this.#alarm.set(Math.min(RETRY_MS, this.#everyMs));
    } finally {
      this.#removeDrafts();
    }
  }

  /** Returns the path of a new backup that is verified, on the disk, and has taken its name. */
  async #make(): Promise<string> {
    this.#assertRoom();
    const name = this.#freeName();
    const draft = join(this.#folder, `${DRAFT}${name}`);
    const { files } = this.#ctx.config;
    await this.#perform(
      "backup",
      draft,
      ...(files.kind === "folder" ? ["--with-files", join(this.#folder, "files")] : []),
    );
    await this.#perform("backup", "verify", draft);
    const path = join(this.#folder, name);
    renameSync(draft, path);
    syncFolder(this.#folder);
    for (const old of expendable(listBackups(this.#folder))) rmSync(old.path);
    return path;
  }

  #freeName(): string {
    for (let at = this.#ctx.clock.now(); ; at += 1_000) {
      const name = backupName(at);
      if (!existsSync(join(this.#folder, name))) return name;
    }
  }

  #assertRoom(): void {
    const needed = COPIES * (statSync(this.#source).size + sizeOf(`${this.#source}-wal`));
    const { free } = spaceAt(this.#folder);
    if (free < needed)
      throw new Error(
        `There is no room in ${this.#folder}: a backup needs ${toMib(needed)} MiB, and ${toMib(free)} MiB are free.`,
      );
  }

  async #perform(...args: string[]): Promise<void> {
    if (this.#stopped) throw new Error("The server is stopping.");
    this.#command = this.#run(args);
    const { code, err } = await this.#command.ended;
    this.#command = undefined;
    if (code !== 0) throw new Error(err.trim().slice(-REASON_LENGTH_MAX) || `${args[0]} ended with ${code}.`);
  }

  #readNewest(): void {
    const [newest] = listBackups(this.#folder);
    this.#newest = newest === undefined ? null : { at: newest.at, bytes: bytesOf(newest) };
  }

  /** Removes what an interrupted backup left. */
  #removeDrafts(): void {
    for (const name of readdirSync(this.#folder))
      if (name.startsWith(DRAFT)) rmSync(join(this.#folder, name), { recursive: true, force: true });
  }
}

const toMib = (bytes: number): number => Math.ceil(bytes / 1024 / 1024);

const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0);

/** A rename is on the disk when its folder is. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
