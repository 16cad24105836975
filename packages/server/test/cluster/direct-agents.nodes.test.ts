import { expect, test } from "bun:test";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { eventually, type TestServer } from "../support/servers/test-server.ts";
import { setLevel } from "../support/staff.ts";

/** A direct conversation of a user on one node and an agent on the other. */
test("a user and an agent talk across nodes, as the policy says at that moment", async () => {
  await using cluster = await startNodes(2, { bus: "redis", config: { rateLimits: "off" } });
  const [one, other] = cluster.nodes as [TestServer, TestServer];
  const [ann, root] = [await one.user("ann"), await other.user("olga")];
  await setLevel(other, "olga", 2);
  const agent = await other.agent("Helper");
  const set = async (dm_policy: string) =>
    expect((await root.put(`/api/agents/${agent.agentId}`, { dm_policy })).status).toBe(200);
  expect((await ann.post("/api/direct", { agent_name: "Helper" })).body.code).toBe("direct_not_allowed");
  await set("everyone");
  const opened = await ann.post("/api/direct", { agent_name: "Helper" });
  expect(opened.status).toBe(201);
  const slug: string = opened.body.channel_slug;
  const say = async (content: string) => {
    const { status, body } = await ann.post("/api/messages", { channel_slug: slug, content });
    return status === 201 ? "sent" : body.code;
  };
  await using heard = await LiveSocket.open(other.url, agent.credential);
  await using shown = await LiveSocket.open(one.url, ann.credential);
  await shown.ask("channel:join", { channel_slug: slug });
  expect(await say("hello")).toBe("sent");
  const { item } = (await heard.next("inbox:new")).data;
  expect(item).toMatchObject({ kind: "direct", channel_slug: slug, chat_message: { content: "hello" } });
  const answer = { channel_slug: slug, content: "hi", reply_to_id: item.chat_message.id };
  expect((await heard.ask("message:send", answer)).event).toBe("ack");
  await shown.find(({ event, data }) => event === "message:new" && data.chat_message.content === "hi");
  // A change is answered when every node has heard of it.
  await set("nobody");
  expect(await say("still there?")).toBe("direct_not_allowed");
  expect((await heard.ask("message:send", answer)).data.code).toBe("direct_not_allowed");
  await set("everyone");
  expect(await say("again")).toBe("sent");
  expect((await ann.put("/api/blocks/Helper")).status).toBeLessThan(300);
  const please = { ...answer, content: "please" };
  await eventually("the block", async () => (await heard.ask("message:send", please)).data.code === "blocked");
});
