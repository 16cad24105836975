import { expect, test } from "bun:test";
import { sendDue } from "../../src/scheduled/send-due.ts";
import { datedClock } from "../support/clock.ts";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { newChannel } from "../support/new-channel.ts";
import { Client, eventually } from "../support/servers/test-server.ts";

test("of nodes that send at once, one sends each message, and a ban on the other node counts", async () => {
  const clock = datedClock();
  await using cluster = await startNodes(2, { bus: "memory", overrides: { clock } });
  const [first, second] = cluster.nodes;
  if (first === undefined || second === undefined) throw new Error("The cluster has no nodes.");
  const [ann, ben] = [await first.user("ann"), await first.user("ben")];
  const { id } = await newChannel(ann);
  const send_at = new Date(clock.now() + 20_000).toISOString();
  const schedule = async (user: Client, content: string) => {
    expect((await user.post("/api/scheduled", { channel_id: id, content, send_at })).status).toBe(201);
  };
  const texts = Array.from({ length: 20 }, (_, n) => `number ${n}`);
  for (const content of texts) await schedule(ann, content);
  await schedule(ben, "never");
  const annOnSecond = new Client(second.url, ann.credential);
  expect((await annOnSecond.post(`/api/channels/${id}/bans`, { username: "ben" })).status).toBeLessThan(300);
  clock.ahead += 21_000;
  await Promise.all([sendDue(first.ctx), sendDue(second.ctx), sendDue(first.ctx)]);
  await eventually("none waits", async () => {
    const waiting = first.ctx.db.selectFrom("scheduled_messages").select("id").where("ended_at", "is", null);
    return (await waiting.execute()).length === 0;
  });
  const { messages } = (await annOnSecond.get(`/api/messages?channel_id=${id}&limit=100`)).body;
  expect(messages.map(({ content }: { content: string }) => content).toSorted()).toEqual(texts.toSorted());
  expect((await ben.get("/api/scheduled")).body.scheduled).toMatchObject([{ status: "failed", failure: "banned" }]);
});
