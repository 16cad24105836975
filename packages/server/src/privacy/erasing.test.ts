import { expect, spyOn, test } from "bun:test";
import { user } from "../../test/support/actors.ts";
import { stillClock } from "../../test/support/clock.ts";
import { testContext as contextOf } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { eventually } from "../../test/support/servers/test-server.ts";
import { register } from "../accounts/accounts.service.ts";
import { existingChannel } from "../channels/access/access.ts";
import { createChannel } from "../channels/settings/settings.service.ts";
import type { AppContext } from "../context.ts";
import { fieldsOf } from "../event-log/event-spans.ts";
import { eventFrame } from "../event-log/message-json.ts";
import { postMessage } from "../messages/append/post-message.ts";
import { MODULES } from "../modules.ts";
import { addReaction } from "../reactions/reactions.service.ts";
import { eraseAll, SETTLE_MS, startErasing, wakeEraser } from "./erasing.ts";
import { eraseUser } from "./erasure.service.ts";
import { erasingSteps, stepsOf } from "./steps.ts";

const PASSWORD = "correct horse battery";
/** Returns a context with the steps of all modules. */
const testContext: typeof contextOf = (...args) => {
  const ctx = contextOf(...args);
  erasingSteps(ctx, stepsOf(MODULES));
  return ctx;
};
const origin = { address: "192.0.2.1", userAgent: null };

eachDatabase((_name, open) => {
  async function room(ctx: AppContext) {
    const { identity: ann } = await register(ctx, { username: "ann", password: PASSWORD, ...origin });
    const bob = await user(ctx, "bob");
    const channel = await existingChannel(ctx, { id: (await createChannel(ctx, bob, { name: "Tea" })).id });
    for (let n = 0; n < 3; n += 1) await postMessage(ctx, { caller: ann, channel, content: `${n}` });
    const { id } = await postMessage(ctx, { caller: bob, channel, content: "hello" });
    for (const reaction of ["like", "👍"]) await addReaction(ctx, ann, id, reaction);
    return { ann, bob, channel };
  }
  const senders = async (ctx: AppContext) =>
    (await ctx.db.selectFrom("messages").select("sender_name").orderBy("id").execute()).map((row) => row.sender_name);
  const steps = async (ctx: AppContext) =>
    (await ctx.db.selectFrom("erasures").select("step").execute()).map(({ step }) => step);

  test("two nodes that erase the same account do it once", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const { ann, channel } = await room(ctx);
    await eraseUser(ctx, ann, "ann", PASSWORD);
    const nodes = [testContext(database), testContext(database)];
    await Promise.all(nodes.map((node) => eraseAll(node)));
    expect(await senders(ctx)).toEqual(["deleted-user", "deleted-user", "deleted-user", "bob"]);
    const acts = await ctx.db.selectFrom("audit_log").select(["actor", "action"]).execute();
    expect(acts).toEqual([{ actor: `user:${ann.userId}`, action: "user_erased" }]);
    // Each removed reaction is one change published to the channel, without the name.
    const taken = await ctx.db
      .selectFrom("channel_events")
      .select(["event", "seq", "data"])
      .where("channel_id", "=", channel.id)
      .orderBy("seq", "desc")
      .limit(2)
      .execute();
    for (const { event, seq, data } of taken) {
      expect(JSON.parse(eventFrame(event, channel.id, seq, fieldsOf(data), undefined)).data).toMatchObject({
        username: "deleted-user",
        added: false,
      });
    }
    expect(taken.map(({ seq }) => seq)).toEqual([8, 7]);
  });

  test("an erasure waits for pending work, then starts by itself, and an unknown step does not end it", async () => {
    const clock = stillClock();
    await using database = await open(clock);
    const ctx = testContext(database, { clock });
    const { ann, channel } = await room(ctx);
    using asking = spyOn(ctx.db, "selectFrom");
    const looks = () => asking.mock.calls.filter(([table]) => String(table) === "erasures").length;
    /** Wakes the eraser and waits until it has read its list, handled it and started again. */
    const look = async () => {
      for (const upTo of [looks() + 1, looks() + 2]) {
        wakeEraser(ctx, 0);
        await eventually("it looks", () => looks() >= upTo, 20_000);
      }
    };
    startErasing(ctx);
    await eraseUser(ctx, ann, "ann", PASSWORD);
    // Sent before and committed after the closing: it is found too.
    await postMessage(ctx, { caller: ann, channel, content: "late" });
    expect(await senders(ctx)).toContain("ann");
    await ctx.db.updateTable("erasures").set({ step: "of an older version", place_a: 77 }).execute();
    clock.advance(SETTLE_MS - 1);
    await look();
    expect(await steps(ctx)).toEqual(["of an older version"]);
    expect(await senders(ctx)).toContain("ann");
    clock.advance(1);
    wakeEraser(ctx, 0);
    await eventually("all is erased", async () => (await steps(ctx)).length === 0, 20_000);
    expect(await senders(ctx)).toEqual(["deleted-user", "deleted-user", "deleted-user", "bob", "deleted-user"]);
  });
});
