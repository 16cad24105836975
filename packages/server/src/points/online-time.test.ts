import { afterEach, beforeEach, expect, test } from "bun:test";
import fc from "fast-check";
import { type StillClock, stillClock } from "../../test/support/clock.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { eventually } from "../../test/support/servers/test-server.ts";
import { ManualScheduler } from "../base/scheduler.ts";
import type { Clock } from "../clock.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { AppContext } from "../context.ts";
import type { OpenDatabase } from "../db/database.ts";
import { CONNECTED } from "../realtime/presence/presence.ts";
import { findHonor } from "./honor.store.ts";
import { auditLedger } from "./ledger-audit.ts";
import { settleOnlineTime, startOnlineTime, sweepOnlineTime } from "./online-time.ts";
import { scoreOf } from "./score.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

eachDatabase((name, open) => {
  let database: OpenDatabase;
  let clock: StillClock;
  let nodes: Node[];
  beforeEach(async () => {
    clock = stillClock();
    database = await open(clock);
    nodes = [];
    for (const username of ["ann", "bob", "cleo"]) await insertUser(database, username);
  }, 60_000);
  afterEach(async () => {
    for (const node of nodes) await node.stop();
    await database[Symbol.asyncDispose]();
  });

  /** One server's counting, over this database, with its own presence. */
  function start(own: Clock = clock, isCluster = false): Node {
    const node = new Node(database, own, isCluster);
    nodes.push(node);
    return node;
  }

  const online = async (userId = 1) => (await findHonor(database.db, userId)).online_ms;
  const points = async (ctx: AppContext, userId = 1) => (await scoreOf(ctx, userId)).points;

  test("three sockets of one user count once, and each full hour pays one point", async () => {
    const node = start();
    for (const channelId of [CONNECTED, CONNECTED, CONNECTED, 7, 8]) node.enter(1, channelId);
    clock.advance(HOUR - 1);
    await node.sweep();
    expect([await online(), await points(node.ctx)]).toEqual([HOUR - 1, 0]);
    node.leave(1);
    clock.advance(1);
    await node.sweep();
    expect([await online(), await points(node.ctx)]).toEqual([HOUR, 1]);
    await node.sweep();
    clock.advance(2 * HOUR + MINUTE);
    await node.sweep();
    expect([await online(), await points(node.ctx)]).toEqual([3 * HOUR + MINUTE, 3]);
    expect((await findHonor(database.db, 1)).total_points).toBe(3);
    expect((await auditLedger(database.db)).problems).toEqual([]);
  });

  test("online time is written each minute, also for a minute whose write failed", async () => {
    const node = start();
    node.enter(1);
    const minute = () => {
      clock.advance(MINUTE);
      node.scheduler.advance(MINUTE);
    };
    minute();
    await eventually("the first minute", async () => (await online()) === MINUTE && node.scheduler.waiting === 1);
    await database.db.schema.alterTable("honor").renameTo("away").execute();
    minute();
    await eventually("the next is planned", () => node.scheduler.waiting === 1);
    await database.db.schema.alterTable("away").renameTo("honor").execute();
    minute();
    await eventually("all three", async () => (await online()) === 3 * MINUTE);
    await node.stop();
    expect(node.scheduler.waiting).toBe(0);
  });

  test("a restart loses no online time, and a crash loses what was not swept", async () => {
    const first = start();
    first.enter(1);
    clock.advance(90_500);
    await first.stop();
    const second = start();
    second.enter(1);
    clock.advance(MINUTE);
    await second.sweep();
    clock.advance(59_000);
    nodes.splice(nodes.indexOf(second), 1); // it crashes
    const third = start();
    third.enter(1);
    clock.advance(1_000);
    await third.stop();
    expect(await online()).toBe(90_500 + MINUTE + 1_000);
  });

  test("a thousand sweeps at odd times do not drift, even with a fractional clock", async () => {
    // Monotonic time in fractions, wall time in whole milliseconds that lag now and then, as on a real machine.
    let monotonic = 0.123;
    const odd: Clock = {
      ...clock,
      now: () => 1_750_000_000_000 + Math.floor(monotonic - 0.4),
      monotonic: () => monotonic,
    };
    const node = start(odd);
    node.enter(1);
    const runs = name === "sqlite" ? 1_000 : 100;
    for (let run = 0; run < runs; run++) {
      monotonic += 61.377 + (run % 7) / 3;
      await node.sweep();
    }
    expect(Math.abs((await online()) - (monotonic - 0.123))).toBeLessThan(1);
  });

  test("several visits between two sweeps are all counted", async () => {
    const node = start();
    for (let run = 0; run < 5; run++) {
      node.enter(1);
      clock.advance(1_000);
      node.leave(1);
      clock.advance(5_000);
    }
    node.enter(2);
    clock.advance(10);
    await node.sweep();
    expect([await online(1), await online(2)]).toEqual([5_000, 10]);
    await node.sweep();
    expect([await online(1), await online(2)]).toEqual([5_000, 10]);
  });

  test("online time that cannot be written is written later", async () => {
    const node = start();
    node.enter(1);
    clock.advance(MINUTE);
    await database.db.schema.alterTable("honor").renameTo("away").execute();
    await expect(node.sweep()).rejects.toThrow();
    node.leave(1);
    clock.advance(MINUTE);
    await database.db.schema.alterTable("away").renameTo("honor").execute();
    await node.sweep();
    expect(await online()).toBe(MINUTE);
  });

  test("two nodes with the same user count the union of their times", async () => {
    const [a, b] = [start(), start()];
    a.enter(1);
    clock.advance(10_000);
    b.enter(1);
    clock.advance(20_000);
    await a.sweep();
    clock.advance(5_000);
    await b.sweep();
    a.leave(1);
    clock.advance(5_000);
    await b.sweep();
    await a.sweep();
    expect(await online()).toBe(40_000);
  });

  test("several nodes never count time twice, and in step only a crash loses any (property)", async () => {
    const step = fc.record({
      wait: fc.nat(20_000),
      node: fc.nat(2),
      act: fc.constantFrom("enter", "enter", "leave", "crash"),
      sweeps: fc.nat(7),
    });
    let user = 10;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.boolean(), async (steps, inStep) => {
        const fleet = [start(), start(), start()];
        const id = ++user;
        await insertUser(database, `user${id}`, id);
        let union = 0;
        let lost = 0;
        for (const { wait, node: at, act, sweeps } of steps) {
          if ((await Promise.all(fleet.map((node) => node.holds(id)))).includes(true)) union += wait;
          clock.advance(wait);
          const node = fleet[at] ?? start();
          if (act === "enter") node.enter(id);
          else if (act === "leave") node.leave(id);
          else {
            nodes.splice(nodes.indexOf(node), 1);
            fleet[at] = start();
            lost += wait;
          }
          for (const [n, each] of fleet.entries()) if (inStep || (sweeps >> n) % 2 === 1) await each.sweep();
        }
        for (const node of fleet) await node.stop();
        expect(await online(id)).toBeLessThanOrEqual(union);
        if (inStep) expect(await online(id)).toBeGreaterThanOrEqual(union - lost);
      }),
      { numRuns: name === "sqlite" ? 200 : 15 },
    );
  });

  test("setting the clock gives nobody hours and delays nobody for long", async () => {
    let shift = 0;
    const node = start({ ...clock, now: () => clock.now() + shift, monotonic: () => clock.monotonic() });
    node.enter(1);
    clock.advance(MINUTE);
    shift = 365 * 24 * HOUR;
    await node.sweep();
    expect(await online()).toBe(MINUTE);
    shift = 0;
    clock.advance(MINUTE);
    await node.sweep(); // the count is reset
    clock.advance(MINUTE);
    await node.sweep();
    expect(await online()).toBe(2 * MINUTE);
  });

  test("one user's online time is written when it is requested, but not on every request", async () => {
    const node = start();
    node.enter(1);
    clock.advance(1_500);
    await settleOnlineTime(node.ctx, 1);
    expect(await online()).toBe(1_500);
    clock.advance(999);
    await settleOnlineTime(node.ctx, 1);
    await settleOnlineTime(node.ctx, 2);
    expect(await online()).toBe(1_500);
    clock.advance(1);
    await Promise.all([settleOnlineTime(node.ctx, 1), node.sweep(), settleOnlineTime(node.ctx, 1)]);
    expect(await online()).toBe(2_500);
  });

  test("in a cluster a user's time on a node is written when they leave it", async () => {
    const [first, second] = [start(clock, true), start(clock, true)];
    first.enter(1);
    clock.advance(20_000);
    first.leave(1);
    second.enter(1);
    await eventually("the time is written", async () => (await online()) === 20_000);
    clock.advance(10_000);
    await second.sweep();
    await first.sweep();
    expect(await online()).toBe(30_000);
  });
});

