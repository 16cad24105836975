import { expect, test } from "bun:test";
import { agent, code, keepCallers, user } from "../../test/support/actors.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { sendAsAgent } from "../agents/agents.service.ts";
import { writableChannel } from "../channels/access/access.ts";
import { joinAsAgent } from "../channels/members/join.service.ts";
import { createChannel } from "../channels/settings/settings.service.ts";
import type { AppContext } from "../context.ts";
import type { Db } from "../db/db.ts";
import { actingFor, rightsNow } from "../http/acts/act.ts";
import { postMessage } from "../messages/append/post-message.ts";
import { copyOfSource } from "./copies.ts";

/** Changes between the check of a bot's copy and the transaction that stores it (protocol §15.5). */
eachDatabase((_name, open) => {
  const start = async () => {
    const database = await open();
    const ctx = testContext(database);
    keepCallers(ctx);
    const [ann, bot] = [await user(ctx, "ann"), await agent(ctx, "Copier")];
    const from = await createChannel(ctx, ann, { name: "From" });
    const to = await createChannel(ctx, ann, { name: "To" });
    for (const { id } of [from, to]) await joinAsAgent(ctx, id, bot.agentId);
    const channel = await writableChannel(ctx, ann, { id: from.id });
    const { id: messageId } = await postMessage(ctx, { caller: ann, channel, content: "the text" });
    /** Copies as the bot. `meanwhile` runs in the transaction, before it is decided again, and once. */
    const copyWhile = async (meanwhile: (db: Db) => Promise<unknown>): Promise<string> => {
      const acting = actingFor(ctx, bot, rightsNow(ctx));
      let hasRun = false;
      acting.act?.remember(async ({ db }: AppContext) => {
        if (!hasRun) await meanwhile(db);
        hasRun = true;
      });
      acting.act?.decideAtWrite();
      const place = { channel_id: to.id };
      const posted = await copyOfSource(acting, bot, { messageId, namesSource: true }, place, (message, step) =>
        sendAsAgent(acting, bot, { ...place, message }, null, undefined, { step }),
      );
      return JSON.parse(posted.json).content;
    };
    const change = (db: Db) => db.updateTable("channels").where("id", "=", from.id);
    const stored = () => ctx.db.selectFrom("messages").select("id").where("channel_id", "=", to.id).execute();
    return { messageId, copyWhile, change, stored, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
  };

  test.each([{ retention_days: 7 }, { price: JSON.stringify({ amount: "1000", currency: "ETH", chain_id: 31_337 }) }])(
    "nothing is copied after %p",
    async (limit) => {
      await using scene = await start();
      const copied = scene.copyWhile((db) => scene.change(db).set(limit).execute());
      await expect(copied).rejects.toEqual(code("cannot_forward"));
      expect(await scene.stored()).toEqual([]);
    },
  );

  test("the name of a writer who was erased meanwhile is not in the copy", async () => {
    await using scene = await start();
    const change = { sender_name: "deleted-user", user_id: null };
    const text = await scene.copyWhile((db) =>
      db.updateTable("messages").set(change).where("id", "=", scene.messageId).execute(),
    );
    expect(text).toBe("_Forwarded from deleted-user_\n\nthe text");
  });
});
