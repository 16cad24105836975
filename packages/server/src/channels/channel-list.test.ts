import { expect, test } from "bun:test";
import type { ListChannelsQuery } from "@parley/protocol/channels";
import { agent, user } from "../../test/support/actors.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { planOf } from "../../test/support/plan.ts";
import type { AppContext } from "../context.ts";
import type { Identity } from "../http/identity.ts";
import { otherChannels } from "./channel-list.store.ts";
import { visibleChannels } from "./channel-list.ts";
import { insertChannel } from "./channels.store.ts";

const GUEST: Identity = { kind: "guest", key: "g" } as Identity;
const COUNT = 230;

/** Creates channels c2 to c231 beside `general`, owned by nobody. */
async function fill(ctx: AppContext): Promise<number[]> {
  const ids: number[] = [];
  await ctx.db.transaction().execute(async (db) => {
    for (let n = 1; n <= COUNT; n += 1) {
      const id = await insertChannel(db, { name: `c${n}`, slug: `c${n}`, owner_id: null, created_at: 0 });
      if (id !== null) ids.push(id);
    }
  });
  return ids;
}

const page = async (ctx: AppContext, caller: Identity, query: ListChannelsQuery = {}) => {
  const { channels, ...rest } = await visibleChannels(ctx, caller, query);
  return { ids: channels.map(({ id }) => id), ...rest };
};

/** Reads all ids in pages with `after_id`. */
async function readOn(ctx: AppContext, caller: Identity, limit: number): Promise<number[]> {
  const ids: number[] = [];
  let query: ListChannelsQuery = { limit };
  for (;;) {
    const { ids: found, next_after_id, has_more } = await page(ctx, caller, query);
    ids.push(...found);
    expect(has_more).toBe(next_after_id !== null);
    if (next_after_id === null) return ids;
    query = { limit, after_id: next_after_id };
  }
}

/** Does the same with `next_offset`, as clients older than `after_id` do. */
async function readByOffset(ctx: AppContext, caller: Identity, limit: number): Promise<number[]> {
  const ids: number[] = [];
  let query: ListChannelsQuery = { limit };
  for (;;) {
    const { ids: found, next_offset } = await page(ctx, caller, query);
    ids.push(...found);
    if (next_offset === null) return ids;
    query = { limit, offset: next_offset };
  }
}

eachDatabase((_, open) => {
  test("the first page has all own channels and 200 others; further pages continue by id", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const { db } = ctx;
    const ids = await fill(ctx);
    const ann = await user(ctx, "ann");
    const bot = await agent(ctx, "Bot");
    const [own, hidden] = [ids.filter((_, index) => index % 50 === 7), ids.slice(-2)];
    await db.updateTable("channels").set({ is_private: 1 }).where("id", "in", hidden).execute();
    for (const channel_id of [...own, ...hidden.slice(1)]) {
      const member = { channel_id, user_id: ann.userId, role: "member" as const, muted_until: null, joined_at: 0 };
      await db.insertInto("channel_members").values(member).execute();
    }
    const added = { channel_id: ids[3] ?? 0, agent_id: bot.agentId, added_by: null, muted_until: null, joined_at: 0 };
    await db.insertInto("channel_agents").values(added).execute();

    const found = [1, ...ids.slice(0, -2)];
    const mine = [...own, ...hidden.slice(1)];
    const others = found.filter((id) => !own.includes(id));
    expect(await page(ctx, ann)).toEqual({
      ids: [...mine, ...others.slice(0, 200)],
      has_more: true,
      next_after_id: others[199] ?? null,
      next_offset: mine.length + 200,
      limit: 200,
    });
    expect(await page(ctx, ann, { limit: 1_000 })).toEqual(await page(ctx, ann));
    expect(await page(ctx, ann, { after_id: others[199] ?? 0 })).toEqual({
      ids: others.slice(200),
      has_more: false,
      next_after_id: null,
      next_offset: null,
      limit: 200,
    });
    expect((await page(ctx, bot, { limit: 2 })).ids).toEqual([ids[3] ?? 0, 1, ids[0] ?? 0]);
    for (const limit of [50, 200]) {
      for (const read of [readOn, readByOffset]) {
        expect(await read(ctx, ann, limit)).toEqual([...mine, ...others]);
        expect(await read(ctx, GUEST, limit)).toEqual(found);
      }
    }
    expect((await page(ctx, GUEST, { after_id: 99_999 })).ids).toEqual([]);
    expect(await page(ctx, ann, { offset: 2, limit: 4 })).toMatchObject({
      ids: [...mine, ...others].slice(2, 6),
      next_offset: 6,
    });

    const bySlug = async (caller: Identity, channel_slug: string) => (await page(ctx, caller, { channel_slug })).ids;
    expect(await bySlug(GUEST, "C200")).toEqual([ids[199] ?? 0]);
    expect(await bySlug(GUEST, "nothing")).toEqual([]);
    expect(await bySlug(GUEST, `c${COUNT}`)).toEqual([]);
    expect(await bySlug(ann, `c${COUNT}`)).toEqual(hidden.slice(1));
  });

  test("all own channels are on the first page, however many there are", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const ids = await fill(ctx);
    const ann = await user(ctx, "ann");
    for (const channel_id of ids) {
      const member = { channel_id, user_id: ann.userId, role: "member" as const, muted_until: null, joined_at: 0 };
      await ctx.db.insertInto("channel_members").values(member).execute();
    }
    expect(await page(ctx, ann, { limit: 5 })).toMatchObject({ ids: [...ids, 1], has_more: false });
    expect(await readByOffset(ctx, ann, 100)).toEqual([...ids, 1]);
    expect((await page(ctx, ann, { offset: 225, limit: 100 })).ids).toEqual([...ids.slice(225), 1]);
  });
});

eachDatabase((dialect, open) => {
  test("the list of channels to find walks through no private channel", async () => {
    await using database = await open();
    const { db } = testContext(database);
    const query = otherChannels(db, { userId: 1 }, { afterId: 0, limit: 200, offset: 0 });
    expect(await planOf(db, dialect, query)).toContain("channels_to_find");
  });
});
