import { expect, test } from "bun:test";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { newChannel } from "../support/new-channel.ts";
import { sayId } from "../support/say.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { Client } from "../support/servers/test-server.ts";

test("a device on another node hears what its user saves, and another node shows it with the rights of now", async () => {
  await using cluster = await startNodes(2, { bus: "memory" });
  const [first, second] = cluster.nodes;
  if (first === undefined || second === undefined) throw new Error("The cluster has no nodes.");
  const [ann, ben] = [await first.user("ann"), await first.user("ben")];
  const { id } = await newChannel(ann, { is_private: true });
  await ann.put(`/api/channels/${id}/members/ben`, {});
  const messageId = await sayId(ann, id, "between us");
  using device = await TestSocket.open(second.url, { cookie: ben.credential.cookie ?? "" });
  expect((await ben.put(`/api/saved/${messageId}`, {})).status).toBe(200);
  expect((await device.next(({ event }) => event === "saved:update")).data.message_id).toBe(messageId);
  const there = new Client(second.url, ben.credential);
  expect((await there.get("/api/saved")).body.saved).toMatchObject([{ chat_message: { content: "between us" } }]);
  await ann.delete(`/api/channels/${id}/members/ben`);
  expect((await there.get("/api/saved")).body.saved).toMatchObject([{ is_available: false, chat_message: null }]);
});
