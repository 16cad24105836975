import { expect, test } from "bun:test";
import { code, keepCallers, user } from "../../../test/support/actors.ts";
import { testContext } from "../../../test/support/context.ts";
import { eachDatabase } from "../../../test/support/databases.ts";
import { writableChannel } from "../../channels/access/access.ts";
import { createChannel, updateChannel } from "../../channels/settings/settings.service.ts";
import type { AppContext } from "../../context.ts";
import { beforeCommit, transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { postMessage } from "../../messages/append/post-message.ts";
import { endedRights } from "../../realtime/control/ended-rights.ts";
import type { UserIdentity } from "../identity.ts";
import { actingFor, decide, rightsNow } from "./act.ts";

eachDatabase((_name, open) => {
  const start = async () => {
    const database = await open();
    const ctx = testContext(database, { config: { agentLoopLimit: 0 } });
    keepCallers(ctx);
    const [ann, bob] = [await user(ctx, "ann"), await user(ctx, "bob")];
    const { id } = await createChannel(ctx, ann, { name: "Tea" });
    const acting = () => actingFor(ctx, bob, rightsNow(ctx));
    return { ctx, ann, bob, id, acting, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
  };

  test("an act that was refused is refused again when its transaction runs again", async () => {
    await using room = await start();
    const { ctx, bob } = room;
    const acting = room.acting();
    acting.act?.remember(() => {
      throw fail("forbidden");
    });
    endedRights(ctx).touch(bob.key);
    for (let attempt = 1; attempt <= 3; attempt++) {
      expect(acting.act?.holds(acting)).toBe(false);
      await expect(transact(acting, async () => "stored")).rejects.toEqual(code("forbidden"));
    }
  });

  test("a batch stores nothing of a refused act when it runs again for another", async () => {
    await using room = await start();
    const { ctx, bob, ann, id } = room;
    const [refused, touched] = [room.acting(), actingFor(ctx, ann, rightsNow(ctx))];
    const channel = await writableChannel(refused, bob, { id });
    await writableChannel(touched, ann, { id });
    refused.act?.remember(() => {
      throw fail("forbidden");
    });
    let isFirst = true;
    touched.act?.remember((ctx) => {
      // Touched after its decision, once: the transaction is run again.
      if (isFirst) beforeCommit(ctx.db, async () => endedRights(ctx).touch(ann.key));
      isFirst = false;
    });
    for (const { key } of [ann, bob]) endedRights(ctx).touch(key);
    const answers = await Promise.allSettled([
      postMessage(touched, { caller: ann, channel, content: "one" }),
      postMessage(refused, { caller: bob, channel, content: "two" }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    const stored = await ctx.db.selectFrom("messages").select("content").where("channel_id", "=", id).execute();
    expect(stored).toEqual([{ content: "one" }]);
  });

  test("a place that ended while its channel was looked up is decided again", async () => {
    await using room = await start();
    const { ctx, bob, id } = room;
    const acting = room.acting();
    endedRights(ctx).touch(`${id}:${bob.key}`);
    expect(acting.act?.holds(acting)).toBe(true);
    acting.act?.remember(() => {}, id);
    expect(acting.act?.holds(acting)).toBe(false);
  });

  test("a check that let an act in is made again if what it depends on has ended, and refuses it then", async () => {
    await using room = await start();
    const { ctx, bob, id } = room;
    let may = true;
    const made: boolean[] = [];
    const check = (ctx: AppContext, caller: UserIdentity) => {
      made.push(may);
      // Another check that this one contains is made with it, and not alone.
      expect(ctx.act).toBeUndefined();
      if (!may) throw fail("forbidden");
      return caller.username;
    };
    for (const [subject, channelId] of [[bob.key], [`c${id}`, id], [`${id}:${bob.key}`, id]] as const) {
      const acting = room.acting();
      expect(decide(acting, bob, check, channelId)).toBe("bob");
      expect(await transact(acting, async () => "stored")).toBe("stored");
      may = false;
      endedRights(ctx).touch(subject);
      await expect(transact(acting, async () => "stored")).rejects.toEqual(code("forbidden"));
      may = true;
    }
    expect(made).toEqual([true, false, true, false, true, false]);
    expect(decide(ctx, bob, check)).toBe("bob");
  });

  test("a join by sending does not forget that the channel was closed to posts meanwhile", async () => {
    await using room = await start();
    const { ctx, ann, bob, id } = room;
    const acting = room.acting();
    const entering = writableChannel(acting, bob, { id });
    await updateChannel(ctx, ann, { id }, { post_policy: "admins" });
    const sent = Promise.resolve(entering).then((channel) =>
      postMessage(acting, { caller: bob, channel, content: "late" }),
    );
    await expect(sent).rejects.toEqual(code("post_policy"));
  });
});
