import { resolve } from "node:path";
import { isoTime, isoTimeOrNull } from "../base/iso-time.ts";
import { systemClock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { hasFilesInReplica } from "../files/replica/replica-files.ts";
import { MODULES } from "../modules.ts";
import { openReplica } from "../replica/open-replica.ts";
import type { ReplicaStorage } from "../replica/storage.ts";
import { type RestoredFromReplica, restoreFromReplica, type Telling } from "../restoring/restore-from-replica.ts";
import { restoreTime } from "../restoring/restore-time.ts";
import { CommandError, type Invocation, print, UsageError } from "./command.ts";
import { filesAfterRestore, withFiles } from "./restore-files.ts";
import { afterwards, linesOfOverdue, linesOfUndone } from "./restore-text.ts";

const PROGRESS_MS = 2_000;
const MIB = 1024 * 1024;

/** Restores the state of a time from the replica. */
export async function restoreAt(call: Invocation, at: string): Promise<number> {
  const config = configWithReplica(call);
  const { database } = config;
  if (database.kind === "postgres")
    throw new CommandError(
      "This database is PostgreSQL. Its own tools restore any time (/guide/point-in-time of this server); then run: restore finish",
    );
  const storage = openReplica(config);
  const time = timeOf(at);
  const wanted = { path: database.path, at: time, all: MODULES, clock: systemClock };
  const done = await asCommand(() => restoreFromReplica(storage, wanted, tellingOf(call)));
  const source = withFiles(call) ?? (hasFilesInReplica(config) ? ({ replica: true } as const) : null);
  const files = await filesAfterRestore(call, config, source);
  const { facts, epoch, kept, state, undone, overdue } = done;
  print(
    call,
    {
      replica: storage.place,
      database: database.path,
      restored_to: isoTime(state.at),
      next_commit: isoTimeOrNull(state.next),
      newest: isoTime(done.newest),
      kept,
      schema: facts.schema,
      epoch,
      files: files.report,
      not_sent_until: isoTime(done.until),
      not_sent: overdue,
      undone,
    },
    linesOf(done, { storage, path: database.path, files: files.text, config, wanted: time }).join("\n"),
  );
  return 0;
}

function linesOf(
  { state, kept, overdue, undone, newest }: RestoredFromReplica,
  at: { storage: ReplicaStorage; path: string; files: string; config: Config; wanted: number | null },
): string[] {
  const lost = state.next === null && newest > state.at;
  return [
    `${at.path} is restored from ${at.storage.place} to ${isoTime(state.at)}, the last change by then.`,
    ...(lost
      ? [`The replica has newer changes, until ${isoTime(newest)}, but no complete snapshot to which they apply.`]
      : []),
    at.files,
    ...(kept === null ? [] : [`The previous database is kept as ${kept}. Delete it when you no longer need it.`]),
    ...linesOfOverdue(overdue),
    ...(undone === null
      ? [at.wanted === null ? "Nothing that the replica has is undone." : "There is no newer state to compare with."]
      : linesOfUndone(undone)),
    ...afterwards(at.config, { isUndoneListed: undone !== null }),
  ];
}

/** Returns the settings with the replica of `--from`. Throws if neither names one. */
export function configWithReplica(call: Invocation): Config {
  const { from } = call.values;
  const place =
    typeof from === "string" ? { PARLEY_REPLICA: from.includes("://") ? from : resolve(call.folder, from) } : {};
  const config = loadConfig({ ...call.env, ...place });
  if (config.replica === null)
    throw new CommandError(
      "Neither PARLEY_REPLICA nor --from names a replica. Without one, restore a backup: restore <file>",
    );
  return config;
}

/** Reads `--at`. Throws a `UsageError`. */
export function timeOf(at: string): number | null {
  try {
    return restoreTime(at, systemClock.now());
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Runs work on a replica, whose errors are sentences for the person at the terminal. */
export async function asCommand<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw error;
    throw new CommandError((error as Error).message);
  }
}

/** Tells the person at the terminal on standard error what is done, every two seconds. */
export function tellingOf({ err }: Pick<Invocation, "err">): Telling {
  let told = systemClock.monotonic();
  return {
    tell: (text) => err(`${text}\n`),
    progress({ bytes, at }) {
      if (systemClock.monotonic() - told < PROGRESS_MS) return;
      told = systemClock.monotonic();
      const size = `${Math.round(bytes / MIB)} MiB`;
      err(at === null ? `Snapshot: ${size} written.\n` : `Log: ${size} applied, until ${isoTime(at)}.\n`);
    },
  };
}
