import { describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { oneNode } from "../../../test/support/cluster/one-node.ts";
import { testContext } from "../../../test/support/context.ts";
import { eachDatabase } from "../../../test/support/databases.ts";
import { eventually } from "../../../test/support/servers/test-server.ts";
import { leases } from "../../cluster/leases.ts";
import type { AppContext } from "../../context.ts";
import { usualTiming } from "../../timing.ts";
import { WINDOW_MS } from "./failure-counter.ts";
import { loginFailures, type Subject, startLoginFailures } from "./login-failures.ts";

const name: Subject = { kind: "name", key: "ann 10.0.0.1" };
const device: Subject = { kind: "device", key: "7" };
const network: Subject = { kind: "network", key: "10.0.0.1" };

/** Returns how long the subjects must wait, in seconds, rounded up to 20. The wait is running, and the machine may be slow. */
async function waits(ctx: AppContext, ...subjects: Subject[]): Promise<number[]> {
  return (await loginFailures(ctx).waitsOf(subjects)).map((ms) => 20 * Math.ceil(ms / 20_000));
}

async function add(ctx: AppContext, times: number, ...subjects: Subject[]): Promise<void> {
  for (let n = 0; n < times; n++) await loginFailures(ctx).add(subjects);
}

/** Makes the failures in the database older. */
async function age(ctx: AppContext, ms: number): Promise<void> {
  await ctx.db
    .updateTable("login_failures")
    .set({ failed_at: sql<number>`failed_at - ${ms}` })
    .execute();
}

const stored = async ({ db }: AppContext): Promise<number> =>
  (await db.selectFrom("login_failures").select("id").execute()).length;

eachDatabase((_, open) => {
  describe.each([
    ["on a lone server", {}],
    ["on a node of a cluster", { cluster: oneNode }],
  ])("wrong passwords %s", (_where, options) => {
    test("cost a name and a browser a wait from the fifth on, and a network from the hundredth on", async () => {
      await using database = await open();
      const ctx = testContext(database, { ...options, config: { rateFactor: 1 } });
      await add(ctx, 4, name, device, network);
      expect(await waits(ctx, name, device, network)).toEqual([0, 0, 0]);
      await add(ctx, 4, name, network);
      expect(await waits(ctx, network, device, name)).toEqual([0, 0, 40]);
      await add(ctx, 4, device);
      await add(ctx, 91, network);
      expect(await waits(ctx, device, network)).toEqual([40, 0]);
      await add(ctx, 4, network);
      expect(await waits(ctx, network)).toEqual([40]);
    });

    test("cost a network nothing yet where the operator relaxed the limits", async () => {
      await using database = await open();
      const ctx = testContext(database, { ...options, config: { rateFactor: 100 } });
      await add(ctx, 8, name);
      await add(ctx, 104, network);
      expect(await waits(ctx, name, network)).toEqual([40, 0]);
    });

    test("count for their kind alone, and are forgotten for what is cleared alone", async () => {
      await using database = await open();
      const ctx = testContext(database, options);
      const other: Subject = { kind: "name", key: device.key };
      await add(ctx, 8, name, device);
      expect(await waits(ctx, other)).toEqual([0]);
      await loginFailures(ctx).clear([name]);
      expect(await waits(ctx, name)).toEqual([0]);
      expect(await waits(ctx, device)).toEqual([40]);
    });
  });

  test("wrong passwords in a cluster are counted for 15 minutes, and a wait ends", async () => {
    await using database = await open();
    const ctx = testContext(database, { cluster: oneNode });
    await add(ctx, 8, name);
    await age(ctx, 40_000);
    expect(await waits(ctx, name)).toEqual([0]);
    await age(ctx, WINDOW_MS - 40_000);
    await add(ctx, 4, name);
    expect(await waits(ctx, name)).toEqual([0]);
    await add(ctx, 4, name);
    expect(await waits(ctx, name)).toEqual([40]);
  });

  test("one node of a cluster deletes the wrong passwords that no longer count; a lone server has none", async () => {
    await using database = await open();
    const closers: (() => unknown)[] = [];
    const onClose = (close: () => unknown) => void closers.push(close);
    const lone = testContext(database, { onClose });
    const before = closers.length;
    startLoginFailures(lone);
    expect(closers).toHaveLength(before);

    const node = testContext(database, { cluster: oneNode, onClose });
    await add(node, 1, name, network);
    await age(node, WINDOW_MS);
    await add(node, 1, device);
    startLoginFailures({ ...node, timing: { ...usualTiming, jobRate: 10_000 } });
    await leases(node).look();
    expect(leases(node).held).toEqual(["sweep login failures"]);
    await eventually("the old ones are gone", async () => (await stored(node)) < 3);
    expect(await stored(node)).toBe(1);
    for (const close of closers.reverse()) await close();
  });
});
