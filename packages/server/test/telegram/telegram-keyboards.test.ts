import { expect, test } from "bun:test";
import { GUEST } from "../../src/http/identity.ts";
import { keyboardsFor } from "../../src/messages/menus/keyboards.service.ts";
import { KEYBOARDS_MAX } from "../../src/messages/menus/keyboards.store.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { sayId } from "../support/say.ts";
import { type Client, startTestServer } from "../support/servers/test-server.ts";
import { type TestBot, testBot } from "../support/telegram.ts";

/** GET /api/channels/:channel_id/keyboards: what the page shows above the composer, however old it is (protocol §15.6). */
eachDatabase(async (_, open) => {
  const config = { rateLimits: "off" as const, agentLoopLimit: 0 };
  const server = await forAllTests(startTestServer(config, { database: await open() }));
  const [ann, bob] = [await server.user("ann"), await server.user("bob")];
  let made = 0;

  async function scene() {
    const [bot, other] = [await testBot(server, `Keys${++made}`), await testBot(server, `Other${made}`)];
    const { id } = await newChannel(ann);
    return { bot, other, id };
  }
  const show = async (bot: TestBot, id: number, text: string, reply_markup: object, more: object = {}) => {
    const sent = await bot.ask("sendMessage", { chat_id: -id, text, reply_markup, ...more });
    return sent.message_id as number;
  };
  const keys = (...texts: string[]) => ({ keyboard: [texts] });
  const shown = async (who: Client, id: number): Promise<number | null> => {
    const { status, body } = await who.get(`/api/channels/${id}/keyboards`);
    expect([status, body.channel_id]).toEqual([200, id]);
    return body.messages[0]?.id ?? null;
  };
  const counted = async (id: number) =>
    (await server.ctx.db.selectFrom("keyboards").select("message_id").where("channel_id", "=", id).execute()).length;

  test("the newest one for everybody is shown with its message, until its bot removes it", async () => {
    const { bot, other, id } = await scene();
    expect(await shown(ann, id)).toBeNull();
    await show(bot, id, "Coffee?", keys("Yes", "No"));
    const first = await show(bot, id, "Tea?", keys("Yes", "No"));
    const second = await show(other, id, "Sugar?", keys("One", "Two"));
    for (const who of [ann, bob, server.guest]) expect(await shown(who, id)).toBe(second);
    const [message] = (await ann.get(`/api/channels/${id}/keyboards`)).body.messages;
    expect(message).toMatchObject({ content: "Sugar?", keyboard: { rows: [["One", "Two"]] } });
    expect(await counted(id)).toBe(2);
    await show(other, id, "Bye", { remove_keyboard: true });
    expect([await shown(ann, id), await counted(id)]).toEqual([first, 1]);
    await show(bot, id, "Bye", { remove_keyboard: true });
    expect([await shown(ann, id), await counted(id)]).toEqual([null, 0]);
  });

  test("one for some readers is theirs alone, and so is its removal", async () => {
    const { bot, id } = await scene();
    const all = await show(bot, id, "All", keys("A"));
    const named = await show(bot, id, "@bob only", { ...keys("B"), selective: true });
    expect([await shown(ann, id), await shown(bob, id), await shown(server.guest, id)]).toEqual([all, named, all]);
    const asked = await sayId(ann, id, "and I?");
    const answer = await show(bot, id, "You, too", { ...keys("C"), selective: true }, { reply_to_message_id: asked });
    expect([await shown(ann, id), await shown(bob, id)]).toEqual([answer, named]);
    await show(bot, id, "@bob done", { remove_keyboard: true, selective: true });
    expect([await shown(ann, id), await shown(bob, id)]).toEqual([answer, null]);
  });

  test("one for a single use is gone for the reader who has sent the text of a button", async () => {
    const { bot, id } = await scene();
    const once = await show(bot, id, "Once", { ...keys("Yes", "No"), one_time_keyboard: true });
    await sayId(ann, id, "Maybe");
    const gone = await sayId(bob, id, "No");
    expect([await shown(ann, id), await shown(bob, id)]).toEqual([once, null]);
    await bob.delete(`/api/messages/${gone}`);
    expect(await shown(bob, id)).toBe(once);
    await sayId(ann, id, "Yes");
    expect(await shown(ann, id)).toBeNull();
  });

  test("it goes with its message, and one in a thread is not the channel's", async () => {
    const { bot, id } = await scene();
    const root = await sayId(ann, id, "a thread");
    await show(bot, id, "Within", keys("A"), { message_thread_id: root });
    expect([await shown(ann, id), await counted(id)]).toEqual([null, 0]);
    const message_id = await show(bot, id, "Gone soon", keys("A"));
    expect(await shown(ann, id)).toBe(message_id);
    await bot.ask("deleteMessage", { chat_id: -id, message_id });
    expect([await shown(ann, id), await counted(id)]).toEqual([null, 0]);
  });

  test("a channel keeps a hundred of those that are only for some", async () => {
    const { bot, id } = await scene();
    for (let n = 0; n < KEYBOARDS_MAX + 5; n++) await show(bot, id, `${n}`, { ...keys("A"), selective: true });
    expect(await counted(id)).toBe(KEYBOARDS_MAX);
    expect((await keyboardsFor(server.ctx, GUEST, id)).messagesJson).toBe("[]");
  });

  test("only who may read the channel asks", async () => {
    const { id } = await newChannel(ann, { is_private: true });
    for (const who of [bob, server.guest])
      expectError(await who.get(`/api/channels/${id}/keyboards`), 404, "channel_not_found");
    expectError(await ann.get("/api/channels/999999/keyboards"), 404, "channel_not_found");
  });
});
