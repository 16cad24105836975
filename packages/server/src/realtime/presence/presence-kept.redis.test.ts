import { describe, expect, test } from "bun:test";
import { Fleet, settled } from "../../../test/support/cluster/presence-fleet.ts";
import { RedisServer } from "../../../test/support/servers/redis-server.ts";
import { eventually } from "../../../test/support/servers/test-server.ts";
import type { PresenceEntry } from "./presence.ts";

const user = (id: number): PresenceEntry => ({ kind: "user", id, name: `u${id}`, honorLevel: 0, since: id });

describe("with Redis", () => {
  test("while Redis hangs, lists and counts stay as they were for some seconds", async () => {
    await using fleet = new Fleet(await RedisServer.start());
    const a = await fleet.add("a");
    for (const id of [1, 2, 3]) a.presence.enter(8, user(id));
    await settled(a);
    let now = 0;
    const c = await fleet.add("c", undefined, { monotonic: () => now });
    const page = async (limit: number, offset: number) =>
      (await c.presence.page(8, limit, offset)).map(({ name }) => name).join(" ");
    const shown = async () => [await page(10, 0), await page(1, 1), (await c.presence.counts([8]))[0]?.count];
    expect(await shown()).toEqual(["u1 u2 u3", "u2", 3]);
    await c.presence.hold(8);
    c.presence.release(8);
    fleet.redis.pause();
    now += 2_000;
    expect(await shown()).toEqual(["u1 u2 u3", "u2", 3]);
    c.presence.enter(8, user(4));
    expect(await page(10, 0)).toBe("u1 u2 u3 u4");
    await c.presence.hold(8);
    expect([c.presence.list(8, 100).map(({ name }) => name), c.presence.count(8)]).toEqual([["u1", "u2", "u3"], 3]);
    c.presence.release(8);
    now += 10_000;
    expect(await shown()).toEqual(["u4", "", 1]);
    fleet.redis.resume();
    now += 2_000;
    await eventually("it shows all of them again", async () => (await page(10, 0)) === "u1 u2 u3 u4");
  });
});
