import { expect, test } from "bun:test";
import { agent, code, user } from "../../test/support/actors.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { joinUnpaid } from "../../test/support/join.ts";
import { writableChannel } from "./access/access.ts";
import { leaveChannel } from "./members/join.service.ts";
import { findKeptMute } from "./members/kept-mutes.store.ts";
import { removeMember, updateMembership } from "./members/members.service.ts";
import { createChannel } from "./settings/settings.service.ts";

eachDatabase((_, open) => {
  test("a member's mutes survive leaving and apply again when the member returns", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const [ann, bob] = [await user(ctx, "ann"), await user(ctx, "bob")];
    const robot = await agent(ctx, "Robot");
    const { id } = await createChannel(ctx, ann, { name: "Tea" });
    await joinUnpaid(ctx, bob, { id });
    const until = ctx.clock.now() + 60_000;
    const mute = (name: string, muted_until: string | null) =>
      updateMembership(ctx, ann, { id }, name, { muted_until });
    const kept = async () => [await findKeptMute(ctx.db, id, bob.key), await findKeptMute(ctx.db, id, robot.key)];
    for (const name of ["bob", "Robot"]) await mute(name, new Date(until).toISOString());
    await leaveChannel(ctx, bob, { id });
    await removeMember(ctx, ann, { id }, "Robot");
    expect(await kept()).toEqual([until, until]);
    for (const who of [bob, robot]) {
      await expect((async () => writableChannel(ctx, who, { id }))()).rejects.toEqual(code("muted"));
    }
    await joinUnpaid(ctx, bob, { id });
    for (const name of ["bob", "Robot"]) expect((await mute(name, null)).member.muted_until).toBeNull();
    await leaveChannel(ctx, bob, { id });
    await removeMember(ctx, ann, { id }, "Robot");
    expect(await kept()).toEqual([null, null]);
    for (const who of [bob, robot]) expect((await writableChannel(ctx, who, { id })).id).toBe(id);
  });
});
