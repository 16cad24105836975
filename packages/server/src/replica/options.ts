import type { Clock } from "../clock.ts";
import type { Log } from "../logging/log.ts";
import type { ReplicaStorage } from "./storage.ts";

export const TICK_MS = 200;
/** Frames at which the log is copied into the file and restarts, and after how many more it is tried again. */
export const PASS_FRAMES = 8_000;
export const STEP = 1_000;
export const RETRY_MS = 1_000;
/** A clock that goes back by more begins a chain; by less, times stand still until it has caught up. */
export const BACK_MS = 60_000;
/** From the end of a chain to the next one, at least. */
export const CHAIN_PAUSE_MS = 60_000;
/** How long a server that stops waits for the replica; the rest waits in the spool. */
export const FAREWELL_MS = 3_000;
export const LAST_PASSES = 20;
export const NOT_COPIED = "SQLite's log could not be copied";
export const NOT_TAKEN = "the replica does not take what was copied";
export const NOT_MERGED = "pieces of the replica could not be merged";

export interface ReplicaOptions {
  path: string;
  storage: ReplicaStorage;
  database: string;
  epoch: string;
  days: number;
  clock: Clock;
  log: Log;
  /** Called when the disk is broken. */
  onFatal(error: unknown): void;
  /** These differ in tests only. */
  passFrames?: number;
  spoolBytesMax?: number;
  chainPauseMs?: number;
}
