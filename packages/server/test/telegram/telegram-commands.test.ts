import { expect, test } from "bun:test";
import { Bot } from "grammy";
import { forAllTests } from "../support/for-all-tests.ts";
import { say } from "../support/say.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";
import { testBot } from "../support/telegram.ts";

/** Commands of the Telegram door (protocol §15.5), with a client from npm. */
const server = await forAllTests(startTestServer({ rateLimits: "off", agentLoopLimit: 0 }));
const ann = await server.user("ann");
const GENERAL = 1;

test("the commands of a grammY bot are in the menu after its first answer, and one that is chosen reaches its handler", async () => {
  const { token, apiRoot } = await testBot(server, "Data Bot");
  const bot = new Bot(token, { client: { apiRoot } });
  bot.command("deploy", (ctx) => ctx.reply(`Deploying ${ctx.match}`));
  await bot.api.setMyCommands([{ command: "deploy", description: "Deploy a branch" }]);
  const running = bot.start();
  await say(ann, "general", "/deploy@Data_Bot main");
  const menu = async () => (await ann.get(`/api/channels/${GENERAL}/commands`)).body.agents;
  await eventually("the bot has answered and is in the channel", async () => (await menu()).length === 1);
  expect(await menu()).toMatchObject([
    { agent_name: "Data Bot", commands: [{ command: "deploy", description: "Deploy a branch" }] },
  ]);
  const { messages } = (await ann.get("/api/messages?channel_slug=general")).body;
  expect(messages.map(({ content }: { content: string }) => content)).toEqual([
    "/deploy@Data_Bot main",
    "Deploying main",
  ]);
  await bot.stop();
  await running;
});

test("bad commands, scopes and languages are refused in Telegram's words", async () => {
  const bot = await testBot(server, "Strict Bot");
  const command = { command: "a", description: "x" };
  const refusals: [Record<string, unknown>, string][] = [
    [{ commands: [{ ...command, command: "No!" }] }, "BOT_COMMAND_INVALID"],
    [{ commands: [{ ...command, description: "\u200b" }] }, "BOT_COMMAND_DESCRIPTION_INVALID"],
    [{ commands: Array.from({ length: 101 }, () => command) }, "BOT_COMMANDS_TOO_MUCH"],
    [{ commands: "a" }, "can't parse commands JSON object"],
    [{ commands: [command], language_code: "english" }, "invalid language code specified"],
    [{ commands: [command], scope: { type: "everything" } }, "can't parse BotCommandScope"],
    [
      { commands: [command], scope: { type: "chat_member", chat_id: -1_000_000_000_001, user_id: 1 } },
      "can't parse BotCommandScope: chat_member is not available on this server",
    ],
    [{ commands: [command], scope: { type: "chat" } }, "chat_id is empty"],
    [{ commands: [command], scope: { type: "chat", chat_id: -1_000_000_999_999 } }, "chat not found"],
  ];
  for (const [fields, reason] of refusals) {
    const { status, body } = await bot.call("setMyCommands", fields);
    expect([status, body.description]).toEqual([400, `Bad Request: ${reason}`]);
  }
  expect(await bot.ask("setMyCommands", { commands: [command, { ...command, command: "/A" }] })).toBe(true);
  expect(await bot.ask("getMyCommands")).toEqual([command]);
});
