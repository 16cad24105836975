import { expect, test } from "bun:test";
import type { InboxItem } from "@parley/protocol/inbox";
import { temporaryFolder } from "../support/config.ts";
import { killAround } from "../support/faults/kill-around.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { Client, signUp } from "../support/servers/test-server.ts";

/** Kill -9 between reading the inbox and its acknowledgement, and during it: nothing is lost, and nothing comes back. */
const KILLS = Number(process.env.PARLEY_TEST_INBOX_KILLS ?? 6);

test(`${KILLS} kills around an acknowledgement lose no item and bring none back`, async () => {
  await using server = new ChildServer(temporaryFolder(), freePort());
  const key = (await server.command("key", "issue", "--agent", "Scout")).match(/ply_\w+/)?.[0];
  await server.start();
  const ann = await signUp(server.url, "ann");
  const agent = new Client(server.url, { authorization: `Bearer ${key}` });
  const ids = async (): Promise<number[]> =>
    (await agent.get("/api/agenthub/inbox")).body.items.map(({ item_id }: InboxItem) => item_id);

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

    const acknowledge = () => agent.post("/api/agenthub/inbox/ack", { item_ids: pending });
    const answer = await killAround(server, kill * 1.2, acknowledge);
    const left = await ids();
    if (answer !== null) expect([answer.status, left]).toEqual([200, []]);
    // Both or none: one statement acknowledges them.
    else expect([0, 2]).toContain(left.length);
    await acknowledge();
    expect(await ids()).toEqual([]);
  }
});
