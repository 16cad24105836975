import { Bot } from "grammy";

/**
 * A bot that was made for Telegram, on Parley: only `apiRoot` and the token are not Telegram's. It answers mentions and
 * direct messages, and says how large a photo is.
 */
const url = process.env.PARLEY_URL ?? "http://127.0.0.1:3000";
const key = process.env.PARLEY_KEY;
if (key === undefined) throw new Error("Set PARLEY_KEY to an agent's API key.");

interface Me {
  telegram?: { bot_id: number | null; api_root: string };
}
const answer = await fetch(`${url}/api/agenthub/me`, { headers: { authorization: `Bearer ${key}` } });
const { telegram } = (await answer.json()) as Me;
if (telegram?.bot_id == null) throw new Error("The agent needs exactly one name, and the server PARLEY_TELEGRAM.");

const bot = new Bot(`${telegram.bot_id}:${key}`, { client: { apiRoot: telegram.api_root } });

bot.on("message:photo", (ctx) => {
  const { width, height } = ctx.message.photo.at(-1) ?? {};
  return ctx.reply(`The photo has ${width} × ${height} pixels.`, {
    reply_parameters: { message_id: ctx.message.message_id },
  });
});

bot.on("message:text", async (ctx) => {
  await ctx.replyWithChatAction("typing");
  const text = ctx.message.text.replace(`@${ctx.me.username}`, "").trim();
  await ctx.reply(`You said: <b>${text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)}</b>`, {
    parse_mode: "HTML",
    reply_parameters: { message_id: ctx.message.message_id },
  });
});

bot.catch(({ error }) => console.error(error));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void bot.stop());
await bot.start({ onStart: ({ username }) => console.log(`@${username} waits for messages.`) });