/** The part of a server that counts time. */
class Node {
  readonly ctx: AppContext;
  readonly scheduler = new ManualScheduler();
  readonly #closers: (() => void | Promise<void>)[] = [];

  constructor(database: OpenDatabase, clock: Clock, isCluster: boolean) {
    const ctx = testContext(database, { clock });
    const cluster = isCluster ? ({} as Cluster) : null;
    this.ctx = { ...ctx, cluster, onClose: (act) => void this.#closers.push(act) };
    startOnlineTime(this.ctx, this.scheduler);
  }

  enter(id: number, channelId = CONNECTED): void {
    const { presence, clock } = this.ctx;
    presence.enter(channelId, { kind: "user", id, name: `u${id}`, honorLevel: 0, since: clock.now() });
  }

  leave(id: number): void {
    this.ctx.presence.remove(CONNECTED, "user", id);
  }

  async holds(id: number): Promise<boolean> {
    return this.ctx.presence.isUserOnline(id);
  }

  sweep(): Promise<void> {
    return sweepOnlineTime(this.ctx);
  }

  async stop(): Promise<void> {
    for (const close of this.#closers.splice(0)) await close();
  }
}

async function insertUser({ db }: OpenDatabase, username: string, id?: number): Promise<void> {
  const user = { username, username_key: username, invite_code: username, created_at: 0, updated_at: 0 };
  await db
    .insertInto("users")
    .values({ ...user, ...(id === undefined ? {} : { id }) })
    .execute();
}
