import { describe, expect, test } from "bun:test";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { forwarded, sourcesFor, textsIn } from "../support/forwards.ts";
import { newChannel } from "../support/new-channel.ts";
import { tell } from "../support/rights/people.ts";
import { sayId } from "../support/say.ts";
import { startTestServer } from "../support/servers/test-server.ts";
import { testBot } from "../support/telegram.ts";

const DAYS = { retention_days: 30 };
const METHODS = { copyMessage: "message can't be copied", forwardMessage: "message can't be forwarded" } as const;
const chatOf = (id: number) => -(1_000_000_000_000 + id);

/** Protocol §15.5 and §13.15: what a bot copies obeys the rules of forwarding. */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const server = await forAllTests(
    startTestServer({ rateLimits: "off", agentLoopLimit: 0 }, { database: await open(), clock }),
  );
  const ann = await server.newUser();
  const bot = await testBot(server, "Copy Bot");
  const fields = (from: number, message_id: number, to: number) => ({
    ...{ from_chat_id: chatOf(from), chat_id: chatOf(to), message_id },
  });

  describe.each(Object.entries(METHODS))("%s", (method, refusal) => {
    const call = async (...where: Parameters<typeof fields>) => {
      const { status, body } = await bot.call(method, fields(...where));
      return [status, body.description];
    };

    test("copies a text, and is decided by the channel of its first source when it is forwarded", async () => {
      const [from, to] = [await newChannel(ann), await newChannel(ann)];
      const source = await sayId(ann, from.id, "open words");
      const { message_id: id } = await bot.ask(method, fields(from.id, source, to.id));
      const [text] = await textsIn(ann, to.id);
      expect(text).toEndWith("open words");
      expect(await sourcesFor(ann, id)).toMatchObject([{ message_id: id, chat_message: { id: source } }]);
      expect((await forwarded(ann, id, to.id)).forwarded.is_copy).toBe(true);
      await ann.put(`/api/channels/${from.id}`, DAYS);
      expect((await forwarded(ann, id, to.id)).forwarded.is_copy).toBe(false);
      expect(await call(to.id, id, to.id)).toEqual([400, `Bad Request: ${refusal}`]);
    });

    test("copies of a forwarded message the text of its source", async () => {
      const [from, to] = [await newChannel(ann), await newChannel(ann)];
      const made = await forwarded(ann, await sayId(ann, from.id, "first words"), from.id, { comment: "look" });
      await bot.ask(method, fields(from.id, made.id, to.id));
      const [text] = await textsIn(ann, to.id);
      const name = ann.username.replace("_", "\\_");
      expect(text).toBe(method === "copyMessage" ? "first words" : `_Forwarded from ${name}_\n\nfirst words`);
    });

    test("refuses what a channel with a limit of age, or one with a price, says", async () => {
      const [from, to] = [await newChannel(ann), await newChannel(ann)];
      const source = await sayId(ann, from.id, "it must not outlast the channel");
      const link = await forwarded(ann, source, to.id);
      await ann.put(`/api/channels/${from.id}`, DAYS);
      expect(await call(from.id, source, to.id)).toEqual([400, `Bad Request: ${refusal}`]);
      expect(await call(to.id, link.id, to.id)).toEqual([400, `Bad Request: ${refusal}`]);
      await ann.put(`/api/channels/${from.id}`, { retention_days: null });
      await bot.ask("sendMessage", { chat_id: chatOf(from.id), text: "a member pays nothing any more" });
      const price = JSON.stringify({ amount: "1000", currency: "ETH", chain_id: 31_337 });
      await server.ctx.db.updateTable("channels").set({ price }).where("id", "=", from.id).execute();
      await tell(server.ctx, "channel_changed", from.id);
      expect(await call(from.id, source, to.id)).toEqual([400, `Bad Request: ${refusal}`]);
      expect(await textsIn(ann, to.id)).toHaveLength(1);
    });

    test("refuses a message with an end, a sticker, and a message that is gone", async () => {
      const { id } = await newChannel(ann);
      const brief = await sayId(ann, id, "brief", { expires_in: 60 });
      expect(await call(id, brief, id)).toEqual([400, `Bad Request: ${refusal}`]);
      clock.ahead += 61_000;
      const missing = method === "copyMessage" ? "message to copy not found" : "message to forward not found";
      expect(await call(id, brief, id)).toEqual([400, `Bad Request: ${missing}`]);
      const gone = await sayId(ann, id, "gone");
      await ann.delete(`/api/messages/${gone}`);
      expect(await call(id, gone, id)).toEqual([400, `Bad Request: ${missing}`]);
      const sticker = await sayId(ann, id, "shown as a sticker");
      await server.ctx.db.updateTable("messages").set({ type: "sticker" }).where("id", "=", sticker).execute();
      expect(await call(id, sticker, id)).toEqual([400, `Bad Request: ${refusal}`]);
    });
  });
});
