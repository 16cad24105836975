import { describe, expect, test } from "bun:test";
import { Fleet, type FleetNode, settled } from "../../../test/support/cluster/presence-fleet.ts";
import { RedisServer } from "../../../test/support/servers/redis-server.ts";
import { eventually } from "../../../test/support/servers/test-server.ts";
import { RedisUnavailable } from "../../redis/redis-answer.ts";
import { presenceConformance } from "./presence.conformance.ts";
import { CONNECTED, type PresenceEntry } from "./presence.ts";
import { applyUpdate, roomKeys } from "./redis/scripts.ts";

const user = (id: number, since = id): PresenceEntry => ({ kind: "user", id, name: `u${id}`, honorLevel: 0, since });
const bot: PresenceEntry = { kind: "agent", id: 9, name: "Bot", honorLevel: 0, since: 2 };
const names = ({ presence }: FleetNode, channelId = 7) => presence.list(channelId, 100).map(({ name }) => name);

describe("with Redis", () => {
  presenceConformance("RedisPresence", async (graces) => {
    const fleet = new Fleet(await RedisServer.start());
    const node = await fleet.add("a", graces);
    return {
      presence: node.presence,
      settle: () => settled(node),
      [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
    };
  });

  const start = async () => {
    const fleet = new Fleet(await RedisServer.start());
    const [a, b] = [await fleet.add("a"), await fleet.add("b")];
    await Promise.all([a.presence.hold(7), b.presence.hold(7)]);
    return { fleet, a, b, [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose]() };
  };

  test("a user on two nodes is listed once on both, until the last one leaves", async () => {
    await using both = await start();
    const { a, b } = both;
    a.presence.enter(7, user(1));
    await settled(a);
    expect([names(b), b.presence.count(7)]).toEqual([["u1"], 1]);
    b.presence.enter(7, { ...user(1), since: 50 });
    await settled(b);
    a.presence.leave(7, "user", 1, "u1", 0);
    await settled(a);
    expect([names(a), names(b)]).toEqual([["u1"], ["u1"]]);
    expect([a.changes, b.changes]).toEqual([["7 +u1 - ~"], ["7 +u1 - ~"]]);
    b.presence.leave(7, "user", 1, "u1", 0);
    await settled(b);
    expect([names(a), names(b), a.presence.count(7)]).toEqual([[], [], 0]);
    expect([a.changes.slice(1), b.changes.slice(1)]).toEqual([["7 + -u1 ~"], ["7 + -u1 ~"]]);
  });

  test("two nodes that list a user in the same moment show one", async () => {
    await using both = await start();
    const { a, b } = both;
    a.presence.enter(7, user(1));
    b.presence.enter(7, user(1));
    await settled(a, b);
    expect([a.presence.count(7), b.presence.count(7)]).toEqual([1, 1]);
    expect([a.changes, b.changes]).toEqual([["7 +u1 - ~"], ["7 +u1 - ~"]]);
  });

  test("guests of all nodes are summed", async () => {
    await using both = await start();
    const { a, b } = both;
    a.presence.enterGuest(7);
    a.presence.enterGuest(7);
    b.presence.enterGuest(7);
    expect(a.presence.guestCount(7)).toBe(2);
    const counts = () => [a.presence.guestCount(7), b.presence.guestCount(7)].join();
    await eventually("both nodes count three guests", () => counts() === "3,3");
    a.presence.leaveGuest(7);
    await eventually("both nodes count two guests", () => counts() === "2,2");
    expect([a.changes, b.changes]).toEqual([[], []]);
  });

  test("a node that watches nothing can ask for counts, pages and users", async () => {
    await using both = await start();
    const { fleet, a } = both;
    for (const id of [1, 3, 4]) a.presence.enter(7, user(id));
    a.presence.enter(CONNECTED, user(1));
    a.presence.enterGuest(7);
    await settled(a);
    const { presence } = await fleet.add("c");
    presence.enter(7, bot);
    expect(await presence.counts([7, 8])).toEqual([
      { count: 4, guests: 1 },
      { count: 0, guests: 0 },
    ]);
    const page = async (limit: number, offset: number) =>
      (await presence.page(7, limit, offset)).map(({ name }) => name);
    const all = ["u1", "Bot", "u3", "u4"];
    for (let offset = 0; offset <= 5; offset++) {
      for (let limit = 1; limit <= 5; limit++)
        expect(await page(limit, offset)).toEqual(all.slice(offset, offset + limit));
    }
    expect([await presence.has(7, "user", 3), await presence.has(7, "user", 9)]).toEqual([true, false]);
    expect([await presence.isUserOnline(1), await presence.isUserOnline(2)]).toEqual([true, false]);
  });

  test("a node that begins to watch a channel sees who was there", async () => {
    await using both = await start();
    const { fleet, a } = both;
    for (let id = 1; id <= 150; id++) a.presence.enter(7, user(id));
    await settled(a);
    const c = await fleet.add("c");
    await c.presence.hold(7);
    expect([c.presence.count(7), names(c).length, names(c).at(-1)]).toEqual([150, 100, "u100"]);
    a.presence.leave(7, "user", 3, "u3", 0);
    await eventually("the list is read again", () => names(c).at(-1) === "u101");
    expect([c.presence.count(7), names(c).length, c.changes[0]]).toEqual([149, 100, "7 + -u3 ~"]);
  });

  test("a flushed Redis receives everything again, and no list changes", async () => {
    await using both = await start();
    const { fleet, a, b } = both;
    a.presence.enter(7, user(1));
    a.presence.enterGuest(7);
    b.presence.enter(7, user(2));
    b.presence.enter(CONNECTED, user(2));
    await settled(a, b);
    const before = [a.changes.length, b.changes.length];
    await fleet.redis.command("FLUSHALL");
    const c = await fleet.add("c");
    await eventually("everything is back", async () => {
      const [counts] = await c.presence.counts([7]);
      return counts?.count === 2 && counts.guests === 1 && (await c.presence.isUserOnline(2));
    });
    a.presence.enter(7, user(3));
    await eventually("all see the next one", () => [a, b].every((node) => names(node).join(" ") === "u1 u2 u3"));
    expect([a.changes.length, b.changes.length]).toEqual(before.map((count) => count + 1));
  });

  test("while Redis is away a node shows what it knows, and later everybody sees the same", async () => {
    await using both = await start();
    const { fleet, a, b } = both;
    a.presence.enter(7, user(1));
    b.presence.enter(7, user(2));
    await settled(a, b);
    await fleet.redis.stop();
    await eventually("the loss is noticed", () =>
      [a, b].every(({ shards }) => shards.shards.every(({ isUp }) => !isUp)),
    );
    a.presence.enter(7, user(3));
    a.presence.leave(7, "user", 1, "u1", 0);
    expect([names(a), a.presence.count(7)]).toEqual([["u2", "u3"], 2]);
    expect(await a.presence.isUserOnline(3)).toBe(true);
    expect(await a.presence.isUserOnline(4)).toBe(false);
    await a.presence.hold(8);
    expect(names(a, 8)).toEqual([]);
    await fleet.redis.start();
    await eventually("both see the same", () => [a, b].every((node) => names(node).join(" ") === "u2 u3"));
    expect(b.changes.at(-1)).toBe("7 +u3 -u1 ~");
  });

  test("a Redis that hangs delays one join by a tenth of a second, and the next ones not at all", async () => {
    await using both = await start();
    const { fleet, a } = both;
    fleet.redis.pause();
    await a.presence.hold(8);
    const begun = performance.now();
    for (let id = 10; id < 110; id++) await a.presence.hold(id);
    expect(performance.now() - begun).toBeLessThan(100);
    fleet.redis.resume();
    a.presence.enter(8, user(1));
    await eventually("it works again", async () => (await both.b.presence.counts([8]))[0]?.count === 1);
  });

  test("one of the other nodes takes a dead node out, and a user who is on another node stays", async () => {
    await using both = await start();
    const { fleet, a, b } = both;
    const c = await fleet.add("c");
    for (let id = 1; id <= 1_200; id++) c.presence.enter(8, user(id));
    c.presence.enter(7, user(1));
    c.presence.enter(7, user(2));
    c.presence.enterGuest(7);
    c.presence.enter(CONNECTED, user(2));
    b.presence.enter(7, user(1));
    await settled(b, c);
    await eventually("the first node has heard of both", () => names(a).join() === "u1,u2");
    await a.reap();
    expect(names(a)).toEqual(["u1", "u2"]);
    fleet.live.delete("c");
    await Promise.all([a.reap(), b.reap()]);
    await eventually("it is gone", async () => String(await fleet.redis.command("KEYS", "*[nc]:c")) === "");
    expect([names(a), a.presence.guestCount(7)]).toEqual([["u1"], 0]);
    expect([a.changes, b.changes].map((changes) => changes.at(-1))).toEqual(["7 + -u2 ~", "7 + -u2 ~"]);
    expect(await a.presence.counts([8])).toEqual([{ count: 0, guests: 0 }]);
    expect(await a.presence.isUserOnline(2)).toBe(false);
    expect(await fleet.redis.command("HGETALL", "parley:e:pn")).not.toHaveProperty("c");
  });

  test("a node that Redis still hears is not taken out: it belongs to a cluster on a copy of the database", async () => {
    await using both = await start();
    const { fleet, a, b } = both;
    b.presence.enter(7, user(1));
    await settled(b);
    fleet.live.delete("b");
    await fleet.redis.command("SET", a.shards.aliveKey("b"), "1");
    await a.reap();
    expect(names(a)).toEqual(["u1"]);
    await fleet.redis.command("DEL", a.shards.aliveKey("b"));
    await a.reap();
    expect(names(a)).toEqual([]);
  });

  test("a node that says everything again is on the list of nodes again, which then lives for a day", async () => {
    await using both = await start();
    const { fleet, a } = both;
    a.presence.enter(7, user(1));
    await settled(a);
    await fleet.redis.command("DEL", "parley:e:pn");
    const keys = roomKeys("parley:e:", "7", "a");
    const update = { joins: [], leaves: [], guests: 0, renews: true };
    await applyUpdate(a.shards.shardOf("p:7"), keys, { node: "a", room: "7" }, update);
    expect(await fleet.redis.command("HGETALL", "parley:e:pn")).toEqual({ a: "0" });
    expect(await fleet.redis.command("TTL", "parley:e:pn")).toBeGreaterThan(86_000);
  });

  test("users of a node that stops may return to another one unseen", async () => {
    await using both = await start();
    const { fleet, a, b } = both;
    a.presence.enter(7, user(1));
    await settled(a);
    await a.presence.stopping(60_000);
    a.presence.leave(7, "user", 1, "u1", 0);
    fleet.live.delete("a");
    await b.reap();
    b.presence.enter(7, { ...user(1), since: 70 });
    await settled(b);
    expect([names(b), b.changes]).toEqual([["u1"], ["7 +u1 - ~"]]);
    await fleet.redis.command("HSET", "parley:e:pn", "a", "1");
    await b.reap();
    expect([names(b), b.changes]).toEqual([["u1"], ["7 +u1 - ~"]]);
    b.presence.leave(7, "user", 1, "u1", 0);
    await settled(b);
    expect(names(b)).toEqual([]);
  });

  test("a node that the others considered dead announces everything again under its new id", async () => {
    await using both = await start();
    const { a, b } = both;
    a.presence.enter(7, user(1));
    await settled(a);
    a.rebirth("a2");
    await eventually(
      "it is there twice",
      async () => (await both.fleet.redis.command("HGET", "parley:e:p:7:u", "1")) === "2:0:u1",
    );
    await b.reap();
    await settled(a, b);
    expect([names(a), names(b), a.changes, b.changes]).toEqual([["u1"], ["u1"], ["7 +u1 - ~"], ["7 +u1 - ~"]]);
  });

  test.each(["enter", "leave"] as const)(
    "users who %s are seen when Redis does it and its answer is late",
    async (way) => {
      await using both = await start();
      const { a, b } = both;
      const shard = a.shards.shardOf("p:7");
      if (way === "leave") a.presence.enter(7, user(1));
      await settled(a);
      const run = shard.run.bind(shard);
      let lateAnswers = 0;
      shard.run = async (script, keys, ...rest) => {
        const answer = await run(script, keys, ...rest);
        if (keys[0] !== "parley:e:p:7:u" || lateAnswers > 0) return answer;
        lateAnswers++;
        throw new RedisUnavailable("late");
      };
      if (way === "enter") a.presence.enter(7, user(1));
      else a.presence.leave(7, "user", 1, "u1", 0);
      const seen = way === "enter" ? "u1" : "";
      await eventually("an answer is late", () => lateAnswers === 1);
      await eventually("both nodes see it", () => [a, b].every((node) => String(names(node)) === seen));
    },
  );

  test("an honor level changes on all nodes", async () => {
    await using both = await start();
    const { a, b } = both;
    a.presence.enter(7, user(1));
    await settled(a);
    a.presence.refresh(7, { ...user(1), honorLevel: 5 });
    await settled(a);
    for (const { presence, changes } of [a, b]) {
      expect(presence.list(7, 1)).toEqual([{ ...user(1), honorLevel: 5 }]);
      expect(changes).toEqual(["7 +u1 - ~", "7 + - ~u1"]);
    }
  });
});
