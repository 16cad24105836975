import { describe, expect, test } from "bun:test";
import { eachDatabase } from "../../test/support/databases.ts";
import { logOf, startHouse } from "../../test/support/retention-house.ts";
import { holdChannel } from "../channels/retention/hold.service.ts";
import { searchIndex } from "../db/search-index/index-of-database.ts";
import { resume } from "../messages/history/resume.ts";
import { addReaction } from "../reactions/reactions.service.ts";
import { searchConsumer } from "../search/index/message-index.ts";
import { expirePass } from "./expired.ts";

const DAY = 86_400_000;

eachDatabase((_name, open) => {
  const start = () => startHouse(open);

  describe("an expired message", () => {
    test("goes alone, leaves no gap for those who resume, and nothing of its content", async () => {
      await using house = await start();
      const { ctx, clock, bob, id, post } = house;
      const before = await post("before");
      const brief = await post("for your eyes only", { expiresIn: 60 });
      await addReaction(ctx, bob, brief.id, "like");
      await post("after");
      await searchConsumer(ctx).flush();
      expect(JSON.parse(brief.json).expires_at).toBe(new Date(clock.now() + 60_000).toISOString());
      clock.advance(59_999);
      await expirePass(ctx);
      expect(await house.shown()).toEqual(["before", "for your eyes only", "after"]);
      clock.advance(1);
      await expirePass(ctx);
      expect(await house.shown()).toEqual(["before", "after"]);
      const channel = await house.channel();
      const resumed = await resume(ctx, channel, before.seq, ctx.epoch);
      const frames = resumed.recovered ? resumed.framesJson.map((frame) => JSON.parse(frame)) : [];
      expect(frames.map(({ event, data }) => [data.seq, event, data.message_id ?? data.chat_message?.content])).toEqual(
        [
          [before.seq + 1, "message:delete", brief.id],
          [before.seq + 2, "message:delete", brief.id],
          [before.seq + 3, "message:new", "after"],
          [before.seq + 4, "message:delete", brief.id],
        ],
      );
      expect(JSON.stringify(await logOf(ctx, id))).not.toContain("like");
      expect(await ctx.db.selectFrom("reactions").selectAll().execute()).toEqual([]);
      const words = { terms: [{ tokens: ["eyes"], isPrefix: false }], anyOf: [], below: 1_000, limit: 10 };
      expect(await searchIndex(ctx.db).find(ctx.db, words)).toEqual([]);
    });

    test("is not sent again by a late retry, for a day", async () => {
      await using house = await start();
      const { ctx, clock, post } = house;
      const send = () => post("once", { expiresIn: 60, clientMsgId: "key" });
      const sent = await send();
      await post("after");
      clock.advance(60_000);
      await expirePass(ctx);
      const again = await send();
      expect(again).toMatchObject({ id: sent.id, seq: sent.seq, deduplicated: true });
      expect(JSON.parse(again.json)).toMatchObject({ is_deleted: true, content: "" });
      expect(await house.shown()).toEqual(["after"]);
      await expect(post("other", { expiresIn: 60, clientMsgId: "key" })).rejects.toMatchObject({
        code: "idempotency_conflict",
      });
    });

    test("stays while its channel is held", async () => {
      await using house = await start();
      const { ctx, clock, ruth, id, post } = house;
      await post("evidence", { expiresIn: 60 });
      await post("after");
      const until = new Date(clock.now() + DAY).toISOString();
      await holdChannel(ctx, ruth, id, { until, reason: "a lawsuit" });
      clock.advance(120_000);
      await expirePass(ctx);
      expect(await house.shown()).toEqual(["evidence", "after"]);
      await holdChannel(ctx, ruth, id, { until: null });
      await expirePass(ctx);
      expect(await house.shown()).toEqual(["after"]);
    });

    test("that is the newest of all becomes a tombstone, and goes when another follows", async () => {
      await using house = await start();
      const { ctx, clock, post } = house;
      await post("brief", { expiresIn: 60 });
      clock.advance(60_000);
      await expirePass(ctx);
      expect(await house.shown()).toEqual(["-"]);
      await post("next");
      await expirePass(ctx);
      expect(await house.shown()).toEqual(["next"]);
    });
  });
});
