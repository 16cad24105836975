import { afterAll, describe, expect, test } from "bun:test";
import { countAgentStreams } from "../../src/agents/events/open-stream-limits.ts";
import { METHODS } from "../../src/telegram/methods/catalog.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { sayId } from "../support/say.ts";
import { Client, eventually, startTestServer } from "../support/servers/test-server.ts";
import { testBot } from "../support/telegram.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

/** Protocol §15: what hostile or careless bots send. */
const server = await forAllTests(
  startTestServer({ rateLimits: "off", agentLoopLimit: 0, fileMaxMib: 1, egressAllow: ["127.0.0.0/8"] }),
);
const ann = await server.user("ann");
const bot = await testBot(server, "Rude");
const chat_id = -1_000_000_000_001;
const MIB = 1024 * 1024;

const own = async (): Promise<number> => (await bot.ask("sendMessage", { chat_id, text: "mine" })).message_id;
const withFile = async (method: string, field: string, file: File, more: Record<string, string> = {}) => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ chat_id: String(chat_id), ...more })) form.set(name, value);
  form.set(field, file);
  return new Client(server.url).send("POST", `/telegram/bot${bot.token}/${method}`, { raw: form });
};

const FILE_METHODS = [...METHODS.keys()].filter((name) =>
  /^send(photo|document|video|audio|voice|animation|videonote|sticker)$/.test(name),
);
const fieldOf = (method: string) => (method === "sendvideonote" ? "video_note" : method.slice("send".length));

describe.each(FILE_METHODS)("%s refuses", (method) => {
  test("a file over the limit, an empty one, and a long or broken caption", async () => {
    const field = fieldOf(method);
    const small = new File(["bytes"], "a.bin");
    const answers = [
      await withFile(method, field, new File([new Uint8Array(MIB + 1)], "large.bin")),
      await withFile(method, field, new File([new Uint8Array(3 * MIB)], "larger.bin")),
      await withFile(method, field, new File([], "empty.bin")),
      await withFile(method, field, small, { caption: "x".repeat(1_025) }),
      await withFile(method, field, small, { caption: "*a", parse_mode: "MarkdownV2" }),
      await withFile(method, field, small, { caption: "a", caption_entities: "[{]" }),
      await withFile(method, field, small, { caption: "a", parse_mode: "BBCode" }),
    ];
    expect(answers.map(({ status, body }) => [status, body.description])).toEqual([
      [413, "Request Entity Too Large"],
      [413, "Request Entity Too Large"],
      [400, "Bad Request: file must be non-empty"],
      [400, "Bad Request: message caption is too long"],
      [400, "Bad Request: can't parse entities: Can't find end of Bold entity at byte offset 0"],
      [400, "Bad Request: can't parse caption_entities JSON object"],
      [400, "Bad Request: unsupported parse_mode"],
    ]);
  });
});

describe.each(["sendMessage", "editMessageText", "sendMessageDraft"])("%s refuses", (method) => {
  const refused = async (fields: Record<string, unknown>) => {
    const { status, body } = await bot.call(method, { chat_id, message_id: await own(), draft_id: 1, ...fields });
    return [status, body.description];
  };
  test.each([
    [{ text: "x".repeat(4_097) }, "message is too long"],
    [{ text: `<b>${"x".repeat(4_097)}</b>`, parse_mode: "HTML" }, "message is too long"],
    [{ text: "[a](b", parse_mode: "MarkdownV2" }, "can't parse entities: "],
    [{ text: "a_b", parse_mode: "Markdown" }, "can't parse entities: "],
    [{ text: "<a>", parse_mode: "HTML" }, "can't parse entities: "],
    [{ text: "a", parse_mode: "RTF" }, "unsupported parse_mode"],
    [{ text: "a", entities: 7 }, "can't parse MessageEntity: expected an Array"],
    [{ text: "a", entities: [null] }, "can't parse MessageEntity: expected an Object"],
    [{ text: "a", entities: [{ type: "bold" }] }, "can't parse MessageEntity: it needs type, offset and length"],
    [{ text: "a", entities: [{ type: "bold", offset: -1, length: 1 }] }, "can't parse MessageEntity: "],
    [{ text: { a: 1 } }, 'field "text" must be of type String'],
  ])("%j", async (fields, reason) => {
    const [status, description] = await refused(fields);
    expect([status, description]).toEqual([400, expect.stringContaining(`Bad Request: ${reason}`)]);
  });

  test("no entities that reach outside of the text", async () => {
    const huge = [{ type: "bold", offset: 2, length: 2 ** 40 }];
    expect(
      (await bot.call(method, { chat_id, message_id: await own(), draft_id: 1, text: "a bold", entities: huge }))
        .status,
    ).toBe(200);
  });
});

test("of ten pollers the newest gets the update, and the others end one by one", async () => {
  const name = "Hydra";
  const hydra = await testBot(server, name);
  const ending = new AbortController();
  const url = `${hydra.apiRoot}/bot${hydra.token}/getUpdates?timeout=50`;
  const statuses: number[] = [];
  const polls: Promise<Response>[] = [];
  for (let count = 0; count < 10; count += 1) {
    const poll = fetch(url, { signal: ending.signal });
    polls.push(poll);
    void poll.then(({ status }) => statuses.push(status)).catch(() => {});
    if (count === 8) await eventually("nine wait", () => countAgentStreams(server.ctx) > 8 || statuses.length > 0);
  }
  await eventually("one is refused", () => statuses.length > 0);
  expect(statuses).toEqual([409]);
  const id = await sayId(ann, "general", `@${name} hi`);
  const newest = (await (await polls.at(-1))?.json()) as { result: { message: { message_id: number } }[] };
  expect(newest.result[0]?.message.message_id).toBe(id);
  ending.abort();
});

test("a receiver that never answers stops neither other bots nor its own removal", async () => {
  const hung = Bun.serve({
    port: 0,
    hostname: "127.0.0.2",
    fetch: () => new Promise<Response>(() => {}),
    idleTimeout: 0,
  });
  afterAll(() => hung.stop(true));
  using receiver = new WebhookReceiver();
  const silent = [await testBot(server, "Silent1"), await testBot(server, "Silent2"), await testBot(server, "Silent3")];
  const prompt = await testBot(server, "Prompt");
  for (const each of silent) await each.ask("setWebhook", { url: `http://127.0.0.2:${hung.port}/` });
  await prompt.ask("setWebhook", { url: receiver.url });
  await sayId(ann, "general", "@Silent1 @Silent2 @Silent3 are you there?");
  await eventually("they are called", () => hung.pendingRequests >= 2);
  const id = await sayId(ann, "general", "@Prompt and you?");
  await eventually("the other bot is called", () => receiver.received.length > 0);
  expect(JSON.parse(receiver.received[0]?.text ?? "{}").message.message_id).toBe(id);
  for (const each of silent) {
    expect(await each.ask("getWebhookInfo")).toMatchObject({ pending_update_count: 1 });
    expect(await each.ask("deleteWebhook")).toBe(true);
    expect(await each.ask("getUpdates")).toHaveLength(1);
  }
});

test("a hundred long hostile texts are one answer, in which what does not fit is plain", async () => {
  const victim = await testBot(server, "Victim");
  for (let count = 0; count < 100; count += 1) await sayId(ann, "general", `@Victim ${"**a*".repeat(990)}`);
  const updates = await victim.ask("getUpdates");
  expect(updates).toHaveLength(100);
  expect(updates.at(-1).message.text).toStartWith("@Victim **a*");
});
