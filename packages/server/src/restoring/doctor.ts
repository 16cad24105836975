import { isoTime } from "../base/iso-time.ts";
import { systemClock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import type { Finding } from "../module.ts";
import { openReplica } from "../replica/open-replica.ts";
import { readReplica } from "./chains.ts";
import { lastCheck } from "./last-check.ts";
import { restorableSpans } from "./restore-points.ts";

/** A check of last night, and one that failed once. */
const OLD_MS = 2 * 24 * 60 * 60_000;

/** Says what the replica can restore, and when a restore has proved it last. */
export async function checkRestoring(config: Config): Promise<Finding[]> {
  if (config.replica === null) return [];
  const found = (state: Finding["state"], text: string): Finding[] => [{ check: "restoring", state, text }];
  const storage = openReplica(config);
  try {
    const content = await readReplica(storage);
    // A server that never ran has made none, and the replica's own check says what is wrong with its place.
    if (content === null) return found("advice", `${storage.place} has no replica yet; it begins when the server runs`);
    const spans = await restorableSpans(storage, content);
    const [first, last] = [spans[0], spans.at(-1)];
    if (first === undefined || last === undefined)
      return found("problem", `${storage.place} has no complete snapshot yet, so nothing can be restored from it`);
    const span = `${isoTime(first.from)} to ${isoTime(last.to)}`;
    const check = await lastCheck(storage);
    const now = systemClock.now();
    if (check !== null && now - check.at < OLD_MS)
      return found("ok", `the replica can restore ${span}; a restore has proved it at ${isoTime(check.at)}`);
    const state = now - first.from < OLD_MS ? "advice" : "problem";
    const since =
      check === null ? "no restore has proved it" : `the last restore that proved it was at ${isoTime(check.at)}`;
    return found(state, `the replica can restore ${span}, but ${since}; run: parley restore check`);
  } catch (error) {
    return found("problem", `the replica at ${storage.place} cannot be read: ${(error as Error).message}`);
  }
}
