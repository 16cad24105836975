import { expect, test } from "bun:test";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { newChannel } from "../support/new-channel.ts";
import { say } from "../support/say.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { Client, eventually } from "../support/servers/test-server.ts";

test("`@here` reaches who is online on the other node, once, and the channel's rate counts on both", async () => {
  await using cluster = await startNodes(2, { bus: "redis", config: { rateLimits: "on", rateFactor: 1 } });
  const [first, second] = cluster.nodes;
  if (first === undefined || second === undefined) throw new Error("The cluster has no nodes.");
  const [ann, ben, cleo] = [await first.user("ann"), await first.user("ben"), await first.user("cleo")];
  const { id } = await newChannel(ann);
  for (const user of [ben, cleo]) await user.post(`/api/channels/${id}/join`);
  const join = async (url: string, user: Client) => {
    const socket = await TestSocket.open(url, { cookie: user.credential.cookie ?? "" });
    expect((await socket.command("channel:join", { channel_id: id })).data.success).toBe(true);
    return socket;
  };
  using far = await join(second.url, ben);
  await eventually("the first node knows", async () => {
    const { users } = (await ann.get(`/api/channels/${id}/online`)).body;
    return users.some(({ name }: { name: string }) => name === "ben");
  });
  const said = await say(ann, id, "@here");
  const heard = await far.next(({ event }) => event === "notification:new");
  expect(heard.data.notification).toMatchObject({ kind: "mention", message_id: said.message_id });
  const mentions = async (user: Client) =>
    (await user.get("/api/notifications")).body.notifications.filter(
      ({ kind }: { kind: string }) => kind === "mention",
    );
  expect(await mentions(ben)).toHaveLength(1);
  expect(await mentions(cleo)).toEqual([]);
  const callers = [ben, cleo, await first.user("dan"), await first.user("eve")];
  const codes: string[] = [];
  for (const node of [first, second, first])
    for (const user of callers) {
      const body = { channel_id: id, content: "@here" };
      codes.push((await new Client(node.url, user.credential).post("/api/messages", body)).body.code ?? "sent");
    }
  // With the first one, the channel has had its ten.
  expect(codes).toEqual([...Array(9).fill("sent"), ...Array(3).fill("here_rate_limited")]);
});
