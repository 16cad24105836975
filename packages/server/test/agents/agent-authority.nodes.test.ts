import { expect, test } from "bun:test";
import { startNodes } from "../support/cluster/start-nodes.ts";
import type { TestServer } from "../support/servers/test-server.ts";

test("a demoted admin is a member at once on every node", async () => {
  await using cluster = await startNodes(2, { bus: "redis" });
  const [one, two] = cluster.nodes;
  if (one === undefined || two === undefined) throw new Error("Two nodes were started.");
  const [owner, admin] = [await one.user("olga"), await one.user("adam")];
  const agent = await one.agent("Helper");
  const made = await owner.post("/api/channels", { name: "cluster", is_private: false });
  const { channel_id, channel_slug } = made.body;
  const isAdmin = (role: string) => owner.put(`/api/channels/${channel_id}/members/adam`, { role });
  const said = await admin.post("/api/messages", { channel_id, content: "hello" });
  expect(said.status).toBe(201);
  const authorityOn = async (node: TestServer) => {
    const answer = await fetch(`${node.url}/api/agenthub/messages?channel_slug=${channel_slug}`, {
      headers: agent.credential,
    });
    const { messages } = (await answer.json()) as { messages: { authority?: string }[] };
    return messages.map(({ authority }) => authority);
  };
  for (const role of ["admin", "member", "admin", "member"]) {
    expect((await isAdmin(role)).status).toBe(200);
    const expected = role === "admin" ? "channel_admin" : "member";
    expect([await authorityOn(two), await authorityOn(one)]).toEqual([[expected], [expected]]);
  }
});
