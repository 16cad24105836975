import { describe, expect, test } from "bun:test";
import { issueKey } from "../../src/agents/keys/keys.ts";
import { METHODS, UNAVAILABLE } from "../../src/telegram/methods/catalog.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { Client, startTestServer } from "../support/servers/test-server.ts";
import { asBot, testBot } from "../support/telegram.ts";

/** Protocol §15.1, §15.7: what the door refuses, and in which words. */
const server = await forAllTests(startTestServer({ rateLimits: "off", agentLoopLimit: 0 }));
const ann = await server.user("ann");
const bot = await testBot(server, "Helper");
const client = new Client(server.url);
const chat_id = -1_000_000_000_001;

test("every wrong token is 401, and an address that does not exist 404, in Telegram's shape", async () => {
  const other = await testBot(server, "Other");
  const wrong = [
    "1:abc",
    "x",
    ":",
    bot.apiKey,
    `${bot.userId}:`,
    `${bot.userId}:${bot.apiKey}x`,
    `${other.userId}:${bot.apiKey}`,
    `${bot.userId + 999}:${bot.apiKey}`,
    `99999999999999999999:${bot.apiKey}`,
  ];
  for (const token of wrong) {
    const { status, body } = await client.post(`/telegram/bot${token}/getMe`, {});
    expect([token, status, body]).toEqual([token, 401, { ok: false, error_code: 401, description: "Unauthorized" }]);
  }
  const missing = { ok: false, error_code: 404, description: "Not Found" };
  for (const path of ["/telegram/x", "/telegram/bot", `/telegram/bot${bot.token}`, `/telegram/bot${bot.token}/`]) {
    const { status, body } = await client.get(path);
    expect([path, status, body]).toEqual([path, 404, missing]);
  }
});

test("an address is read without regard to case, double slashes and percent-encoding", async () => {
  for (const path of [
    `/telegram/bot${bot.token}/GETME`,
    `/telegram//bot${bot.token}/getMe`,
    `/telegram/bot${bot.token.replace(":", "%3A").replaceAll("_", "%5F")}/getMe`,
  ]) {
    const { status, headers, body } = await client.get(path, { headers: { cookie: "parley_session=x" } });
    expect([path, status, body.result?.id]).toEqual([path, 200, bot.userId]);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  }
  const head = await client.send("HEAD", `/telegram/bot${bot.token}/getMe`);
  expect(head.status).toBe(405);
  for (const method of ["PUT", "DELETE"])
    expect((await client.send(method, `/telegram/bot${bot.token}/getMe`)).status).toBe(405);
});

test("fields come from the query, JSON, a form or multipart, and unknown ones are named", async () => {
  const path = `/telegram/bot${bot.token}/sendMessage`;
  const form = new FormData();
  form.set("chat_id", String(chat_id));
  form.set("text", "by multipart");
  const answers = [
    await client.get(`${path}?chat_id=${chat_id}&text=by+query&disable_notification=false`),
    await client.post(path, { chat_id: String(chat_id), text: "by JSON", unheard: 1 }),
    await client.send("POST", path, {
      raw: `chat_id=${chat_id}&text=by%20form`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    }),
    await client.send("POST", path, { raw: form }),
  ];
  expect(answers.map(({ body }) => body.result?.text)).toEqual(["by query", "by JSON", "by form", "by multipart"]);
  expect(answers[1]?.headers.get("x-ignored")).toBe("unheard");
});

test("a body may be packed with gzip, as Telegraf packs it on Bun, and is no larger when it is unpacked", async () => {
  const headers = { "content-type": "application/json", "content-encoding": "gzip" };
  const send = (fields: object) =>
    client.send("POST", `/telegram/bot${bot.token}/sendMessage`, {
      raw: Bun.gzipSync(new TextEncoder().encode(JSON.stringify({ chat_id, ...fields }))),
      headers,
    });
  expect((await send({ text: "packed" })).body.result?.text).toBe("packed");
  expect((await send({ text: "a".repeat(1_000_000) })).status).toBe(413);
});

