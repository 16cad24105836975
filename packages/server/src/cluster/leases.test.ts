import { expect, test } from "bun:test";
import { clockAhead } from "../../test/support/clock.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import type { AppContext } from "../context.ts";
import { type OpenDatabase, readEpoch } from "../db/database.ts";
import { createLog } from "../logging/log.ts";
import { duty } from "./duties.ts";
import { leases } from "./leases.ts";
import { DEAD_MS } from "./nodes.store.ts";
import { Nodes } from "./nodes.ts";

interface Node {
  ctx: AppContext;
  nodes: Nodes;
  clock: ReturnType<typeof clockAhead>;
  isOwn(): boolean;
  look(): Promise<void>;
  end(): Promise<void>;
}

async function start(database: OpenDatabase, name: string, work = "sweep"): Promise<Node> {
  const { db } = database;
  const clock = clockAhead();
  const log = createLog({ level: "silent", readable: false });
  const nodes = await Nodes.join({
    ...{ db, clock, log, name, shards: "", epoch: await readEpoch(db) },
    onFatal: (error) => {
      throw error;
    },
    onOutdated: () => {},
  });
  const closers: (() => void | Promise<void>)[] = [() => nodes.leave()];
  const ctx = { ...testContext(database, { clock, onClose: (act) => void closers.push(act) }), cluster: nodes };
  Object.defineProperty(ctx, "root", { value: ctx });
  const isOwn = duty(ctx, work);
  const end = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  return { ctx, nodes, clock, isOwn, look: () => leases(ctx).look(), end };
}

const fence = async ({ db }: OpenDatabase): Promise<number> =>
  Number((await db.selectFrom("leases").select("fence").executeTakeFirstOrThrow()).fence);

eachDatabase((_, open) => {
  test("one node holds a lease, and the next one takes it at once when the first ends", async () => {
    await using database = await open();
    const [first, second] = [await start(database, "first"), await start(database, "second")];
    expect(first.isOwn()).toBe(false);
    await first.look();
    await second.look();
    expect([first.isOwn(), second.isOwn()]).toEqual([true, false]);
    await first.look();
    expect(await fence(database)).toBe(1);
    await first.end();
    expect(first.isOwn()).toBe(false);
    await second.look();
    expect(second.isOwn()).toBe(true);
    expect(leases(second.ctx).held).toEqual(["sweep"]);
    expect(await fence(database)).toBe(2);
    await second.end();
  });

  test("the lease of a dead node is taken before it lapses", async () => {
    await using database = await open();
    const [first, second] = [await start(database, "first"), await start(database, "second")];
    await first.look();
    await database.db
      .updateTable("nodes")
      .set((eb) => ({ seen_at: eb("seen_at", "-", DEAD_MS) }))
      .where("id", "=", first.nodes.nodeId)
      .execute();
    await second.look();
    expect(second.isOwn()).toBe(true);
    // The first node hears of it with its next heartbeat.
    await first.nodes.beat();
    expect(first.isOwn()).toBe(false);
    await first.look();
    expect([first.isOwn(), second.isOwn()]).toEqual([false, true]);
    for (const node of [first, second]) await node.end();
  });

  test("a holder that was paused stops by itself, and a lapsed lease goes to another node", async () => {
    await using database = await open();
    const [first, second] = [await start(database, "first"), await start(database, "second")];
    await first.look();
    first.clock.ahead += 12_000;
    expect(first.isOwn()).toBe(false);
    await first.nodes.beat();
    expect(first.isOwn()).toBe(true);
    first.clock.ahead += 12_000;
    await first.nodes.beat();
    await first.look();
    expect(first.isOwn()).toBe(true);

    await database.db.updateTable("leases").set({ until: 0 }).execute();
    await second.look();
    expect(second.isOwn()).toBe(true);
    first.clock.ahead += 12_000;
    await first.nodes.beat();
    await first.look();
    expect(first.isOwn()).toBe(false);
    for (const node of [first, second]) await node.end();
  });

  test("a lone server does all duties without a lease", async () => {
    await using database = await open();
    expect(duty(testContext(database), "sweep")()).toBe(true);
    expect(await database.db.selectFrom("leases").selectAll().execute()).toEqual([]);
  });
});
