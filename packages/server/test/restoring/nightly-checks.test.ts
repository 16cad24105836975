import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { systemClock } from "../../src/clock.ts";
import type { RunCommand } from "../../src/operations/backups/scheduled-backups.ts";
import { FolderReplica } from "../../src/replica/storage-folder.ts";
import { checkRestoring } from "../../src/restoring/doctor.ts";
import { noteCheck } from "../../src/restoring/last-check.ts";
import { ReplicaChecks, untilNight } from "../../src/restoring/replica-checks.ts";
import { temporaryFolder, testConfig } from "../support/config.ts";
import { SmallReplica } from "../support/replica/small-replica.ts";
import { Client, startTestServer } from "../support/servers/test-server.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A time of day so long ago. */
const ago = (ms: number): number => systemClock.now() - ms;

/** A replica of a small database whose first moment is so long ago. */
async function replicaSince(ms: number) {
  const folder = join(temporaryFolder(), "replica");
  const path = join(temporaryFolder(), "small.sqlite");
  const database = new Database(path, { create: true });
  database.run("pragma journal_mode = wal");
  database.run("pragma wal_autocheckpoint = 0");
  database.run("create table notes (text text)");
  database.run("pragma wal_checkpoint(truncate)");
  const storage = new FolderReplica(folder);
  const small = new SmallReplica(storage, path, { database: "d".repeat(32) });
  await small.begin(ago(ms), "epoch");
  database.run("insert into notes values ('one')");
  await small.tick(ago(ms));
  return { small, storage, config: testConfig({ replica: { kind: "folder", path: folder } }), database };
}

test("the check of the night is at the next 3 o'clock", () => {
  for (const hour of [0, 2, 3, 4, 23]) {
    const now = new Date(2026, 2, 28, hour, 30).getTime();
    const night = new Date(now + untilNight(now));
    expect([night.getHours(), night.getMinutes()]).toEqual([3, 0]);
    expect(untilNight(now)).toBeLessThanOrEqual(DAY_MS + HOUR_MS);
  }
});

test("a check that succeeds makes the replica's age new, and one that fails is counted and logged once", async () => {
  const folder = join(temporaryFolder(), "replica");
  await using server = await startTestServer({ replica: { kind: "folder", path: folder } });
  let end = { code: 1, output: "The part pages-000001 of a snapshot is missing." };
  const asked: string[] = [];
  const run: RunCommand = (args) => {
    asked.push(args.join(" "));
    return { ended: Promise.resolve(end), kill() {} };
  };
  const checks = new ReplicaChecks(server.ctx, run);
  checks.start();
  const metric = async (name: string): Promise<number> => {
    const { body } = await new Client(server.url).get("/metrics");
    return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(String(body))?.[1]);
  };
  await checks.pass();
  await checks.pass();
  expect(await metric("parley_replica_check_failures_total")).toBe(2);
  end = { code: 0, output: "" };
  await checks.pass();
  expect(await metric("parley_replica_check_failures_total")).toBe(2);
  expect(await metric("parley_replica_check_age_seconds")).toBeLessThan(60);
  expect(asked).toEqual(["restore check", "restore check", "restore check"]);
});

test("doctor says what can be restored, and whether a restore has proved it", async () => {
  expect(await checkRestoring(testConfig())).toEqual([]);
  const nowhere = testConfig({ replica: { kind: "folder", path: join(temporaryFolder(), "absent") } });
  expect(await checkRestoring(nowhere)).toMatchObject([
    { state: "advice", text: expect.stringContaining("no replica") },
  ]);

  const { small, storage, config } = await replicaSince(3 * DAY_MS);
  expect(await checkRestoring(config)).toMatchObject([
    { state: "problem", text: expect.stringContaining("no complete snapshot yet") },
  ]);
  await small.snapshot(ago(3 * DAY_MS));
  expect(await checkRestoring(config)).toMatchObject([
    { state: "problem", text: expect.stringContaining("no restore has proved it; run: parley restore check") },
  ]);
  await noteCheck(storage, { at: ago(3 * DAY_MS), restored_to: 1 });
  expect(await checkRestoring(config)).toMatchObject([{ state: "problem" }]);
  await noteCheck(storage, { at: ago(HOUR_MS), restored_to: 1 });
  expect(await checkRestoring(config)).toMatchObject([{ check: "restoring", state: "ok" }]);
  await storage.write("last-check.json", Buffer.from("no JSON"));
  expect(await checkRestoring(config)).toMatchObject([
    { state: "problem", text: expect.stringContaining("cannot be read") },
  ]);
});

test("a young replica without a check is advice only", async () => {
  const { small, config } = await replicaSince(HOUR_MS);
  await small.snapshot(ago(HOUR_MS));
  expect(await checkRestoring(config)).toMatchObject([{ state: "advice" }]);
});
