import { expect, test } from "bun:test";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { expectError } from "../support/expect-error.ts";
import { newChannel } from "../support/new-channel.ts";
import { sayId } from "../support/say.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { Client } from "../support/servers/test-server.ts";

test("messages are forwarded both ways at once on two nodes, and each node knows the rights of now", async () => {
  await using cluster = await startNodes(2, { bus: "memory" });
  const [first, second] = cluster.nodes;
  if (first === undefined || second === undefined) throw new Error("The cluster has no nodes.");
  const [ann, ben] = [await first.user("ann"), await first.user("ben")];
  const there = new Client(second.url, ben.credential);
  const [one, two] = [await newChannel(ann), await newChannel(ann)];
  const [inOne, inTwo] = [await sayId(ann, one.id, "in one"), await sayId(ann, two.id, "in two")];
  using device = await TestSocket.open(second.url, { cookie: ben.credential.cookie ?? "" });
  await device.command("channel:join", { channel_id: one.id });
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => [
      ann.post(`/api/messages/${inOne}/forward`, { channel_id: two.id, comment: `${n}` }),
      there.post(`/api/messages/${inTwo}/forward`, { channel_id: one.id, comment: `${n}` }),
    ]).flat(),
  );
  expect(answers.map(({ body }) => body.code ?? null).filter(Boolean)).toEqual([]);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  const made = answers.at(-1)?.body.message_id;
  await device.next(({ event, data }) => event === "message:new" && data.chat_message.id === made);
  expect((await there.get(`/api/forwards?message_ids=${made}`)).body.sources).toMatchObject([
    { chat_message: { id: inTwo } },
  ]);
  await ann.put(`/api/channels/${two.id}`, { is_private: true });
  await ann.delete(`/api/channels/${two.id}/members/ben`);
  expect((await there.get(`/api/forwards?message_ids=${made}`)).body.sources).toEqual([]);
  expectError(await there.post(`/api/messages/${inTwo}/forward`, { channel_id: one.id }), 404, "message_not_found");
});
