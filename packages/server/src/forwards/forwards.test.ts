import { expect, test } from "bun:test";
import { code, keepCallers, user } from "../../test/support/actors.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { joinUnpaid } from "../../test/support/join.ts";
import { writableChannel } from "../channels/access/access.ts";
import { createChannel } from "../channels/settings/settings.service.ts";
import type { AppContext } from "../context.ts";
import type { Db } from "../db/db.ts";
import { actingFor, rightsNow } from "../http/acts/act.ts";
import { postMessage } from "../messages/append/post-message.ts";
import { forward } from "./forwards.service.ts";

/** Changes between the check of a forward and the transaction that stores it (protocol §13.15). */
eachDatabase((_name, open) => {
  const start = async () => {
    const database = await open();
    const ctx = testContext(database);
    keepCallers(ctx);
    const [ann, bob] = [await user(ctx, "ann"), await user(ctx, "bob")];
    const from = await createChannel(ctx, ann, { name: "From" });
    const to = await createChannel(ctx, ann, { name: "To" });
    for (const { id } of [from, to]) await joinUnpaid(ctx, bob, { id });
    const channel = await writableChannel(ctx, ann, { id: from.id });
    const { id: messageId } = await postMessage(ctx, { caller: ann, channel, content: "the text" });
    /** Forwards as Bob. `meanwhile` runs in the transaction, before it is decided again, and once. */
    const forwardWhile = async (meanwhile: (db: Db) => Promise<unknown>) => {
      const acting = actingFor(ctx, bob, rightsNow(ctx));
      let hasRun = false;
      acting.act?.remember(async ({ db }: AppContext) => {
        if (!hasRun) await meanwhile(db);
        hasRun = true;
      });
      acting.act?.decideAtWrite();
      const posted = await forward(acting, bob, messageId, { channel_id: to.id });
      return JSON.parse(posted.json).forwarded;
    };
    return { ctx, bob, from, messageId, forwardWhile, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
  };

  test("a limit of age that is switched on meanwhile leaves a link alone", async () => {
    await using scene = await start();
    const forwarded = await scene.forwardWhile((db) =>
      db.updateTable("channels").set({ retention_days: 7 }).where("id", "=", scene.from.id).execute(),
    );
    expect(forwarded).toMatchObject({ is_copy: false, content: null, username: null });
  });

  test("a price that is set meanwhile leaves a link alone", async () => {
    await using scene = await start();
    const price = JSON.stringify({ amount: "1000", currency: "ETH", chain_id: 31_337 });
    const forwarded = await scene.forwardWhile((db) =>
      db.updateTable("channels").set({ price }).where("id", "=", scene.from.id).execute(),
    );
    expect(forwarded).toMatchObject({ is_copy: false, content: null, username: null });
  });

  test("an edit meanwhile is in the copy, and so is the name of a writer who was erased", async () => {
    await using scene = await start();
    const change = { content: "edited", sender_name: "deleted-user", user_id: null };
    const forwarded = await scene.forwardWhile((db) =>
      db.updateTable("messages").set(change).where("id", "=", scene.messageId).execute(),
    );
    expect(forwarded).toMatchObject({ is_copy: true, content: "edited", username: "deleted-user" });
  });

  test("a message that is deleted meanwhile is not forwarded", async () => {
    await using scene = await start();
    const deleted = scene.forwardWhile((db) =>
      db.updateTable("messages").set({ content: "", deleted_at: 1 }).where("id", "=", scene.messageId).execute(),
    );
    await expect(deleted).rejects.toEqual(code("message_deleted"));
    expect(await scene.ctx.db.selectFrom("forwards").selectAll().execute()).toEqual([]);
  });

  test("a message of a channel that the forwarder loses meanwhile is not forwarded", async () => {
    await using scene = await start();
    const lost = scene.forwardWhile(async (db) => {
      await db.updateTable("channels").set({ is_private: 1 }).where("id", "=", scene.from.id).execute();
      const place = db.deleteFrom("channel_members").where("channel_id", "=", scene.from.id);
      await place.where("user_id", "=", scene.bob.userId).execute();
    });
    await expect(lost).rejects.toEqual(code("message_not_found"));
    expect(await scene.ctx.db.selectFrom("forwards").selectAll().execute()).toEqual([]);
  });
});
