import { describe, expect, test } from "bun:test";
import { CHANNELS_PER_USER } from "@parley/protocol/limits";
import { agent, code, eventsOf, user } from "../../../test/support/actors.ts";
import { stillClock } from "../../../test/support/clock.ts";
import { testContext } from "../../../test/support/context.ts";
import { eachDatabase } from "../../../test/support/databases.ts";
import { joinUnpaid } from "../../../test/support/join.ts";
import { audit } from "../../audit/audit.ts";
import type { AppContext } from "../../context.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { postMessage } from "../../messages/append/post-message.ts";
import { purgeSome } from "../../messages/removal.ts";
import { reactions } from "../../reactions/reactions.module.ts";
import { addReaction } from "../../reactions/reactions.service.ts";
import { reportMessage } from "../../reports/reports.service.ts";
import { writableChannel } from "../access/access.ts";
import { ban } from "../bans/bans.service.ts";
import { updateMembership } from "../members/members.service.ts";
import { createChannel, deleteChannel } from "../settings/settings.service.ts";
import { purgePass } from "./purge.ts";
import { anyChannels, RESTORE_MS, restoreChannel } from "./restore.service.ts";

const DAY = 86_400_000;

eachDatabase((_name, open) => {
  const start = async () => {
    const clock = stillClock();
    const database = await open(clock);
    const ctx = testContext(database, { clock, modules: [reactions] });
    const [ann, bob, ruth] = [await user(ctx, "ann"), await user(ctx, "bob"), await user(ctx, "ruth", 2)];
    return { ctx, clock, ann, bob, ruth, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
  };

  describe("restoring a channel", () => {
    test("brings back members and history and continues the numbering", async () => {
      await using house = await start();
      const { ctx, ann, bob, ruth } = house;
      const { id } = await createChannel(ctx, ann, { name: "Tea" });
      await joinUnpaid(ctx, bob, { id });
      await post(ctx, bob, id, "hello");
      await deleteChannel(ctx, ann, { id });
      await expect(joinUnpaid(ctx, bob, { id })).rejects.toEqual(code("channel_not_found"));
      expect((await anyChannels(ctx, { deleted: true })).channels).toMatchObject([
        { id, channel_slug: "tea", owner_username: "ann", last_seq: 2 },
      ]);
      expect(await restoreChannel(ctx, ruth, id)).toMatchObject({ id, slug: "tea", ownerUsername: "ann" });
      expect((await joinUnpaid(ctx, bob, { id })).role).toBe("member");
      expect((await eventsOf(ctx, id)).map(({ seq, event }) => `${seq} ${event}`)).toEqual([
        "2 channel:deleted",
        "3 channel:update",
      ]);
      expect((await post(ctx, bob, id, "again")).seq).toBe(4);
      await expect(restoreChannel(ctx, ruth, id)).rejects.toEqual(code("channel_not_deleted"));
      await expect(restoreChannel(ctx, ruth, 99_999)).rejects.toEqual(code("channel_not_found"));
      expect((await anyChannels(ctx, { deleted: true })).channels).toEqual([]);
      expect((await anyChannels(ctx, { deleted: false })).channels.map((one) => one.id)).toEqual([id, 1]);
    });

    test("picks another slug if the old one is taken, for concurrent restores, too", async () => {
      await using house = await start();
      const { ctx, ann, bob, ruth } = house;
      const ids: number[] = [];
      for (const owner of [ann, bob]) {
        const { id } = await createChannel(ctx, owner, { name: "Tea", channel_slug: "tea" });
        await deleteChannel(ctx, owner, { id });
        ids.push(id);
      }
      await createChannel(ctx, bob, { name: "Tea", channel_slug: "tea" });
      const restored = await Promise.all(ids.map((id) => restoreChannel(ctx, ruth, id)));
      expect(restored.map(({ slug }) => slug).sort()).toEqual(["tea-2", "tea-3"]);
    });

    test("gives nobody more channels than they may own", async () => {
      await using house = await start();
      const { ctx, ann, ruth } = house;
      const { id } = await createChannel(ctx, ann, { name: "Tea" });
      await deleteChannel(ctx, ann, { id });
      for (let n = 0; n < CHANNELS_PER_USER; n += 1) await createChannel(ctx, ann, { name: `room ${n}` });
      await expect(restoreChannel(ctx, ruth, id)).rejects.toEqual(code("channel_limit_reached"));
    });

    test("is impossible after 7 days, before and after the purge", async () => {
      await using house = await start();
      const { ctx, clock, ann, ruth } = house;
      const { id } = await createChannel(ctx, ann, { name: "Tea" });
      await deleteChannel(ctx, ann, { id });
      clock.advance(RESTORE_MS - 1);
      await restoreChannel(ctx, ruth, id);
      await deleteChannel(ctx, ann, { id });
      clock.advance(RESTORE_MS);
      await expect(restoreChannel(ctx, ruth, id)).rejects.toEqual(code("restore_expired"));
      expect((await anyChannels(ctx, {})).channels.map((one) => one.id)).toEqual([1]);
      clock.advance(DAY);
      expect(await purgePass(ctx, purgeSome)).toBeFalse();
      await expect(restoreChannel(ctx, ruth, id)).rejects.toEqual(code("restore_expired"));
    });
  });

  describe("the purge of a channel", () => {
    test("leaves its number, the log, reports and all other channels", async () => {
      await using house = await start();
      const { ctx, clock, ann, bob, ruth } = house;
      const scout = await agent(ctx, "Scout");
      const { id } = await createChannel(ctx, ann, { name: "Tea", topic: "secret", is_private: true });
      const other = await createChannel(ctx, ann, { name: "Coffee" });
      await updateMembership(ctx, ann, { id }, "bob", {});
      await updateMembership(ctx, ann, { id }, "Scout", {});
      const first = await post(ctx, ann, id, "hello @Scout");
      await addReaction(ctx, bob, first.id, "like");
      await reportMessage(ctx, bob, first.id, "rude");
      for (let n = 0; n < 450; n += 1) await post(ctx, bob, id, `number ${n}`);
      await ban(ctx, ann, { id }, { username: "bob" });
      await audit(ctx, ruth, "channel_read", `channel:${id}`);
      const stays = await post(ctx, ann, other.id, "this stays");
      const last = await createChannel(ctx, bob, { name: "Last" });
      const newest = await post(ctx, bob, last.id, "the newest of all");
      for (const [owner, gone] of [
        [ann, id],
        [bob, last.id],
      ] as const) {
        await deleteChannel(ctx, owner, { id: gone });
      }
      clock.advance(RESTORE_MS);
      expect(await purgePass(ctx, purgeSome)).toBeFalse();
      expect(await count(ctx, "messages", id)).toBe(451);

      clock.advance(DAY);
      expect(await purgePass(ctx, purgeSome)).toBeFalse();
      for (const table of [
        "messages",
        "channel_events",
        "channel_members",
        "channel_agents",
        "channel_bans",
      ] as const) {
        expect([table, await count(ctx, table, id)]).toEqual([table, 0]);
      }
      expect(await count(ctx, "mentions", id)).toBe(0);
      const reactions = await ctx.db.selectFrom("reactions").select("message_id").execute();
      expect(reactions).toEqual([]);
      const row = await ctx.db.selectFrom("channels").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
      expect(row).toMatchObject({
        name: "",
        topic: null,
        owner_id: null,
        slug: `purged-${id}`,
        purged_at: clock.now(),
      });
      expect(await count(ctx, "reports", id)).toBe(1);
      const log = await ctx.db
        .selectFrom("audit_log")
        .select("action")
        .where("subject", "=", `channel:${id}`)
        .execute();
      expect(log).toEqual([{ action: "channel_read" }]);
      expect(await count(ctx, "messages", other.id)).toBe(1);

      // The newest message's id must not be reused: its row stays, empty.
      const blank = await ctx.db
        .selectFrom("messages")
        .selectAll()
        .where("id", "=", newest.id)
        .executeTakeFirstOrThrow();
      expect(blank).toMatchObject({ content: "", sender_name: "", user_id: null, mentions: null });
      expect((await post(ctx, ann, other.id, "next")).id).toBeGreaterThan(newest.id);
      expect(stays.id).toBeLessThan(newest.id);
      expect(scout.agentId).toBeGreaterThan(0);
      expect(await purgePass(ctx, purgeSome)).toBeFalse();
    });
  });
});

async function post(ctx: AppContext, caller: UserIdentity, channelId: number, content: string) {
  return postMessage(ctx, { caller, channel: await writableChannel(ctx, caller, { id: channelId }), content });
}

async function count(
  ctx: AppContext,
  table: "messages" | "channel_events" | "channel_members" | "channel_agents" | "channel_bans" | "mentions" | "reports",
  channelId: number,
): Promise<number> {
  const row = await ctx.db
    .selectFrom(table)
    .select((of) => of.fn.countAll<number | string>().as("n"))
    .where("channel_id", "=", channelId)
    .executeTakeFirstOrThrow();
  return Number(row.n);
}