test("a body of null has no fields: telebot sends it", async () => {
  const headers = { "content-type": "application/json" };
  const { status, body } = await client.send("POST", `/telegram/bot${bot.token}/getMe`, { raw: "null", headers });
  expect([status, body.result?.id]).toEqual([200, bot.userId]);
});

test("PARLEY_TELEGRAM=false closes the door", async () => {
  await using closed = await startTestServer({ telegram: false });
  const key = await closed.agent("Helper");
  const answer = await new Client(closed.url).get(`/telegram/bot7000000001:${key.apiKey}/getMe`);
  expect([answer.status, answer.body.description]).toEqual([404, "Not Found"]);
  const ann = await closed.user("ann");
  const { code } = (await ann.post("/api/agents/setup-codes", { agent_name: "Scout" })).body;
  const claimed = await closed.guest.post("/api/agenthub/setup", { code });
  expect([claimed.status, claimed.body.telegram]).toEqual([201, undefined]);
  const own = await ann.get(`/api/agents/${claimed.body.agent_id}/telegram`);
  expect(own.body).toEqual({ success: true, agent_id: claimed.body.agent_id, telegram: null });
});

describe("a method that the door lacks", () => {
  test.each([...UNAVAILABLE.values()])("%s", async (name) => {
    const { status, body } = await bot.call(name, {});
    expect([status, body.description]).toEqual([400, `Bad Request: method is not available on this server: ${name}`]);
  });
  test("is 404 if Telegram lacks it, too", async () => {
    const { status, body } = await bot.call("makeCoffee", {});
    expect([status, body.description]).toEqual([404, "Not Found: method not found"]);
  });
});

/** Methods that need no chat. */
const PLACELESS =
  /^(get(me|updates|my\w+|file|userprofilephotos|chatmenubutton|webhookinfo)|set(my\w+|chatmenubutton|webhook)|deletemycommands|deletewebhook|logout|close|answercallbackquery)$/;
const IN_CHAT = [...METHODS.keys()].filter((name) => !PLACELESS.test(name));

describe("every method with a chat", () => {
  const calls = { message_id: 1, user_id: 5_000_000_001, text: "a", name: "a", action: "typing", message_thread_id: 9 };
  test.each(IN_CHAT)("%s names a missing, wrong or foreign chat", async (name) => {
    const secret = await newChannel(ann, { is_private: true });
    for (const chat of [
      1,
      "x",
      "@nowhere",
      5_000_000_001,
      7_000_000_001,
      -999_999,
      -1_000_000_999_999,
      secret.id * -1,
    ]) {
      const { status, body } = await bot.call(name, { ...calls, chat_id: chat, from_chat_id: chat });
      expect([chat, status, body.description]).toEqual([chat, 400, "Bad Request: chat not found"]);
    }
    const { body } = await bot.call(name, calls);
    expect(body.description).toBe("Bad Request: chat_id is empty");
  });
});

describe("every method", () => {
  const KEYS = ["revoked", "paused", "expired"] as const;
  test.each(KEYS)("refuses a key that is %s", async (state) => {
    const { agentId, apiKey, keyId } = await server.agent(`Bot ${state}`);
    const ended = await asBot(server, { agentId, apiKey });
    const { db } = server.ctx;
    const past = server.ctx.clock.now() - 1;
    if (state === "paused") await db.updateTable("agents").set({ paused: 1 }).where("id", "=", agentId).execute();
    else
      await db
        .updateTable("api_keys")
        .set({ revoked_at: past, ...(state === "expired" ? { expires_at: past } : {}) })
        .where("id", "=", keyId)
        .execute();
    for (const name of METHODS.keys()) {
      const { status, body } = await ended.call(name, { chat_id, text: "a" });
      const [expected, description] = state === "paused" ? [403, "Forbidden: "] : [401, "Unauthorized"];
      expect([name, status, body.ok, body.error_code]).toEqual([name, expected, false, expected]);
      expect(body.description).toStartWith(description);
    }
  });

  test("refuses a key without the scope that it needs", async () => {
    const { api_key, agent_id } = await issueKey(server.ctx, {
      agentName: "Mute",
      ownerUsername: "ann",
      grant: { scopes: ["react"] },
    });
    const mute = await asBot(server, { agentId: agent_id, apiKey: api_key });
    for (const name of ["getUpdates", "sendMessage", "sendChatAction", "getChat", "getChatMemberCount"]) {
      const { status, body } = await mute.call(name, { chat_id, text: "a", action: "typing" });
      expect([name, status, body.description]).toEqual([name, 403, expect.stringMatching(/^Forbidden: /)]);
    }
    expect((await mute.ask("getMe")).id).toBe(mute.userId);
  });
});

