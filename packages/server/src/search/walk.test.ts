import { describe, expect, test } from "bun:test";
import { stillClock } from "../../test/support/clock.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { putMessages } from "../../test/support/put-messages.ts";
import { existingChannel } from "../channels/access/access.ts";
import type { Channel } from "../channels/channel.ts";
import type { AppContext } from "../context.ts";
import type { OpenDatabase } from "../db/database.ts";
import { indexMessages } from "./index/message-index.ts";
import { type Walk, walkIndex } from "./walk.ts";

/** Messages 1 to `count` in channels 1 (every hundredth) and 2, and a clock on which each look takes `lookMs`. */
async function library(open: OpenDatabase, count: number, lookMs: number): Promise<AppContext> {
  const clock = stillClock();
  const ctx = testContext(open, {
    clock: {
      ...clock,
      monotonic() {
        clock.advance(lookMs);
        return clock.monotonic();
      },
    },
  });
  const rows = Array.from({ length: count }, (_, i) => ({
    content: `word ${i + 1}`,
    seq: i + 1,
    channel_id: i % 100 === 0 ? 1 : 2,
  }));
  const ids = await putMessages(ctx, rows);
  const common = { sender_type: "user" as const, user_id: 1, sender_name: "ann", deleted_at: null, files: null };
  await indexMessages(
    ctx,
    rows.map((row, i) => ({ ...common, ...row, id: ids[i] ?? 0 })),
  );
  return ctx;
}

async function walkOf(ctx: AppContext, over: Partial<Walk> = {}): Promise<Walk> {
  const first: Channel = await existingChannel(ctx, { id: 1 });
  return {
    terms: [{ tokens: ["word"], isPrefix: false }],
    also: [],
    before: undefined,
    limit: 50,
    readable: (id) => (id === 1 ? first : null),
    narrow: async () => null,
    ...over,
  };
}

eachDatabase((_name, open) => {
  describe("a search through mostly unreadable messages", () => {
    test("passes the user's channels to the index if they are few", async () => {
      await using db = await open();
      const ctx = await library(db, 1_000, 1);
      let asked = 0;
      const narrow = async () => {
        asked++;
        return ["#1"];
      };
      const page = await walkIndex(ctx, await walkOf(ctx, { narrow }));
      expect(page.hits.map(({ row }) => row.id)).toEqual([901, 801, 701, 601, 501, 401, 301, 201, 101, 1]);
      expect(page).toMatchObject({ hasMore: false, nextBefore: null });
      expect(asked).toBe(1);
      expect(await walkIndex(ctx, await walkOf(ctx, { narrow: async () => [], readable: () => null }))).toEqual({
        hits: [],
        hasMore: false,
        nextBefore: null,
      });
    });

    test("stops after a while and resumes there", async () => {
      await using db = await open();
      const ctx = await library(db, 1_000, 200);
      const seen: number[] = [];
      let pages = 0;
      for (let before: number | undefined = undefined, more = true; more; pages++) {
        const page = await walkIndex(ctx, await walkOf(ctx, { before }));
        seen.push(...page.hits.map(({ row }) => row.id));
        more = page.hasMore;
        before = page.nextBefore ?? undefined;
      }
      expect(seen).toEqual([901, 801, 701, 601, 501, 401, 301, 201, 101, 1]);
      expect(pages).toBeGreaterThan(1);
    });

    test("skips an index entry whose text has changed", async () => {
      await using db = await open();
      const ctx = await library(db, 1, 1);
      await ctx.db.updateTable("messages").set({ content: "something else" }).execute();
      expect((await walkIndex(ctx, await walkOf(ctx))).hits).toEqual([]);
    });
  });
});
