import { expect, test } from "bun:test";
import { eachDatabase } from "../../test/support/databases.ts";
import { startHouse } from "../../test/support/retention-house.ts";
import { updateChannel } from "../channels/settings/settings.service.ts";
import { agedPass } from "./aged.ts";
import { expirePass } from "./expired.ts";

const DAY = 86_400_000;

eachDatabase((_name, open) => {
  test("the root of a thread with younger replies leaves a tombstone, which goes with the last reply", async () => {
    await using house = await startHouse(open);
    const { ctx, clock, ann, bob, id, post } = house;
    const root = await post("root");
    await post("old reply", { threadRootId: root.id }, bob);
    const other = await post("other root");
    await post("its reply", { threadRootId: other.id });
    await updateChannel(ctx, ann, { id }, { retention_days: 1 });
    clock.advance(DAY);
    await post("young reply", { threadRootId: root.id }, bob);
    await post("after");
    for await (const _ of agedPass(ctx));
    expect(await house.shown()).toEqual(["-", "young reply", "after"]);
    const row = await ctx.db.selectFrom("messages").selectAll().where("id", "=", root.id).executeTakeFirstOrThrow();
    expect([row.content, JSON.parse(row.thread ?? "{}").count]).toEqual(["", 1]);
    for await (const removed of agedPass(ctx)) expect(removed).toBe(0);
    clock.advance(DAY);
    await post("last");
    for await (const _ of agedPass(ctx));
    expect(await house.shown()).toEqual(["last"]);
    expect(await ctx.db.selectFrom("thread_follows").select("root_id").execute()).toEqual([]);
  });

  test("an expired root leaves a tombstone, and an expired reply is no longer counted", async () => {
    await using house = await startHouse(open);
    const { ctx, clock, bob, post } = house;
    const root = await post("root", { expiresIn: 60 });
    await post("brief reply", { threadRootId: root.id, expiresIn: 60 }, bob);
    await post("reply", { threadRootId: root.id }, bob);
    clock.advance(60_000);
    await expirePass(ctx);
    expect(await house.shown()).toEqual(["-", "reply"]);
    const row = await ctx.db.selectFrom("messages").selectAll().where("id", "=", root.id).executeTakeFirstOrThrow();
    expect(JSON.parse(row.thread ?? "{}").count).toBe(1);
    expect(await expirePass(ctx)).toBeFalse();
  });
});