test("texts are refused in Telegram's words", async () => {
  const refused = async (fields: object) => {
    const { status, body } = await bot.call("sendMessage", { chat_id, ...fields });
    return [status, body.description];
  };
  expect(await refused({ text: "x".repeat(4_097) })).toEqual([400, "Bad Request: message is too long"]);
  expect(await refused({ text: "" })).toEqual([400, "Bad Request: message text is empty"]);
  expect(await refused({ text: " \n" })).toEqual([400, "Bad Request: message text is empty"]);
  expect(await refused({ text: "a.b", parse_mode: "MarkdownV2" })).toEqual([
    400,
    "Bad Request: can't parse entities: Character '.' is reserved and must be escaped with the preceding '\\'",
  ]);
  expect(await refused({ text: "é *b", parse_mode: "MarkdownV2" })).toEqual([
    400,
    "Bad Request: can't parse entities: Can't find end of Bold entity at byte offset 3",
  ]);
  expect(await refused({ text: "<x>a</x>", parse_mode: "HTML" })).toEqual([
    400,
    'Bad Request: can\'t parse entities: Unsupported start tag "x" at byte offset 0',
  ]);
  expect(await refused({ text: "<b>a", parse_mode: "HTML" })).toEqual([
    400,
    "Bad Request: can't parse entities: Can't find end tag corresponding to start tag \"b\"",
  ]);
  expect(await refused({ text: "a", reply_parameters: { message_id: 999_999 } })).toEqual([
    400,
    "Bad Request: message to be replied not found",
  ]);
  expect((await refused({ text: "a", entities: "[1" }))[0]).toBe(400);
  const long = "_".repeat(4_096);
  expect((await bot.ask("sendMessage", { chat_id, text: long })).text).toBe(long);
  const lenient = { message_id: 999_999, allow_sending_without_reply: true };
  expect(
    (await bot.ask("sendMessage", { chat_id, text: "b", reply_parameters: lenient })).reply_to_message,
  ).toBeUndefined();
});

test("others' messages, files that do not exist and pins are refused", async () => {
  const sent = await ann.post("/api/messages", { channel_slug: "general", content: "mine" });
  const { message_id } = sent.body;
  const descriptions = [
    await bot.call("deleteMessage", { chat_id, message_id }),
    await bot.call("editMessageText", { chat_id, message_id, text: "b" }),
    await bot.call("getFile", { file_id: "f999999" }),
    await bot.call("getFile", { file_id: "AgAC" }),
    await bot.call("sendPhoto", { chat_id, photo: "f999999" }),
    await bot.call("sendPhoto", { chat_id }),
    await bot.call("pinChatMessage", { chat_id, message_id }),
  ].map(({ body }) => body.description);
  expect(descriptions).toEqual([
    "Bad Request: message can't be deleted",
    "Bad Request: message can't be edited",
    "Bad Request: invalid file_id",
    "Bad Request: invalid file_id",
    "Bad Request: invalid file_id",
    "Bad Request: there is no photo in the request",
    "Bad Request: not enough rights to manage pinned messages in the chat",
  ]);
});
