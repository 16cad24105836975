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
import { Alarm } from "../../base/timers.ts";
import type { AppContext } from "../../context.ts";
import { StartupError } from "../../db/startup-error.ts";
import { spaceAt } from "../../metrics/disk.ts";
import { type BackupFile, backupName, bytesOf, expendable, listBackups } from "./backup-files.ts";

/** A command of this program in a process of its own, which `kill` ends early. */
export interface CommandRun {
  ended: Promise<{ code: number | null; output: string }>;
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
  /** The newest one that was not begun in the future, as the clock says. */
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
    const now = this.#ctx.clock.now();
    const newest = listBackups(this.#folder).find(({ at }) => at <= now);
    if (newest !== undefined) this.#newest = { at: newest.at, bytes: bytesOf(newest) };
    const age = this.#newest === null ? this.#everyMs : now - this.#newest.at;
    this.#alarm.set(Math.max(0, this.#everyMs - age));
    this.#ctx.metrics.backupsFrom(() => ({
      // A clock that was set back makes nothing younger than new.
      ageSeconds: Math.max(0, this.#ctx.clock.now() - (this.#newest?.at ?? this.#startedAt)) / 1000,
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
      const made = await this.#make();
      this.#seconds = (clock.monotonic() - started) / 1000;
      log.info({ path: made.path, seconds: Math.round(this.#seconds) }, "made and verified a backup");
      this.#newest = { at: made.at, bytes: bytesOf(made) };
      for (const old of expendable(listBackups(this.#folder), made.at)) rmSync(old.path);
      await this.#copyFiles(made);
      if (!this.#stopped) this.#alarm.set(this.#everyMs);
    } catch (error) {
      if (this.#stopped) return;
      this.#fail(error, "the scheduled backup failed; it is tried again every ten minutes");
      this.#alarm.set(Math.min(RETRY_MS, this.#everyMs));
    }
  }

  /** A lost file is lost at each try, so its loss must not fail the backup of the database. */
  async #copyFiles({ path }: BackupFile): Promise<void> {
    try {
      if (this.#ctx.config.files.kind === "folder")
        await this.#perform("files", "backup", join(this.#folder, "files"), "--database", path);
      this.#lastReason = undefined;
    } catch (error) {
      if (!this.#stopped) this.#fail(error, "the database was backed up, but not all of its files");
    }
  }

  #fail(error: unknown, text: string): void {
    this.#failures += 1;
    const reason = (error as Error).message;
    // A full disk fails in the same way for hours.
    if (reason !== this.#lastReason) this.#ctx.log.error({ reason }, text);
    this.#lastReason = reason;
  }

  /** Returns a new backup that is verified, on the disk, and has taken its name. */
  async #make(): Promise<BackupFile> {
    this.#removeDrafts();
    this.#assertRoom();
    const at = this.#freeTime();
    const draft = join(this.#folder, `${DRAFT}${backupName(at)}`);
    const made = { path: join(this.#folder, backupName(at)), at };
    try {
      await this.#perform("backup", draft);
      await this.#perform("backup", "verify", draft);
      renameSync(draft, made.path);
    } finally {
      rmSync(draft, { force: true });
    }
    syncFolder(this.#folder);
    return made;
  }

  /** Returns the time of the next backup, in whole seconds, whose name is free. */
  #freeTime(): number {
    let at = Math.floor(this.#ctx.clock.now() / 1_000) * 1_000;
    while (existsSync(join(this.#folder, backupName(at)))) at += 1_000;
    return at;
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
    const { code, output } = await this.#command.ended;
    this.#command = undefined;
    if (code !== 0) throw new Error(output.trim().slice(-REASON_LENGTH_MAX) || `${args[0]} ended with ${code}.`);
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
