import { describe, expect, test } from "bun:test";
import { agent, code, user } from "../../../test/support/actors.ts";
import { stillClock } from "../../../test/support/clock.ts";
import { testContext } from "../../../test/support/context.ts";
import { eachDatabase } from "../../../test/support/databases.ts";
import { joinUnpaid } from "../../../test/support/join.ts";
import { enterToReact, writableChannel } from "../access/access.ts";
import { becomeMember } from "../access/become-member.ts";
import { findChannel, membership } from "../channel-cache.ts";
import { updateMembership } from "../members/members.service.ts";
import { createOwner } from "../newcomers.ts";
import { createChannel, updateChannel } from "../settings/settings.service.ts";
import { ban, bansOf, liftBan } from "./bans.service.ts";
import { deleteLapsedBans } from "./bans.store.ts";

const HOUR = 3_600_000;

eachDatabase((_name, open) => {
  const start = async () => {
    const clock = stillClock();
    const database = await open(clock);
    const ctx = testContext(database, { clock });
    const [ann, bob] = [await user(ctx, "ann"), await user(ctx, "bob")];
    const { id } = await createChannel(ctx, ann, { name: "Tea" });
    const time = (ms: number) => new Date(clock.now() + ms).toISOString();
    return { ctx, clock, ann, bob, id, time, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
  };

  describe("a ban", () => {
    test("ends a membership and blocks every way to join until it expires", async () => {
      await using room = await start();
      const { ctx, clock, ann, bob, id, time } = room;
      await joinUnpaid(ctx, bob, { id });
      const until = time(HOUR);
      const banned = await ban(ctx, ann, { id }, { username: "BOB", until, reason: " noise " });
      expect(banned).toMatchObject({
        created: true,
        ban: { kind: "user", name: "bob", agent_id: null, banned_by: "ann", reason: "noise", until },
      });
      expect(await membership(ctx, id, bob.userId)).toBeNull();
      const refusal = expect.objectContaining({ code: "banned", details: { until } });
      const channel = await findChannel(ctx, { id });
      if (channel === null) throw new Error("the channel is gone");
      for (const attempt of [
        () => joinUnpaid(ctx, bob, { id }),
        async () => writableChannel(ctx, bob, { id }),
        () => enterToReact(ctx, bob, channel),
        () => becomeMember(ctx, id, bob.userId),
      ]) {
        await expect(attempt()).rejects.toEqual(refusal);
      }
      await expect(updateMembership(ctx, ann, { id }, "bob", {})).rejects.toEqual(code("member_banned"));
      await expect(updateChannel(ctx, ann, { id }, { owner_username: "bob" })).rejects.toEqual(code("member_banned"));
      expect((await bansOf(ctx, ann, { id }, {})).bans).toEqual([banned.ban]);

      clock.advance(HOUR);
      expect((await bansOf(ctx, ann, { id }, {})).bans).toEqual([]);
      await expect(liftBan(ctx, ann, { id }, "bob")).rejects.toEqual(code("ban_not_found"));
      expect((await joinUnpaid(ctx, bob, { id })).role).toBe("member");
      expect(await deleteLapsedBans(ctx.db, clock.now())).toBe(1);
    });

    test("is replaced by the next one, and lifted by name", async () => {
      await using room = await start();
      const { ctx, ann, bob, id, time } = room;
      expect((await ban(ctx, ann, { id }, { username: "bob", until: time(HOUR) })).created).toBeTrue();
      const again = await ban(ctx, ann, { id }, { username: "bob", reason: "worse" });
      expect(again).toMatchObject({ created: false, ban: { until: null, reason: "worse" } });
      expect(await liftBan(ctx, ann, { id }, "Bob")).toMatchObject({ name: "bob" });
      expect((await joinUnpaid(ctx, bob, { id })).role).toBe("member");
      await expect(liftBan(ctx, ann, { id }, "bob")).rejects.toEqual(code("ban_not_found"));
    });

    test("applies to agents by name, by id, and by a shared name", async () => {
      await using room = await start();
      const { ctx, ann, id } = room;
      const scout = await agent(ctx, "Scout One");
      const [first, second] = [await nameless(ctx), await nameless(ctx)];
      for (const { agentId } of [first, second]) {
        const login = { channel_id: id, agent_id: agentId, agent_name: "PlatformAgent", name_key: "platformagent" };
        await ctx.db
          .insertInto("agent_presence")
          .values({ ...login, since: 0 })
          .execute();
      }
      expect((await ban(ctx, ann, { id }, { agent_name: "scout_one" })).ban).toMatchObject({
        kind: "agent",
        name: "Scout One",
        agent_id: scout.agentId,
      });
      await ban(ctx, ann, { id }, { agent_name: "PlatformAgent" });
      for (const one of [scout, first, second]) {
        await expect((async () => writableChannel(ctx, one, { id }))()).rejects.toEqual(code("banned"));
      }
      expect((await bansOf(ctx, ann, { id }, {})).bans).toHaveLength(3);
      await liftBan(ctx, ann, { id }, "platformagent");
      await writableChannel(ctx, first, { id });
      expect((await ban(ctx, ann, { id }, { agent_id: second.agentId })).created).toBeTrue();
      await expect((async () => writableChannel(ctx, second, { id }))()).rejects.toEqual(code("banned"));
      await expect(ban(ctx, ann, { id }, { agent_id: 999_999 })).rejects.toEqual(code("agent_not_found"));
      await expect(ban(ctx, ann, { id }, { agent_name: "ann" })).rejects.toEqual(code("agent_not_found"));
      await expect(ban(ctx, ann, { id }, { username: "Scout One" })).rejects.toEqual(code("user_not_found"));
    });

    test("wins against a concurrent join in either order", async () => {
      await using room = await start();
      const { ctx, ann, bob, id } = room;
      for (let round = 0; round < 10; round += 1) {
        await Promise.allSettled([
          becomeMember(ctx, id, bob.userId),
          ban(ctx, ann, { id }, { username: "bob" }),
          becomeMember(ctx, id, bob.userId),
        ]);
        expect(await membership(ctx, id, bob.userId)).toBeNull();
        await liftBan(ctx, ann, { id }, "bob");
      }
    });

    test("is created once by concurrent requests", async () => {
      await using room = await start();
      const { ctx, ann, id } = room;
      const all = await Promise.all(Array.from({ length: 5 }, () => ban(ctx, ann, { id }, { username: "bob" })));
      expect(all.filter(({ created }) => created)).toHaveLength(1);
      expect((await bansOf(ctx, ann, { id }, {})).bans).toHaveLength(1);
    });
  });

  test("does not keep the site's first owner from getting general", async () => {
    await using room = await start();
    const { ctx, bob } = room;
    const general = { slug: "general" };
    await ban(ctx, { ...bob, adminLevel: 1 }, general, { username: "ann" });
    await createOwner(ctx, "ann", "correct horse battery");
    const channel = await findChannel(ctx, general);
    expect(channel?.ownerUsername).toBe("ann");
    expect((await bansOf(ctx, { ...bob, adminLevel: 1 }, general, {})).bans).toEqual([]);
  });
});

async function nameless(ctx: Parameters<typeof agent>[0]) {
  const { agentId } = await agent(ctx, `temporary ${ctx.clock.randomBelow(1_000_000)}`);
  await ctx.db.deleteFrom("names").where("agent_id", "=", agentId).execute();
  return { kind: "agent" as const, keyId: "key", agentId, key: `a${agentId}` as const };
}
