import { expect } from "bun:test";
import { kindsConsumer } from "../../src/agents/kinds/start.ts";
import { newChannel } from "./new-channel.ts";
import type { Client, TestServer } from "./servers/test-server.ts";
import { type TestBot, testBot } from "./telegram.ts";

/** Bots and their channels, for the tests of what they get. `ann` owns the channels, `boss` is an owner of the site. */
export function kindsScene(server: TestServer, ann: Client, boss: Client) {
  const chatId = (channelId: number): number => -(1_000_000_000_000 + channelId);

  let made = 0;
  const freshName = (): string => `Kind${++made}`;

  /** A bot with a name of its own, and a channel of its own that it is in. */
  const scene = async ({ isPrivate = true, allowed }: { isPrivate?: boolean; allowed?: string[] } = {}) => {
    const name = freshName();
    const bot = await testBot(server, name);
    if (!isPrivate) await privacy(bot, false);
    await bot.ask("getUpdates", allowed === undefined ? {} : { allowed_updates: allowed });
    const { id, slug } = await newChannel(ann);
    await ann.put(`/api/channels/${id}/members/${name}`, {});
    await drain(bot);
    return { name, bot, id, slug, chat_id: chatId(id) };
  };

  const privacy = async (bot: TestBot, telegram_privacy: boolean) => {
    const { status } = await boss.put(`/api/agents/${bot.agentId}`, { telegram_privacy });
    expect(status).toBe(200);
  };

  /** Waits until everything that has happened has its items. */
  const settle = () => kindsConsumer(server.ctx).flush();

  // biome-ignore lint/suspicious/noExplicitAny: a test looks into updates of any shape and fails where they differ.
  type Updates = any[];

  const updatesOf = async (bot: TestBot): Promise<Updates> => {
    await settle();
    return bot.ask("getUpdates");
  };

  /** Confirms everything that waits. */
  const drain = async (bot: TestBot) => {
    const last = (await updatesOf(bot)).at(-1)?.update_id;
    if (last !== undefined) await bot.ask("getUpdates", { offset: last + 1 });
  };

  const reply = (client: Client, slug: string, to: number, content = "an answer") =>
    client.post("/api/messages", { channel_slug: slug, content, reply_to_id: to });

  return { chatId, freshName, scene, privacy, settle, updatesOf, drain, reply };
}
