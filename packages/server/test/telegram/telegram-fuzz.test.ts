import { expect, test } from "bun:test";
import fc from "fast-check";
import { issueKey } from "../../src/agents/keys/keys.ts";
import { METHODS, UNAVAILABLE } from "../../src/telegram/methods/catalog.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { say } from "../support/say.ts";
import { Client, startTestServer } from "../support/servers/test-server.ts";
import { asBot, testBot } from "../support/telegram.ts";
import { telegramValues } from "../support/telegram-values.ts";

/** Protocol §15.7: no call fails with 5xx, whatever is sent, and every answer has Telegram's form. */
const server = await forAllTests(startTestServer({ rateLimits: "off", agentLoopLimit: 0, egressAllow: ["127.0.0.1"] }));
const ann = await server.user("ann");
const bot = await testBot(server, "Fuzzed");
const client = new Client(server.url);
const room = await newChannel(ann);
const chat_id = -(1_000_000_000_000 + room.id);
const { message_id: theirs } = await say(ann, room.slug, "**theirs** @Fuzzed");
const { message_id: mine } = await bot.ask("sendMessage", { chat_id, text: "mine" });
const form = new FormData();
form.set("chat_id", String(chat_id));
form.set("document", new File(["bytes"], "a.txt"));
const { body } = await client.send("POST", `/telegram/bot${bot.token}/sendDocument`, { raw: form });
const fileId: string = body.result.document.file_id;
const reader = await issueKey(server.ctx, { agentName: "Reader", grant: { scopes: ["read", "inbox"] } });
const limited = await asBot(server, { agentId: reader.agent_id, apiKey: reader.api_key });

const VALUES = telegramValues({ chat_id, room, mine, theirs, fileId, botId: bot.userId });
// A poll would wait for its time.
const NAMES = [...METHODS.keys(), ...UNAVAILABLE.keys(), "makeCoffee", "__proto__"];

function judge(what: string, status: number, answer: { ok?: unknown; error_code?: unknown; description?: unknown }) {
  const isRight =
    status < 400
      ? answer.ok === true
      : answer.ok === false && answer.error_code === status && typeof answer.description === "string";
  if (status >= 500 || !isRight) throw new Error(`${what}: ${status} ${JSON.stringify(answer)}`);
}

test("no parameters make a method fail with 5xx", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...NAMES),
      VALUES,
      fc.constantFrom("own", "own", "own", "limited"),
      fc.boolean(),
      async (name, fields, who, isPlaced) => {
        const caller = who === "own" ? bot : limited;
        const { status, body } = await caller.call(name, { ...fields, ...(isPlaced ? { chat_id } : {}) });
        judge(name, status, body);
      },
    ),
    { numRuns: 900 },
  );
});

const TYPES = [
  "application/json",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "multipart/form-data",
  "text/plain",
  "",
  "application/json; charset=utf-16",
];
const RAW = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc
    .array(
      fc.constantFrom(
        "--x",
        "--x--",
        "\r\n",
        "\n\n",
        'Content-Disposition: form-data; name="text"',
        '; filename="a"',
        "chat_id=1",
        "&",
        "%",
        "%ff",
        "=",
        "{",
        "}",
        '"a":1',
        "\0",
        "ÿ",
      ),
      { maxLength: 25 },
    )
    .map((parts) => new TextEncoder().encode(parts.join(""))),
);
const PATHS = fc.oneof(
  fc.constantFrom(
    "getMe",
    "sendMessage",
    "sendPhoto",
    "getUpdates?offset=x",
    "getMe/",
    "//getMe",
    "%2e%2e/getMe",
    "getMe%00",
    "getMe?a=%ff",
    "sendMessage?text=%00&chat_id=1",
  ),
  fc.webPath(),
);

test("no body, type, path or token makes the door fail with 5xx", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...TYPES),
      RAW,
      PATHS,
      fc.constantFrom("", "file/"),
      fc.constantFrom("own", "own", "cut", "encoded", "other"),
      fc.constantFrom("POST", "POST", "GET", "PUT", "DELETE", "OPTIONS"),
      fc.constantFrom("", "", "gzip", "br", "identity"),
      async (type, raw, path, prefix, token, method, encoding) => {
        const tokens = {
          own: bot.token,
          cut: bot.token.slice(0, -3),
          encoded: encodeURIComponent(bot.token),
          other: "7:x",
        };
        const headers = {
          ...(type === "" ? {} : { "content-type": type }),
          ...(encoding === "" ? {} : { "content-encoding": encoding }),
        };
        const url = `${server.url}/telegram/${prefix}bot${tokens[token as keyof typeof tokens]}/${path}`;
        const response = await fetch(url, {
          method,
          headers,
          ...(method === "GET" ? {} : { body: new Uint8Array(raw) }),
        });
        const text = await response.text();
        if (response.status >= 500) throw new Error(`${method} ${path} ${type}: ${response.status} ${text}`);
        const isTelegram =
          (method === "GET" || method === "POST") && response.headers.get("content-type")?.includes("json") === true;
        if (isTelegram && !text.includes('"ok":'))
          throw new Error(`${method} ${path} ${type}: ${response.status} ${text}`);
      },
    ),
    { numRuns: 500 },
  );
});

test("the bot is still whole", async () => {
  await bot.ask("deleteWebhook");
  expect((await bot.ask("getMe")).id).toBe(bot.userId);
  expect((await bot.ask("sendMessage", { chat_id, text: "still here" })).text).toBe("still here");
});
