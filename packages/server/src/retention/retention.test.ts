import { describe, expect, test } from "bun:test";
import { agent } from "../../test/support/actors.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { logOf, startHouse } from "../../test/support/retention-house.ts";
import { updateMembership } from "../channels/members/members.service.ts";
import { holdChannel } from "../channels/retention/hold.service.ts";
import { updateChannel } from "../channels/settings/settings.service.ts";
import type { AppContext } from "../context.ts";
import { searchIndex } from "../db/search-index/index-of-database.ts";
import { history } from "../messages/history/history.service.ts";
import { resume } from "../messages/history/resume.ts";
import { deleteMessage } from "../messages/messages.service.ts";
import { pinMessage, unpinMessage } from "../messages/pins.service.ts";
import { addReaction } from "../reactions/reactions.service.ts";
import { searchConsumer } from "../search/index/message-index.ts";
import { agedPass } from "./aged.ts";
import { expirePass } from "./expired.ts";

const DAY = 86_400_000;

/** Runs a whole pass and returns how many messages it removed. */
async function purge(ctx: AppContext): Promise<number> {
  let sum = 0;
  for await (const removed of agedPass(ctx)) sum += removed;
  return sum;
}

eachDatabase((_name, open) => {
  const start = () => startHouse(open);

  describe("the hourly pass", () => {
    test("removes old messages with everything about them, and keeps pins and younger ones", async () => {
      await using house = await start();
      const { ctx, clock, ann, bob, id, post } = house;
      const scout = await agent(ctx, "Scout");
      await updateMembership(ctx, ann, { id }, "Scout", {});
      const first = await post("teapot @Scout");
      const pinned = await post("keep this");
      await addReaction(ctx, bob, first.id, "like");
      await pinMessage(ctx, ann, pinned.id);
      await updateChannel(ctx, ann, { id }, { retention_days: 7 });
      await searchConsumer(ctx).flush();
      clock.advance(7 * DAY - 1);
      const young = await post("young");
      await addReaction(ctx, bob, young.id, "like");
      await addReaction(ctx, ann, first.id, "wow");
      expect(await purge(ctx)).toBe(0);
      clock.advance(1);
      expect(await purge(ctx)).toBe(1);

      expect(await house.shown()).toEqual(["keep this", "young"]);
      expect(await ctx.db.selectFrom("messages").select("id").where("id", "=", first.id).execute()).toEqual([]);
      expect(await ctx.db.selectFrom("mentions").select("id").execute()).toEqual([]);
      const reacted = await ctx.db.selectFrom("reactions").select("message_id").execute();
      expect(reacted).toEqual([{ message_id: young.id }]);
      const words = { terms: [{ tokens: ["teapot"], isPrefix: false }], anyOf: [], below: 1_000, limit: 10 };
      expect(await searchIndex(ctx.db).find(ctx.db, words)).toEqual([]);
      expect(scout.agentId).toBeGreaterThan(0);
      const log = await logOf(ctx, id);
      expect(JSON.stringify(log)).not.toContain("wow");
      expect(log.at(-1)).toMatchObject({ event: "history:purged", data: `{"before_message_id":${young.id}}` });
      expect(log.filter(({ event }) => event === "message:delete").map(({ data }) => data)).toEqual([
        `{"message_id":${first.id}}`,
      ]);
      const row = await ctx.db.selectFrom("channels").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
      expect(row).toMatchObject({ purged_messages: 1, purged_before: clock.now() - 7 * DAY + 1 });
      // Nothing is left to do, and nothing is announced again.
      expect(await purge(ctx)).toBe(0);
      expect((await logOf(ctx, id)).length).toBe(log.length);

      await unpinMessage(ctx, ann, pinned.id);
      expect(await purge(ctx)).toBe(1);
      expect(await house.shown()).toEqual(["young"]);
    });

    test("takes pins along where they are not kept, and goes on in steps of 1,000", async () => {
      await using house = await start();
      const { ctx, clock, ann, id, post } = house;
      const pinned = await post("pinned");
      await pinMessage(ctx, ann, pinned.id);
      await Promise.all(Array.from({ length: 2_300 }, (_, n) => post(`number ${n}`)));
      await updateChannel(ctx, ann, { id }, { retention_days: 1, keep_pinned: false });
      clock.advance(DAY);
      const last = await post("young");
      const steps: number[] = [];
      for await (const removed of agedPass(ctx)) steps.push(removed);
      expect(steps).toEqual([1_000, 1_000, 301]);
      expect(await house.shown()).toEqual(["young"]);
      const told = (await logOf(ctx, id)).filter(({ event }) => event === "history:purged");
      expect(told).toHaveLength(3);
      expect(told.at(-1)?.data).toBe(`{"before_message_id":${last.id}}`);
    });

    test("obeys the server's default and maximum", async () => {
      await using house = await start();
      const { ctx, clock, ann, id, post } = house;
      await post("old");
      await updateChannel(ctx, ann, { id }, { retention_days: 300 });
      clock.advance(30 * DAY);
      await post("young");
      const withLimits = (config: object) => ({ ...ctx, config: { ...ctx.config, ...config }, root: ctx });
      expect(await purge(ctx)).toBe(0);
      expect(await purge(withLimits({ retentionDays: 5 }))).toBe(0);
      expect(await purge(withLimits({ retentionDays: 5, retentionMaxDays: 30 }))).toBe(1);
    });

    test("never uses a number again: the newest message of all only loses its content until another follows", async () => {
      await using house = await start();
      const { ctx, clock, ann, id, post } = house;
      const only = await post("secret");
      await updateChannel(ctx, ann, { id }, { retention_days: 1 });
      clock.advance(DAY);
      expect(await purge(ctx)).toBe(1);
      expect(await house.shown()).toEqual(["-"]);
      expect(await purge(ctx)).toBe(0);
      const next = await post("next");
      expect(next.id).toBeGreaterThan(only.id);
      expect(next.seq).toBeGreaterThan(only.seq + 1);
      expect(await purge(ctx)).toBe(1);
      expect(await house.shown()).toEqual(["next"]);
    });

    test("stops at a hold, also in the middle, and goes on after it", async () => {
      await using house = await start();
      const { ctx, clock, ann, ruth, id, post } = house;
      await Promise.all(Array.from({ length: 1_500 }, (_, n) => post(`number ${n}`)));
      await updateChannel(ctx, ann, { id }, { retention_days: 1 });
      clock.advance(DAY);
      await post("young");
      const pass = agedPass(ctx);
      expect((await pass.next()).value).toBe(1_000);
      const until = new Date(clock.now() + 10 * DAY).toISOString();
      await holdChannel(ctx, ruth, id, { until, reason: "a lawsuit" });
      expect((await pass.next()).done).toBeTrue();
      expect(await purge(ctx)).toBe(0);
      clock.advance(10 * DAY);
      expect(await purge(ctx)).toBe(501);
    });

    test("lets nobody resume across it, and pages on from where a removed message was", async () => {
      await using house = await start();
      const { ctx, clock, ann, id, post } = house;
      const old = [await post("one"), await post("two"), await post("three")];
      await updateChannel(ctx, ann, { id }, { retention_days: 1 });
      clock.advance(DAY);
      const young = [await post("four"), await post("five")];
      const channel = await house.channel();
      const before = young[1]?.seq ?? 0;
      await purge(ctx);
      const recovered = async (seq: number) => (await resume(ctx, channel, seq, ctx.epoch)).recovered;
      expect(await recovered(old[0]?.seq ?? 0)).toBeFalse();
      expect(await recovered(0)).toBeFalse();
      expect(await recovered(before)).toBeTrue();
      const page = async (cursor: object) => {
        const { messagesJson, hasMore } = await history(ctx, channel, { ...cursor, limit: 10 });
        return [JSON.parse(messagesJson).map((one: { content: string }) => one.content), hasMore];
      };
      expect(await page({ before: old[1]?.id })).toEqual([[], false]);
      expect(await page({ after: old[1]?.id })).toEqual([["four", "five"], false]);
      expect(await page({ around: old[1]?.id })).toEqual([["four", "five"], false]);
      expect(await page({ before: young[1]?.id })).toEqual([["four"], false]);
      await expect(page({ before: 99_999 })).rejects.toMatchObject({ code: "invalid_cursor" });
    });

    test("leaves what a model leaves, after any order of sends, pins, deletions, holds and passes", async () => {
      await using house = await start();
      const { ctx, clock, ann, ruth, id, post } = house;
      let seed = 20;
      const random = (max: number) => {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
        return Math.floor((seed / 2_147_483_648) * max);
      };
      await updateChannel(ctx, ann, { id }, { retention_days: 3 });
      let model: { id: number; text: string; at: number; pinned: boolean; expires: number }[] = [];
      let held = 0;
      for (let act = 0; act < 150; act += 1) {
        const one = model[random(model.length)];
        const kind = random(10);
        if (kind < 4 || one === undefined) {
          const expiresIn = random(4) === 0 ? 60 + random(DAY / 500) : undefined;
          const { id: made } = await post(`text ${act}`, { expiresIn });
          const expires = expiresIn === undefined ? Number.POSITIVE_INFINITY : clock.now() + expiresIn * 1_000;
          model.push({ id: made, text: `text ${act}`, at: clock.now(), pinned: false, expires });
        } else if (kind === 4 && one.text !== "-") {
          await (one.pinned ? unpinMessage(ctx, ann, one.id) : pinMessage(ctx, ann, one.id));
          one.pinned = !one.pinned;
        } else if (kind === 5) {
          await deleteMessage(ctx, ann, one.id);
          Object.assign(one, { text: "-", pinned: false });
        } else if (kind === 6) {
          held = random(3) === 0 ? clock.now() + DAY : 0;
          const until = held === 0 ? null : new Date(held).toISOString();
          await holdChannel(ctx, ruth, id, { until, reason: "a test" });
        } else if (kind === 7) {
          clock.advance(DAY / 2);
        } else {
          await purge(ctx);
          await expirePass(ctx);
          if (held <= clock.now()) {
            const newest = Math.max(...model.map((row) => row.id));
            const isGone = ({ at, pinned, expires }: (typeof model)[number]) =>
              (at < clock.now() - 3 * DAY + 1 && !pinned) || expires <= clock.now();
            for (const row of model)
              if (isGone(row) && row.id === newest) Object.assign(row, { text: "-", pinned: false });
            model = model.filter((row) => !isGone(row) || row.id === newest);
          }
          expect(await house.shown()).toEqual(model.map(({ text }) => text));
        }
      }
    });
  });
});
