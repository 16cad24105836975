import { describe, expect, test } from "bun:test";
import { AgentScope, type KeyGrant } from "@parley/protocol/key-grants";
import { hashSecret, makeKey } from "../../src/agents/keys/key-format.ts";
import { termsOf } from "../../src/agents/keys/key-terms.ts";
import { insertKey } from "../../src/agents/keys/keys.store.ts";
import { issueKey } from "../../src/agents/keys/keys.ts";
import { METHODS } from "../../src/telegram/methods/catalog.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { say } from "../support/say.ts";
import { startTestServer } from "../support/servers/test-server.ts";
import { asBot, type TestBot, testBot } from "../support/telegram.ts";
import { type CallPlace, TELEGRAM_ROWS, type TelegramRow } from "../support/telegram-calls.ts";

/** Protocol §15.7: each method of the door with each refusal that applies to it. */
const server = await forAllTests(startTestServer({ rateLimits: "off", agentLoopLimit: 0 }));
const ann = await server.user("ann");
const rows = Object.entries(TELEGRAM_ROWS).filter(([name]) => METHODS.has(name));
const rowsOf = (...kinds: TelegramRow["kind"][]) => rows.filter(([, { kind }]) => kinds.includes(kind));
let made = 0;

interface Place extends CallPlace {
  readonly name: string;
}

/** A new bot in a new channel. */
async function place(): Promise<Place> {
  const name = `Bot${++made}`;
  const { agent_id: agentId, api_key: apiKey } = await issueKey(server.ctx, { agentName: name, ownerUsername: "ann" });
  const bot = await asBot(server, { agentId, apiKey });
  const { id } = await newChannel(ann, { pin_policy: "members" });
  return { bot, ann, id, name, chat_id: -(1_000_000_000_000 + id) };
}

/** Another key of a bot's agent, with limits. */
async function limited({ agentId }: TestBot, grant: KeyGrant): Promise<TestBot> {
  const { ctx } = server;
  const key = makeKey(ctx.clock);
  const terms = await termsOf(ctx, grant, { by: "operator", agent: null });
  const secret_hash = hashSecret(key.secret).toString("hex");
  await insertKey(ctx.db, { id: key.id, agent_id: agentId, secret_hash, created_at: ctx.clock.now(), ...terms });
  return asBot(server, { agentId, apiKey: key.text });
}

const fieldsOf = async ({ kind, fields }: TelegramRow, where: CallPlace): Promise<Record<string, unknown>> => ({
  ...(kind === "own" ? {} : { chat_id: where.chat_id }),
  ...(await fields?.(where)),
});

test("every method has a row", () => {
  expect([...METHODS.keys()].filter((name) => TELEGRAM_ROWS[name] === undefined)).toEqual([]);
});

type Refusal = [method: string, status: number, description: string | undefined, retryAfter?: unknown];

/** Makes the calls of these rows by a bot, all with fields from before `change`. Returns the answers. */
async function answersOf(where: CallPlace, calls: typeof rows, change: () => Promise<unknown>): Promise<Refusal[]> {
  const prepared: [string, Record<string, unknown>][] = [];
  for (const [name, row] of calls) prepared.push([name, await fieldsOf(row, where)]);
  await change();
  const answers: Refusal[] = [];
  for (const [name, fields] of prepared) {
    const { status, body } = await where.bot.call(name, fields);
    answers.push([name, status, body.description, body.parameters?.retry_after]);
  }
  return answers;
}

describe("with exactly the scopes that it needs, and without any of them", () => {
  const shared = forAllPlaces();
  test.each(rows)("%s", async (name, row) => {
    const where = await shared();
    const fields = await fieldsOf(row, where);
    for (const lacking of row.needs) {
      const others = AgentScope.enum.filter((scope) => scope !== lacking);
      const { status, body } = await (await limited(where.bot, { scopes: others })).call(name, fields);
      expect([lacking, status, body.description]).toEqual([lacking, 403, expect.stringMatching(/^Forbidden: \w/)]);
    }
    const scopes = row.needs.length === 0 ? ["react" as const] : [...row.needs];
    const { status, body } = await (await limited(where.bot, { scopes })).call(name, fields);
    if (row.refused === undefined) expect([status, body.ok, body.description]).toEqual([200, true, undefined]);
    else expect([status, body.description]).toEqual([400, `Bad Request: ${row.refused}`]);
  });
});

/** One place for the tests of a block. */
function forAllPlaces(): () => Promise<Place> {
  let found: Promise<Place> | undefined;
  return () => (found ??= place());
}

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

/** Changes that end the right to call, and how the door then answers. */
const ENDS: Record<
  string,
  {
    kinds: TelegramRow["kind"][];
    change(where: Place): Promise<unknown>;
    refused: [status: number, description: unknown, retryAfter?: unknown];
  }
