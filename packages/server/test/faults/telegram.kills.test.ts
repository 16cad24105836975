import { expect, test } from "bun:test";
import { temporaryFolder } from "../support/config.ts";
import { killAround } from "../support/faults/kill-around.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { Client, signUp } from "../support/servers/test-server.ts";

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
}, 240_000);
