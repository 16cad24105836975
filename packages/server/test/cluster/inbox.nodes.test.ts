import { describe, expect, test } from "bun:test";
import type { InboxItem } from "@parley/protocol/inbox";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { newChannel } from "../support/new-channel.ts";
import { Client, logIn, type TestServer } from "../support/servers/test-server.ts";

const CHANNELS = 6;
const MESSAGES = 40;

describe("the inbox of an agent in a cluster", () => {
  test("is read on after an id without a gap, while two nodes write, edit and remove the agent at once", async () => {
    await using cluster = await startNodes(2, { bus: "redis", config: { rateLimits: "off", agentLoopLimit: 0 } });
    const [one, other] = cluster.nodes as [TestServer, TestServer];
    const ann = await one.user("ann");
    const annThere = await logIn(other.url, "ann");
    const [helper, second] = [await one.agent("Helper"), await one.agent("Second")];
    const channels = [];
    for (let n = 0; n < CHANNELS; n += 1) channels.push(await newChannel(ann, { is_private: false }));

    const write = async (client: Client, { id, slug }: { id: number; slug: string }) => {
      for (let n = 0; n < MESSAGES; n += 1) {
        const sent = await client.post("/api/messages", { channel_id: id, content: `@Helper @Second ${n}` });
        expect(sent.status).toBe(201);
        if (n % 10 !== 0) continue;
        await helper.post("/api/agenthub/login", { channel_slug: slug, agent_name: "Helper" });
        await client.delete(`/api/channels/${id}/members/Helper`);
        const later = await client.post("/api/messages", { channel_id: id, content: "nobody" });
        const edit = { body: { content: "@Second @Helper edited" } };
        expect((await client.send("PUT", `/api/messages/${later.body.message_id}`, edit)).status).toBe(200);
      }
    };
    const read: number[] = [];
    let isWritten = false;
    const follow = async () => {
      const there = new Client(other.url, second.credential);
      for (let after = 0, isLast = false; !isLast; ) {
        isLast = isWritten;
        const { body } = await there.get(`/api/agenthub/inbox?limit=200&wait=1&after_item_id=${after}`);
        read.push(...body.items.map(({ item_id }: InboxItem) => item_id));
        after = body.last_item_id;
        isLast &&= body.remaining === 0;
      }
    };
    const following = follow();
    await Promise.all(channels.map((channel, n) => write(n % 2 === 0 ? ann : annThere, channel)));
    isWritten = true;
    await following;
    const stored = await one.ctx.db
      .selectFrom("mentions")
      .select("id")
      .where("agent_id", "=", second.agentId)
      .orderBy("id")
      .execute();
    expect(stored).toHaveLength(CHANNELS * (MESSAGES + MESSAGES / 10));
    expect(read).toEqual(stored.map(({ id }) => id));
  });
});
