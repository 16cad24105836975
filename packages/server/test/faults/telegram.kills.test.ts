import { expect, test } from "bun:test";
import { temporaryFolder } from "../support/config.ts";
import { killAround } from "../support/faults/kill-around.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { Client, eventually, signUp } from "../support/servers/test-server.ts";

/** Kill -9 between getUpdates and the offset that confirms, and during it: nothing is lost, and nothing comes back. */
const KILLS = 6;

test(`${KILLS} kills around a confirmation lose no update and bring none back`, async () => {
  await using server = new ChildServer(temporaryFolder(), freePort());
  const key = (await server.command("key", "issue", "--agent", "Scout")).match(/ply_\w+/)?.[0] ?? "";
  await server.start();
  const ann = await signUp(server.url, "ann");
  const agent = new Client(server.url, { authorization: `Bearer ${key}` });
  const { bot_id } = (await agent.get("/api/agenthub/me")).body.telegram;
  const bot = new Client(server.url);
  const poll = (offset?: number) =>
    bot.post(`/telegram/bot${bot_id}:${key}/getUpdates`, offset === undefined ? {} : { offset });
  const ids = async (): Promise<number[]> =>
    (await poll()).body.result.map(({ update_id }: { update_id: number }) => update_id);

  for (let kill = 0; kill < KILLS; kill += 1) {
    for (const part of ["one", "two"]) {
      const sent = await ann.post("/api/messages", { channel_slug: "general", content: `@Scout ${part} ${kill}` });
      expect(sent.status).toBe(201);
    }
    const pending = await ids();
    expect(pending).toHaveLength(2);
    await server.end("SIGKILL");
    await server.start();
    expect(await ids()).toEqual(pending);

    const offset = (pending.at(-1) ?? 0) + 1;
    const answer = await killAround(server, kill * 1.2, () => poll(offset));
    const left = await ids();
    if (answer !== null) expect([answer.status, left]).toEqual([200, []]);
    // Both or none: one statement confirms them.
    else expect([0, 2]).toContain(left.length);
    await poll(offset);
    expect(await ids()).toEqual([]);
  }
});

test(`${KILLS} kills while items are made lose none and make none twice`, async () => {
  await using server = new ChildServer(temporaryFolder(), freePort());
  const key = (await server.command("key", "issue", "--agent", "Scout")).match(/ply_\w+/)?.[0] ?? "";
  await server.start();
  const ann = await signUp(server.url, "ann");
  const agent = new Client(server.url, { authorization: `Bearer ${key}` });
  const place = { channel_slug: "general", agent_name: "Scout" };
  expect(
    (await agent.put("/api/agenthub/inbox/kinds", { kinds: ["message", "reply"], agent_name: "Scout" })).status,
  ).toBe(200);
  expect((await agent.post("/api/agenthub/login", place)).status).toBe(200);
  const own = (await agent.post("/api/agenthub/send", { ...place, message: "Well?" })).body.message_id;

  const sent: number[] = [];
  const items = async (): Promise<{ kind: string; chat_message: { id: number } }[]> =>
    (await agent.get("/api/agenthub/inbox?limit=200")).body.items;
  for (let kill = 0; kill < KILLS; kill += 1) {
    for (const reply of [{}, { reply_to_id: own }]) {
      const { body } = await ann.post("/api/messages", { channel_slug: "general", content: `${kill}`, ...reply });
      sent.push(body.message_id);
    }
    // Items are made some tenths of a second later: most kills come before, some during, some after.
    await killAround(server, kill * 60, async () => items());
  }
  await eventually("all items are made", async () => (await items()).length >= sent.length);
  const made = await items();
  expect(made.map(({ chat_message }) => chat_message.id)).toEqual(sent);
  expect(made.map(({ kind }) => kind)).toEqual(sent.map((_, at) => (at % 2 === 0 ? "message" : "reply")));
});
