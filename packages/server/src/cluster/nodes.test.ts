import { expect, test } from "bun:test";
import { clockAhead } from "../../test/support/clock.ts";
import { eachDatabase, openFreshSqlite } from "../../test/support/databases.ts";
import { systemClock } from "../clock.ts";
import { type OpenDatabase, readEpoch } from "../db/database.ts";
import { createLog } from "../logging/log.ts";
import type { NodesChange } from "./cluster.ts";
import { DEAD_MS } from "./nodes.store.ts";
import { Nodes } from "./nodes.ts";

interface Joined {
  nodes: Nodes;
  changes: NodesChange[];
  fatal: unknown[];
  lines: string[];
  clock: ReturnType<typeof clockAhead>;
  /** How often it reported that it rejoined. */
  births: () => number;
}

async function join({ db }: OpenDatabase, name: string, aheadMs = 0): Promise<Joined> {
  const clock = clockAhead();
  clock.ahead = aheadMs;
  const [changes, fatal, lines]: [NodesChange[], unknown[], string[]] = [[], [], []];
  let births = 0;
  const log = createLog({ level: "info", readable: false, write: (line) => lines.push(line) });
  const nodes = await Nodes.join({
    ...{ db, clock, log, name, shards: "redis:6379", epoch: await readEpoch(db) },
    onFatal: (error) => fatal.push(error),
    onOutdated: () => fatal.push("outdated"),
  });
  nodes.onNodes((change) => changes.push(change));
  nodes.onRejoined(() => births++);
  return { nodes, changes, fatal, lines, clock, births: () => births };
}

const names = (all: readonly { name: string }[]): string[] => all.map(({ name }) => name).sort();

/** Makes the node's last heartbeat that old, as after a pause. */
async function age({ db }: OpenDatabase, { nodeId }: Nodes, ms: number): Promise<void> {
  await db
    .updateTable("nodes")
    .set((eb) => ({ seen_at: eb("seen_at", "-", ms) }))
    .where("id", "=", nodeId)
    .execute();
}

eachDatabase((_, open) => {
  test("nodes learn of each other when they join, drain and leave", async () => {
    await using database = await open();
    const first = await join(database, "first");
    expect(first.nodes.nodes).toMatchObject([{ name: "first", state: "ready", shards: "redis:6379" }]);
    const second = await join(database, "second");
    expect(names(second.nodes.nodes)).toEqual(["first", "second"]);
    await first.nodes.beat();
    expect(names(first.changes[0]?.joined ?? [])).toEqual(["second"]);

    await second.nodes.drain();
    await first.nodes.refresh();
    expect(first.nodes.nodes.find(({ name }) => name === "second")?.state).toBe("draining");
    await second.nodes.leave();
    await first.nodes.refresh();
    expect(names(first.nodes.nodes)).toEqual(["first"]);
    expect(names(first.changes[1]?.gone ?? [])).toEqual(["second"]);
    expect(first.changes).toHaveLength(2);
    await first.nodes.leave();
    expect(await database.db.selectFrom("nodes").selectAll().execute()).toEqual([]);
  });

  test("a silent node is gone for the others, and joins again under a new id", async () => {
    await using database = await open();
    const first = await join(database, "first");
    const second = await join(database, "second");
    await first.nodes.beat();
    const before = second.nodes.nodeId;
    await age(database, second.nodes, DEAD_MS + 1);
    await first.nodes.beat();
    expect(first.changes.at(-1)?.gone.map(({ id }) => id)).toEqual([before]);

    await second.nodes.beat();
    expect(second.births()).toBe(1);
    expect(second.nodes.nodeId).not.toBe(before);
    expect(second.changes).toEqual([]);
    expect(names(second.nodes.nodes)).toEqual(["first", "second"]);
    await second.nodes.beat();
    expect(second.births()).toBe(1);
    await first.nodes.beat();
    expect(first.changes.at(-1)?.joined.map(({ id }) => id)).toEqual([second.nodes.nodeId]);

    await database.db.deleteFrom("nodes").where("id", "=", second.nodes.nodeId).execute();
    await second.nodes.beat();
    expect(second.births()).toBe(2);
    for (const { nodes } of [first, second]) await nodes.leave();
  });

  test("rows of nodes that are long dead are removed, and reported once more", async () => {
    await using database = await open();
    const first = await join(database, "first");
    const second = await join(database, "second");
    await age(database, second.nodes, DEAD_MS + 1);
    await first.nodes.forgetDead();
    expect(await database.db.selectFrom("nodes").select("name").execute()).toHaveLength(2);
    await age(database, second.nodes, 60_000);
    await first.nodes.forgetDead();
    expect(names(first.changes.at(-1)?.gone ?? [])).toEqual(["second"]);
    expect(await database.db.selectFrom("nodes").select("name").execute()).toEqual([{ name: "first" }]);
    for (const { nodes } of [first, second]) await nodes.leave();
  });

  test("a node whose epoch has changed must end", async () => {
    await using database = await open();
    const first = await join(database, "first");
    await first.nodes.beat();
    expect(first.fatal).toEqual([]);
    await database.db.updateTable("meta").set({ value: "other" }).where("key", "=", "epoch").execute();
    await first.nodes.beat();
    await first.nodes.beat();
    expect(first.fatal.map(String)).toEqual([expect.stringContaining("must be started again")]);
    expect(first.lines.join()).toContain("the data was restored");
    await first.nodes.leave();
  });

  test("a node that a newer release leaves behind must end, and is alive until then", async () => {
    await using database = await open();
    const first = await join(database, "first");
    await first.nodes.beat();
    expect(first.fatal).toEqual([]);
    const meta = database.db.updateTable("meta").set({ value: "999" });
    await meta.where("key", "in", ["schema", "schema_floor"]).execute();
    await first.nodes.beat();
    await first.nodes.beat();
    expect(first.fatal).toEqual(["outdated"]);
    expect(first.nodes.heartbeatAgeMs).toBeLessThan(DEAD_MS);
    await first.nodes.leave();
  });

  test("a clock that differs from the database's by more than two seconds is reported once", async () => {
    await using database = await open();
    const late = await join(database, "late", -3_600_000);
    await late.nodes.beat();
    expect(late.lines.filter((line) => line.includes("clock differs"))).toHaveLength(1);
    expect(Math.abs(late.nodes.clockSkewMs + 3_600_000)).toBeLessThan(1_000);
    const right = await join(database, "right");
    expect(right.lines).toEqual([]);
    for (const { nodes } of [late, right]) await nodes.leave();
  });

  test("the age of the heartbeat grows while the database refuses it", async () => {
    await using database = await open();
    const node = await join(database, "node");
    await database.db.schema.alterTable("nodes").renameTo("away").execute();
    node.clock.ahead += 7_000;
    await node.nodes.beat();
    expect(node.nodes.heartbeatAgeMs).toBeGreaterThanOrEqual(7_000);
    expect(node.lines.filter((line) => line.includes("heartbeat of this node failed"))).toHaveLength(1);
    await database.db.schema.alterTable("away").renameTo("nodes").execute();
    await node.nodes.beat();
    expect(node.nodes.heartbeatAgeMs).toBeLessThan(5_000);
    await node.nodes.leave();
  });
});

test("a node whose database is closed ends without an error", async () => {
  const database = await openFreshSqlite(systemClock);
  const node = await join(database, "node");
  await database[Symbol.asyncDispose]();
  await node.nodes.leave();
  expect(node.lines.join()).toContain("could not sign off");
});