> = {
  "the agent is banned from the channel": {
    kinds: ["send"],
    change: ({ id, name }) => ann.post(`/api/channels/${id}/bans`, { agent_name: name }),
    refused: [403, "Forbidden: bot was kicked from the supergroup chat"],
  },
  "the channel is deleted": {
    kinds: ["send", "change", "read"],
    change: ({ id }) => ann.delete(`/api/channels/${id}`),
    refused: [400, "Bad Request: chat not found"],
  },
  "agents may not write in the channel": {
    kinds: ["send"],
    change: ({ id }) => ann.put(`/api/channels/${id}`, { agent_policy: "deny" }),
    refused: [403, expect.stringMatching(/^Forbidden: \w/)],
  },
  "the agent is muted": {
    kinds: ["send"],
    change: ({ id, name }) => ann.put(`/api/channels/${id}/members/${name}`, { muted_until: inAnHour() }),
    refused: [403, expect.stringMatching(/^Forbidden: \w/)],
  },
  "the channel is in slow mode": {
    kinds: ["send"],
    async change({ id, bot, chat_id }) {
      await ann.put(`/api/channels/${id}`, { slow_mode_seconds: 60 });
      await bot.ask("sendMessage", { chat_id, text: "its turn" });
    },
    refused: [429, expect.stringMatching(/^Too Many Requests: retry after \d+$/), expect.any(Number)],
  },
  "the budget is exhausted": {
    kinds: ["send"],
    async change({ bot, chat_id }) {
      const path = `/api/agents/${bot.agentId}/budgets`;
      expect((await ann.put(path, { messages_per_day: 1 })).status).toBe(200);
      await bot.call("sendMessage", { chat_id, text: "the last one" });
    },
    refused: [403, expect.stringMatching(/^Forbidden: messages_per_day is exhausted until \d{4}-/)],
  },
};

test.each(Object.entries(ENDS))("when %s, every method that it concerns is refused", async (_, end) => {
  const where = await place();
  const calls = rowsOf(...end.kinds);
  const [status, description, retryAfter] = end.refused;
  expect(await answersOf(where, calls, () => end.change(where))).toEqual(
    calls.map(([name]) => [name, status, description, retryAfter]) as Refusal[],
  );
});

test("a key of another channel does not know the chat", async () => {
  const where = await place();
  const calls = rowsOf("send", "change", "read");
  const elsewhere = await limited(where.bot, { channels: ["general"] });
  for (const [name, row] of calls) {
    const { status, body } = await elsewhere.call(name, await fieldsOf(row, where));
    expect([name, status, body.description]).toEqual([name, 400, "Bad Request: chat not found"]);
  }
});

test("every method that sends is refused in a thread that was locked", async () => {
  const where = await place();
  const { message_id } = await say(ann, where.id, "a thread");
  const calls = rowsOf("send").filter(([name]) => name !== "createforumtopic");
  await ann.put(`/api/messages/${message_id}/thread`, { is_locked: true });
  for (const [name, row] of calls) {
    const fields = { ...(await fieldsOf(row, where)), message_thread_id: message_id };
    const { status, body } = await where.bot.call(name, fields);
    expect([name, status, body.description]).toEqual([name, 400, "Bad Request: TOPIC_CLOSED"]);
  }
});

test("every method that writes is refused in the conversation of a person who has blocked the bot", async () => {
  const { bot, name } = await place();
  await server.ctx.db.updateTable("agents").set({ dm_policy: "everyone" }).where("id", "=", bot.agentId).execute();
  const { channel } = (await ann.post("/api/direct", { agent_name: name })).body;
  await say(ann, channel.id, "hello");
  const chat_id = (await bot.ask("getUpdates")).at(-1).message.chat.id;
  const where = { bot, ann, chat_id, id: channel.id };
  // An own message may be deleted, and nobody locks a thread.
  const calls = rowsOf("send", "change").filter(([name, row]) => !name.startsWith("delete") && !row.refused);
  expect(await answersOf(where, calls, () => ann.put(`/api/blocks/${name}`))).toEqual(
    calls.map(([name]) => [name, 403, "Forbidden: bot was blocked by the user", undefined]) as Refusal[],
  );
});

test("the loop guard answers 429 without seconds, so that no library waits and sends what is out of date", async () => {
  await using guarded = await startTestServer({ rateLimits: "off", agentLoopLimit: 2 });
  const [bot, other] = [await testBot(guarded, "One"), await testBot(guarded, "Other")];
  const calls = { chat_id: "@general", text: "again" };
  for (const each of [bot, other, bot, other]) await each.call("sendMessage", calls);
  for (const name of ["sendMessage", "sendRichMessage", "sendMessageDraft", "createForumTopic"]) {
    const more = { name: "a", rich_message: { markdown: "a" }, draft_id: 1 };
    const { status, headers, body } = await bot.call(name, { ...calls, ...more });
    expect([name, status, body]).toEqual([
      name,
      429,
      {
        ok: false,
        error_code: 429,
        description: "Too Many Requests: agents have sent too many messages in a row here. A person must write next.",
      },
    ]);
    expect(headers.get("retry-after")).toBeNull();
  }
});
