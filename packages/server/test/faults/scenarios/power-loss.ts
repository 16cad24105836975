import { expect } from "bun:test";
import type { Scenario } from "../../support/cluster/scenario.ts";
import { temporaryFolder } from "../../support/config.ts";
import { problemOfTracing } from "../../support/faults/disk-trace.ts";
import { Replay, runTraced } from "../../support/faults/power-cuts.ts";
import { Random } from "../../support/faults/random.ts";

/**
 * Guarantee P2: nothing that a server has acknowledged is lost in a power loss. The order of writes, syncs and responses
 * is taken from the kernel; then the disk is built as it could be found after a power loss at any of these moments.
 */
export const powerLoss: Scenario<{ seed: number; acks: number }> = {
  name: "power-loss",
  title: "a power loss at any moment loses nothing that was acknowledged, and damages nothing",
  short: { seed: 0, acks: 120 },
  long: { seed: 0, acks: 1_000 },
  problem: problemOfTracing,
  async run({ seed, acks }, say) {
    const folder = temporaryFolder();
    const replay = new Replay(folder, new Random(seed));
    const runs = [];
    // The first run ends normally, with the log copied back and removed; the second starts a new log and is cut off.
    for (const end of ["SIGTERM", "SIGKILL"] as const) runs.push(await runTraced(folder, { acks, end, log: "synced" }));
    for (const { steps, acked } of runs) {
      replay.follow(steps);
      for (const [key, seq] of acked) expect([key, replay.told.get(key)]).toEqual([key, seq]);
      say(`${replay.images} power losses, ${replay.lost.length} with a loss`);
    }
    expect(replay.lost.slice(0, 3)).toEqual([]);
    expect(replay.images).toBeGreaterThan(100);
    return { seed, images: replay.images, told: replay.told.size, lost: replay.lost.length };
  },
};
