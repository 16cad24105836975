import { describe, expect, spyOn, test } from "bun:test";
import { testConfig } from "../../../test/support/config.ts";
import { openPlace } from "../../../test/support/databases.ts";
import { systemClock } from "../../clock.ts";
import { Nodes } from "../../cluster/nodes.ts";
import { openDatabase, readEpoch } from "../../db/database.ts";
import { inspectDatabase } from "../../db/inspect.ts";
import { createLog } from "../../logging/log.ts";
import { checkCluster } from "./cluster.ts";

describe("what the doctor says about a cluster", () => {
  test("is read beside running nodes", async () => {
    await using place = await openPlace();
    const config = testConfig({ database: { kind: "postgres", url: place.url }, redisUrls: ["redis://a:6379"] });
    await using database = await openDatabase(config.database, systemClock, { isShared: true });
    const log = createLog({ level: "silent", readable: false });
    const epoch = await readEpoch(database.db);
    const never = () => expect.unreachable();
    const parts = { db: database.db, clock: systemClock, log, epoch, name: "one", shards: "a:6379" };
    // It beats only when this test says so.
    const timers = spyOn(globalThis, "setInterval").mockReturnValue(setTimeout(() => {}));
    const nodes = await Nodes.join({ ...parts, onFatal: never, onOutdated: never });
    timers.mockRestore();
    const findings = await checkCluster(config, await inspectDatabase(config.database));
    expect(findings.map(({ check, state }) => `${check} ${state}`)).toEqual(["nodes ok", "clock ok", "connections ok"]);
    expect(findings[0]?.text).toMatch(/^1 running: one \(.+, ready, 0 leases\)$/);
    nodes.doubtFrom(() => "Redis a:6379: node two is not heard");
    await nodes.beat();
    expect((await checkCluster(config, await inspectDatabase(config.database)))[1]).toMatchObject({
      state: "problem",
      text: expect.stringContaining("node two is not heard"),
    });
    nodes.doubtFrom(() => null);
    // The others consider it dead, and it joins again.
    const former = nodes.nodeId;
    await database.db
      .updateTable("nodes")
      .set((eb) => ({ seen_at: eb("seen_at", "-", 20_000) }))
      .execute();
    expect((await checkCluster(config, await inspectDatabase(config.database)))[0]).toMatchObject({
      text: "none is running",
    });
    await nodes.beat();
    expect(nodes.nodeId).not.toBe(former);
    const again = await checkCluster(config, await inspectDatabase(config.database));
    expect(again.map(({ check, state }) => `${check} ${state}`)).toEqual(["nodes ok", "clock ok", "connections ok"]);
    await nodes.leave();
  });
});
