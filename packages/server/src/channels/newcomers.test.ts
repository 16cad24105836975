import { expect, test } from "bun:test";
import { stillClock } from "../../test/support/clock.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase, type OpenFresh } from "../../test/support/databases.ts";
import { onRegistration, register } from "../accounts/accounts.service.ts";
import { memberCount } from "./channel-cache.ts";
import { insertChannel, markChannelDeleted } from "./channels.store.ts";
import { joinFirstChannels } from "./newcomers.ts";

async function start(open: OpenFresh) {
  const clock = stillClock();
  const database = await open(clock);
  const ctx = testContext(database, { clock });
  onRegistration(ctx, joinFirstChannels);
  const signUp = async (username: string, channel_slug?: string) => {
    const origin = { address: "192.0.2.1", userAgent: null };
    const { identity } = await register(ctx, { username, password: "correct horse battery", channel_slug, ...origin });
    const places = ctx.db
      .selectFrom("channel_members")
      .innerJoin("channels", "channels.id", "channel_members.channel_id")
      .select(["slug", "role", "muted_until", "joined_at", "last_read_seq"])
      .where("user_id", "=", identity.userId)
      .orderBy("channel_id");
    return places.execute();
  };
  const channel = async (slug: string, more: object = {}) =>
    (await insertChannel(ctx.db, { name: slug, slug, owner_id: null, created_at: 0, ...more })) ?? 0;
  return { ctx, signUp, channel, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

eachDatabase((_, open) => {
  test("a new user is a member of general, with nothing unread, and is counted", async () => {
    await using server = await start(open);
    const { ctx, signUp } = server;
    await ctx.db.updateTable("channels").set({ last_seq: 7 }).where("slug", "=", "general").execute();
    expect(await memberCount(ctx, 1)).toBe(0);
    expect(await signUp("ann")).toEqual([
      { slug: "general", role: "member", muted_until: null, joined_at: ctx.clock.now(), last_read_seq: 7 },
    ]);
    expect(await memberCount(ctx, 1)).toBe(1);
  });

  test("a new user also joins the channel of the invitation, but only one that is open to everybody", async () => {
    await using server = await start(open);
    const { ctx, signUp, channel } = server;
    await channel("tea");
    await channel("secret", { is_private: 1 });
    await channel("locked", { is_private: 1, password_hash: "hash" });
    await channel("sold", { price: JSON.stringify({ amount: "1", currency: "USDC", chain_id: 1 }) });
    await markChannelDeleted(ctx.db, await channel("gone"), 1);
    let count = 0;
    const slugsAfter = async (slug: string) => (await signUp(`user${++count}`, slug)).map((place) => place.slug);
    expect(await slugsAfter("TEA")).toEqual(["general", "tea"]);
    for (const slug of ["general", "secret", "locked", "sold", "gone", "nowhere", "", "%"]) {
      expect(await slugsAfter(slug)).toEqual(["general"]);
    }
  });

  test("registration succeeds after general was deleted", async () => {
    await using server = await start(open);
    await markChannelDeleted(server.ctx.db, 1, 1);
    expect(await server.signUp("ann")).toEqual([]);
  });
});
