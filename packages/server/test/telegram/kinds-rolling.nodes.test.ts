import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { unpackRelease } from "../../../../tools/release-folder.ts";
import { hasObject, readChangelog } from "../../../../tools/releases.ts";
import { temporaryFolder } from "../support/config.ts";
import { openPlace } from "../support/databases.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { RedisServer } from "../support/servers/redis-server.ts";
import { Client, eventually, signUp } from "../support/servers/test-server.ts";

/** The last release that can be a node of a cluster; until there is one, the commit of this clone takes its place. */
const former = (await readChangelog()).releases.find(({ commit }) =>
  hasObject(`${commit}:packages/server/src/cluster/cluster.ts`),
);
const { version, commit } = former ?? { version: "this commit, in place of a release", commit: "HEAD" };

let main = "";
beforeAll(async () => {
  main = await unpackRelease(commit, join(temporaryFolder(), "former"));
}, 4 * PATIENCE_MS);

test(`what is written through a node of ${version} becomes items and updates on a node of the head`, async () => {
  await using redis = await RedisServer.start();
  await using place = await openPlace();
  const env = {
    DATABASE_URL: place.url,
    REDIS_URL: redis.url,
    PARLEY_RATE_LIMITS: "off",
    PARLEY_AGENT_LOOP_LIMIT: "0",
    PARLEY_AGENTS_PER_USER: "5",
  };
  const { PARLEY_AGENTS_PER_USER: _, ...before } = env;
  await using old = new ChildServer(temporaryFolder(), freePort(), { ...before, PARLEY_NODE_NAME: "old" }, { main });
  await using head = new ChildServer(temporaryFolder(), freePort(), { ...env, PARLEY_NODE_NAME: "head" });
  await old.start();
  const ann = await signUp(old.url, "ann");
  await head.start();
  const onHead = new Client(head.url, ann.credential);
  const { code } = (await onHead.post("/api/agents/setup-codes", { agent_name: "Scout" })).body;
  const key = (await new Client(head.url).post("/api/agenthub/setup", { code })).body;
  const token: string = key.telegram.token;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into updates of any shape and fails where they differ.
  const ask = async (method: string, fields: object): Promise<any> => {
    const { status, body } = await new Client(head.url).post(`/telegram/bot${token}/${method}`, fields);
    if (status !== 200) throw new Error(`${method}: ${status} ${JSON.stringify(body)}`);
    return body.result;
  };
  const chat_id = "@general";
  expect((await onHead.put(`/api/agents/${key.agent_id}`, { telegram_privacy: false })).status).toBe(200);
  await ask("getUpdates", { allowed_updates: ["message", "edited_message", "message_reaction"] });
  const own = await ask("sendMessage", { chat_id, text: "Well?" });
  const agent = new Client(head.url, { authorization: `Bearer ${key.api_key}` });
  const post = async (content: string, more: object = {}): Promise<number> => {
    const { status, body } = await ann.post("/api/messages", { channel_slug: "general", content, ...more });
    expect(status).toBe(201);
    return body.message_id;
  };
  /**
   * Waits for so many items, and returns their kinds and messages. A node that knows the kinds looks for what others have
   * written once a minute, and when it writes into the channel itself, as here.
   */
  const seen = new Map<number, [kind: string, messageId: number | undefined]>();
  const kinds = async (count: number) => {
    await ask("sendMessage", { chat_id, text: "." });
    await eventually(`${count} items`, async () => {
      const { items } = (await agent.get("/api/agenthub/inbox")).body;
      for (const { item_id, kind, chat_message } of items) seen.set(item_id, [kind, chat_message?.id]);
      return seen.size >= count;
    });
    return [...seen.values()];
  };
  const reply = await post("Yes", { reply_to_id: own.message_id });
  expect(await kinds(1)).toEqual([["reply", reply]]);
  const plain = await post("just talk");
  expect(await kinds(2)).toEqual([
    ["reply", reply],
    ["message", plain],
  ]);
  expect((await ann.put(`/api/messages/${plain}`, { content: "just a talk" })).status).toBe(200);
  expect((await kinds(3)).at(-1)).toEqual(["edit", plain]);
  expect((await ann.put(`/api/messages/${own.message_id}/reactions/like`)).status).toBe(200);
  expect((await kinds(4)).at(-1)).toEqual(["reaction", own.message_id]);
  const mention = await post("@Scout bye");
  expect((await kinds(5)).at(-1)).toEqual(["mention", mention]);
  const updates: Record<string, { message_id: number; text?: string }>[] = await ask("getUpdates", {});
  expect(
    updates.map(({ update_id: _, ...update }) => Object.entries(update).map(([kind, of]) => [kind, of.message_id])[0]),
  ).toEqual([
    ["message", reply],
    ["message", plain],
    ["edited_message", plain],
    ["message_reaction", own.message_id],
    ["message", mention],
  ]);
});
