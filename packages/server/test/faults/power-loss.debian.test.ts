import { describe, expect, test } from "bun:test";
import { temporaryFolder } from "../support/config.ts";
import { Replay, runTraced } from "../support/faults/power-cuts.ts";
import { Random } from "../support/faults/random.ts";

// Checks the check of the scenario `power-loss` (guarantees P2).
describe("a power loss", () => {
  test("is detected here if the log is not synced before the response", async () => {
    const folder = temporaryFolder();
    const { steps } = await runTraced(folder, { acks: 30, end: "SIGKILL", log: "unsynced" });
    const replay = new Replay(folder, new Random(1));
    replay.follow(steps);
    expect(replay.lost.length).toBeGreaterThan(0);
  });
});
