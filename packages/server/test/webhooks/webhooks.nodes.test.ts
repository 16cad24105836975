import { expect, test } from "bun:test";
import { webhookSender } from "../../src/webhooks/start.ts";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { eventually } from "../support/servers/test-server.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

const EVENTS = 40;

/** Guarantees P25 on two nodes that both believe for a moment that webhooks are their duty. */
test("two nodes that send at the same time make one delivery of each event, send it once and in order", async () => {
  using receiver = new WebhookReceiver();
  const config = { egressAllow: ["127.0.0.0/8"] };
  await using cluster = await startNodes(2, { bus: "memory", config });
  const [first, second] = cluster.nodes;
  if (first === undefined || second === undefined) throw new Error("The cluster has no nodes.");
  const ann = await first.user("ann");
  const { channel_id } = (await ann.post("/api/channels", { name: "Room" })).body;
  await ann.post("/api/webhooks", { url: receiver.url, events: ["message.new"], channel_id });
  const sending = (async () => {
    for (let nth = 0; nth < EVENTS; nth++) await ann.post("/api/messages", { channel_id, content: `${nth}` });
  })();
  await eventually(
    "all arrive",
    async () => {
      await Promise.all(cluster.nodes.map(({ ctx }) => webhookSender(ctx).pass()));
      return receiver.received.length >= EVENTS;
    },
    60_000,
  );
  await sending;
  for (const { ctx } of cluster.nodes) await webhookSender(ctx).settled();
  const seqs = receiver.received.map(({ body }) => body.data.seq ?? 0);
  expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
  expect(new Set(seqs).size).toBe(EVENTS);
  expect(receiver.received).toHaveLength(EVENTS);
  const rows = await first.ctx.db.selectFrom("webhook_deliveries").select("id").execute();
  expect(rows).toHaveLength(EVENTS);
});
