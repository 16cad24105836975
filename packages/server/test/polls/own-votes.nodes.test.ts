import { expect, test } from "bun:test";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { newChannel } from "../support/new-channel.ts";
import { sayId } from "../support/say.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { eventually } from "../support/servers/test-server.ts";

test("a voter's devices hear of their vote in an anonymous poll, also on another node, and nobody else does", async () => {
  await using cluster = await startNodes(2, { bus: "memory" });
  const [first, second] = cluster.nodes;
  if (first === undefined || second === undefined) throw new Error("The cluster has no nodes.");
  const [ann, ben] = [await first.user("ann"), await first.user("ben")];
  const { id, slug } = await newChannel(ann);
  await ben.post(`/api/channels/${id}/join`);
  const body = { channel_id: id, question: "Tea?", options: ["Green", "Black"], anonymous: true };
  const { message_id } = (await ann.post("/api/polls", body)).body;
  using own = await TestSocket.open(second.url, { cookie: ben.credential.cookie ?? "" });
  using other = await TestSocket.open(second.url, { cookie: ann.credential.cookie ?? "" });
  for (const socket of [own, other]) await socket.command("channel:join", { channel_id: id });
  const vote = (option_ids: number[]) => ben.put(`/api/polls/${message_id}/vote`, { option_ids });
  // A vote that changes nothing has no event.
  const votes = [[2], [1], [], [], [2]];
  for (const option_ids of votes) expect((await vote(option_ids)).status).toBe(200);
  const told = (socket: TestSocket) => socket.frames.flatMap(({ event, data }) => (event === "poll:voted" ? data : []));
  await eventually("its last vote is told", () => told(own).length === 4);
  const about = { channel_id: id, poll_id: message_id };
  expect(told(own)).toEqual([[2], [1], [], [2]].map((option_ids) => ({ ...about, option_ids })));
  // The socket of the other has got everything that was sent before this.
  await sayId(ann, slug, "That was it.");
  await other.next(({ event }) => event === "message:new");
  expect(told(other)).toEqual([]);
  expect(JSON.stringify(other.frames.filter(({ event }) => event === "poll:update"))).not.toContain("ben");
});
