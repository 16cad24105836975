import { Database } from "bun:sqlite";
import { existsSync, rmSync, statSync } from "node:fs";
import type { Clock } from "../clock.ts";
import { backupFacts, replaceSqlite } from "../db/backup.ts";
import type { DatabaseFacts } from "../db/inspect.ts";
import { createPrivateFile } from "../db/server-lock.ts";
import type { Module } from "../module.ts";
import type { Overdue } from "../overdue.ts";
import type { ReplicaStorage } from "../replica/storage.ts";
import { type Chain, type ReplicaContent, readReplica } from "./chains.ts";
import { endOverdueIn } from "./end-overdue.ts";
import type { Progress, Replayed } from "./replay.ts";
import { endOfChain, restoreTo } from "./restore-points.ts";
import { type Undone, undoneBetween } from "./undone.ts";

/** Within this time before it died, the server may have sent things without a trace in the replica. */
const TAIL_MS = 2_000;

/** How a restore tells its user what it does. */
export interface Telling {
  progress: Progress;
  tell(text: string): void;
}

type Reached = Replayed & { chain: Chain };

export interface RestoredFromReplica {
  facts: DatabaseFacts;
  epoch: string;
  /** The path of the replaced database; null if there was none. */
  kept: string | null;
  state: Reached;
  /** When the newest commit of the replica was copied. */
  newest: number;
  /** What was due until then was ended. */
  until: number;
  overdue: Overdue[];
  /** Null: there was nothing to compare with. */
  undone: Undone[] | null;
}

/** Returns what the replica has. Throws an error with a sentence for the operator if there is no usable replica. */
export async function contentOf(storage: ReplicaStorage): Promise<ReplicaContent> {
  const content = await readReplica(storage);
  if (content === null) throw new Error(`There is no replica at ${storage.place}. Check PARLEY_REPLICA or --from.`);
  return content;
}

/**
 * Replaces the SQLite database by its state at `at` (epoch milliseconds; null: the newest), as `replaceSqlite` does. Throws
 * an error whose message says what is wrong and what to do; the database is then as before.
 */
export async function restoreFromReplica(
  storage: ReplicaStorage,
  { path, at, all, clock }: { path: string; at: number | null; all: readonly Module[]; clock: Clock },
  telling: Telling,
): Promise<RestoredFromReplica> {
  const content = await contentOf(storage);
  const replaced = readReplaced(path);
  if (replaced?.database != null && replaced.database !== content.database)
    throw new Error(
      `The replica at ${storage.place} is of another database than ${path}. Move that one away, or name its own replica with --from.`,
    );
  const newest = await newestOf(storage, content);
  const now = clock.now();
  const until = Math.min(now, Math.max(newest, lastWrite(path) ?? 0) + TAIL_MS);
  const made: Pick<RestoredFromReplica, "facts" | "state" | "overdue" | "undone">[] = [];
  const { epoch, kept } = await replaceSqlite(path, clock, async (fresh) => {
    const state = await restoreTo(storage, content, at, fresh, telling);
    telling.tell("Checking the restored database.");
    const facts = backupFacts(fresh);
    const isNewer = replaced !== null && replaced.epoch === content.chains.at(-1)?.file.epoch;
    const undone = isNewer
      ? undoneBetween(fresh, path, now)
      : await undoneInReplica(storage, { content, state, fresh, now }, telling);
    const overdue = await endOverdueIn({ kind: "sqlite", path: fresh }, all, { until, now }, clock);
    made.push({ facts, state, overdue, undone });
  });
  const [done] = made;
  if (done === undefined) throw new Error("The restore has made no database.");
  return { epoch, kept, newest, until, ...done };
}

async function newestOf(storage: ReplicaStorage, { chains }: ReplicaContent): Promise<number> {
  const last = chains.at(-1);
  return last === undefined ? 0 : endOfChain(storage, last);
}

/** Compares with the newest state of the replica, restored beside the other. Null: the restored state is the newest. */
async function undoneInReplica(
  storage: ReplicaStorage,
  { content, state, fresh, now }: { content: ReplicaContent; state: Reached; fresh: string; now: number },
  telling: Telling,
): Promise<Undone[] | null> {
  const isNewest =
    state.next === null && state.chain === content.chains.findLast(({ snapshots }) => snapshots.length > 0);
  if (isNewest) return null;
  telling.tell("Restoring the newest state beside it, to see what is undone.");
  const scratch = `${fresh}-newest`;
  try {
    createPrivateFile(scratch);
    await restoreTo(storage, content, null, scratch, telling);
    return undoneBetween(fresh, scratch, now);
  } catch (error) {
    // The newest state may be what is damaged, and the reason for the restore.
    telling.tell(`What is undone cannot be listed: ${(error as Error).message}`);
    return null;
  } finally {
    for (const end of ["", "-wal", "-shm"]) rmSync(scratch + end, { force: true });
  }
}

/** Returns when the database was last written; null if there is none. Nothing may have opened it since. */
function lastWrite(path: string): number | null {
  const times = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  const last = Math.max(...times);
  return last === 0 ? null : Math.ceil(last);
}

/** Returns what the database says of itself; null if there is none that can be read. */
function readReplaced(path: string): { epoch: string | null; database: string | null } | null {
  if (!existsSync(path)) return null;
  try {
    using database = new Database(path, { readonly: true });
    const read = (key: string): string | null =>
      database.query<{ value: string }, [string]>("select value from meta where key = ?").get(key)?.value ?? null;
    return { epoch: read("epoch"), database: read("replica_database") };
  } catch {
    // A damaged database is a reason to restore, and none to refuse.
    return null;
  }
}
